/* SPDX-License-Identifier: MIT */
/* Commands about the cluster as a whole. What is shown, and in which order, is as Ceph 16 has it:
 * scripts read the JSON forms. */
#include "lite/mon_show.h"

#include <inttypes.h>
#include <string.h>

#include <signet/signet.h>

#define NS_PER_S UINT64_C(1000000000)
#define MINUTE   UINT64_C(60)
#define HOUR     (60 * MINUTE)
#define DAY      (24 * HOUR)

enum { UNIT_TEXT = 32 };

int mon_run_fsid(struct mon_run *run)
{
    char text[MON_FSID_TEXT];
    mon_fsid_text(run->mon, text);
    if (run->json) {
        return mon_show_json(run, json_pack("{s:s}", "fsid", text));
    }
    lite_text_printf(&run->out, "%s\n", text);
    return 0;
}

/* `ceph tell` shows it as JSON in any case. */
int mon_run_version(struct mon_run *run)
{
    static const char version[] = "signet version " SIGNET_VERSION;
    if (run->tell) {
        return mon_show_json(run, json_pack("{s:s, s:s, s:s}", "version", SIGNET_VERSION, "release",
                                            "signet", "release_type", "stable"));
    }
    if (run->json) {
        return mon_show_json(run, json_pack("{s:s}", "version", version));
    }
    lite_text_printf(&run->out, "%s\n", version);
    return 0;
}

json_t *mon_health_json(void)
{
    return json_pack("{s:s, s:{}, s:[]}", "status", "HEALTH_OK", "checks", "mutes");
}

int mon_run_health(struct mon_run *run)
{
    if (run->json) {
        return mon_show_json(run, mon_health_json());
    }
    lite_text_printf(&run->out, "HEALTH_OK\n");
    return 0;
}

/* --- status --------------------------------------------------------------------------------- */

static uint64_t uptime_s(const struct signet_mon *mon)
{
    return (mon->env.mono_ns(mon->env.arg) - mon->started_ns) / NS_PER_S;
}

/* Wall clock. */
static json_int_t started_s(const struct signet_mon *mon)
{
    return (json_int_t)(mon->env.real_ns(mon->env.arg) / NS_PER_S - uptime_s(mon));
}

json_t *mon_state_json(const struct signet_mon *mon)
{
    return json_pack("{s:s, s:i, s:s, s:i, s:[i], s:I, s:[], s:[], s:[], s:o?}", "name",
                     mon->cluster->mon_name, "rank", 0, "state", "leader", "election_epoch", 1,
                     "quorum", 0, "quorum_age", (json_int_t)uptime_s(mon), "outside_quorum",
                     "extra_probe_peers", "sync_provider", "monmap", mon_monmap_json(mon));
}

int mon_run_mon_status(struct mon_run *run)
{
    return mon_show_json(run, mon_state_json(run->mon));
}

json_t *mon_osd_stat_json(const struct signet_mon *mon)
{
    return json_pack("{s:I, s:i, s:i, s:I, s:i, s:I, s:i}", "epoch",
                     (json_int_t)mon->cluster->epoch, "num_osds", 1, "num_up_osds", 1,
                     "osd_up_since", started_s(mon), "num_in_osds", 1, "osd_in_since",
                     started_s(mon), "num_remapped_pgs", 0);
}

static json_int_t num_pgs(const struct signet_mon *mon)
{
    json_int_t sum = 0;
    for (uint32_t i = 0; i < mon->cluster->num_pools; i++) {
        sum += mon->cluster->pools[i].pg_num;
    }
    return sum;
}

static json_t *placement_json(const struct signet_mon *mon)
{
    struct signet_lite_usage u = mon_usage(mon);
    json_t *states = num_pgs(mon) > 0 ? json_pack("[{s:s, s:I}]", "state_name", "active+clean",
                                                  "count", num_pgs(mon))
                                      : json_array();
    return json_pack("{s:o?, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "pgs_by_state", states, "num_pgs",
                     num_pgs(mon), "num_pools", (json_int_t)mon->cluster->num_pools, "num_objects",
                     (json_int_t)u.objects, "data_bytes", (json_int_t)u.bytes, "bytes_used",
                     (json_int_t)u.used, "bytes_avail", (json_int_t)(u.capacity - u.used),
                     "bytes_total", (json_int_t)u.capacity);
}

static json_t *status_json(const struct signet_mon *mon, const char *fsid)
{
    const struct signet_lite_cluster *c = mon->cluster;
    json_t *json =
        json_pack("{s:s, s:o?, s:i, s:[i], s:[s], s:I, s:{s:I, s:s, s:i}, s:o?, s:o?}", "fsid",
                  fsid, "health", mon_health_json(), "election_epoch", 1, "quorum", 0,
                  "quorum_names", c->mon_name, "quorum_age", (json_int_t)uptime_s(mon), "monmap",
                  "epoch", (json_int_t)c->epoch, "min_mon_release_name", MON_RELEASE_NAME,
                  "num_mons", 1, "osdmap", mon_osd_stat_json(mon), "pgmap", placement_json(mon));
    json_t *more = json_pack("{s:{s:i, s:[], s:i}, s:{s:b, s:i, s:[], s:{}}, s:{s:i, s:{}}, s:{}}",
                             "fsmap", "epoch", 1, "by_rank", "up:standby", 0, "mgrmap", "available",
                             0, "num_standbys", 0, "modules", "services", "servicemap", "epoch", 1,
                             "services", "progress_events");
    if (json == NULL || more == NULL || json_object_update(json, more) != 0) {
        json_decref(json);
        json = NULL;
    }
    json_decref(more);
    return json;
}

/* 119 is "119s", 120 is "2m". */
static const char *age_text(uint64_t s, char out[UNIT_TEXT])
{
    static const struct {
        uint64_t seconds, up_to;
        char unit;
    } units[] = {{1, 2 * MINUTE, 's'},
                 {MINUTE, 2 * HOUR, 'm'},
                 {HOUR, 2 * DAY, 'h'},
                 {DAY, 14 * DAY, 'd'},
                 {7 * DAY, UINT64_MAX, 'w'}};
    size_t i = 0;
    while (s >= units[i].up_to) {
        i++;
    }
    snprintf(out, UNIT_TEXT, "%" PRIu64 "%c", s / units[i].seconds, units[i].unit);
    return out;
}

/* "3.5 MiB", "35 MiB": two digits, or the whole number. */
static const char *bytes_text(uint64_t n, char out[UNIT_TEXT])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)n;
    size_t i = 0;
    for (; value >= 1024 && i < 6; i++) {
        value /= 1024;
    }
    int digits = i > 0 && value < 10 ? 1 : 0;
    snprintf(out, UNIT_TEXT, "%.*f %s", digits, value, units[i]);
    return out;
}

static void status_data(struct mon_run *run)
{
    char used[UNIT_TEXT], data[UNIT_TEXT], avail[UNIT_TEXT], total[UNIT_TEXT];
    struct signet_lite_usage u = mon_usage(run->mon);
    json_int_t pgs = num_pgs(run->mon);
    lite_text_printf(&run->out,
                     "  data:\n    pools:   %" PRIu32 " pools, %" PRId64 " pgs\n"
                     "    objects: %" PRIu64 " objects, %s\n"
                     "    usage:   %s used, %s / %s avail\n",
                     run->mon->cluster->num_pools, (int64_t)pgs, u.objects,
                     bytes_text(u.bytes, data), bytes_text(u.used, used),
                     bytes_text(u.capacity - u.used, avail), bytes_text(u.capacity, total));
    if (pgs > 0) {
        lite_text_printf(&run->out, "    pgs:     %" PRId64 " active+clean\n \n", (int64_t)pgs);
    } else {
        lite_text_printf(&run->out, "    pgs:     \n \n");
    }
}

int mon_run_status(struct mon_run *run)
{
    char fsid[MON_FSID_TEXT], age[UNIT_TEXT];
    mon_fsid_text(run->mon, fsid);
    if (run->json) {
        return mon_show_json(run, status_json(run->mon, fsid));
    }
    age_text(uptime_s(run->mon), age);
    lite_text_printf(&run->out,
                     "  cluster:\n    id:     %s\n    health: HEALTH_OK\n \n"
                     "  services:\n    mon: 1 daemons, quorum %s (age %s)\n"
                     "    mgr: no daemons active\n"
                     "    osd: 1 osds: 1 up (since %s), 1 in (since %s)\n \n",
                     fsid, run->mon->cluster->mon_name, age, age, age);
    status_data(run);
    return 0;
}

int mon_run_osd_stat(struct mon_run *run)
{
    char age[UNIT_TEXT];
    if (run->json) {
        return mon_show_json(run, mon_osd_stat_json(run->mon));
    }
    age_text(uptime_s(run->mon), age);
    lite_text_printf(&run->out, "1 osds: 1 up (since %s), 1 in (since %s); epoch: e%" PRIu32 "\n",
                     age, age, run->mon->cluster->epoch);
    return 0;
}

/* --- space ---------------------------------------------------------------------------------- */

static double used_share(struct signet_lite_usage u)
{
    return u.capacity > 0 ? (double)u.used / (double)u.capacity : 0;
}

/* Of what the pool has and could have. */
static double pool_share(struct signet_lite_usage pool, struct signet_lite_usage all)
{
    uint64_t of = pool.used + (all.capacity - all.used);
    return of > 0 ? (double)pool.used / (double)of : 0;
}

static json_t *df_pools(const struct signet_mon *mon, struct signet_lite_usage all)
{
    json_t *pools = json_array();
    for (uint32_t i = 0; i < mon->cluster->num_pools; i++) {
        const struct signet_lite_pool *p = &mon->cluster->pools[i];
        struct signet_lite_usage u = mon_pool_usage(mon, p->id);
        json_array_append_new(
            pools, json_pack("{s:s, s:I, s:{s:I, s:I, s:I, s:I, s:f, s:I}}", "name", p->name, "id",
                             (json_int_t)p->id, "stats", "stored", (json_int_t)u.bytes, "objects",
                             (json_int_t)u.objects, "kb_used", (json_int_t)((u.used + 1023) / 1024),
                             "bytes_used", (json_int_t)u.used, "percent_used", pool_share(u, all),
                             "max_avail", (json_int_t)(all.capacity - all.used)));
    }
    return pools;
}

static json_t *df_json(const struct signet_mon *mon)
{
    struct signet_lite_usage u = mon_usage(mon);
    json_int_t total = (json_int_t)u.capacity, used = (json_int_t)u.used;
    return json_pack("{s:{s:I, s:I, s:I, s:I, s:f, s:i}, s:{}, s:o?}", "stats", "total_bytes",
                     total, "total_avail_bytes", total - used, "total_used_bytes", used,
                     "total_used_raw_bytes", used, "total_used_raw_ratio", used_share(u),
                     "num_osds", 1, "stats_by_class", "pools", df_pools(mon, u));
}

static void print_pools(struct mon_run *run, struct signet_lite_usage all)
{
    const struct signet_lite_cluster *c = run->mon->cluster;
    char stored[UNIT_TEXT], used[UNIT_TEXT], avail[UNIT_TEXT];
    size_t width = 4;
    for (uint32_t i = 0; i < c->num_pools; i++) {
        size_t len = strlen(c->pools[i].name);
        width = len > width ? len : width;
    }
    lite_text_printf(&run->out, "\n--- POOLS ---\n%-*s  %4s  %4s  %10s  %8s  %10s  %5s  %10s\n",
                     (int)width, "POOL", "ID", "PGS", "STORED", "OBJECTS", "USED", "%USED",
                     "MAX AVAIL");
    for (uint32_t i = 0; i < c->num_pools; i++) {
        const struct signet_lite_pool *p = &c->pools[i];
        struct signet_lite_usage u = mon_pool_usage(run->mon, p->id);
        lite_text_printf(&run->out,
                         "%-*s  %4" PRIu64 "  %4u  %10s  %8" PRIu64 "  %10s  %5.2f  %10s\n",
                         (int)width, p->name, p->id, p->pg_num, bytes_text(u.bytes, stored),
                         u.objects, bytes_text(u.used, used), 100 * pool_share(u, all),
                         bytes_text(all.capacity - all.used, avail));
    }
}

/* The columns line up. */
int mon_run_df(struct mon_run *run)
{
    char total[UNIT_TEXT], avail[UNIT_TEXT], used[UNIT_TEXT];
    struct signet_lite_usage u = mon_usage(run->mon);
    if (run->json) {
        return mon_show_json(run, df_json(run->mon));
    }
    bytes_text(u.capacity, total);
    bytes_text(u.capacity - u.used, avail);
    bytes_text(u.used, used);
    lite_text_printf(&run->out,
                     "--- RAW STORAGE ---\n"
                     "CLASS  %10s  %10s  %10s  %10s  %%RAW USED\n"
                     "TOTAL  %10s  %10s  %10s  %10s  %9.2f\n",
                     "SIZE", "AVAIL", "USED", "RAW USED", total, avail, used, used,
                     100 * used_share(u));
    if (run->mon->cluster->num_pools > 0) {
        print_pools(run, u);
    }
    return 0;
}

int mon_run_config_dump(struct mon_run *run)
{
    if (run->json) {
        return mon_show_json(run, json_array());
    }
    lite_text_printf(&run->out, "WHO  MASK  LEVEL  OPTION  VALUE  RO\n");
    return 0;
}
