/* SPDX-License-Identifier: MIT */
/*
 * The maps that a client asks a monitor for, of a cluster with one monitor, one OSD and
 * replicated pools of size 1: MonMap v9, CRUSH and OSDMap 8/9/9, as a real Ceph 16 sends them.
 * Pure functions; the map never changes while the daemon runs (epoch 1).
 */
#ifndef SIGNET_LITE_MAPS_H
#define SIGNET_LITE_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include <signet/addr.h>
#include <signet/utime.h>

#include "base/cursor.h"

struct signet_lite_pool {
    uint64_t id; /* from 1, ascending */
    const char *name;
    uint32_t pg_num;
};

struct signet_lite_cluster {
    uint8_t fsid[16];
    uint32_t epoch;
    struct signet_utime created;
    const char *mon_name;   /* "a" */
    struct signet_addr mon; /* as clients dial it, nonce 0 */
    struct signet_addr osd; /* with the nonce that SERVER_IDENT shows */
    uint64_t features;      /* connection features that the OSD announces */
    const struct signet_lite_pool *pools;
    uint32_t num_pools;
};

/* Each writes one structure, without a length in front; errors stay in the writer. */
void signet_lite_monmap(struct signet_writer *w, const struct signet_lite_cluster *cluster);
void signet_lite_osdmap(struct signet_writer *w, const struct signet_lite_cluster *cluster);
void signet_lite_crush(struct signet_writer *w);

#endif
