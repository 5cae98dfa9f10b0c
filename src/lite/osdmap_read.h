/* SPDX-License-Identifier: MIT */
/*
 * As much of an OSDMap as a client needs that talks to one OSD: pools, and which OSDs there are.
 * Takes the maps of Ceph 16 and 20 (client section 5 and newer); what is behind is passed over.
 * Pure functions. Formats: monlite.md 3.4, 5.
 */
#ifndef SIGNET_LITE_OSDMAP_READ_H
#define SIGNET_LITE_OSDMAP_READ_H

#include <stdint.h>

#include <signet/addr.h>
#include <signet/span.h>

enum { LITE_POOLS_MAX = 4096, LITE_OSDS_MAX = 1 << 16, LITE_POOL_NAME_MAX = 4096 };
enum { LITE_POOLS_TEXT_MAX = 256 };

struct lite_pool {
    int64_t id;
    uint8_t type, size; /* type: 1 replicated, 3 erasure code */
    uint8_t hash;       /* of names: 2 rjenkins */
    uint32_t pg_num;
    uint64_t flags;
};
enum { LITE_POOL_REPLICATED = 1, LITE_HASH_RJENKINS = 2 };
enum { LITE_POOL_FULL = 1 << 1, LITE_POOL_FULL_QUOTA = 1 << 10 };
/* Of the map: operations must not be sent while these are set. */
enum {
    LITE_OSDMAP_FULL = 1 << 1,
    LITE_OSDMAP_PAUSE_READ = 1 << 2,
    LITE_OSDMAP_PAUSE_WRITE = 1 << 3
};

struct lite_osdmap {
    uint8_t fsid[16];
    uint32_t epoch;
    struct lite_pool pool; /* the one asked for; id -1: there is none of that name */
    uint32_t num_pools;
    char pools[LITE_POOLS_TEXT_MAX]; /* their names for people: "a, b", or the first and "..." */
    uint32_t flags;
    uint64_t mark;               /* differs when the pool's record or the OSD's addresses do */
    uint32_t num_up;             /* OSDs that are there, up and in */
    int32_t osd;                 /* the first of them, or -1 */
    struct signet_addrvec addrs; /* of that one */
};

/* The map, and of its pools the one called pool_name. 0, -SHORT, -LENGTH, -COUNT, -VERSION, -VALUE,
 * or those of the addresses; *offset is then where. */
SIGNET_MUST int lite_osdmap_read(struct lite_osdmap *out, const char *pool_name,
                                 struct signet_span in, uint64_t *offset);
/* The newest full map in an MOSDMap message: -NOT_FOUND when there is none in it. *newest (may be
 * NULL): the newest epoch of all that it has, also as an incremental map; 0 when it has none or
 * does not decode. */
SIGNET_MUST int lite_osdmap_find(struct signet_span *map, uint32_t *newest,
                                 struct signet_span front);

#endif
