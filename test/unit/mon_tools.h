/* SPDX-License-Identifier: MIT */
/* A monitor with one session, and what it answered. */
#ifndef SIGNET_TEST_MON_TOOLS_H
#define SIGNET_TEST_MON_TOOLS_H

#include "lite/mon.h"
#include "support/cluster.h"

#define BENCH_FSID "f0e1d2c3b4a5968778695a4b3c2d1e0f"

enum { BENCH_ANSWERS = 4, BENCH_BUF = 1 << 16 };

struct answer {
    struct signet_message message; /* the views point to the buffers below */
    uint8_t front[BENCH_BUF], data[BENCH_BUF];
};

struct bench {
    struct cluster c; /* only with keys */
    struct signet_lite_cluster cluster;
    struct signet_mon mon;
    struct signet_mon_session session;
    struct signet_fail fail;
    int send_err; /* what the receiver of answers returns */
    int num;      /* answers to the last message */
    struct answer answer[BENCH_ANSWERS];
    /* of the last command */
    int32_t code;
    char say[512];
    char *out; /* ends with NUL */
};

/* caps NULL: no key server at all. Else a session of client.a with these. */
void bench_start(struct bench *b, const char *caps);
void bench_stop(struct bench *b);
/* What signet_mon_message() returned. */
int bench_feed(struct bench *b, uint16_t type, uint16_t version, const void *front, size_t len);
int bench_feed_hex(struct bench *b, uint16_t type, uint16_t version, const char *hex);
/* The front of MMonCommand; returns its length. */
size_t bench_command(struct bench *b, uint8_t *out, size_t cap, const char *json);
/* A command over MMonCommand; input: what -i would give, may be NULL. Returns the code. */
int32_t bench_run(struct bench *b, const char *json, const char *input);
/* The same with the words of a prefix and an entity. */
int32_t bench_auth(struct bench *b, const char *prefix, const char *entity, const char *more);
/* Output of the last command as JSON, or the test fails. */
json_t *bench_json(struct bench *b);

#endif
