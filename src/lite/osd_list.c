/* SPDX-License-Identifier: MIT */
/* PGNLS: a page of the pool's objects. One process has all placement groups, so a page goes on
 * through all of them. Source: osdlite.md 6. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "lite/envelope.h"

enum { PAGE_MAX = 1024 };
#define POOL_MIN UINT64_C(0x8000000000000000) /* of a cursor that stands before everything */

/* hobject_t */
struct cursor {
    struct signet_span key, name, ns;
    uint64_t snap, pool;
    uint32_t hash;
    bool max;
};

struct page {
    struct store_object *object[PAGE_MAX + 1]; /* one more: where the next page begins */
    size_t num, shown;
    uint64_t pool;
};

static int32_t read_cursor(struct signet_span in, struct cursor *c)
{
    uint8_t version;
    struct signet_reader r = signet_reader_init(in.p, in.len);
    struct signet_reader env = signet_env_open(&r, 4, &version);
    c->key = signet_read_blob(&env, LITE_NAME_MAX);
    c->name = signet_read_blob(&env, LITE_NAME_MAX);
    c->snap = signet_read_u64(&env);
    c->hash = signet_read_u32(&env);
    c->max = signet_read_u8(&env) != 0;
    c->ns = signet_read_blob(&env, LITE_NS_MAX);
    c->pool = signet_read_u64(&env);
    return env.err != 0 || version < 4 || signet_reader_done(&r) != 0 ? -EINVAL : 0;
}

static void write_cursor(struct signet_writer *w, const struct cursor *c)
{
    size_t at = signet_env_begin(w, 4, 3);
    signet_write_blob(w, c->key.p, c->key.len);
    signet_write_blob(w, c->name.p, c->name.len);
    signet_write_u64(w, c->snap);
    signet_write_u32(w, c->hash);
    signet_write_u8(w, c->max ? 1 : 0);
    signet_write_blob(w, c->ns.p, c->ns.len);
    signet_write_u64(w, c->pool);
    signet_env_end(w, at);
}

static void write_blob(struct signet_writer *w, struct signet_span s)
{
    signet_write_blob(w, s.p, s.len);
}

static void write_page(struct signet_writer *w, const struct page *page)
{
    struct cursor next = {.max = true, .pool = POOL_MIN};
    if (page->shown < page->num) {
        const struct store_object *o = page->object[page->shown];
        next = (struct cursor){.key = store_object_key(o),
                               .name = store_object_name(o),
                               .snap = OSD_HEAD,
                               .hash = o->hash,
                               .ns = store_object_ns(o),
                               .pool = page->pool};
    }
    size_t at = signet_env_begin(w, 1, 1);
    write_cursor(w, &next);
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
static int32_t find_page(const struct osd_call *call, const struct cursor *c, size_t max,
                         struct page *page)
{
    const struct osd_request *q = &call->request;
    struct store_cursor from = {c->hash, c->ns, c->key, c->name};
    if (c->max || (int64_t)c->pool > (int64_t)q->pool) {
        return 0;
    }
    if (c->pool != q->pool) {
        from = (struct store_cursor){0};
    }
    bool all = q->ns.len == 1 && q->ns.p[0] == 1;
    return store_list(call->osd->store, q->pool, all ? NULL : &q->ns, &from, page->object, max + 1,
                      &page->num);
}

int osd_run_list(struct osd_call *call)
{
    const struct osd_request *q = &call->request;
    struct cursor cursor;
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
