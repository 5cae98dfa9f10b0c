/* SPDX-License-Identifier: MIT */
/* MGetPoolStats: what pools hold. Structures as a client of release 16 reads them: pool_stat_t
 * version 7, object_stat_collection_t 2, object_stat_sum_t 20, store_statfs_t 1. */
#include "lite/mon_internal.h"

#include "base/span.h"
#include "lite/envelope.h"

enum {
    FSID_LEN = 16,
    NAME_MAX_LEN = 256,
    POOLS_MAX = 4096,
    SUM_LEN = 304, /* of object_stat_sum_t: bytes and objects first, then what is 0 here */
};

struct asked {
    const struct signet_mon *mon;
    struct signet_reader names; /* at the count */
};

const struct signet_lite_pool *mon_pool_named(const struct signet_lite_cluster *c,
                                              struct signet_span name)
{
    for (uint32_t i = 0; i < c->num_pools; i++) {
        if (signet_span_is(name, c->pools[i].name)) {
            return &c->pools[i];
        }
    }
    return NULL;
}

struct signet_lite_usage mon_pool_usage(const struct signet_mon *mon, uint64_t pool)
{
    struct signet_lite_usage u = {0};
    if (mon->pool_usage != NULL) {
        u = mon->pool_usage(mon->usage_arg, pool);
    }
    return u;
}

static void write_sum(struct signet_writer *w, const struct signet_lite_usage *u)
{
    size_t collection = signet_env_begin(w, 2, 2);
    size_t sum = signet_env_begin(w, 20, 14);
    signet_write_u64(w, u->bytes);
    signet_write_u64(w, u->objects);
    signet_write_u64(w, 0);          /* clones */
    signet_write_u64(w, u->objects); /* copies */
    signet_write_zeros(w, SUM_LEN - 32);
    signet_env_end(w, sum);
    signet_write_u32(w, 0); /* sums by category */
    signet_env_end(w, collection);
}

static void write_store(struct signet_writer *w, const struct signet_lite_usage *u)
{
    size_t at = signet_env_begin(w, 1, 1);
    signet_write_zeros(w, 24);    /* total, available, reserved: not of a pool */
    signet_write_u64(w, u->used); /* allocated */
    signet_write_u64(w, u->bytes);
    signet_write_zeros(w, 40); /* compressed, keys and values, metadata */
    signet_env_end(w, at);
}

static void write_pool(struct signet_writer *w, const struct signet_mon *mon,
                       const struct signet_lite_pool *pool)
{
    struct signet_lite_usage u = mon_pool_usage(mon, pool->id);
    signet_write_text(w, pool->name);
    size_t at = signet_env_begin(w, 7, 5);
    write_sum(w, &u);
    signet_write_zeros(w, 16);         /* lengths of logs */
    signet_write_u32(w, pool->pg_num); /* placement groups up, acting */
    signet_write_u32(w, pool->pg_num);
    write_store(w, &u);
    signet_write_u32(w, 1); /* store_statfs_t in the sum */
    signet_env_end(w, at);
}

/* Those that were asked for and are there, or only their number. A name that comes twice counts
 * once: it is a map. */
static uint32_t each(struct signet_writer *w, const struct asked *asked)
{
    const struct signet_lite_cluster *c = asked->mon->cluster;
    uint32_t found = 0;
    for (uint32_t p = 0; p < c->num_pools; p++) {
        struct signet_reader r = asked->names;
        uint32_t num = signet_read_count(&r, POOLS_MAX, 4);
        bool wanted = false;
        for (uint32_t i = 0; i < num && r.err == 0 && !wanted; i++) {
            wanted = mon_pool_named(c, signet_read_blob(&r, NAME_MAX_LEN)) == &c->pools[p];
        }
        if (wanted && w != NULL) {
            write_pool(w, asked->mon, &c->pools[p]);
        }
        found += wanted ? 1 : 0;
    }
    return found;
}

static void write_pool_stats(struct signet_writer *w, const void *arg)
{
    const struct asked *asked = arg;
    const struct signet_lite_cluster *c = asked->mon->cluster;
    mon_paxos_write(w);
    signet_write_bytes(w, c->fsid, sizeof(c->fsid));
    signet_write_u32(w, each(NULL, asked));
    (void)each(w, asked);
    signet_write_u8(w, 1); /* what the store has allocated is told for each pool */
}

int mon_pool_stats(struct mon_call *call)
{
    struct signet_reader r = signet_reader_init(call->in->front.p, call->in->front.len);
    mon_paxos_skip(&r);
    struct signet_span fsid = signet_read_view(&r, FSID_LEN);
    struct asked asked = {.mon = call->mon, .names = r};
    uint32_t num = signet_read_count(&r, POOLS_MAX, 4);
    for (uint32_t i = 0; i < num && r.err == 0; i++) {
        signet_read_blob(&r, NAME_MAX_LEN);
    }
    int err = mon_front_done(call, &r, "MGetPoolStats", 1);
    if (err != 0 || !mon_our_fsid(call, fsid)) {
        return err;
    }
    return mon_send(call, &(struct mon_reply){.type = MSG_GET_POOL_STATS_REPLY,
                                              .version = 2,
                                              .compat = 1,
                                              .tid = call->in->tid,
                                              .front = write_pool_stats,
                                              .arg = &asked});
}
