/* SPDX-License-Identifier: MIT */
/* MOSDOpReply, version 8. Source: osdlite.md 4. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <string.h>

enum {
    VERSION = 8,
    COMPAT = 2,
    PRIORITY = 127,
    MESSAGE_FLAGS = 3,
    FRONT_MAX = 110 + LITE_NAME_MAX + (OSD_OP_LEN + 4) * SIGNET_OSD_OPS_MAX,
    FLAG_MASK = 7, /* of the request's flags: which answers are wanted */
    FLAG_DONE = 5, /* ACK, ONDISK */
    OP_PAYLOAD_AT = 34,
    OP_LENGTH_AT = 14,
};

/* As the request has them, but with the length of their output. */
static void write_ops(struct signet_writer *w, const struct osd_call *call)
{
    const struct osd_result *res = &call->result;
    signet_write_u32(w, res->num_ops);
    for (uint32_t i = 0; i < res->num_ops; i++) {
        uint8_t *p = signet_write_room(w, OSD_OP_LEN);
        if (p == NULL) {
            return;
        }
        memcpy(p, call->request.ops + (size_t)i * OSD_OP_LEN, OSD_OP_LEN);
        signet_store_u32(p + OP_PAYLOAD_AT, res->op[i].out_len);
        if (p[0] == (OSD_OP_READ & 0xff) && p[1] == OSD_OP_READ >> 8 && res->op[i].rval == 0) {
            signet_store_u64(p + OP_LENGTH_AT, res->op[i].out_len);
        }
    }
}

static void write_version(struct signet_writer *w, uint64_t version, uint32_t epoch)
{
    signet_write_u64(w, version);
    signet_write_u32(w, version != 0 ? epoch : 0);
}

static void write_front(struct signet_writer *w, const struct osd_call *call)
{
    const struct osd_request *q = &call->request;
    const struct osd_result *res = &call->result;
    uint32_t epoch = call->osd->cluster->epoch;
    signet_write_blob(w, q->name.p, q->name.len);
    signet_write_bytes(w, q->pg.p, q->pg.len);
    signet_write_u64(w, (q->flags & ~(uint32_t)FLAG_MASK) | FLAG_DONE);
    signet_write_u32(w, (uint32_t)res->result);
    write_version(w, res->version, epoch); /* bad_replay_version */
    signet_write_u32(w, epoch);
    write_ops(w, call);
    signet_write_u32(w, q->retry);
    for (uint32_t i = 0; i < res->num_ops; i++) {
        signet_write_u32(w, (uint32_t)res->op[i].rval);
    }
    write_version(w, res->version, epoch); /* replay_version */
    signet_write_u64(w, res->user_version);
    signet_write_u8(w, 0);     /* do_redirect */
    signet_write_zeros(w, 24); /* trace */
}

/* Nobody is told what may not be there after a crash. */
static bool cannot_be_told(struct osd_call *call, bool hold)
{
    if (!hold || !journal_lost(call->osd->journal)) {
        return false;
    }
    struct osd_result *res = &call->result;
    osd_result_begin(call, res->num_ops);
    res->result = -EIO;
    return true;
}

int osd_reply(struct osd_call *call, const struct iovec *data, int num)
{
    uint8_t front[FRONT_MAX];
    bool hold = osd_must_hold(call);
    if (cannot_be_told(call, hold)) {
        num = 0;
        hold = false;
    }
    /* a name that no object can have is not given back */
    if (call->request.name.len > LITE_NAME_MAX) {
        call->request.name.len = 0;
    }
    struct signet_writer w = signet_writer_init(front, sizeof(front));
    write_front(&w, call);
    if (w.err != 0) {
        return w.err;
    }
    struct signet_message out = {
        .tid = call->request.tid,
        .type = MSG_OSD_OP_REPLY,
        .priority = PRIORITY,
        .version = VERSION,
        .compat_version = COMPAT,
        .flags = MESSAGE_FLAGS,
        .front = {front, (size_t)w.len},
    };
    return hold ? osd_hold(call, &out, data, num) : call->send(call->arg, &out, data, num);
}
