/* SPDX-License-Identifier: MIT */
/* Fields are in the order of the versions that brought them; most are zero in a pool that has
 * neither tiers nor quotas nor snapshots. */
#include "lite/pool.h"

#include "lite/envelope.h"
#include "lite/write.h"

#define POOL_VERSION    29
#define POOL_COMPAT     5
#define NO_POOL         UINT64_MAX /* -1 */
#define FLAG_HASHPSPOOL 1
#define TYPE_REPLICATED 1
#define HASH_RJENKINS   2

static void placement(struct signet_writer *w, const struct signet_lite_cluster *c,
                      const struct signet_lite_pool *pool)
{
    signet_write_u8(w, TYPE_REPLICATED);
    signet_write_u8(w, 1); /* size */
    signet_write_u8(w, 0); /* crush rule */
    signet_write_u8(w, HASH_RJENKINS);
    signet_write_u32(w, pool->pg_num);
    signet_write_u32(w, pool->pg_num);
    signet_write_zeros(w, 8); /* lpg_num, lpgp_num */
    signet_write_u32(w, c->epoch);
    signet_write_zeros(w, 20); /* snap_seq, snap_epoch, snaps, removed_snaps */
    signet_write_u64(w, 0);    /* auid */
    signet_write_u64(w, FLAG_HASHPSPOOL);
    signet_write_u32(w, 0); /* crash_replay_interval */
}

static void tiers(struct signet_writer *w)
{
    signet_write_u8(w, 1);     /* v7: min_size */
    signet_write_zeros(w, 16); /* v8: quotas */
    signet_write_u32(w, 0);    /* v9: tiers */
    signet_write_u64(w, NO_POOL);
    signet_write_u8(w, 0); /* cache_mode */
    signet_write_u64(w, NO_POOL);
    signet_write_u64(w, NO_POOL);
    signet_write_u32(w, 0); /* v10: properties */
}

static void caching(struct signet_writer *w)
{
    size_t at = signet_env_begin(w, 1, 1); /* v11: hit set parameters: none */
    signet_write_u8(w, 0);
    signet_env_end(w, at);
    signet_write_zeros(w, 8);  /* hit set period and count */
    signet_write_zeros(w, 4);  /* v12: stripe_width */
    signet_write_zeros(w, 32); /* v13: cache targets, ratios and ages */
    signet_write_text(w, "");  /* v14: erasure code profile */
    signet_write_zeros(w, 4);  /* v15: last_force_op_resend_preluminous */
    signet_write_zeros(w, 4);  /* v16: min_read_recency */
    signet_write_zeros(w, 8);  /* v17: expected_num_objects */
    signet_write_zeros(w, 4);  /* v19: dirty_high_ratio */
    signet_write_zeros(w, 4);  /* v20: min_write_recency */
    signet_write_zeros(w, 2);  /* v21, v22: use_gmt_hitset, fast_read */
    signet_write_zeros(w, 8);  /* v23: grade decay, search_last_n */
}

static void options(struct signet_writer *w)
{
    size_t at = signet_env_begin(w, 2, 1); /* v24 */
    signet_write_u32(w, 0);
    signet_env_end(w, at);
    signet_write_u32(w, 0); /* v25: last_force_op_resend_prenautilus */
    signet_write_u32(w, 1); /* v26: applications */
    signet_write_text(w, "rados");
    signet_write_u32(w, 0);
}

static void splitting(struct signet_writer *w, const struct signet_lite_pool *pool)
{
    for (int i = 0; i < 3; i++) { /* v28: pg_num_target, pgp_num_target, pg_num_pending */
        signet_write_u32(w, pool->pg_num);
    }
    signet_write_zeros(w, 13);             /* obsolete, last_force_op_resend, autoscale_mode */
    size_t at = signet_env_begin(w, 1, 1); /* v29: the last merge: never */
    signet_write_u8(w, 1);
    signet_write_zeros(w, 12);
    signet_write_u32(w, UINT32_MAX);
    signet_write_zeros(w, 36);
    signet_env_end(w, at);
}

void signet_lite_pool(struct signet_writer *w, const struct signet_lite_cluster *c,
                      const struct signet_lite_pool *pool)
{
    size_t at = signet_env_begin(w, POOL_VERSION, POOL_COMPAT);
    placement(w, c, pool);
    tiers(w);
    caching(w);
    options(w);
    signet_lite_utime(w, c->created); /* v27 */
    splitting(w, pool);
    signet_env_end(w, at);
}
