/* SPDX-License-Identifier: MIT */
#include "lite/osdmap_read.h"

#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "lite/envelope.h"

enum {
    WRAPPER = 8,
    SECTION = 255, /* newer ones only add behind, their compat says so */
    SECTION_MIN = 5,
    POOL_KNOWN = 64,
    SNAP_KNOWN = 64,
    SNAPS_MAX = 1 << 20,
    MAPS_MAX = 1024,
    STATE_UP = 3, /* EXISTS, UP */
};

/* A failure inside is one of the whole; newer fields behind are left alone. */
static void close_env(struct signet_reader *r, const struct signet_reader *env)
{
    if (env->err != 0) {
        signet_reader_fail(r, (enum signet_err) - env->err);
    }
}

/* From behind pg_num to the flags. */
static void read_flags(struct signet_reader *r, struct lite_pool *p)
{
    uint8_t version;
    signet_read_view(r, 3 * 4 + 4 + 8 + 4); /* other numbers, last_change, snap_seq, snap_epoch */
    uint32_t num = signet_read_count(r, SNAPS_MAX, 8 + 6);
    for (uint32_t i = 0; i < num && r->err == 0; i++) {
        signet_read_u64(r);
        (void)signet_env_open(r, SNAP_KNOWN, &version);
    }
    num = signet_read_count(r, SNAPS_MAX, 16); /* removed snapshots: intervals */
    signet_read_view(r, (uint64_t)num * 16);
    signet_read_u64(r); /* auid */
    p->flags = signet_read_u64(r);
}

/* FNV-1a */
static uint64_t mark(uint64_t hash, const uint8_t *p, const uint8_t *end)
{
    for (; p < end; p++) {
        hash = (hash ^ *p) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void read_pool(struct signet_reader *r, struct lite_pool *p)
{
    uint8_t version;
    struct signet_reader env = signet_env_open(r, POOL_KNOWN, &version);
    p->type = signet_read_u8(&env);
    p->size = signet_read_u8(&env);
    signet_read_u8(&env); /* crush rule */
    p->hash = signet_read_u8(&env);
    p->pg_num = signet_read_u32(&env);
    read_flags(&env, p);
    close_env(r, &env);
}

static void pass_utime(struct signet_reader *r)
{
    signet_read_u64(r);
}

/* A name that no longer fits, and those behind it, are told by dots, for which there always is
 * room; *cut says that they are there. */
static void list_name(char out[LITE_POOLS_TEXT_MAX], bool *cut, struct signet_span name)
{
    const size_t used = strlen(out), room = LITE_POOLS_TEXT_MAX - used;
    const char *comma = used > 0 ? ", " : "";
    if (*cut) {
        return;
    }
    *cut = strlen(comma) + name.len + sizeof(", ...") > room;
    snprintf(out + used, room, "%s%.*s", comma, *cut ? 3 : (int)name.len,
             *cut ? "..." : (const char *)name.p);
}

/* Ids and properties come first, names later: the one asked for is known only then. */
static void read_pools(struct signet_reader *r, struct lite_osdmap *out, const char *name)
{
    out->num_pools = signet_read_count(r, LITE_POOLS_MAX, 8 + 6);
    struct signet_reader again = *r;
    for (uint32_t i = 0; i < out->num_pools && r->err == 0; i++) {
        struct lite_pool p;
        signet_read_u64(r);
        read_pool(r, &p);
    }
    int64_t id = -1;
    bool cut = false;
    uint32_t num = signet_read_count(r, LITE_POOLS_MAX, 8 + 4);
    for (uint32_t i = 0; i < num && r->err == 0; i++) {
        int64_t at = (int64_t)signet_read_u64(r);
        struct signet_span text = signet_read_blob(r, LITE_POOL_NAME_MAX);
        if (r->err == 0) {
            list_name(out->pools, &cut, text);
        }
        if (text.len > 0 && signet_span_is(text, name)) {
            id = at;
        }
    }
    for (uint32_t i = 0; i < out->num_pools && r->err == 0; i++) {
        const uint8_t *begin = again.p;
        struct lite_pool p = {.id = (int64_t)signet_read_u64(&again)};
        read_pool(&again, &p);
        if (p.id == id && id >= 0) {
            out->pool = p;
            out->mark = mark(out->mark, begin, again.p);
        }
    }
    if (r->err == 0 && out->pool.id >= 0 && out->pool.pg_num == 0) {
        signet_reader_fail(r, SIGNET_E_VALUE);
    }
}

static void read_addrs(struct signet_reader *r, struct signet_addrvec *out)
{
    size_t used = 0;
    int err = r->err == 0 ? signet_addrvec_decode(out, r->p, signet_reader_left(r), &used) : 0;
    if (err != 0) {
        signet_reader_fail(r, (enum signet_err) - err);
    }
    signet_read_view(r, used);
}

/* Three vectors of the same OSDs: state, weight, address. */
static void read_osds(struct signet_reader *r, struct lite_osdmap *out)
{
    uint32_t num = signet_read_count(r, LITE_OSDS_MAX, 4);
    const uint8_t *state = signet_read_view(r, (uint64_t)num * 4).p;
    uint32_t num_weights = signet_read_count(r, LITE_OSDS_MAX, 4);
    const uint8_t *weight = signet_read_view(r, (uint64_t)num_weights * 4).p;
    uint32_t num_addrs = signet_read_count(r, LITE_OSDS_MAX, 1);
    if (r->err == 0 && (num_weights != num || num_addrs != num)) {
        signet_reader_fail(r, SIGNET_E_COUNT);
    }
    for (uint32_t i = 0; i < num && r->err == 0; i++) {
        struct signet_addrvec addrs;
        const uint8_t *begin = r->p;
        bool up = (signet_load_u32(state + (size_t)i * 4) & STATE_UP) == STATE_UP &&
                  signet_load_u32(weight + (size_t)i * 4) > 0;
        read_addrs(r, &addrs);
        if (up && out->num_up++ == 0 && r->err == 0) {
            out->osd = (int32_t)i;
            out->addrs = addrs;
            out->mark = mark(out->mark, begin, r->p);
        }
    }
}

static void read_section(struct signet_reader *r, struct lite_osdmap *out, const char *name)
{
    signet_read_bytes(r, out->fsid, sizeof(out->fsid));
    out->epoch = signet_read_u32(r);
    pass_utime(r); /* created, modified */
    pass_utime(r);
    read_pools(r, out, name);
    signet_read_u32(r); /* highest pool id */
    out->flags = signet_read_u32(r);
    signet_read_u32(r); /* max_osd */
    read_osds(r, out);
}

int lite_osdmap_read(struct lite_osdmap *out, const char *pool_name, struct signet_span in,
                     uint64_t *offset)
{
    uint8_t version;
    struct signet_reader r = signet_reader_init(in.p, in.len);
    struct signet_reader wrapper = signet_env_open(&r, WRAPPER, &version);
    struct signet_reader section = signet_env_open(&wrapper, SECTION, &version);
    if (section.err == 0 && version < SECTION_MIN) {
        signet_reader_fail(&section, SIGNET_E_VERSION);
    }
    *out = (struct lite_osdmap){.pool.id = -1, .osd = -1};
    read_section(&section, out, pool_name);
    /* both heads are 6 bytes; without them there is nothing inside to point to */
    *offset = r.err == 0 && wrapper.err == 0 ? 12 + signet_reader_offset(&section) : 0;
    return section.err;
}

/* The newest of a map from epochs to blobs. */
static void find_in(struct signet_reader *r, uint32_t *epoch, struct signet_span *blob)
{
    uint32_t num = signet_read_count(r, MAPS_MAX, 8);
    for (uint32_t i = 0; i < num && r->err == 0; i++) {
        uint32_t at = signet_read_u32(r);
        struct signet_span found = signet_read_blob(r, UINT32_MAX);
        if (r->err == 0 && at >= *epoch) {
            *epoch = at;
            *blob = found;
        }
    }
}

int lite_osdmap_find(struct signet_span *map, uint32_t *newest, struct signet_span front)
{
    struct signet_reader r = signet_reader_init(front.p, front.len);
    struct signet_span full = {NULL, 0}, incremental;
    uint32_t full_epoch = 0, incremental_epoch = 0;
    signet_read_view(&r, 16);
    find_in(&r, &incremental_epoch, &incremental);
    find_in(&r, &full_epoch, &full);
    bool ok = r.err == 0;
    *map = ok ? full : (struct signet_span){NULL, 0};
    if (newest != NULL) {
        *newest = !ok ? 0 : full_epoch > incremental_epoch ? full_epoch : incremental_epoch;
    }
    return !ok ? r.err : map->p != NULL ? 0 : -SIGNET_E_NOT_FOUND;
}
