/* SPDX-License-Identifier: MIT */
/*
 * The client's half of the messages to an OSD: MOSDOp 8 is made, MOSDOpReply 8 is read.
 * Pure functions. Formats: osdlite.md 3, 4.
 */
#ifndef SIGNET_LITE_OSD_CLIENT_H
#define SIGNET_LITE_OSD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/control.h>
#include <signet/span.h>
#include <signet/utime.h>

enum {
    LITE_MSG_OSD_MAP = 41,
    LITE_MSG_OSD_OP = 42,
    LITE_MSG_OSD_OP_REPLY = 43,
    LITE_MSG_MON_SUBSCRIBE = 15,
};
enum {
    LITE_OP_READ = 0x1201,
    LITE_OP_STAT = 0x1202,
    LITE_OP_PGNLS = 0x1505, /* offset: names at most */
    LITE_OP_WRITE = 0x2201,
    LITE_OP_WRITEFULL = 0x2202,
    LITE_OP_DELETE = 0x2205,
    LITE_OP_SETALLOCHINT = 0x2223,
};
enum { LITE_OPS_MAX = 4, LITE_OP_FAILOK = 2 };

struct lite_op {
    uint16_t code;
    uint32_t flags;
    uint64_t offset, length; /* SETALLOCHINT: size of the object, of writes */
    uint32_t payload_len;
};

struct lite_osd_request {
    uint64_t pool;
    uint32_t pg_num, epoch;
    struct signet_span name; /* default namespace, no key */
    struct signet_utime mtime;
    uint64_t features; /* of the connection */
    uint32_t attempt;  /* 0, or how often it was sent before, with the same tid */
    bool full_try; /* a full pool answers -ENOSPC or -EDQUOT; else not at all until it has room */
    bool list;     /* PGNLS: no object; the group is that of hash, the payload a cursor */
    uint32_t hash;
    uint32_t num_ops;
    const struct lite_op *ops;
};
enum { LITE_OSD_FRONT_MAX = 208 + 38 * LITE_OPS_MAX + 2048 };

/* The front; at most LITE_OSD_FRONT_MAX bytes for names within their limit. 0 or -SPACE. */
SIGNET_MUST int lite_osd_request(const struct lite_osd_request *in, uint8_t *out, size_t cap,
                                 size_t *out_len);
/* MMonSubscribe 3 for the newest OSDMap, whole; and unless once for what follows it, which comes as
 * incremental maps. */
SIGNET_MUST int lite_osdmap_subscribe(bool once, uint8_t *out, size_t cap, size_t *out_len);

struct lite_osd_reply {
    int32_t result;  /* 0 or more, or a negative errno */
    int32_t attempt; /* of the request, or -1: the OSD does not tell */
    uint32_t epoch;  /* of the OSD's map */
    uint32_t num_ops;
    int32_t rval[LITE_OPS_MAX];
    uint32_t out_len[LITE_OPS_MAX];
    bool redirect; /* go somewhere else: not followed */
};

/* The front of a reply; its data is as long as all out_len. 0, -SHORT, -LENGTH, -COUNT (more
 * operations than a request has), -VERSION. */
SIGNET_MUST int lite_osd_reply(struct lite_osd_reply *out, const struct signet_message *in);

#endif
