/* SPDX-License-Identifier: MIT */
/* OSDMap: wrapper v8 with crc, client section v9, osd section v9. Source: monlite.md 5.3. */
#include "lite/maps.h"

#include "base/crc32c.h"
#include "lite/envelope.h"
#include "lite/pool.h"
#include "lite/write.h"

#define FLAGS          0x118000U /* SORTBITWISE, RECOVERY_DELETES, PURGED_SNAPDIRS */
#define STATE_UP       3         /* EXISTS, UP */
#define WEIGHT_IN      0x10000U
#define CLIENT_RELEASE 12 /* luminous */
#define OSD_RELEASE    16 /* pacific */

static void pools(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    uint64_t max = 0;
    signet_write_u32(w, c->num_pools);
    for (uint32_t i = 0; i < c->num_pools; i++) {
        signet_write_u64(w, c->pools[i].id);
        signet_lite_pool(w, c, &c->pools[i]);
        max = c->pools[i].id;
    }
    signet_write_u32(w, c->num_pools);
    for (uint32_t i = 0; i < c->num_pools; i++) {
        signet_write_u64(w, c->pools[i].id);
        signet_write_text(w, c->pools[i].name);
    }
    signet_write_u32(w, (uint32_t)max);
}

static void osd_state(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    signet_write_u32(w, FLAGS);
    signet_write_u32(w, 1); /* max_osd */
    signet_write_u32(w, 1);
    signet_write_u32(w, STATE_UP);
    signet_write_u32(w, 1);
    signet_write_u32(w, WEIGHT_IN);
    signet_write_u32(w, 1);
    signet_lite_addrvec(w, &c->osd);
    signet_write_zeros(w, 12); /* pg_temp, primary_temp, primary_affinity */
}

static void client_section(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    size_t at = signet_env_begin(w, 9, 1);
    signet_write_bytes(w, c->fsid, sizeof(c->fsid));
    signet_write_u32(w, c->epoch);
    signet_lite_utime(w, c->created);
    signet_lite_utime(w, c->created);
    pools(w, c);
    osd_state(w, c);
    size_t crush = signet_write_hole_u32(w);
    signet_lite_crush(w);
    signet_write_patch_u32(w, crush, (uint32_t)(w->len - crush - 4));
    signet_write_zeros(w, 12);        /* erasure code profiles, pg_upmap, pg_upmap_items */
    signet_write_u32(w, 1);           /* crush_version */
    signet_write_zeros(w, 8);         /* new removed and purged snaps */
    signet_lite_utime(w, c->created); /* last up, last in */
    signet_lite_utime(w, c->created);
    signet_env_end(w, at);
}

static void addrs(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    signet_write_u32(w, 1);
    signet_lite_addrvec(w, &c->osd);
}

static void osd_info(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    signet_write_u32(w, 1);
    signet_write_u8(w, 1);
    signet_write_zeros(w, 8);      /* last clean from and to */
    signet_write_u32(w, c->epoch); /* up_from */
    signet_write_u32(w, c->epoch); /* up_thru */
    signet_write_zeros(w, 8);      /* down_at, lost_at */
}

static void osd_xinfo(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    signet_write_u32(w, 1);
    size_t at = signet_env_begin(w, 4, 1);
    signet_write_zeros(w, 16); /* down_stamp, laggy probability and interval */
    signet_write_u64(w, c->features);
    signet_write_zeros(w, 16); /* old_weight, last scrub, dead_epoch */
    signet_env_end(w, at);
}

static void osd_section(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    /* 0.85, 0.95 and 0.90 as IEEE single precision */
    static const uint32_t full_ratios[3] = {0x3f59999a, 0x3f733333, 0x3f666666};
    size_t at = signet_env_begin(w, 9, 1);
    addrs(w, c); /* heartbeat, back */
    osd_info(w, c);
    signet_write_u32(w, 0);   /* blocklist */
    addrs(w, c);              /* cluster */
    signet_write_zeros(w, 8); /* cluster snapshot: epoch, name */
    signet_write_u32(w, 1);
    signet_write_bytes(w, c->fsid, sizeof(c->fsid)); /* uuid of the osd */
    osd_xinfo(w, c);
    addrs(w, c); /* heartbeat, front */
    for (int i = 0; i < 3; i++) {
        signet_write_u32(w, full_ratios[i]);
    }
    signet_write_u8(w, CLIENT_RELEASE);
    signet_write_u8(w, OSD_RELEASE);
    signet_write_zeros(w, 12); /* removed snaps, crush node flags, device class flags */
    signet_env_end(w, at);
}

void signet_lite_osdmap(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    size_t start = (size_t)w->len;
    size_t at = signet_env_begin(w, 8, 7);
    client_section(w, c);
    osd_section(w, c);
    size_t end = (size_t)w->len;
    uint8_t *room = signet_write_room(w, 4);
    signet_env_end(w, at);
    if (room != NULL) { /* the crc is over the final length too */
        signet_store_u32(room, signet_crc32c(UINT32_MAX, w->start + start, end - start));
    }
}
