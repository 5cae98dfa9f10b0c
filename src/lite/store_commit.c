/* SPDX-License-Identifier: MIT */
/* The end of a change: room is reserved, then the next version takes its place. */
#include "lite/store_internal.h"

#include <errno.h>
#include <stdlib.h>

/* A place for a new object. The larger table is filled aside: readers wait for no more than its
 * taking the other's place. */
static int make_room(struct store_work *work)
{
    struct store_shard *shard = work->shard;
    struct store_table grown, former = shard->table;
    uint64_t used = atomic_load_explicit(&shard->objects, memory_order_relaxed);
    if (work->old != NULL || !work->exists || !store_table_is_full(&former, used)) {
        return 0;
    }
    if (!store_table_grown(&grown, &former)) {
        return -ENOMEM;
    }
    pthread_mutex_lock(&shard->lock);
    shard->table = grown;
    pthread_mutex_unlock(&shard->lock);
    free(former.slot);
    work->slot = store_table_find(&shard->table, work->place, work->id);
    return 0;
}

static void publish(struct store_work *work)
{
    struct store_shard *shard = work->shard;
    pthread_mutex_lock(&shard->lock);
    if (work->exists) {
        *work->slot = (struct store_slot){work->place, work->own};
    } else if (work->old != NULL) {
        store_table_remove(&shard->table, work->slot);
    }
    store_pool_count(work);
    pthread_mutex_unlock(&shard->lock);
}

struct need {
    uint64_t more, less; /* one of them is 0 */
};

/* What the next version takes beyond the present one. */
static struct need need_of(const struct store_work *work)
{
    uint64_t before = work->old != NULL ? work->old->cost : 0;
    uint64_t after = work->exists ? work->own->cost : 0;
    return (struct need){after > before ? after - before : 0, after < before ? before - after : 0};
}

/* What becomes free is free once it is published, and no sooner: until then the change may fail,
 * and a write that used it would be in the journal before the one that made room. */
static int account(struct store_work *work)
{
    struct store *store = work->store;
    uint64_t more = need_of(work).more;
    if (more == 0) {
        return 0;
    }
    uint64_t used = atomic_fetch_add_explicit(&store->memory, more, memory_order_relaxed);
    if (used + more > atomic_load_explicit(&store->max_bytes, memory_order_relaxed)) {
        atomic_fetch_sub_explicit(&store->memory, more, memory_order_relaxed);
        return -ENOSPC;
    }
    return 0;
}

static void count(struct store_work *work)
{
    struct store_shard *shard = work->shard;
    uint64_t before = work->old != NULL ? work->old->size : 0;
    uint64_t after = work->exists ? work->own->size : 0;
    uint64_t objects = (uint64_t)work->exists - (uint64_t)(work->old != NULL);
    atomic_fetch_add_explicit(&shard->bytes, after - before, memory_order_relaxed);
    atomic_fetch_add_explicit(&shard->objects, objects, memory_order_relaxed);
}

int store_reserve(struct store_work *work)
{
    int err = store_complete(work);
    if (err == 0) {
        err = make_room(work);
    }
    if (err == 0) {
        err = store_pool_room(work);
    }
    if (err == 0) {
        err = account(work);
    }
    work->reserved = err == 0;
    return err;
}

uint64_t store_commit(struct store_work *work, struct signet_utime mtime, uint64_t version)
{
    struct store_shard *shard = work->shard;
    version = version != 0 ? version : shard->version + 1;
    shard->version = version > shard->version ? version : shard->version;
    if (work->exists) {
        work->own->version = version;
        work->own->mtime = mtime;
    }
    atomic_fetch_sub_explicit(&work->store->memory, need_of(work).less, memory_order_relaxed);
    publish(work);
    count(work);
    work->published = true;
    return version;
}

/* What was reserved and not used. */
static void give_back(struct store_work *work)
{
    atomic_fetch_sub_explicit(&work->store->memory, need_of(work).more, memory_order_relaxed);
}

void store_end(struct store_work *work)
{
    if (work->reserved && !work->published) {
        give_back(work);
    }
    pthread_mutex_unlock(&work->shard->write);
    /* what is out of the table now: the old version, or the one that did not become the next */
    store_object_unref(work->published ? work->old : work->own);
}

void store_work_mark(struct store_work *work, uint64_t records)
{
    atomic_store_explicit(&work->shard->mark, records, memory_order_release);
}

uint64_t store_mark(struct store *store, uint32_t hash)
{
    return atomic_load_explicit(&store_shard_of(store, hash)->mark, memory_order_acquire);
}

uint64_t store_work_version(const struct store_work *work)
{
    return work->shard->version;
}
