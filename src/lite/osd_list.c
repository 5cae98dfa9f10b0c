/* SPDX-License-Identifier: MIT */
/* PGNLS: a page of the pool's objects. One process has all placement groups, so a page goes on
 * through all of them. Source: osdlite.md 6. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "lite/envelope.h"
#include "lite/hobject.h"

enum { PAGE_MAX = 1024 };

struct page {
    struct store_object *object[PAGE_MAX + 1]; /* one more: where the next page begins */
    size_t num, shown;
    uint64_t pool;
};

static int32_t read_cursor(struct signet_span in, struct lite_hobject *c)
{
    struct signet_reader r = signet_reader_init(in.p, in.len);
    lite_hobject_read(&r, c);
    return signet_reader_done(&r) != 0 ? -EINVAL : 0;
}

static void write_blob(struct signet_writer *w, struct signet_span s)
{
    signet_write_blob(w, s.p, s.len);
}

static void write_page(struct signet_writer *w, const struct page *page)
{
    struct lite_hobject next = {.max = true, .pool = INT64_MIN};
    if (page->shown < page->num) {
        const struct store_object *o = page->object[page->shown];
        next = (struct lite_hobject){.key = store_object_key(o),
                                     .name = store_object_name(o),
                                     .snap = OSD_HEAD,
                                     .hash = o->hash,
                                     .ns = store_object_ns(o),
                                     .pool = (int64_t)page->pool};
    }
    size_t at = signet_env_begin(w, 1, 1);
    lite_hobject_write(w, &next);
    signet_write_u32(w, (uint32_t)page->shown);
    for (size_t i = 0; i < page->shown; i++) {
        write_blob(w, store_object_ns(page->object[i]));
        write_blob(w, store_object_name(page->object[i]));
        write_blob(w, store_object_key(page->object[i]));
    }
    signet_env_end(w, at);
}

static int send_page(struct osd_call *call, const struct page *page)
{
    struct signet_writer count = signet_writer_count();
    write_page(&count, page);
    uint8_t *buf = malloc((size_t)count.len);
    if (buf == NULL) {
        return osd_refuse(call, -ENOMEM);
    }
    struct signet_writer w = signet_writer_init(buf, (size_t)count.len);
    write_page(&w, page);
    bool end = page->shown == page->num;
    call->result.result = call->result.op[0].rval = end ? 1 : 0;
    call->result.op[0].out_len = (uint32_t)w.len;
    struct iovec data = {buf, (size_t)w.len};
    int err = w.err != 0 ? w.err : osd_reply(call, &data, 1);
    free(buf);
    return err;
}

/* Cursors before and behind the pool are the beginning and the end of it. */
static int32_t find_page(const struct osd_call *call, const struct lite_hobject *c, size_t max,
                         struct page *page)
{
    const struct osd_request *q = &call->request;
    struct store_cursor from = {c->hash, c->ns, c->key, c->name};
    if (c->max || c->pool > (int64_t)q->pool) {
        return 0;
    }
    if (c->pool != (int64_t)q->pool) {
        from = (struct store_cursor){0};
    }
    bool all = q->ns.len == 1 && q->ns.p[0] == 1;
    return store_list(call->osd->store, q->pool, all ? NULL : &q->ns, &from, page->object, max + 1,
                      &page->num);
}

int osd_run_list(struct osd_call *call)
{
    const struct osd_request *q = &call->request;
    struct lite_hobject cursor;
    struct page page = {.pool = q->pool};
    struct osd_op op = osd_op_at(q, 0);
    uint64_t max = op.offset; /* the place of extents holds the number of entries */
    max = max < PAGE_MAX ? max : PAGE_MAX;
    int32_t err = max == 0 ? -EINVAL : read_cursor(q->data, &cursor);
    if (err == 0) {
        err = find_page(call, &cursor, (size_t)max, &page);
    }
    if (err != 0) {
        return osd_refuse(call, err);
    }
    page.shown = page.num < max ? page.num : (size_t)max;
    int sent = send_page(call, &page);
    for (size_t i = 0; i < page.num; i++) {
        store_object_unref(page.object[i]);
    }
    return sent;
}
