/* SPDX-License-Identifier: MIT */
/* MOSDOp, version 8, and 9 which has one field more. Source: osdlite.md 3. */
#include "lite/osd_internal.h"

#include "base/fail.h"
#include "lite/envelope.h"

enum {
    NAME_LIMIT = 1 << 16, /* of decoding; what an object may be called is less */
    SNAPS_MAX = 1 << 16,
    TRACE_LEN = 24,
    LOAD_OP = 28, /* offset of payload_len in an operation, less the 6 bytes in front */
};

static uint32_t load_u16(const uint8_t *p)
{
    return (uint32_t)(p[0] | p[1] << 8);
}

struct osd_op osd_op_at(const struct osd_request *request, uint32_t index)
{
    const uint8_t *p = request->ops + (size_t)index * OSD_OP_LEN;
    return (struct osd_op){
        .code = (uint16_t)load_u16(p),
        .flags = signet_load_u32(p + 2),
        .offset = signet_load_u64(p + 6),
        .length = signet_load_u64(p + 14),
        .truncate_seq = signet_load_u32(p + 30),
        .payload_len = signet_load_u32(p + 6 + LOAD_OP),
    };
}

/* A failure inside is one of the whole; newer fields behind are left alone. */
static void close_env(struct signet_reader *r, const struct signet_reader *env)
{
    if (env->err != 0) {
        signet_reader_fail(r, (enum signet_err) - env->err);
    }
}

static void read_pg(struct signet_reader *r, struct osd_request *q)
{
    uint8_t version;
    struct signet_reader env = signet_env_open(r, 1, &version);
    q->pg = signet_read_view(&env, OSD_PG_LEN);
    signet_read_u8(&env); /* shard */
    if (q->pg.p != NULL) {
        q->pool = signet_load_u64(q->pg.p + 1);
    }
    close_env(r, &env);
}

static void pass_env(struct signet_reader *r, uint8_t known)
{
    uint8_t version;
    (void)signet_env_open(r, known, &version);
}

static void read_locator(struct signet_reader *r, struct osd_request *q)
{
    uint8_t version;
    struct signet_reader env = signet_env_open(r, 6, &version);
    q->locator_pool = signet_read_u64(&env);
    signet_read_u32(&env); /* preferred */
    q->key = signet_read_blob(&env, NAME_LIMIT);
    q->ns = signet_read_blob(&env, NAME_LIMIT);
    signet_read_u64(&env); /* hash */
    close_env(r, &env);
}

static void read_front(struct signet_reader *r, struct osd_request *q, uint16_t version)
{
    read_pg(r, q);
    signet_read_u64(r); /* hash: we have our own; epoch of the map */
    q->flags = signet_read_u32(r);
    pass_env(r, 2); /* reqid: the session and tid say it */
    signet_read_view(r, TRACE_LEN);
    if (version >= 9) {
        pass_env(r, 1);
    }
    signet_read_u32(r); /* client_inc */
    q->mtime.sec = signet_read_u32(r);
    q->mtime.nsec = signet_read_u32(r);
    read_locator(r, q);
    q->name = signet_read_blob(r, NAME_LIMIT);
    q->num_ops = signet_read_u16(r);
    q->ops = signet_read_view(r, (uint64_t)q->num_ops * OSD_OP_LEN).p;
    q->snapid = signet_read_u64(r);
    signet_read_u64(r); /* snap_seq */
    q->num_snaps = signet_read_count(r, SNAPS_MAX, 8);
    signet_read_view(r, (uint64_t)q->num_snaps * 8);
    q->retry = signet_read_u32(r);
    signet_read_u64(r); /* features */
}

static int check_payloads(struct osd_call *call)
{
    struct osd_request *q = &call->request;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < q->num_ops; i++) {
        struct osd_op op = osd_op_at(q, i);
        sum += op.payload_len;
        q->writes |= (op.code & OSD_OP_MODE_WRITE) != 0;
    }
    if (sum != q->data.len) {
        return signet_fail_set(call->fail, -SIGNET_E_LENGTH, "MOSDOp", call->in->front.len,
                               "the operations have %llu bytes of data, the message has %zu",
                               (unsigned long long)sum, q->data.len);
    }
    return 0;
}

int osd_request_decode(struct osd_call *call)
{
    uint16_t version = call->in->version;
    if (version != 8 && version != 9) {
        return signet_fail_set(call->fail, -SIGNET_E_VERSION, "MOSDOp", 0,
                               "version %u; 8 and 9 are known", version);
    }
    struct signet_reader r = signet_reader_init(call->in->front.p, call->in->front.len);
    call->request = (struct osd_request){.tid = call->in->tid, .data = call->in->data};
    read_front(&r, &call->request, version);
    int err = signet_reader_done(&r);
    if (err != 0) {
        return signet_fail_set(call->fail, err, "MOSDOp", signet_reader_offset(&r),
                               "the front of %zu bytes does not decode: %s", call->in->front.len,
                               signet_strerror(err));
    }
    return check_payloads(call);
}
