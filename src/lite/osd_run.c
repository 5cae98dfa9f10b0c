/* SPDX-License-Identifier: MIT */
/* What a request may do, and requests that write. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <string.h>

static const struct signet_lite_pool *pool_of(const struct osd_call *call)
{
    const struct signet_lite_cluster *c = call->osd->cluster;
    for (uint32_t i = 0; i < c->num_pools; i++) {
        if (c->pools[i].id == call->request.pool) {
            return &c->pools[i];
        }
    }
    return NULL;
}

void osd_result_begin(struct osd_call *call, uint16_t num_ops)
{
    struct osd_result *res = &call->result;
    res->result = 0;
    res->version = res->user_version = 0;
    res->num_ops = num_ops;
    memset(res->op, 0, num_ops * sizeof(res->op[0]));
}

int osd_refuse(struct osd_call *call, int32_t result)
{
    uint16_t num_ops = call->request.num_ops;
    osd_result_begin(call, num_ops <= SIGNET_OSD_OPS_MAX ? num_ops : 0);
    call->result.result = result;
    if (call->result.num_ops > 0) {
        call->result.op[0].rval = result;
    }
    return osd_reply(call, NULL, 0);
}

static bool is_list(const struct osd_request *q)
{
    return q->num_ops == 1 && osd_op_at(q, 0).code == OSD_OP_PGNLS;
}

static bool is_all_namespaces(struct signet_span ns)
{
    return ns.len == 1 && ns.p[0] == 1;
}

/* 0 or the answer to a request that cannot be looked at. */
static int32_t check(const struct osd_call *call)
{
    const struct osd_request *q = &call->request;
    const struct signet_lite_pool *pool = pool_of(call);
    if (pool == NULL) {
        return -ENOENT;
    }
    if (q->locator_pool != q->pool || q->num_ops == 0) {
        return -EINVAL;
    }
    if (q->num_ops > SIGNET_OSD_OPS_MAX) {
        return -E2BIG;
    }
    if (q->name.len > LITE_NAME_MAX || q->key.len > LITE_NAME_MAX || q->ns.len > LITE_NS_MAX) {
        return -ENAMETOOLONG;
    }
    bool list = is_list(q);
    const struct signet_span *ns = list && is_all_namespaces(q->ns) ? NULL : &q->ns;
    /* a listing is of all names, whatever name the request has */
    struct signet_span name = list ? (struct signet_span){NULL, 0} : q->name;
    unsigned need = 0;
    for (uint32_t i = 0; i < q->num_ops; i++) {
        need |= (osd_op_at(q, i).code & OSD_OP_MODE_WRITE) != 0 ? OSD_MAY_W : OSD_MAY_R;
    }
    if (!osd_caps_allow(&call->session->caps, need, pool->name, ns, name)) {
        return -EPERM;
    }
    if (q->name.len == 0 && !list) {
        return -EINVAL;
    }
    return q->snapid != OSD_HEAD || q->num_snaps > 0 ? -EOPNOTSUPP : 0;
}

int osd_run(struct osd_call *call)
{
    const struct osd_request *q = &call->request;
    int32_t bad = check(call);
    if (bad != 0) {
        return osd_refuse(call, bad);
    }
    osd_result_begin(call, q->num_ops);
    if (is_list(q)) {
        return osd_run_list(call);
    }
    struct store_id id = {.pool = q->pool, .ns = q->ns, .key = q->key, .name = q->name};
    id.hash = lite_object_hash(id.ns, id.key, id.name);
    call->id = &id;
    return q->writes ? osd_run_write(call, &id) : osd_run_read(call, &id);
}

/* --- writing -------------------------------------------------------------------------------- */

static int32_t write_extent(struct store_work *work, const struct osd_op *op,
                            struct signet_span data)
{
    if (op->length != data.len) {
        return -EINVAL;
    }
    if (op->truncate_seq != 0) {
        return -EOPNOTSUPP;
    }
    switch (op->code) {
    case OSD_OP_WRITE:
        return store_write(work, op->offset, data);
    case OSD_OP_APPEND:
        return store_write(work, store_work_size(work), data);
    default:
        return store_replace(work, data);
    }
}

/* One operation of a request that writes. What reading ones would give is not sent: they are there
 * to make the request fail. */
static int32_t change(struct store_work *work, const struct osd_op *op, struct signet_span data)
{
    switch (op->code) {
    case OSD_OP_WRITE:
    case OSD_OP_APPEND:
    case OSD_OP_WRITEFULL:
        return write_extent(work, op, data);
    case OSD_OP_CREATE:
        if (work->exists && (op->flags & OSD_OP_EXCL) != 0) {
            return -EEXIST;
        }
        return store_create(work);
    case OSD_OP_SETALLOCHINT:
        return store_create(work);
    case OSD_OP_TRUNCATE:
        return op->truncate_seq != 0 ? -EOPNOTSUPP : store_resize(work, op->offset);
    case OSD_OP_DELETE:
        if (!work->exists) {
            return -ENOENT;
        }
        store_delete(work);
        return 0;
    case OSD_OP_READ:
    case OSD_OP_STAT:
        return work->exists ? 0 : -ENOENT;
    default:
        return -EOPNOTSUPP;
    }
}

int32_t osd_change(struct store_work *work, const struct osd_request *q, struct osd_result *res)
{
    struct signet_span left = q->data;
    for (uint32_t i = 0; i < q->num_ops; i++) {
        struct osd_op op = osd_op_at(q, i);
        struct signet_span data = {left.p, op.payload_len};
        left.p = op.payload_len > 0 ? left.p + op.payload_len : left.p;
        int32_t err = change(work, &op, data);
        res->op[i].rval = err;
        if (work->err != 0 || (err != 0 && (op.flags & OSD_OP_FAILOK) == 0)) {
            return work->err != 0 ? work->err : err;
        }
    }
    return work->changed ? store_reserve(work) : 0;
}

/* In the journal first: what is published has been answered for. */
static int32_t log_change(const struct osd_call *call, const struct store_work *work)
{
    struct journal *journal = call->osd->journal;
    if (journal == NULL) {
        return 0;
    }
    struct osd_record record = {.request = &call->request,
                                .global_id = call->session->global_id,
                                .version = store_work_version(work) + 1};
    return osd_record_append(journal, &record);
}

/* Under the write lock of the shard, so that a repetition finds what was done or is done itself. */
static int32_t write_once(struct osd_call *call, struct store_work *work)
{
    struct osd_result *res = &call->result;
    struct osd_peer *peer = call->session->peer;
    res->version = osd_peer_find(peer, call->request.tid);
    if (res->version != 0) {
        return 0;
    }
    int32_t err = osd_change(work, &call->request, res);
    if (err == 0 && work->changed) {
        err = log_change(call, work);
    }
    if (err == 0 && work->changed) {
        if (journal_syncs(call->osd->journal)) {
            store_work_mark(work, journal_appended(call->osd->journal));
        }
        res->version = store_commit(work, call->request.mtime, 0);
        osd_peer_note(peer, call->request.tid, res->version);
    }
    return err;
}

int osd_run_write(struct osd_call *call, const struct store_id *id)
{
    struct signet_osd_session *session = call->session;
    if (session->peer == NULL) {
        session->peer = osd_peer_enter(call->osd->peers, session->global_id);
    }
    if (session->peer == NULL) {
        return osd_refuse(call, -ENOMEM);
    }
    struct store_work work;
    store_begin(&work, call->osd->store, id);
    call->result.result = write_once(call, &work);
    call->result.user_version =
        call->result.version != 0 ? call->result.version : store_work_version(&work);
    store_end(&work);
    if (journal_full(call->osd->journal)) {
        osd_keeper_call(call->osd->keeper);
    }
    return osd_reply(call, NULL, 0);
}
