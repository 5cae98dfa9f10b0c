/* SPDX-License-Identifier: MIT */
/* A monitor and an OSD that plays tricks, and the load of signet bench in front of them. */
#ifndef SIGNET_TEST_BENCH_STAGE_H
#define SIGNET_TEST_BENCH_STAGE_H

#include <signet/messenger.h>

#include "bench.h"
#include "lite/mon.h"
#include "lite/osd.h"
#include "support/suite.h"

#define MS UINT64_C(1000000)

enum { NUM = 400, DEPTH = 16, GROUPS = 8 };

struct stage;
/* Whether an operation is answered as usual. On the server's only worker, as all of the stage is.
 */
typedef bool (*bench_trick)(struct stage *s, struct signet_peer *peer,
                            const struct signet_message *op);

struct stage {
    struct signet_keyserver *keys;
    struct signet_key *key;
    struct signet_messenger *server;
    struct signet_lite_cluster cluster;
    struct signet_mon mon;
    struct signet_osd osd;
    struct signet_addr at[2]; /* of the OSD, which may move */
    struct signet_peer *mon_peer;
    bench_trick trick;
    unsigned ops, answered, blocked, acks, wrong, again, second;
    uint32_t group;
    uint64_t kept[DEPTH]; /* tids */
    /* the client */
    struct bench_options options;
    struct ping ping;
    struct lite_osdmap map;
    struct bench_load *load;
};
extern struct stage stage;

/* Fixture: starts all of it, and ends it. */
void stage_begin(void);
void stage_end(void);
/* NUM writes, DEPTH at a time. */
int stage_run(bench_trick trick, struct bench_job *job, struct bench_why *why);

#endif
