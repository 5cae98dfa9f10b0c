/* SPDX-License-Identifier: MIT */
/* The journal of an OSD: read at the start, and written anew when most of it is history. */
#include "lite/osd_internal.h"

#include "base/fail.h"

static void put_op(uint8_t out[OSD_OP_LEN], uint16_t code, uint64_t offset, uint64_t length,
                   uint32_t payload_len)
{
    struct signet_writer w = signet_writer_init(out, OSD_OP_LEN);
    signet_write_u16(&w, code);
    signet_write_u32(&w, 0);
    signet_write_u64(&w, offset);
    signet_write_u64(&w, length);
    signet_write_zeros(&w, 12);
    signet_write_u32(&w, payload_len);
}

static int32_t put(struct journal *journal, const struct store_object *o, const uint8_t *ops,
                   uint16_t num_ops, struct signet_span data)
{
    const struct osd_request request = {.pool = o->pool,
                                        .mtime = o->mtime,
                                        .ns = store_object_ns(o),
                                        .key = store_object_key(o),
                                        .name = store_object_name(o),
                                        .num_ops = num_ops,
                                        .ops = ops,
                                        .data = data};
    return osd_record_append(journal,
                             &(struct osd_record){.request = &request, .version = o->version});
}

/* Its size first, then what is in it: holes stay holes. */
static int put_chunks(struct journal *journal, const struct store_object *o)
{
    uint8_t ops[2][OSD_OP_LEN];
    put_op(ops[0], OSD_OP_WRITEFULL, 0, 0, 0);
    put_op(ops[1], OSD_OP_TRUNCATE, o->size, 0, 0);
    int32_t err = put(journal, o, ops[0], 2, (struct signet_span){NULL, 0});
    for (uint32_t i = 0; i < o->num_chunks && err == 0; i++) {
        const struct store_chunk *c = o->chunk[i];
        if (c != NULL) {
            put_op(ops[0], OSD_OP_WRITE, (uint64_t)i * STORE_CHUNK, c->len, c->len);
            err = put(journal, o, ops[0], 1, (struct signet_span){c->data, c->len});
        }
    }
    return err;
}

int osd_put_object(void *arg, const struct store_object *o)
{
    uint8_t op[OSD_OP_LEN];
    struct iovec data = {NULL, 0};
    if (o->num_chunks > 0) {
        return put_chunks(arg, o);
    }
    store_object_gather(o, 0, o->size, &data);
    put_op(op, OSD_OP_WRITEFULL, 0, o->size, (uint32_t)o->size);
    return put(arg, o, op, 1, (struct signet_span){data.iov_base, data.iov_len});
}

int osd_put_done(void *arg, uint64_t global_id, uint64_t tid, uint64_t version)
{
    const struct osd_request request = {.tid = tid};
    return osd_record_append(
        arg, &(struct osd_record){.request = &request, .global_id = global_id, .version = version});
}

int signet_osd_journal(struct signet_osd *osd, const struct journal_options *options,
                       struct journal_report *report, struct signet_fail *fail)
{
    int err = journal_open(&osd->journal, options, osd_record_replay, osd, report, fail);
    uint64_t keep = options->keep_bytes != 0 ? options->keep_bytes : OSD_KEEP_BYTES;
    if (err != 0 || !osd_journal_is_history(osd, keep)) {
        return err;
    }
    report->kept = signet_osd_journal_anew(osd, fail);
    report->anew = report->kept == 0;
    return journal_lost(osd->journal)
               ? signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0,
                                 "cannot flush the file that it was written anew to")
               : 0;
}

static int larger(void *arg, uint64_t global_id, uint64_t tid, uint64_t version)
{
    uint64_t *most = arg;
    (void)tid;
    (void)version;
    *most = global_id > *most ? global_id : *most;
    return 0;
}

uint64_t signet_osd_last_client(const struct signet_osd *osd)
{
    uint64_t most = 0;
    (void)osd_peers_each(osd->peers, larger, &most);
    return most;
}

void signet_osd_journal_usage(const struct signet_osd *osd, struct journal_usage *out)
{
    *out = journal_usage(osd->journal);
}
