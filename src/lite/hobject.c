/* SPDX-License-Identifier: MIT */
#include "lite/hobject.h"

#include <string.h>

#include "lite/envelope.h"
#include "lite/placement.h"

enum { VERSION = 4, COMPAT = 3 };

void lite_hobject_read(struct signet_reader *r, struct lite_hobject *out)
{
    uint8_t version, max;
    struct signet_reader env = signet_env_open(r, VERSION, &version);
    if (env.err == 0 && version < VERSION) {
        signet_reader_fail(&env, SIGNET_E_VERSION);
    }
    out->key = signet_read_blob(&env, LITE_NAME_MAX);
    out->name = signet_read_blob(&env, LITE_NAME_MAX);
    out->snap = signet_read_u64(&env);
    out->hash = signet_read_u32(&env);
    max = signet_read_u8(&env);
    out->max = max != 0;
    out->ns = signet_read_blob(&env, LITE_NS_MAX);
    out->pool = (int64_t)signet_read_u64(&env);
    if (env.err == 0 && max > 1) {
        signet_reader_fail(&env, SIGNET_E_VALUE);
    }
    if (env.err == 0 && version == VERSION) {
        (void)signet_reader_done(&env);
    }
    if (env.err != 0) {
        signet_reader_fail(r, (enum signet_err) - env.err);
    }
}

void lite_hobject_write(struct signet_writer *w, const struct lite_hobject *in)
{
    size_t at = signet_env_begin(w, VERSION, COMPAT);
    signet_write_blob(w, in->key.p, in->key.len);
    signet_write_blob(w, in->name.p, in->name.len);
    signet_write_u64(w, in->snap);
    signet_write_u32(w, in->hash);
    signet_write_u8(w, in->max ? 1 : 0);
    signet_write_blob(w, in->ns.p, in->ns.len);
    signet_write_u64(w, (uint64_t)in->pool);
    signet_env_end(w, at);
}

static int numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int texts(struct signet_span a, struct signet_span b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len > 0 ? memcmp(a.p, b.p, len) : 0;
    return order != 0 ? order : numbers(a.len, b.len);
}

int lite_hobject_compare(const struct lite_hobject *a, const struct lite_hobject *b)
{
    const struct signet_span place_a = a->key.len > 0 ? a->key : a->name;
    const struct signet_span place_b = b->key.len > 0 ? b->key : b->name;
    int order = (int)a->max - (int)b->max;
    if (order == 0) {
        order = (a->pool > b->pool) - (a->pool < b->pool);
    }
    if (order == 0) {
        order = numbers(lite_reverse(a->hash), lite_reverse(b->hash));
    }
    if (order == 0) {
        order = texts(a->ns, b->ns);
    }
    if (order == 0) {
        order = texts(place_a, place_b);
    }
    if (order == 0) {
        order = texts(a->name, b->name);
    }
    return order != 0 ? order : numbers(a->snap, b->snap);
}
