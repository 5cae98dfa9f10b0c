/* SPDX-License-Identifier: MIT */
/* The OSD map as JSON: the members that osdmaptool finds in the encoded one, in its order. */
#include "lite/mon_show.h"

#include <stdio.h>

/* Names and numbers that are the same in each map. */
struct numbers {
    const char *name;
    json_int_t value;
};

static json_t *add(json_t *to, const char *name, json_t *value)
{
    json_object_set_new(to, name, value);
    return to;
}

static void add_numbers(json_t *to, const struct numbers *list)
{
    for (; list->name != NULL; list++) {
        add(to, list->name, json_integer(list->value));
    }
}

static void add_empty(json_t *to, const char *const *arrays)
{
    for (; *arrays != NULL; arrays++) {
        add(to, *arrays, json_array());
    }
}

static void pool_placement(json_t *pool, const struct signet_lite_pool *p)
{
    static const struct numbers peering[] = {{"peering_crush_bucket_count", 0},
                                             {"peering_crush_bucket_target", 0},
                                             {"peering_crush_bucket_barrier", 0},
                                             {"peering_crush_bucket_mandatory_member", INT32_MAX},
                                             {"object_hash", 2},
                                             {NULL, 0}};
    static const char *const counts[] = {"pg_num", "pg_placement_num", "pg_placement_num_target",
                                         "pg_num_target", "pg_num_pending"};
    add_numbers(pool, peering);
    add(pool, "pg_autoscale_mode", json_string("off"));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        add(pool, counts[i], json_integer(p->pg_num));
    }
    add(pool, "last_pg_merge_meta",
        json_pack("{s:s, s:i, s:i, s:i, s:s, s:s}", "source_pgid", "0.0", "ready_epoch", 0,
                  "last_epoch_started", 0, "last_epoch_clean", 0, "source_version", "0'0",
                  "target_version", "0'0"));
}

static void pool_history(json_t *pool, uint32_t epoch)
{
    static const char *const resend[] = {"last_force_op_resend", "last_force_op_resend_prenautilus",
                                         "last_force_op_resend_preluminous"};
    static const struct numbers quotas[] = {
        {"quota_max_bytes", 0}, {"quota_max_objects", 0}, {NULL, 0}};
    char text[16];
    snprintf(text, sizeof(text), "%u", epoch);
    add(pool, "last_change", json_string(text));
    for (size_t i = 0; i < sizeof(resend) / sizeof(resend[0]); i++) {
        add(pool, resend[i], json_string("0"));
    }
    add(pool, "auid", json_integer(0));
    add(pool, "snap_mode", json_string("selfmanaged"));
    add(pool, "snap_seq", json_integer(0));
    add(pool, "snap_epoch", json_integer(0));
    add(pool, "pool_snaps", json_array());
    add(pool, "removed_snaps", json_string("[]"));
    add_numbers(pool, quotas);
}

static void pool_caching(json_t *pool)
{
    static const struct numbers tiers[] = {
        {"tier_of", -1}, {"read_tier", -1}, {"write_tier", -1}, {NULL, 0}};
    static const struct numbers cache[] = {{"target_max_bytes", 0},
                                           {"target_max_objects", 0},
                                           {"cache_target_dirty_ratio_micro", 0},
                                           {"cache_target_dirty_high_ratio_micro", 0},
                                           {"cache_target_full_ratio_micro", 0},
                                           {"cache_min_flush_age", 0},
                                           {"cache_min_evict_age", 0},
                                           {NULL, 0}};
    static const struct numbers hits[] = {{"hit_set_period", 0}, {"hit_set_count", 0}, {NULL, 0}};
    static const struct numbers recency[] = {{"min_read_recency_for_promote", 0},
                                             {"min_write_recency_for_promote", 0},
                                             {"hit_set_grade_decay_rate", 0},
                                             {"hit_set_search_last_n", 0},
                                             {NULL, 0}};
    add(pool, "tiers", json_array());
    add_numbers(pool, tiers);
    add(pool, "cache_mode", json_string("none"));
    add_numbers(pool, cache);
    add(pool, "erasure_code_profile", json_string(""));
    add(pool, "hit_set_params", json_pack("{s:s}", "type", "none"));
    add_numbers(pool, hits);
    add(pool, "use_gmt_hitset", json_false());
    add_numbers(pool, recency);
    add(pool, "grade_table", json_array());
}

static json_t *pool_json(const struct signet_lite_cluster *c, const struct signet_lite_pool *p)
{
    char time[MON_TIME_TEXT];
    json_t *pool = json_pack("{s:I, s:s, s:s, s:i, s:s, s:i, s:i, s:i, s:i}", "pool",
                             (json_int_t)p->id, "pool_name", p->name, "create_time",
                             mon_time_text(c->created, "+0000", time), "flags", 1, "flags_names",
                             "hashpspool", "type", 1, "size", 1, "min_size", 1, "crush_rule", 0);
    pool_placement(pool, p);
    pool_history(pool, c->epoch);
    pool_caching(pool);
    add(pool, "stripe_width", json_integer(0));
    add(pool, "expected_num_objects", json_integer(0));
    add(pool, "fast_read", json_false());
    add(pool, "options", json_object());
    return add(pool, "application_metadata", json_pack("{s:{}}", "rados"));
}

static json_t *pools_json(const struct signet_lite_cluster *c)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->num_pools; i++) {
        json_array_append_new(list, pool_json(c, &c->pools[i]));
    }
    return list;
}

static json_t *osd_json(const struct signet_mon *mon)
{
    static const char *const vectors[] = {"public_addrs", "cluster_addrs", "heartbeat_back_addrs",
                                          "heartbeat_front_addrs"};
    static const char *const single[] = {"public_addr", "cluster_addr", "heartbeat_back_addr",
                                         "heartbeat_front_addr"};
    const struct signet_lite_cluster *c = mon->cluster;
    char fsid[MON_FSID_TEXT], addr[SIGNET_ADDR_TEXT_MAX];
    json_t *osd =
        json_pack("{s:i, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:i, s:i}", "osd", 0, "uuid",
                  mon_fsid_text(mon, fsid), "up", 1, "in", 1, "weight", 1, "primary_affinity", 1,
                  "last_clean_begin", 0, "last_clean_end", 0, "up_from", (json_int_t)c->epoch,
                  "up_thru", (json_int_t)c->epoch, "down_at", 0, "lost_at", 0);
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        add(osd, vectors[i], mon_addrvec_json(&c->osd));
    }
    for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
        add(osd, single[i], json_string(mon_bare_addr(&c->osd, addr)));
    }
    return add(osd, "state", json_pack("[s,s]", "exists", "up"));
}

static json_t *head_json(const struct signet_mon *mon)
{
    const struct signet_lite_cluster *c = mon->cluster;
    char fsid[MON_FSID_TEXT], time[MON_TIME_TEXT];
    mon_time_text(c->created, "+0000", time);
    json_t *map = json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "epoch",
                            (json_int_t)c->epoch, "fsid", mon_fsid_text(mon, fsid), "created", time,
                            "modified", time, "last_up_change", time, "last_in_change", time,
                            "flags", MON_OSD_FLAGS, "flags_num", MON_OSD_FLAGS_NUM);
    add(map, "flags_set",
        json_pack("[s,s,s,s]", "pglog_hardlimit", "purged_snapdirs", "recovery_deletes",
                  "sortbitwise"));
    add(map, "crush_version", json_integer(1));
    add(map, "full_ratio", json_real((double)0.95F));
    add(map, "backfillfull_ratio", json_real((double)0.9F));
    add(map, "nearfull_ratio", json_real((double)0.85F));
    return add(map, "cluster_snapshot", json_string(""));
}

static void tail_json(json_t *map)
{
    static const char *const arrays[] = {"pg_upmap", "pg_upmap_items", "pg_temp", "primary_temp",
                                         NULL};
    static const char *const snaps[] = {"removed_snaps_queue", "new_removed_snaps",
                                        "new_purged_snaps", NULL};
    add_empty(map, arrays);
    add(map, "blocklist", json_object());
    add(map, "range_blocklist", json_object());
    add(map, "erasure_code_profiles", json_object());
    add_empty(map, snaps);
    add(map, "crush_node_flags", json_object());
    add(map, "device_class_flags", json_object());
    add(map, "stretch_mode",
        json_pack("{s:b, s:i, s:i, s:i, s:i}", "stretch_mode_enabled", 0, "stretch_bucket_count", 0,
                  "degraded_stretch_mode", 0, "recovering_stretch_mode", 0, "stretch_mode_bucket",
                  0));
}

json_t *mon_osdmap_json(const struct signet_mon *mon)
{
    const struct signet_lite_cluster *c = mon->cluster;
    json_t *map = head_json(mon);
    add(map, "pool_max",
        json_integer(c->num_pools > 0 ? (json_int_t)c->pools[c->num_pools - 1].id : 0));
    add(map, "max_osd", json_integer(1));
    add(map, "require_min_compat_client", json_string("luminous"));
    add(map, "min_compat_client", json_string("jewel"));
    add(map, "require_osd_release", json_string(MON_RELEASE_NAME));
    add(map, "pools", pools_json(c));
    add(map, "osds", json_pack("[o?]", osd_json(mon)));
    add(map, "osd_xinfo",
        json_pack("[{s:i, s:s, s:i, s:i, s:I, s:i, s:s, s:i}]", "osd", 0, "down_stamp", "0.000000",
                  "laggy_probability", 0, "laggy_interval", 0, "features", (json_int_t)c->features,
                  "old_weight", 0, "last_purged_snaps_scrub", "0.000000", "dead_epoch", 0));
    tail_json(map);
    return map;
}
