/* SPDX-License-Identifier: MIT */
/*
 * MOSDBackoff: an OSD asks its client not to send operations on a range of objects of a placement
 * group until it says so (a group that is not active, an object that it cannot find). Operations
 * of the range that it had got it has dropped: they are sent again when it unblocks. All of it
 * belongs to the connection and ends with it. Pure functions.
 *
 * Front of version 1, from doc/dev/rados-client-protocol and what Ceph 16 sends: spg_t in an
 * envelope, u32 epoch of the map, u8 kind, u64 id, hobject_t begin, hobject_t end.
 */
#ifndef SIGNET_LITE_BACKOFF_H
#define SIGNET_LITE_BACKOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/control.h>

#include "lite/hobject.h"

enum { LITE_MSG_OSD_BACKOFF = 61 };
enum lite_backoff_kind {
    LITE_BACKOFF_BLOCK = 1,
    LITE_BACKOFF_ACK_BLOCK = 2, /* the client's answer to BLOCK */
    LITE_BACKOFF_UNBLOCK = 3,
};

struct lite_backoff {
    int64_t pool;
    uint32_t pg;
    uint8_t shard; /* 0xff: the pool has none */
    uint32_t epoch;
    enum lite_backoff_kind kind;
    uint64_t id; /* of the OSD's, within the connection */
    struct lite_hobject begin, end;
};

/* Spans are views of the message. -SHORT, -LENGTH, -VERSION, -TRAILING; -VALUE: a kind that does
 * not exist, or an end before its begin. */
SIGNET_MUST int lite_backoff_read(struct lite_backoff *out, const struct signet_message *in);
/* The front of an answer: the same but for kind and epoch. 0 or -SPACE. */
SIGNET_MUST int lite_backoff_write(const struct lite_backoff *in, uint8_t *out, size_t cap,
                                   size_t *out_len);
enum { LITE_BACKOFF_MAX = 64 + 2 * (64 + 2 * 2048 + 256) }; /* bytes of any front */
/* Whether the object, which is in group pg of the pool, is in the range: from begin up to and
 * without end, or the one that is both. */
bool lite_backoff_holds(const struct lite_backoff *backoff, uint32_t pg,
                        const struct lite_hobject *object);

#endif
