/* SPDX-License-Identifier: MIT */
/* The table of objects. */
#include "lite/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/siphash.h"
#include "lite/arena.h"
#include "lite/placement.h"

/* Memory of objects that are gone stays so long for others. */
#define KEEP_NS (60 * UINT64_C(1000000000))

static int shard_init(struct store_shard *shard)
{
    pthread_mutex_init(&shard->write, NULL);
    pthread_mutex_init(&shard->lock, NULL);
    return store_table_init(&shard->table) ? 0 : -SIGNET_E_NOMEM;
}

static int draw_key(struct store *store)
{
    uint8_t key[16];
    const struct signet_env *env = &store->options.env;
    int err = env->random(env->arg, key, sizeof(key));
    if (err == 0) {
        store->key[0] = signet_load_u64(key);
        store->key[1] = signet_load_u64(key + 8);
    }
    return err;
}

int store_new(struct store **out, const struct store_options *options)
{
    size_t len = sizeof(struct store) + options->shards * sizeof(struct store_shard);
    *out = NULL;
    struct store *store = aligned_alloc(64, (len + 63) / 64 * 64);
    if (store == NULL) {
        return -SIGNET_E_NOMEM;
    }
    memset(store, 0, len);
    store->options = *options;
    store_limit(store, options->max_bytes);
    store->shard_bits = (unsigned)__builtin_ctz(options->shards);
    store->arena = arena_new(KEEP_NS);
    int err = store->arena != NULL ? draw_key(store) : -SIGNET_E_NOMEM;
    for (unsigned i = 0; i < options->shards; i++) {
        int bad = shard_init(&store->shard[i]);
        err = err != 0 ? err : bad;
    }
    if (err != 0) {
        store_free(store);
        return err;
    }
    *out = store;
    return 0;
}

static void shard_clear(struct store_shard *shard)
{
    for (size_t i = 0; shard->table.slot != NULL && i < shard->table.num; i++) {
        store_object_unref(shard->table.slot[i].object);
    }
    free(shard->table.slot);
    free(shard->pool);
    pthread_mutex_destroy(&shard->write);
    pthread_mutex_destroy(&shard->lock);
}

void store_free(struct store *store)
{
    if (store == NULL) {
        return;
    }
    for (unsigned i = 0; i < store->options.shards; i++) {
        shard_clear(&store->shard[i]);
    }
    arena_free(store->arena);
    free(store);
}

struct store_shard *store_shard_of(struct store *store, uint32_t hash)
{
    uint64_t order = lite_reverse(hash);
    return &store->shard[order << store->shard_bits >> 32];
}

uint64_t store_place(const struct store *store, const struct store_id *id)
{
    struct siphash s = siphash_begin(store->key);
    siphash_word(&s, id->pool);
    siphash_word(&s, (uint64_t)id->ns.len << 32 | (uint64_t)id->key.len << 16 | id->name.len);
    siphash_bytes(&s, id->ns.p, id->ns.len);
    siphash_bytes(&s, id->key.p, id->key.len);
    siphash_bytes(&s, id->name.p, id->name.len);
    return siphash_end(&s);
}

struct store_object *store_get(struct store *store, const struct store_id *id)
{
    struct store_shard *shard = store_shard_of(store, id->hash);
    uint64_t place = store_place(store, id);
    pthread_mutex_lock(&shard->lock);
    struct store_object *o = store_table_find(&shard->table, place, id)->object;
    if (o != NULL) {
        /* under the lock the table's own reference keeps it alive */
        atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&shard->lock);
    return o;
}

uint64_t store_version(struct store *store, const struct store_id *id)
{
    struct store_shard *shard = store_shard_of(store, id->hash);
    pthread_mutex_lock(&shard->write);
    uint64_t version = shard->version;
    pthread_mutex_unlock(&shard->write);
    return version;
}

void store_limit(struct store *store, uint64_t max_bytes)
{
    atomic_store_explicit(&store->max_bytes, max_bytes, memory_order_relaxed);
}

struct store_usage store_usage(struct store *store)
{
    struct store_usage u = {.objects = 0};
    u.max_bytes = atomic_load_explicit(&store->max_bytes, memory_order_relaxed);
    u.memory = atomic_load_explicit(&store->memory, memory_order_relaxed);
    for (unsigned i = 0; i < store->options.shards; i++) {
        u.objects += atomic_load_explicit(&store->shard[i].objects, memory_order_relaxed);
        u.bytes += atomic_load_explicit(&store->shard[i].bytes, memory_order_relaxed);
    }
    return u;
}
