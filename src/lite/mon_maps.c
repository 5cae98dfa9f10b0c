/* SPDX-License-Identifier: MIT */
/* Commands that show the maps, in the words of Ceph 16: the same that monmaptool and osdmaptool
 * find in the encoded ones. */
#include "lite/mon_show.h"

#include <errno.h>
#include <inttypes.h>

/* The argument `epoch` must be ours, if there is one. */
static int right_epoch(struct mon_run *run)
{
    const json_t *epoch = json_object_get(run->args, "epoch");
    json_int_t want = json_integer_value(epoch);
    if (epoch == NULL || want == 0 || want == (json_int_t)run->mon->cluster->epoch) {
        return 0;
    }
    return mon_say(run, -ENOENT, "there is no map for epoch %lld", (long long)want);
}

/* --- monitor map ---------------------------------------------------------------------------- */

json_t *mon_monmap_json(const struct signet_mon *mon)
{
    const struct signet_lite_cluster *c = mon->cluster;
    char fsid[MON_FSID_TEXT], time[MON_TIME_TEXT], addr[SIGNET_ADDR_TEXT_MAX];
    const char *bare = mon_bare_addr(&c->mon, addr);
    mon_time_text(c->created, "Z", time);
    json_t *one =
        json_pack("{s:i, s:s, s:o?, s:s, s:s, s:i, s:i, s:s}", "rank", 0, "name", c->mon_name,
                  "public_addrs", mon_addrvec_json(&c->mon), "addr", bare, "public_addr", bare,
                  "priority", 0, "weight", 0, "crush_location", "{}");
    return json_pack("{s:I, s:s, s:s, s:s, s:i, s:s, s:i, s:s, s:b, s:s, s:s,"
                     " s:{s:[s,s,s,s,s,s,s,s], s:[]}, s:[o?]}",
                     "epoch", (json_int_t)c->epoch, "fsid", mon_fsid_text(mon, fsid), "modified",
                     time, "created", time, "min_mon_release", 16, "min_mon_release_name",
                     MON_RELEASE_NAME, "election_strategy", 1, "disallowed_leaders", "",
                     "stretch_mode", 0, "tiebreaker_mon", "", "removed_ranks", "", "features",
                     "persistent", "kraken", "luminous", "mimic", "osdmap-prune", "nautilus",
                     "octopus", MON_RELEASE_NAME, "elector-pinging", "optional", "mons", one);
}

int mon_run_mon_dump(struct mon_run *run)
{
    const struct signet_lite_cluster *c = run->mon->cluster;
    char fsid[MON_FSID_TEXT], addr[SIGNET_ADDR_TEXT_MAX], time[MON_TIME_TEXT];
    int err = right_epoch(run);
    if (err != 0) {
        return err;
    }
    mon_say(run, 0, "dumped monmap epoch %" PRIu32, c->epoch);
    if (run->json) {
        json_t *json = mon_monmap_json(run->mon);
        json_object_set_new(json, "quorum", json_pack("[i]", 0));
        return mon_show_json(run, json);
    }
    signet_addr_print(&c->mon, addr);
    mon_time_text(c->created, "+0000", time);
    lite_text_printf(&run->out,
                     "epoch %" PRIu32 "\nfsid %s\nlast_changed %s\ncreated %s\n"
                     "min_mon_release 16 (" MON_RELEASE_NAME ")\nelection_strategy: 1\n"
                     "0: %s mon.%s\n",
                     c->epoch, mon_fsid_text(run->mon, fsid), time, time, addr, c->mon_name);
    return 0;
}

/* --- encoded -------------------------------------------------------------------------------- */

static int show_encoded(struct mon_run *run, const char *name,
                        void (*encode)(struct signet_writer *, const struct signet_lite_cluster *))
{
    const struct signet_lite_cluster *c = run->mon->cluster;
    int err = right_epoch(run);
    if (err != 0) {
        return err;
    }
    struct signet_writer count = signet_writer_count();
    encode(&count, c);
    char *room = lite_text_room(&run->out, (size_t)count.len);
    if (room == NULL) {
        return 0;
    }
    struct signet_writer w = signet_writer_init((uint8_t *)room, (size_t)count.len);
    encode(&w, c);
    run->out.len += (size_t)w.len;
    return mon_say(run, 0, "got %s epoch %" PRIu32, name, c->epoch);
}

int mon_run_mon_getmap(struct mon_run *run)
{
    return show_encoded(run, "monmap", signet_lite_monmap);
}

int mon_run_osd_getmap(struct mon_run *run)
{
    return show_encoded(run, "osdmap", signet_lite_osdmap);
}

/* --- OSD map, as text ----------------------------------------------------------------------- */

static void dump_pools(struct mon_run *run)
{
    const struct signet_lite_cluster *c = run->mon->cluster;
    for (uint32_t i = 0; i < c->num_pools; i++) {
        const struct signet_lite_pool *pool = &c->pools[i];
        lite_text_printf(&run->out,
                         "pool %" PRIu64 " '%s' replicated size 1 min_size 1 crush_rule 0"
                         " object_hash rjenkins pg_num %" PRIu32 " pgp_num %" PRIu32
                         " autoscale_mode off last_change %" PRIu32
                         " flags hashpspool stripe_width 0 application rados\n",
                         pool->id, pool->name, pool->pg_num, pool->pg_num, c->epoch);
    }
}

int mon_run_osd_dump(struct mon_run *run)
{
    const struct signet_lite_cluster *c = run->mon->cluster;
    char fsid[MON_FSID_TEXT], addr[SIGNET_ADDR_TEXT_MAX], time[MON_TIME_TEXT];
    int err = right_epoch(run);
    if (err != 0 || run->json) {
        return err != 0 ? err : mon_show_json(run, mon_osdmap_json(run->mon));
    }
    mon_fsid_text(run->mon, fsid);
    signet_addr_print(&c->osd, addr);
    mon_time_text(c->created, "+0000", time);
    lite_text_printf(&run->out,
                     "epoch %" PRIu32 "\nfsid %s\ncreated %s\nmodified %s\nflags " MON_OSD_FLAGS
                     "\ncrush_version 1\nfull_ratio 0.95\nbackfillfull_ratio 0.9\n"
                     "nearfull_ratio 0.85\nrequire_min_compat_client luminous\n"
                     "min_compat_client jewel\nrequire_osd_release " MON_RELEASE_NAME
                     "\nstretch_mode_enabled false\n",
                     c->epoch, fsid, time, time);
    dump_pools(run);
    lite_text_printf(&run->out,
                     "max_osd 1\nosd.0 up   in  weight 1 up_from %" PRIu32 " up_thru %" PRIu32
                     " down_at 0 last_clean_interval [0,0) %s %s exists,up %s\n",
                     c->epoch, c->epoch, addr, addr, fsid);
    return 0;
}

int mon_run_osd_lspools(struct mon_run *run)
{
    const struct signet_lite_cluster *c = run->mon->cluster;
    json_t *json = json_array();
    for (uint32_t i = 0; i < c->num_pools; i++) {
        json_array_append_new(json, json_pack("{s:I, s:s}", "poolnum", (json_int_t)c->pools[i].id,
                                              "poolname", c->pools[i].name));
        lite_text_printf(&run->out, "%" PRIu64 " %s\n", c->pools[i].id, c->pools[i].name);
    }
    if (run->json) {
        lite_text_clear(&run->out);
        return mon_show_json(run, json);
    }
    json_decref(json);
    return 0;
}

int mon_run_osd_pool_ls(struct mon_run *run)
{
    const struct signet_lite_cluster *c = run->mon->cluster;
    json_t *json = json_array();
    for (uint32_t i = 0; i < c->num_pools; i++) {
        json_array_append_new(json, json_string(c->pools[i].name));
        lite_text_printf(&run->out, "%s\n", c->pools[i].name);
    }
    if (run->json) {
        lite_text_clear(&run->out);
        return mon_show_json(run, json);
    }
    json_decref(json);
    return 0;
}
