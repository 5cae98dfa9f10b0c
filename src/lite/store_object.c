/* SPDX-License-Identifier: MIT */
/* One version of an object: its block, its names, its pieces. */
#include "lite/store_internal.h"

#include <string.h>

#include "lite/arena.h"
#include "lite/placement.h"

static const uint8_t zeros[STORE_CHUNK];

static uint8_t *names(const struct store_object *o)
{
    return (uint8_t *)(uintptr_t)&o->chunk[o->num_chunks > 0 ? o->cap : 0];
}

struct signet_span store_object_ns(const struct store_object *o)
{
    return (struct signet_span){names(o), o->ns_len};
}

struct signet_span store_object_key(const struct store_object *o)
{
    return (struct signet_span){names(o) + o->ns_len, o->key_len};
}

struct signet_span store_object_name(const struct store_object *o)
{
    return (struct signet_span){names(o) + o->ns_len + o->key_len, o->name_len};
}

uint8_t *store_object_data(struct store_object *o)
{
    return names(o) + o->ns_len + o->key_len + o->name_len;
}

static void put_name(uint8_t *to, struct signet_span name)
{
    if (name.len > 0) {
        memcpy(to, name.p, name.len);
    }
}

struct store_object *store_object_new(const struct store_work *work, uint64_t size)
{
    const struct store_id *id = work->id;
    uint64_t num_chunks = size > STORE_CHUNK ? (size + STORE_CHUNK - 1) / STORE_CHUNK : 0;
    uint64_t room = num_chunks > 0 ? num_chunks * sizeof(struct store_chunk *) : size;
    uint64_t all = sizeof(struct store_object) + id->ns.len + id->key.len + id->name.len + room;
    struct store_object *o = arena_take(work->store->arena, (size_t)all);
    if (o == NULL) {
        return NULL;
    }
    *o = (struct store_object){
        .refs = 1,
        .hash = id->hash,
        .pool = id->pool,
        .size = size,
        .cost = all,
        .arena = work->store->arena,
        .len = all,
        .ns_len = (uint16_t)id->ns.len,
        .key_len = (uint16_t)id->key.len,
        .name_len = (uint16_t)id->name.len,
        .num_chunks = (uint32_t)num_chunks,
        .cap = (uint32_t)(num_chunks > 0 ? num_chunks : size),
    };
    memset(o->chunk, 0, (size_t)num_chunks * sizeof(struct store_chunk *));
    uint8_t *at = names(o);
    put_name(at, id->ns);
    put_name(at + id->ns.len, id->key);
    put_name(at + id->ns.len + id->key.len, id->name);
    return o;
}

void store_object_ref(struct store_object *o)
{
    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
}

void store_object_unref(struct store_object *o)
{
    /* release: what this thread read of it comes before the free; acquire: for the one that frees
     */
    if (o == NULL || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (uint32_t i = 0; i < o->num_chunks; i++) {
        store_chunk_unref(o->arena, o->chunk[i]);
    }
    arena_give(o->arena, o, (size_t)o->len);
}

struct store_chunk *store_chunk_new(struct arena *arena, uint32_t len)
{
    struct store_chunk *c = arena_take(arena, sizeof(*c) + len);
    if (c != NULL) {
        atomic_init(&c->refs, 1);
        c->len = len;
    }
    return c;
}

void store_chunk_unref(struct arena *arena, struct store_chunk *c)
{
    if (c != NULL && atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1) {
        arena_give(arena, c, sizeof(*c) + c->len);
    }
}

static bool same(struct signet_span a, struct signet_span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

bool store_object_is(const struct store_object *o, const struct store_id *id)
{
    return o->pool == id->pool && same(store_object_name(o), id->name) &&
           same(store_object_ns(o), id->ns) && same(store_object_key(o), id->key);
}

static int compare(struct signet_span a, struct signet_span b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len > 0 ? memcmp(a.p, b.p, len) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

int store_object_compare(const struct store_object *o, const struct store_cursor *cursor)
{
    uint32_t a = lite_reverse(o->hash), b = lite_reverse(cursor->hash);
    if (a != b) {
        return a < b ? -1 : 1;
    }
    int order = compare(store_object_ns(o), cursor->ns);
    if (order == 0) {
        order = compare(o->key_len > 0 ? store_object_key(o) : store_object_name(o),
                        cursor->key.len > 0 ? cursor->key : cursor->name);
    }
    return order != 0 ? order : compare(store_object_name(o), cursor->name);
}

/* --- pieces --------------------------------------------------------------------------------- */

/* The part of chunk `index` from `from` on, at most len bytes: data, or the zeros behind it. */
static struct iovec piece(const struct store_object *o, uint64_t offset, uint64_t len)
{
    uint32_t at = (uint32_t)(offset % STORE_CHUNK);
    const struct store_chunk *c = o->chunk[offset / STORE_CHUNK];
    bool data = c != NULL && at < c->len;
    uint64_t room = data ? c->len - at : STORE_CHUNK - at;
    const uint8_t *p = data ? c->data + at : zeros;
    return (struct iovec){(void *)(uintptr_t)p, (size_t)(len < room ? len : room)};
}

size_t store_object_gather(const struct store_object *o, uint64_t offset, uint64_t len,
                           struct iovec *iov)
{
    if (len == 0) {
        return 0;
    }
    if (o->num_chunks == 0) {
        if (iov != NULL) {
            uint8_t *data = names(o) + o->ns_len + o->key_len + o->name_len;
            *iov = (struct iovec){data + offset, (size_t)len};
        }
        return 1;
    }
    size_t num = 0;
    while (len > 0) {
        struct iovec next = piece(o, offset, len);
        if (iov != NULL) {
            iov[num] = next;
        }
        num++;
        offset += next.iov_len;
        len -= next.iov_len;
    }
    return num;
}
