/* SPDX-License-Identifier: MIT */
/* What each pool holds: counted in each shard, where the writer is alone anyway. */
#include "lite/store_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct store_pool *find(const struct store_shard *shard, uint64_t id)
{
    for (unsigned i = 0; i < shard->num_pools; i++) {
        if (shard->pool[i].id == id) {
            return &shard->pool[i];
        }
    }
    return NULL;
}

int store_pool_room(struct store_work *work)
{
    struct store_shard *shard = work->shard;
    if (!work->exists || find(shard, work->id->pool) != NULL) {
        return 0;
    }
    size_t size = sizeof(*shard->pool);
    struct store_pool *former = shard->pool, *more = calloc(shard->num_pools + 1, size);
    if (more == NULL) {
        return -ENOMEM;
    }
    if (shard->num_pools > 0) {
        memcpy(more, former, shard->num_pools * size);
    }
    more[shard->num_pools].id = work->id->pool;
    pthread_mutex_lock(&shard->lock);
    shard->pool = more;
    shard->num_pools++;
    pthread_mutex_unlock(&shard->lock);
    free(former);
    return 0;
}

void store_pool_count(struct store_work *work)
{
    struct store_pool *pool = find(work->shard, work->id->pool);
    if (pool == NULL) {
        return; /* nothing was there, and nothing is */
    }
    if (work->old != NULL) {
        pool->objects--;
        pool->bytes -= work->old->size;
        pool->memory -= work->old->cost;
    }
    if (work->exists) {
        pool->objects++;
        pool->bytes += work->own->size;
        pool->memory += work->own->cost;
    }
}

struct store_pool store_pool_usage(struct store *store, uint64_t id)
{
    struct store_pool sum = {.id = id};
    for (unsigned i = 0; i < store->options.shards; i++) {
        struct store_shard *shard = &store->shard[i];
        pthread_mutex_lock(&shard->lock);
        const struct store_pool *pool = find(shard, id);
        if (pool != NULL) {
            sum.objects += pool->objects;
            sum.bytes += pool->bytes;
            sum.memory += pool->memory;
        }
        pthread_mutex_unlock(&shard->lock);
    }
    return sum;
}
