/* SPDX-License-Identifier: MIT */
#include "osd_tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lite/envelope.h"

static const struct signet_lite_pool pools[] = {{.id = 1, .name = "bench", .pg_num = 8},
                                                {.id = 2, .name = "other", .pg_num = 8}};

void rig_start(struct rig *rig, const struct signet_osd_options *options)
{
    struct signet_osd_options o = {.shards = 1};
    if (options != NULL) {
        o = *options;
    }
    memset(rig, 0, sizeof(*rig));
    rig->cluster = (struct signet_lite_cluster){.epoch = 1, .pools = pools, .num_pools = 2};
    memset(rig->cluster.fsid, 0x11, sizeof(rig->cluster.fsid));
    o.cluster = &rig->cluster;
    o.env = signet_env_system();
    rig->front = malloc(RIG_FRONT);
    rig->data = malloc(RIG_DATA);
    ck_assert(rig->front != NULL && rig->data != NULL);
    assert_ok(signet_osd_init(&rig->osd, &o));
    signet_osd_session_make(&rig->session, &rig->osd, 4242, "allow *");
}

void rig_stop(struct rig *rig)
{
    signet_osd_session_clear(&rig->session);
    signet_osd_clear(&rig->osd);
    free(rig->front);
    free(rig->data);
}

void rig_login(struct rig *rig, uint64_t global_id, const char *caps)
{
    signet_osd_session_clear(&rig->session);
    signet_osd_session_make(&rig->session, &rig->osd, global_id, caps);
}

static int collect(void *arg, const struct signet_message *out, const struct iovec *data, int num)
{
    struct rig *rig = arg;
    rig->answers++;
    rig->out = *out;
    ck_assert_uint_le(out->front.len, RIG_FRONT);
    memcpy(rig->front, out->front.p, out->front.len);
    rig->front_len = out->front.len;
    ck_assert_uint_eq(out->data.len, 0);
    rig->data_len = 0;
    for (int i = 0; i < num; i++) {
        ck_assert_uint_le(data[i].iov_len, RIG_DATA - rig->data_len);
        memcpy(rig->data + rig->data_len, data[i].iov_base, data[i].iov_len);
        rig->data_len += data[i].iov_len;
    }
    return rig->send_err;
}

int rig_feed(struct rig *rig, uint16_t type, uint16_t version, struct signet_span front,
             struct signet_span data)
{
    struct signet_message in = {.type = type,
                                .version = version,
                                .compat_version = 3,
                                .tid = rig->tid,
                                .front = front,
                                .data = data};
    rig->answers = 0;
    memset(&rig->fail, 0, sizeof(rig->fail));
    return signet_osd_message(&rig->osd, &rig->session, &in, collect, rig, &rig->fail);
}

/* --- the answer ----------------------------------------------------------------------------- */

static void read_ops(struct rig *rig, struct signet_reader *r)
{
    rig->num_ops = signet_read_u32(r);
    ck_assert_uint_le(rig->num_ops, RIG_OPS);
    uint64_t total = 0;
    for (uint32_t i = 0; i < rig->num_ops; i++) {
        signet_read_view(r, 34);
        rig->out_len[i] = signet_read_u32(r);
        total += rig->out_len[i];
    }
    ck_assert_uint_eq(total, rig->data_len);
}

static void read_answer(struct rig *rig)
{
    ck_assert_int_eq(rig->answers, 1);
    ck_assert_uint_eq(rig->out.type, 43);
    ck_assert_uint_eq(rig->out.version, 8);
    ck_assert_uint_eq(rig->out.compat_version, 2);
    ck_assert_uint_eq(rig->out.tid, rig->tid);
    struct signet_reader r = signet_reader_init(rig->front, rig->front_len);
    signet_read_blob(&r, 4096);
    signet_read_view(&r, 17 + 8);
    rig->result = (int32_t)signet_read_u32(&r);
    signet_read_view(&r, 12);
    ck_assert_uint_eq(signet_read_u32(&r), rig->cluster.epoch);
    read_ops(rig, &r);
    rig->retry = signet_read_u32(&r);
    for (uint32_t i = 0; i < rig->num_ops; i++) {
        rig->rval[i] = (int32_t)signet_read_u32(&r);
    }
    rig->replay_version = signet_read_u64(&r);
    ck_assert_uint_eq(signet_read_u32(&r), rig->replay_version != 0 ? rig->cluster.epoch : 0);
    rig->user_version = signet_read_u64(&r);
    signet_read_view(&r, 25);
    ck_assert_int_eq(signet_reader_done(&r), 0);
}

void rig_hex(struct rig *rig, const char *front, const char *data)
{
    size_t front_len, data_len;
    uint8_t *f = unhex(front, &front_len), *d = unhex(data, &data_len);
    rig->tid++;
    assert_ok(rig_feed(rig, 42, 8, (struct signet_span){f, front_len},
                       (struct signet_span){d, data_len}));
    read_answer(rig);
    free(f);
    free(d);
}

/* --- requests ------------------------------------------------------------------------------- */

static void write_op(struct signet_writer *w, const struct rig_op *op)
{
    signet_write_u16(w, op->code);
    signet_write_u32(w, op->flags);
    signet_write_u64(w, op->offset);
    signet_write_u64(w, op->length);
    signet_write_u64(w, 0);
    signet_write_u32(w, op->truncate_seq);
    signet_write_u32(w, (uint32_t)op->len);
}

static void write_text(struct signet_writer *w, const char *text)
{
    signet_write_text(w, text != NULL ? text : "");
}

static void write_request(struct signet_writer *w, const struct rig_request *q)
{
    uint64_t pool = q->pool != 0 ? q->pool : 1;
    size_t at = signet_env_begin(w, 1, 1);
    signet_write_u8(w, 1);
    signet_write_u64(w, pool);
    signet_write_u32(w, 3);
    signet_write_u32(w, UINT32_MAX);
    signet_write_u8(w, 0xff);
    signet_env_end(w, at);
    signet_write_u32(w, 0x4fe3d4a3); /* hash */
    signet_write_u32(w, 1);          /* epoch */
    signet_write_u32(w, 0x400024);
    at = signet_env_begin(w, 2, 2);
    signet_write_zeros(w, 21);
    signet_env_end(w, at);
    signet_write_zeros(w, 24);
    if (q->version == 9) {
        at = signet_env_begin(w, 1, 1);
        signet_write_u8(w, 0);
        signet_env_end(w, at);
    }
    signet_write_u32(w, 0);
    signet_write_u32(w, 1000); /* mtime */
    signet_write_u32(w, 2000);
    at = signet_env_begin(w, 6, 3);
    signet_write_u64(w, pool);
    signet_write_u32(w, UINT32_MAX);
    write_text(w, q->key);
    write_text(w, q->ns);
    signet_write_u64(w, UINT64_MAX);
    signet_env_end(w, at);
    write_text(w, q->name);
    signet_write_u16(w, q->num_ops);
    for (uint32_t i = 0; i < q->num_ops; i++) {
        write_op(w, &q->op[i]);
    }
    signet_write_u64(w, q->snapid != 0 ? q->snapid : UINT64_C(0xfffffffffffffffe));
    signet_write_u64(w, 0);
    signet_write_u32(w, q->num_snaps);
    signet_write_zeros(w, (size_t)q->num_snaps * 8);
    signet_write_u32(w, q->retry);
    signet_write_u64(w, 0);
}

size_t rig_encode(struct rig *rig, const struct rig_request *q, uint8_t *out, size_t cap)
{
    (void)rig;
    struct signet_writer w = signet_writer_init(out, cap);
    write_request(&w, q);
    ck_assert_int_eq(w.err, 0);
    return (size_t)w.len;
}

int32_t rig_do(struct rig *rig, const struct rig_request *q)
{
    uint8_t *front = malloc(RIG_FRONT);
    size_t len = 0, front_len = rig_encode(rig, q, front, RIG_FRONT);
    for (uint32_t i = 0; i < q->num_ops; i++) {
        len += q->op[i].len;
    }
    uint8_t *data = malloc(len + 1), *at = data;
    for (uint32_t i = 0; i < q->num_ops; i++) {
        if (q->op[i].len > 0) {
            memcpy(at, q->op[i].data, q->op[i].len);
        }
        at += q->op[i].len;
    }
    rig->tid = q->tid != 0 ? q->tid : rig->tid + 1;
    assert_ok(rig_feed(rig, 42, q->version != 0 ? q->version : 8,
                       (struct signet_span){front, front_len}, (struct signet_span){data, len}));
    read_answer(rig);
    free(front);
    free(data);
    return rig->result;
}

int32_t rig_one(struct rig *rig, const char *name, struct rig_op op)
{
    return rig_do(rig, &(struct rig_request){.name = name, .op = &op, .num_ops = 1});
}

int32_t rig_put(struct rig *rig, const char *name, const char *text)
{
    size_t len = strlen(text);
    return rig_one(rig, name,
                   (struct rig_op){.code = WRITEFULL, .length = len, .data = text, .len = len});
}

void rig_is(struct rig *rig, const char *name, const void *data, size_t len)
{
    const struct rig_op op[2] = {{.code = READ}, {.code = STAT}};
    ck_assert_int_eq(rig_do(rig, &(struct rig_request){.name = name, .op = op, .num_ops = 2}), 0);
    ck_assert_uint_eq(rig->out_len[0], len);
    ck_assert_uint_eq(rig->out_len[1], 16);
    ck_assert(len == 0 || memcmp(rig->data, data, len) == 0);
    ck_assert_uint_eq(signet_load_u64(rig->data + len), len);
}

void rig_is_text(struct rig *rig, const char *name, const char *text)
{
    rig_is(rig, name, text, strlen(text));
}

void rig_is_absent(struct rig *rig, const char *name)
{
    ck_assert_int_eq(rig_one(rig, name, (struct rig_op){.code = STAT}), -ENOENT);
    ck_assert_int_eq(rig_one(rig, name, (struct rig_op){.code = READ}), -ENOENT);
    ck_assert_uint_eq(rig->data_len, 0);
}
