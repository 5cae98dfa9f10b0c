/* SPDX-License-Identifier: MIT */
/* Changing one object: the next version is made aside and then put in place. */
#include "lite/store_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A range that is about to be overwritten and need not be kept. */
struct range {
    uint64_t from, to;
};

void store_begin(struct store_work *work, struct store *store, const struct store_id *id)
{
    *work = (struct store_work){.store = store, .id = id};
    work->place = store_place(store, id);
    work->shard = store_shard_of(store, id->hash);
    pthread_mutex_lock(&work->shard->write);
    work->slot = store_table_find(&work->shard->table, work->place, id);
    work->old = work->base = work->slot->object;
    work->exists = work->old != NULL;
}

static struct store_object *present(const struct store_work *work)
{
    return !work->exists ? NULL : work->own != NULL ? work->own : work->base;
}

uint64_t store_work_size(const struct store_work *work)
{
    const struct store_object *o = present(work);
    return o != NULL ? o->size : 0;
}

static int out_of_memory(struct store_work *work)
{
    work->err = -ENOMEM;
    return -ENOMEM;
}

/* --- data in the block ---------------------------------------------------------------------- */

/* Bytes [from, end) of `o`, all in its first chunk, or zeros where it ends. */
static void copy_range(uint8_t *to, const struct store_object *o, uint64_t from, uint64_t end)
{
    uint64_t have = o != NULL && o->size > from ? o->size - from : 0;
    uint64_t len = end - from;
    have = have < len ? have : len;
    memset(to + have, 0, (size_t)(len - have));
    struct iovec piece[2]; /* of the first chunk: data, and zeros behind it */
    size_t num = have > 0 ? store_object_gather(o, from, have, piece) : 0;
    for (size_t i = 0; i < num; i++) {
        memcpy(to, piece[i].iov_base, piece[i].iov_len);
        to += piece[i].iov_len;
    }
}

/* A block of this size with what is kept of the present state. */
static int to_block(struct store_work *work, uint64_t size, struct range skip)
{
    struct store_object *now = present(work);
    if (now != NULL && now == work->own && now->num_chunks == 0 && size == now->size) {
        return 0;
    }
    struct store_object *next = store_object_new(work, size);
    if (next == NULL) {
        return out_of_memory(work);
    }
    uint8_t *data = store_object_data(next);
    copy_range(data, now, 0, skip.from);
    copy_range(data + skip.to, now, skip.to, size);
    store_object_unref(work->own);
    work->own = next;
    return 0;
}

/* --- chunks --------------------------------------------------------------------------------- */

static void drop_chunk(struct store_object *o, uint32_t index)
{
    struct store_chunk *c = o->chunk[index];
    if (c == NULL) {
        return;
    }
    o->cost -= sizeof(*c) + c->len;
    o->chunk[index] = NULL;
    store_chunk_unref(o->arena, c);
}

/* Bytes of a chunk that takes another's place, zeros where that one ends. */
static void copy_chunk(struct store_chunk *to, const struct store_chunk *from, struct range skip)
{
    uint64_t have = from == NULL ? 0 : from->len < to->len ? from->len : to->len;
    struct range part[2] = {{0, skip.from}, {skip.to, to->len}};
    for (int i = 0; i < 2; i++) {
        uint64_t end = have < part[i].to ? have : part[i].to;
        end = end > part[i].from ? end : part[i].from;
        if (end > part[i].from) {
            memcpy(to->data + part[i].from, from->data + part[i].from,
                   (size_t)(end - part[i].from));
        }
        memset(to->data + end, 0, (size_t)(part[i].to - end));
    }
}

/* Chunk `index` as one of our own with len bytes, as before or zero outside of what is skipped. */
static struct store_chunk *own_chunk(struct store_work *work, uint32_t index, uint32_t len,
                                     struct range skip)
{
    struct store_object *o = work->own;
    struct store_chunk *c = o->chunk[index];
    /* ours alone: no version that others see holds it */
    if (c != NULL && c->len == len && atomic_load_explicit(&c->refs, memory_order_acquire) == 1) {
        return c;
    }
    struct store_chunk *next = store_chunk_new(o->arena, len);
    if (next == NULL) {
        (void)out_of_memory(work);
        return NULL;
    }
    copy_chunk(next, c, skip);
    drop_chunk(o, index);
    o->chunk[index] = next;
    o->cost += sizeof(*next) + len;
    return next;
}

static void share_chunks(struct store_object *to, const struct store_object *from)
{
    uint32_t num = from->num_chunks < to->num_chunks ? from->num_chunks : to->num_chunks;
    for (uint32_t i = 0; i < num; i++) {
        to->chunk[i] = from->chunk[i];
        if (to->chunk[i] != NULL) {
            atomic_fetch_add_explicit(&to->chunk[i]->refs, 1, memory_order_relaxed);
            to->cost += sizeof(struct store_chunk) + to->chunk[i]->len;
        }
    }
}

/* What lies behind the end must not come back when the object grows again. */
static int cut_last(struct store_work *work)
{
    struct store_object *o = work->own;
    uint32_t last = o->num_chunks - 1;
    uint64_t len = o->size - (uint64_t)last * STORE_CHUNK;
    const struct store_chunk *c = o->chunk[last];
    if (c == NULL || c->len <= len) {
        return 0;
    }
    return own_chunk(work, last, (uint32_t)len, (struct range){len, len}) != NULL ? 0 : -ENOMEM;
}

static int to_chunks(struct store_work *work, uint64_t size)
{
    struct store_object *now = present(work);
    if (now != NULL && now == work->own && size == now->size && now->num_chunks > 0) {
        return 0;
    }
    struct store_object *next = store_object_new(work, size);
    if (next == NULL) {
        return out_of_memory(work);
    }
    struct store_object *former = work->own;
    work->own = next;
    if (now != NULL && now->num_chunks > 0) {
        share_chunks(next, now);
    } else if (now != NULL && now->size > 0) {
        struct store_chunk *first =
            own_chunk(work, 0, (uint32_t)now->size, (struct range){0, now->size});
        if (first != NULL) {
            memcpy(first->data, store_object_data(now), (size_t)now->size);
        }
    }
    store_object_unref(former);
    return work->err != 0 ? work->err : cut_last(work);
}

static int fill_chunks(struct store_work *work, uint64_t offset, struct signet_span data)
{
    const uint8_t *p = data.p;
    for (uint64_t left = data.len; left > 0;) {
        uint32_t index = (uint32_t)(offset / STORE_CHUNK), at = (uint32_t)(offset % STORE_CHUNK);
        uint32_t len = (uint32_t)(left < STORE_CHUNK - at ? left : STORE_CHUNK - at);
        const struct store_chunk *c = work->own->chunk[index];
        uint32_t need = c != NULL && c->len > at + len ? c->len : at + len;
        struct store_chunk *to = own_chunk(work, index, need, (struct range){at, at + len});
        if (to == NULL) {
            return -ENOMEM;
        }
        memcpy(to->data + at, p, len);
        p += len;
        offset += len;
        left -= len;
    }
    return 0;
}

/* --- changes -------------------------------------------------------------------------------- */

int store_create(struct store_work *work)
{
    work->exists = work->changed = true;
    return 0;
}

int store_write(struct store_work *work, uint64_t offset, struct signet_span data)
{
    uint64_t max = work->store->options.max_object, size = store_work_size(work);
    if (offset > max || data.len > max - offset) {
        return -EFBIG;
    }
    uint64_t end = offset + data.len;
    size = size > end ? size : end;
    int err = size <= STORE_CHUNK ? to_block(work, size, (struct range){offset, end})
                                  : to_chunks(work, size);
    if (err == 0 && size <= STORE_CHUNK && data.len > 0) {
        memcpy(store_object_data(work->own) + offset, data.p, data.len);
    } else if (err == 0 && size > STORE_CHUNK) {
        err = fill_chunks(work, offset, data);
    }
    work->exists = work->changed = true;
    return err;
}

int store_replace(struct store_work *work, struct signet_span data)
{
    if (data.len > work->store->options.max_object) {
        return -EFBIG;
    }
    store_delete(work);
    return store_write(work, 0, data);
}

int store_resize(struct store_work *work, uint64_t size)
{
    if (!work->exists) {
        return 0;
    }
    if (size > work->store->options.max_object) {
        return -EFBIG;
    }
    work->changed = true;
    return size <= STORE_CHUNK ? to_block(work, size, (struct range){size, size})
                               : to_chunks(work, size);
}

void store_delete(struct store_work *work)
{
    store_object_unref(work->own);
    work->own = work->base = NULL;
    work->exists = false;
    work->changed = true;
}

/* An object that is there has a version of its own to be published, if only for its time. */
int store_complete(struct store_work *work)
{
    if (work->err == 0 && work->exists && work->own == NULL) {
        uint64_t size = store_work_size(work);
        return size <= STORE_CHUNK ? to_block(work, size, (struct range){size, size})
                                   : to_chunks(work, size);
    }
    return work->err;
}
