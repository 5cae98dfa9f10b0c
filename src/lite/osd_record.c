/* SPDX-License-Identifier: MIT */
/*
 * What the journal says of a write: who asked for what, so that doing it again gives the same.
 *   u8 1 | u64 pool | u64 global_id | u64 tid | u64 version | utime mtime
 *   | blob namespace | blob key | blob name | u16 n | n operations of 38 bytes | their data
 * A record without operations says only that the client's write is done; one of global_id 0 is a
 * part of an object as it was when the journal was written anew.
 */
#include "lite/osd_internal.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

enum { VERSION = 1 };

static void write_head(struct signet_writer *w, const struct osd_record *record)
{
    const struct osd_request *q = record->request;
    signet_write_u8(w, VERSION);
    signet_write_u64(w, q->pool);
    signet_write_u64(w, record->global_id);
    signet_write_u64(w, q->tid);
    signet_write_u64(w, record->version);
    signet_write_u32(w, q->mtime.sec);
    signet_write_u32(w, q->mtime.nsec);
    signet_write_blob(w, q->ns.p, q->ns.len);
    signet_write_blob(w, q->key.p, q->key.len);
    signet_write_blob(w, q->name.p, q->name.len);
    signet_write_u16(w, q->num_ops);
    signet_write_bytes(w, q->ops, (size_t)q->num_ops * OSD_OP_LEN);
    signet_write_bytes(w, q->data.p, q->data.len);
}

static bool only_deletes(const struct osd_request *q)
{
    for (uint32_t i = 0; i < q->num_ops; i++) {
        if (osd_op_at(q, i).code != OSD_OP_DELETE) {
            return false;
        }
    }
    return q->num_ops > 0;
}

int32_t osd_record_append(struct journal *journal, const struct osd_record *record)
{
    struct signet_writer count = signet_writer_count();
    struct journal_place *place;
    write_head(&count, record);
    int err = journal_place(journal, &place, (size_t)count.len);
    if (err != 0) {
        return err;
    }
    struct signet_writer w = signet_writer_init(journal_body(place), (size_t)count.len);
    write_head(&w, record);
    if (only_deletes(record->request)) {
        journal_frees(place);
    }
    return journal_append(journal, place);
}

/* --- doing it again ------------------------------------------------------------------------- */

struct replay {
    struct signet_osd *osd;
    uint64_t global_id, version;
    struct osd_request request;
};

static int read_record(struct replay *p, struct signet_span body)
{
    struct signet_reader r = signet_reader_init(body.p, body.len);
    struct osd_request *q = &p->request;
    if (signet_read_u8(&r) != VERSION) {
        signet_reader_fail(&r, SIGNET_E_VERSION);
    }
    *q = (struct osd_request){.pool = signet_read_u64(&r)};
    p->global_id = signet_read_u64(&r);
    q->tid = signet_read_u64(&r);
    p->version = signet_read_u64(&r);
    q->mtime.sec = signet_read_u32(&r);
    q->mtime.nsec = signet_read_u32(&r);
    q->ns = signet_read_blob(&r, LITE_NS_MAX);
    q->key = signet_read_blob(&r, LITE_NAME_MAX);
    q->name = signet_read_blob(&r, LITE_NAME_MAX);
    q->num_ops = signet_read_u16(&r);
    q->ops = signet_read_view(&r, (uint64_t)q->num_ops * OSD_OP_LEN).p;
    q->data = signet_read_view(&r, signet_reader_left(&r));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < q->num_ops && r.err == 0; i++) {
        sum += osd_op_at(q, i).payload_len;
    }
    if (r.err == 0 && (sum != q->data.len || q->num_ops > SIGNET_OSD_OPS_MAX)) {
        signet_reader_fail(&r, SIGNET_E_LENGTH);
    }
    return r.err;
}

bool osd_record_hash(struct signet_span body, uint32_t *hash)
{
    struct replay p = {.osd = NULL};
    if (read_record(&p, body) != 0 || p.request.num_ops == 0) {
        return false;
    }
    *hash = lite_object_hash(p.request.ns, p.request.key, p.request.name);
    return true;
}

static int32_t do_again(struct replay *p, struct osd_result *result)
{
    const struct osd_request *q = &p->request;
    struct store_id id = {.pool = q->pool, .ns = q->ns, .key = q->key, .name = q->name};
    struct store_work work;
    id.hash = lite_object_hash(id.ns, id.key, id.name);
    store_begin(&work, p->osd->store, &id);
    int32_t err = osd_change(&work, q, result);
    if (err == 0 && work.changed) {
        store_commit(&work, q->mtime, p->version);
    }
    store_end(&work);
    return err;
}

static int note_peer(const struct replay *p)
{
    if (p->global_id == 0) { /* not of a client: an object as it was at a start */
        return 0;
    }
    struct osd_peer *peer = osd_peer_enter(p->osd->peers, p->global_id);
    if (peer == NULL) {
        return -SIGNET_E_NOMEM;
    }
    osd_peer_note(peer, p->request.tid, p->version);
    osd_peer_leave(p->osd->peers, peer);
    return 0;
}

int osd_record_replay(void *arg, struct signet_span body, struct signet_fail *fail)
{
    struct replay p = {.osd = arg};
    struct osd_result result;
    int err = read_record(&p, body);
    if (err != 0) {
        return signet_fail_set(fail, err, "journal", 0, "a record does not decode: %s",
                               signet_strerror(err));
    }
    int32_t bad = do_again(&p, &result);
    if (bad == -ENOSPC || bad == -ENOMEM) {
        return signet_fail_set(fail, -SIGNET_E_NOMEM, "journal", 0,
                               "the objects do not fit in the memory that they may take");
    }
    if (bad != 0) {
        return signet_fail_set(fail, -SIGNET_E_VALUE, "journal", 0,
                               "a write that was done before cannot be done again: %s",
                               strerror(-bad));
    }
    return note_peer(&p);
}
