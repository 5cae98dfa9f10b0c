/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_LITE_STORE_INTERNAL_H
#define SIGNET_LITE_STORE_INTERNAL_H

#include <pthread.h>

#include "lite/store.h"
#include "lite/store_table.h"

struct store_shard {
    pthread_mutex_t write;
    pthread_mutex_t lock;
    struct store_table table; /* changed under both; read under either */
    struct store_pool *pool;  /* those that ever had an object here; as table */
    unsigned num_pools;
    uint64_t version; /* under write */
    _Atomic uint64_t objects, bytes;
    _Atomic uint64_t mark; /* written under write */
} __attribute__((aligned(64)));

struct store {
    struct store_options options;
    struct arena *arena;
    uint64_t key[2];
    unsigned shard_bits;
    _Atomic uint64_t memory, max_bytes;
    struct store_shard shard[];
};

/* A version of the same identity with room for `size` bytes; references to no chunks yet. NULL when
 * out of memory. */
struct store_object *store_object_new(const struct store_work *work, uint64_t size);
/* With one reference; NULL when out of memory. NULL is fine for the second. */
struct store_chunk *store_chunk_new(struct arena *arena, uint32_t len);
void store_chunk_unref(struct arena *arena, struct store_chunk *chunk);
uint8_t *store_object_data(struct store_object *o); /* of one without chunks */
bool store_object_is(const struct store_object *o, const struct store_id *id);
/* <0, 0, >0 by the order of listings. */
int store_object_compare(const struct store_object *o, const struct store_cursor *cursor);
struct store_shard *store_shard_of(struct store *store, uint32_t hash);
uint64_t store_place(const struct store *store, const struct store_id *id);

/* store_pools.c: makes sure that counting cannot fail: 0 or -ENOMEM; and counting, under both locks
 * of the shard. */
int store_pool_room(struct store_work *work);
void store_pool_count(struct store_work *work);

/* Lets work->own be what is to be published, if anything is. */
int store_complete(struct store_work *work);

#endif
