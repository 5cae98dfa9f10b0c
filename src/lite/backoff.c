/* SPDX-License-Identifier: MIT */
#include "lite/backoff.h"

#include "lite/envelope.h"

enum { VERSION = 1 };

static void read_pg(struct signet_reader *r, struct lite_backoff *out)
{
    uint8_t version, inner;
    struct signet_reader env = signet_env_open(r, 1, &version);
    inner = signet_read_u8(&env);
    out->pool = (int64_t)signet_read_u64(&env);
    out->pg = signet_read_u32(&env);
    signet_read_u32(&env); /* preferred */
    out->shard = signet_read_u8(&env);
    if (env.err == 0 && inner != 1) {
        signet_reader_fail(&env, SIGNET_E_VERSION);
    }
    if (env.err == 0 && version == 1) {
        (void)signet_reader_done(&env);
    }
    if (env.err != 0) {
        signet_reader_fail(r, (enum signet_err) - env.err);
    }
}

int lite_backoff_read(struct lite_backoff *out, const struct signet_message *in)
{
    struct signet_reader r = signet_reader_init(in->front.p, in->front.len);
    *out = (struct lite_backoff){0};
    if (in->version < VERSION || in->compat_version > VERSION) {
        return signet_reader_fail(&r, SIGNET_E_VERSION);
    }
    read_pg(&r, out);
    out->epoch = signet_read_u32(&r);
    uint8_t kind = signet_read_u8(&r);
    out->kind = (enum lite_backoff_kind)kind;
    out->id = signet_read_u64(&r);
    lite_hobject_read(&r, &out->begin);
    lite_hobject_read(&r, &out->end);
    if (r.err == 0 && (kind < LITE_BACKOFF_BLOCK || kind > LITE_BACKOFF_UNBLOCK ||
                       lite_hobject_compare(&out->begin, &out->end) > 0)) {
        signet_reader_fail(&r, SIGNET_E_VALUE);
    }
    return in->version == VERSION ? signet_reader_done(&r) : r.err;
}

int lite_backoff_write(const struct lite_backoff *in, uint8_t *out, size_t cap, size_t *out_len)
{
    struct signet_writer w = signet_writer_init(out, cap);
    size_t at = signet_env_begin(&w, 1, 1);
    signet_write_u8(&w, 1);
    signet_write_u64(&w, (uint64_t)in->pool);
    signet_write_u32(&w, in->pg);
    signet_write_u32(&w, UINT32_MAX);
    signet_write_u8(&w, in->shard);
    signet_env_end(&w, at);
    signet_write_u32(&w, in->epoch);
    signet_write_u8(&w, (uint8_t)in->kind);
    signet_write_u64(&w, in->id);
    lite_hobject_write(&w, &in->begin);
    lite_hobject_write(&w, &in->end);
    *out_len = w.err == 0 ? (size_t)w.len : 0;
    return w.err;
}

bool lite_backoff_holds(const struct lite_backoff *b, uint32_t pg,
                        const struct lite_hobject *object)
{
    if (b->pool != object->pool || b->pg != pg) {
        return false;
    }
    int order = lite_hobject_compare(object, &b->begin);
    return order == 0 || (order > 0 && lite_hobject_compare(object, &b->end) < 0);
}
