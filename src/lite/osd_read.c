/* SPDX-License-Identifier: MIT */
/* Requests that read: all operations see one version of the object, and what they give is sent from
 * the store itself. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <stdlib.h>

enum { PIECES = 32, STATS = 4 }; /* more of either than that takes memory of its own */

struct gathered {
    struct iovec *iov;
    size_t num;
    uint8_t (*stat)[OSD_STAT_LEN]; /* one for each STAT */
    size_t num_stats;
};

/* The part of the object that an operation reads. */
static uint64_t range(const struct store_object *o, const struct osd_op *op)
{
    uint64_t left = op->offset < o->size ? o->size - op->offset : 0;
    return op->length != 0 && op->length < left ? op->length : left;
}

/* Result and length of each; what it takes is counted in *g. */
static int32_t plan(struct osd_call *call, const struct store_object *o, struct gathered *g)
{
    struct osd_result *res = &call->result;
    uint64_t total = 0;
    for (uint32_t i = 0; i < res->num_ops; i++) {
        struct osd_op op = osd_op_at(&call->request, i);
        uint64_t len = 0;
        if (op.code == OSD_OP_READ && op.truncate_seq == 0) {
            len = range(o, &op);
            g->num += store_object_gather(o, op.offset, len, NULL);
        } else if (op.code == OSD_OP_STAT) {
            len = OSD_STAT_LEN;
            g->num++;
            g->num_stats++;
        } else {
            res->op[i].rval = -EOPNOTSUPP;
        }
        total += len;
        if (total > SIGNET_OSD_OUT_MAX) {
            res->op[i].rval = -E2BIG;
            return -E2BIG;
        }
        res->op[i].out_len = (uint32_t)len;
        if (res->op[i].rval != 0 && (op.flags & OSD_OP_FAILOK) == 0) {
            return res->op[i].rval;
        }
    }
    return 0;
}

static void write_stat(uint8_t out[OSD_STAT_LEN], const struct store_object *o)
{
    signet_store_u64(out, o->size);
    signet_store_u32(out + 8, o->mtime.sec);
    signet_store_u32(out + 12, o->mtime.nsec);
}

static void gather(const struct osd_call *call, const struct store_object *o, struct gathered *g)
{
    g->num = g->num_stats = 0;
    for (uint32_t i = 0; i < call->result.num_ops; i++) {
        struct osd_op op = osd_op_at(&call->request, i);
        uint32_t len = call->result.op[i].out_len;
        if (op.code == OSD_OP_STAT) {
            uint8_t *stat = g->stat[g->num_stats++];
            write_stat(stat, o);
            g->iov[g->num++] = (struct iovec){stat, OSD_STAT_LEN};
        } else if (len > 0) {
            g->num += store_object_gather(o, op.offset, len, g->iov + g->num);
        }
    }
}

static int send_pieces(struct osd_call *call, const struct store_object *o, struct gathered *g)
{
    struct iovec iov[PIECES];
    uint8_t stat[STATS][OSD_STAT_LEN];
    g->iov = g->num > PIECES ? calloc(g->num, sizeof(*g->iov)) : iov;
    g->stat = g->num_stats > STATS ? calloc(g->num_stats, OSD_STAT_LEN) : stat;
    int err;
    if (g->iov != NULL && g->stat != NULL) {
        gather(call, o, g);
        err = osd_reply(call, g->iov, (int)g->num);
    } else {
        err = osd_refuse(call, -ENOMEM);
    }
    if (g->iov != iov) {
        free(g->iov);
    }
    if (g->stat != stat) {
        free(g->stat);
    }
    *g = (struct gathered){0};
    return err;
}

static int read_object(struct osd_call *call, const struct store_object *o)
{
    struct gathered g = {0};
    struct osd_result *res = &call->result;
    res->user_version = o->version;
    res->result = plan(call, o, &g);
    if (res->result == 0) {
        return send_pieces(call, o, &g);
    }
    for (uint32_t i = 0; i < res->num_ops; i++) {
        res->op[i].out_len = 0;
    }
    return osd_reply(call, NULL, 0);
}

/* Each operation fails alike; only a request of FAILOK ones succeeds. */
static int read_nothing(struct osd_call *call, const struct store_id *id)
{
    struct osd_result *res = &call->result;
    res->user_version = store_version(call->osd->store, id);
    for (uint32_t i = 0; i < res->num_ops && res->result == 0; i++) {
        struct osd_op op = osd_op_at(&call->request, i);
        bool known = op.code == OSD_OP_READ || op.code == OSD_OP_STAT;
        res->op[i].rval = known ? -ENOENT : -EOPNOTSUPP;
        res->result = (op.flags & OSD_OP_FAILOK) != 0 ? 0 : res->op[i].rval;
    }
    return osd_reply(call, NULL, 0);
}

int osd_run_read(struct osd_call *call, const struct store_id *id)
{
    struct store_object *o = store_get(call->osd->store, id);
    if (o == NULL) {
        return read_nothing(call, id);
    }
    call->object = o;
    int err = read_object(call, o);
    call->object = NULL;
    store_object_unref(o);
    return err;
}
