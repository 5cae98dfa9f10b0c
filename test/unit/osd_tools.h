/* SPDX-License-Identifier: MIT */
/* An OSD with one session, requests to it, and what it answered. */
#ifndef SIGNET_TEST_OSD_TOOLS_H
#define SIGNET_TEST_OSD_TOOLS_H

#include "base/cursor.h"
#include "lite/osd.h"
#include "support/suite.h"

enum { RIG_FRONT = 1 << 17, RIG_DATA = 1 << 24, RIG_OPS = 200 };

enum {
    READ = 0x1201,
    STAT = 0x1202,
    PGNLS = 0x1505,
    WRITE = 0x2201,
    WRITEFULL = 0x2202,
    TRUNCATE = 0x2203,
    DELETE = 0x2205,
    APPEND = 0x2206,
    CREATE = 0x220d,
    HINT = 0x2223,
    SETXATTR = 0x2301,
};
enum { EXCL = 1, FAILOK = 2 };

struct rig_op {
    uint16_t code;
    uint32_t flags;
    uint64_t offset, length;
    uint32_t truncate_seq;
    const void *data; /* the payload */
    size_t len;
};

/* A request; zeros stand for what clients usually send: pool 1, head, version 8. */
struct rig_request {
    const char *name, *ns, *key;
    uint64_t tid, pool;
    uint64_t snapid;
    uint32_t num_snaps, retry;
    uint16_t version;
    const struct rig_op *op;
    uint16_t num_ops;
};

struct rig {
    struct signet_lite_cluster cluster;
    struct signet_osd osd;
    struct signet_osd_session session;
    struct signet_fail fail;
    uint64_t tid; /* of the last request that did not say its own */
    int send_err;
    int answers; /* to the last message */
    struct signet_message out;
    uint8_t *front, *data; /* of the answer */
    size_t front_len, data_len;
    /* MOSDOpReply, read */
    int32_t result;
    uint64_t replay_version, user_version;
    uint32_t num_ops, retry;
    int32_t rval[RIG_OPS];
    uint32_t out_len[RIG_OPS];
};

/* options NULL: all defaults but one shard. */
void rig_start(struct rig *rig, const struct signet_osd_options *options);
void rig_stop(struct rig *rig);
/* Goes on as another client. */
void rig_login(struct rig *rig, uint64_t global_id, const char *caps);
/* What signet_osd_message() returned. */
int rig_feed(struct rig *rig, uint16_t type, uint16_t version, struct signet_span front,
             struct signet_span data);
/* MOSDOp as hex; the answer is read. Asserts that there is one. */
void rig_hex(struct rig *rig, const char *front, const char *data);
/* Encodes a request; returns the length. */
size_t rig_encode(struct rig *rig, const struct rig_request *q, uint8_t *out, size_t cap);
/* Does it, and reads the answer; its result. */
int32_t rig_do(struct rig *rig, const struct rig_request *q);
/* One operation on an object of the default namespace. */
int32_t rig_one(struct rig *rig, const char *name, struct rig_op op);
int32_t rig_put(struct rig *rig, const char *name, const char *text);
/* Asserts that READ of everything gives these bytes, and STAT their number. */
void rig_is(struct rig *rig, const char *name, const void *data, size_t len);
void rig_is_text(struct rig *rig, const char *name, const char *text);
void rig_is_absent(struct rig *rig, const char *name);

#endif
