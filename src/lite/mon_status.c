/* SPDX-License-Identifier: MIT */
/* Commands that show the cluster. Nobody parses the text forms. */
#include "lite/mon_internal.h"

#include <inttypes.h>
#include <string.h>

#include <signet/signet.h>

#define NS_PER_S UINT64_C(1000000000)

enum { FSID_TEXT = 37 };

static const char *fsid_text(const struct signet_mon *mon, char out[FSID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    char *p = out;
    for (size_t i = 0; i < sizeof(mon->cluster->fsid); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *p++ = '-';
        }
        *p++ = digits[mon->cluster->fsid[i] >> 4];
        *p++ = digits[mon->cluster->fsid[i] & 15];
    }
    *p = 0;
    return out;
}

/* JSON as Ceph ends it: with a line end. */
static int json_out(struct mon_run *run, json_t *json)
{
    lite_text_json(&run->out, json, JSON_COMPACT);
    lite_text_add(&run->out, "\n", 1);
    return 0;
}

int mon_run_fsid(struct mon_run *run)
{
    char text[FSID_TEXT];
    fsid_text(run->mon, text);
    if (run->json) {
        return json_out(run, json_pack("{s:s}", "fsid", text));
    }
    lite_text_printf(&run->out, "%s\n", text);
    return 0;
}

int mon_run_version(struct mon_run *run)
{
    static const char version[] = "signet version " SIGNET_VERSION;
    if (run->json) {
        return json_out(run, json_pack("{s:s}", "version", version));
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
        return json_out(run, mon_health_json());
    }
    lite_text_printf(&run->out, "HEALTH_OK\n");
    return 0;
}

static uint64_t uptime_s(const struct signet_mon *mon)
{
    return (mon->env.mono_ns(mon->env.arg) - mon->started_ns) / NS_PER_S;
}

static json_t *status_json(const struct signet_mon *mon, const char *fsid)
{
    const struct signet_lite_cluster *c = mon->cluster;
    return json_pack("{s:s, s:o?, s:[s], s:I, s:{s:I, s:i}, s:{s:I, s:i, s:i, s:i}, s:{s:I}}",
                     "fsid", fsid, "health", mon_health_json(), "quorum_names", c->mon_name,
                     "quorum_age", (json_int_t)uptime_s(mon), "monmap", "epoch",
                     (json_int_t)c->epoch, "num_mons", 1, "osdmap", "epoch", (json_int_t)c->epoch,
                     "num_osds", 1, "num_up_osds", 1, "num_in_osds", 1, "pgmap", "num_pools",
                     (json_int_t)c->num_pools);
}

int mon_run_status(struct mon_run *run)
{
    char fsid[FSID_TEXT];
    struct signet_keyserver_stats stats;
    fsid_text(run->mon, fsid);
    if (run->json) {
        return json_out(run, status_json(run->mon, fsid));
    }
    signet_keyserver_stats(run->mon->keys, &stats);
    lite_text_printf(&run->out,
                     "  cluster:\n    id:     %s\n    health: HEALTH_OK\n\n"
                     "  services:\n    mon: 1 daemons, quorum %s (age %" PRIu64 "s)\n"
                     "    osd: 1 osds: 1 up, 1 in\n\n"
                     "  data:\n    pools:      %" PRIu32 " pools\n"
                     "    principals: %" PRIu64 "\n",
                     fsid, run->mon->cluster->mon_name, uptime_s(run->mon),
                     run->mon->cluster->num_pools, stats.principals);
    return 0;
}

int mon_run_mon_dump(struct mon_run *run)
{
    const struct signet_lite_cluster *c = run->mon->cluster;
    char fsid[FSID_TEXT], addr[SIGNET_ADDR_TEXT_MAX];
    fsid_text(run->mon, fsid);
    signet_addr_print(&c->mon, addr);
    mon_say(run, 0, "dumped monmap epoch %" PRIu32, c->epoch);
    if (run->json) {
        return json_out(run, json_pack("{s:I, s:s, s:[{s:i, s:s, s:s}], s:[i]}", "epoch",
                                       (json_int_t)c->epoch, "fsid", fsid, "mons", "rank", 0,
                                       "name", c->mon_name, "addr", addr, "quorum", 0));
    }
    lite_text_printf(&run->out, "epoch %" PRIu32 "\nfsid %s\n0: %s mon.%s\n", c->epoch, fsid, addr,
                     c->mon_name);
    return 0;
}
