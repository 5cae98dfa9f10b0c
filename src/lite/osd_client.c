/* SPDX-License-Identifier: MIT */
#include "lite/osd_client.h"

#include "lite/envelope.h"
#include "lite/placement.h"

enum {
    FLAGS_READ = 0x400014,  /* ONDISK, READ, KNOWN_REDIR */
    FLAGS_WRITE = 0x400024, /* ONDISK, WRITE, KNOWN_REDIR */
    FLAG_RETRY = 8,
    FLAG_FULL_TRY = 0x800000,
    FLAG_IGNORE_OVERLAY = 0x20000,
    MODE_WRITE = 0x2000,
    OP_LEN = 38,
    PG_LEN = 17,
};
#define HEAD UINT64_C(0xfffffffffffffffe)

static void write_pg(struct signet_writer *w, const struct lite_osd_request *q, uint32_t hash)
{
    size_t at = signet_env_begin(w, 1, 1);
    signet_write_u8(w, 1);
    signet_write_u64(w, q->pool);
    signet_write_u32(w, lite_pg(hash, q->pg_num));
    signet_write_u32(w, UINT32_MAX); /* preferred */
    signet_write_u8(w, 0xff);        /* shard */
    signet_env_end(w, at);
}

static void write_locator(struct signet_writer *w, const struct lite_osd_request *q)
{
    size_t at = signet_env_begin(w, 6, q->list ? 6 : 3);
    signet_write_u64(w, q->pool);
    signet_write_u32(w, UINT32_MAX);
    signet_write_zeros(w, 8); /* key, namespace */
    /* hash: from the name, or the group itself */
    signet_write_u64(w, q->list ? lite_pg(q->hash, q->pg_num) : UINT64_MAX);
    signet_env_end(w, at);
}

static void write_op(struct signet_writer *w, const struct lite_op *op)
{
    signet_write_u16(w, op->code);
    signet_write_u32(w, op->flags);
    signet_write_u64(w, op->offset);
    signet_write_u64(w, op->length);
    signet_write_zeros(w, 12);
    signet_write_u32(w, op->payload_len);
}

static void write_ops(struct signet_writer *w, const struct lite_osd_request *q)
{
    signet_write_u16(w, (uint16_t)q->num_ops);
    for (uint32_t i = 0; i < q->num_ops; i++) {
        write_op(w, &q->ops[i]);
    }
}

static uint32_t flags_of(const struct lite_osd_request *q)
{
    uint32_t modes = 0;
    for (uint32_t i = 0; i < q->num_ops; i++) {
        modes |= q->ops[i].code;
    }
    uint32_t more = (q->attempt > 0 ? FLAG_RETRY : 0) | (q->full_try ? FLAG_FULL_TRY : 0) |
                    (q->list ? FLAG_IGNORE_OVERLAY : 0);
    return ((modes & MODE_WRITE) != 0 ? FLAGS_WRITE : FLAGS_READ) | more;
}

int lite_osd_request(const struct lite_osd_request *q, uint8_t *out, size_t cap, size_t *out_len)
{
    struct signet_writer w = signet_writer_init(out, cap);
    uint32_t hash = q->list ? lite_pg(q->hash, q->pg_num) : lite_hash(q->name.p, q->name.len);
    write_pg(&w, q, hash);
    signet_write_u32(&w, hash);
    signet_write_u32(&w, q->epoch);
    signet_write_u32(&w, flags_of(q));
    size_t at = signet_env_begin(&w, 2, 2); /* reqid: the peer and tid say it */
    signet_write_zeros(&w, 21);
    signet_env_end(&w, at);
    signet_write_zeros(&w, 24 + 4); /* trace, client_inc */
    signet_write_u32(&w, q->mtime.sec);
    signet_write_u32(&w, q->mtime.nsec);
    write_locator(&w, q);
    signet_write_blob(&w, q->name.p, q->name.len);
    write_ops(&w, q);
    signet_write_u64(&w, HEAD);
    signet_write_zeros(&w, 8 + 4); /* snap_seq, snaps */
    signet_write_u32(&w, q->attempt);
    signet_write_u64(&w, q->features);
    *out_len = w.err == 0 ? (size_t)w.len : 0;
    return w.err;
}

int lite_osdmap_subscribe(bool once, uint8_t *out, size_t cap, size_t *out_len)
{
    struct signet_writer w = signet_writer_init(out, cap);
    signet_write_u32(&w, 1);
    signet_write_text(&w, "osdmap");
    signet_write_u64(&w, 0); /* from epoch 0: the newest, whole */
    signet_write_u8(&w, once ? 1 : 0);
    signet_write_text(&w, ""); /* host */
    *out_len = w.err == 0 ? (size_t)w.len : 0;
    return w.err;
}

/* --- replies -------------------------------------------------------------------------------- */

static void read_ops(struct signet_reader *r, struct lite_osd_reply *out)
{
    out->num_ops = signet_read_count(r, LITE_OPS_MAX, OP_LEN);
    for (uint32_t i = 0; i < out->num_ops; i++) {
        signet_read_view(r, OP_LEN - 4);
        out->out_len[i] = signet_read_u32(r);
    }
}

int lite_osd_reply(struct lite_osd_reply *out, const struct signet_message *in)
{
    struct signet_reader r = signet_reader_init(in->front.p, in->front.len);
    *out = (struct lite_osd_reply){0};
    if (in->version < 8 || in->compat_version > 8) {
        return signet_reader_fail(&r, SIGNET_E_VERSION);
    }
    signet_read_blob(&r, LITE_NAME_MAX); /* object */
    signet_read_view(&r, PG_LEN);
    signet_read_u64(&r); /* flags */
    out->result = (int32_t)signet_read_u32(&r);
    signet_read_view(&r, 12); /* bad_replay_version */
    out->epoch = signet_read_u32(&r);
    read_ops(&r, out);
    out->attempt = (int32_t)signet_read_u32(&r);
    for (uint32_t i = 0; i < out->num_ops; i++) {
        out->rval[i] = (int32_t)signet_read_u32(&r);
    }
    signet_read_view(&r, 20); /* replay_version, user_version */
    out->redirect = signet_read_u8(&r) != 0;
    return r.err;
}
