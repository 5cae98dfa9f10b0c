/* SPDX-License-Identifier: MIT */
/* MonMap v9 with mon_info v5. Source: monlite.md 4. */
#include "lite/maps.h"

#include "lite/envelope.h"
#include "lite/write.h"

#define MONMAP_VERSION 9
#define MONMAP_COMPAT  6
#define RELEASE        16 /* pacific */

/* mon_feature_t: a 64-bit mask. */
static void features(struct signet_writer *w, uint64_t mask)
{
    size_t at = signet_env_begin(w, 1, 1);
    signet_write_u64(w, mask);
    signet_env_end(w, at);
}

static void mon_info(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    size_t at = signet_env_begin(w, 5, 1);
    signet_write_text(w, c->mon_name);
    signet_lite_addrvec(w, &c->mon);
    signet_write_u16(w, 0); /* priority */
    signet_write_u16(w, 0); /* weight */
    signet_write_u32(w, 0); /* crush location */
    signet_env_end(w, at);
}

static void elections(struct signet_writer *w)
{
    signet_write_u8(w, RELEASE); /* v7: lowest release of the monitors */
    signet_write_u32(w, 0);      /* v8: removed ranks */
    signet_write_u8(w, 1);       /* classic election */
    signet_write_u32(w, 0);      /* disallowed leaders */
    signet_write_u8(w, 0);       /* v9: stretch mode off */
    signet_write_text(w, "");    /* tie breaker */
    signet_write_u32(w, 0);      /* marked down */
}

void signet_lite_monmap(struct signet_writer *w, const struct signet_lite_cluster *c)
{
    size_t at = signet_env_begin(w, MONMAP_VERSION, MONMAP_COMPAT);
    signet_write_bytes(w, c->fsid, sizeof(c->fsid));
    signet_write_u32(w, c->epoch);
    signet_lite_utime(w, c->created); /* last changed */
    signet_lite_utime(w, c->created);
    features(w, 0xff); /* persistent */
    features(w, 0);    /* optional */
    signet_write_u32(w, 1);
    signet_write_text(w, c->mon_name);
    mon_info(w, c);
    signet_write_u32(w, 1); /* ranks */
    signet_write_text(w, c->mon_name);
    elections(w);
    signet_env_end(w, at);
}
