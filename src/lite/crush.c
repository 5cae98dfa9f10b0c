/* SPDX-License-Identifier: MIT */
/* A CRUSH map with one straw2 bucket, one device and one rule. Source: monlite.md 5.2. */
#include "lite/maps.h"

#include "lite/envelope.h"

#define ONE 0x10000U /* weight 1.0 in 16.16 */

enum { TYPE_ROOT = 1, STRAW2 = 5, TAKE = 1, CHOOSE_FIRSTN = 2, EMIT = 4 };

static void bucket(struct signet_writer *w)
{
    signet_write_u32(w, STRAW2);
    signet_write_u32(w, UINT32_MAX); /* id -1 */
    signet_write_u16(w, TYPE_ROOT);
    signet_write_u8(w, STRAW2);
    signet_write_u8(w, 0); /* hash rjenkins1 */
    signet_write_u32(w, ONE);
    signet_write_u32(w, 1); /* items */
    signet_write_u32(w, 0); /* osd 0 */
    signet_write_u32(w, ONE);
}

static void step(struct signet_writer *w, uint32_t op, uint32_t arg1, uint32_t arg2)
{
    signet_write_u32(w, op);
    signet_write_u32(w, arg1);
    signet_write_u32(w, arg2);
}

static void rule(struct signet_writer *w)
{
    signet_write_u32(w, 1); /* present */
    signet_write_u32(w, 3); /* steps */
    signet_write_u8(w, 0);  /* id */
    signet_write_u8(w, 1);  /* replicated */
    signet_write_u8(w, 1);  /* size from .. */
    signet_write_u8(w, 10); /* .. to */
    step(w, TAKE, UINT32_MAX, 0);
    step(w, CHOOSE_FIRSTN, 0, 0);
    step(w, EMIT, 0, 0);
}

static void named(struct signet_writer *w, uint32_t id, const char *name)
{
    signet_write_u32(w, id);
    signet_write_text(w, name);
}

static void names(struct signet_writer *w)
{
    signet_write_u32(w, 2);
    named(w, 0, "osd");
    named(w, TYPE_ROOT, "root");
    signet_write_u32(w, 2);
    named(w, UINT32_MAX, "default");
    named(w, 0, "osd.0");
    signet_write_u32(w, 1);
    named(w, 0, "r");
}

static void tunables(struct signet_writer *w)
{
    signet_write_u32(w, 0);    /* choose_local_tries */
    signet_write_u32(w, 0);    /* choose_local_fallback_tries */
    signet_write_u32(w, 50);   /* choose_total_tries */
    signet_write_u32(w, 1);    /* chooseleaf_descend_once */
    signet_write_u8(w, 1);     /* chooseleaf_vary_r */
    signet_write_u8(w, 1);     /* straw_calc_version */
    signet_write_u32(w, 0x36); /* allowed_bucket_algs */
    signet_write_u8(w, 1);     /* chooseleaf_stable */
    signet_write_zeros(w, 16); /* class map, names, buckets; choose args: all empty */
}

void signet_lite_crush(struct signet_writer *w)
{
    signet_write_u32(w, 0x10000); /* magic */
    signet_write_u32(w, 1);       /* buckets */
    signet_write_u32(w, 1);       /* rules */
    signet_write_u32(w, 1);       /* devices */
    bucket(w);
    rule(w);
    names(w);
    tunables(w);
}
