/* SPDX-License-Identifier: MIT */
/* The end of a change: room is reserved, then the next version takes its place. */
#include "lite/store_internal.h"

#include <errno.h>
#include <stdlib.h>

/* Doubles the table when it is full; when there is no memory for that it gets slower. */
static void grow(struct store_shard *shard)
{
    size_t num = shard->num_buckets * 2;
    struct store_object **bucket = calloc(num, sizeof(struct store_object *));
    if (bucket == NULL) {
        return;
    }
    struct store_object **former = shard->bucket;
    size_t num_former = shard->num_buckets;
    pthread_mutex_lock(&shard->lock);
    for (size_t i = 0; i < num_former; i++) {
        struct store_object *next;
        for (struct store_object *o = former[i]; o != NULL; o = next) {
            next = o->next;
            o->next = bucket[o->place & (num - 1)];
            bucket[o->place & (num - 1)] = o;
        }
    }
    shard->bucket = bucket;
    shard->num_buckets = num;
    pthread_mutex_unlock(&shard->lock);
    free(former);
}

static void publish(struct store_work *work)
{
    struct store_object *next = work->exists ? work->own : NULL;
    pthread_mutex_lock(&work->shard->lock);
    if (next != NULL) {
        next->next = work->old != NULL ? work->old->next : NULL;
        *work->link = next;
    } else if (work->old != NULL) {
        *work->link = work->old->next;
    }
    pthread_mutex_unlock(&work->shard->lock);
}

/* Takes what the next version needs beyond the present one, or gives it back. */
static int account(struct store_work *work)
{
    struct store *store = work->store;
    uint64_t before = work->old != NULL ? work->old->cost : 0;
    uint64_t after = work->exists ? work->own->cost : 0;
    if (after == before) {
        return 0;
    }
    if (after < before) {
        atomic_fetch_sub_explicit(&store->memory, before - after, memory_order_relaxed);
        return 0;
    }
    uint64_t more = after - before;
    uint64_t used = atomic_fetch_add_explicit(&store->memory, more, memory_order_relaxed);
    if (used + more > store->options.max_bytes) {
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
    if (atomic_load_explicit(&shard->objects, memory_order_relaxed) > shard->num_buckets) {
        grow(shard);
    }
}

int store_reserve(struct store_work *work)
{
    int err = store_complete(work);
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
    publish(work);
    count(work);
    work->published = true;
    return version;
}

/* What was reserved and not used. */
static void give_back(struct store_work *work)
{
    uint64_t before = work->old != NULL ? work->old->cost : 0;
    uint64_t after = work->exists ? work->own->cost : 0;
    atomic_fetch_sub_explicit(&work->store->memory, after - before, memory_order_relaxed);
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

uint64_t store_work_version(const struct store_work *work)
{
    return work->shard->version;
}
