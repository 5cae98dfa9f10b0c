/* SPDX-License-Identifier: MIT */
/* Listings: shard by shard, each sorted on the way. */
#include "lite/store_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lite/placement.h"

struct found {
    struct store_object **at;
    size_t num, cap;
};

struct search {
    uint64_t pool;
    const struct signet_span *ns;
    const struct store_cursor *from;
};

static bool wanted(const struct store_object *o, const struct search *search)
{
    if (o->pool != search->pool) {
        return false;
    }
    if (search->ns != NULL) {
        struct signet_span ns = store_object_ns(o);
        if (ns.len != search->ns->len || (ns.len > 0 && memcmp(ns.p, search->ns->p, ns.len) != 0)) {
            return false;
        }
    }
    return store_object_compare(o, search->from) >= 0;
}

static bool add(struct found *found, struct store_object *o)
{
    if (found->num == found->cap) {
        size_t cap = found->cap > 0 ? found->cap * 2 : 256;
        struct store_object **more = realloc(found->at, cap * sizeof(struct store_object *));
        if (more == NULL) {
            return false;
        }
        found->at = more;
        found->cap = cap;
    }
    found->at[found->num++] = o;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct store_object *x = *(struct store_object *const *)a;
    const struct store_object *y = *(struct store_object *const *)b;
    struct store_cursor cursor = {y->hash, store_object_ns(y), store_object_key(y),
                                  store_object_name(y)};
    return store_object_compare(x, &cursor);
}

/* The shard's write lock alone: readers go on meanwhile. */
static int list_shard(struct store_shard *shard, const struct search *search,
                      struct store_object **out, size_t max, size_t *num)
{
    struct found found = {0};
    bool good = true;
    pthread_mutex_lock(&shard->write);
    for (size_t i = 0; i < shard->table.num && good; i++) {
        struct store_object *o = shard->table.slot[i].object;
        good = o == NULL || !wanted(o, search) || add(&found, o);
    }
    if (good && found.num > 0) {
        qsort(found.at, found.num, sizeof(struct store_object *), compare);
    }
    for (size_t i = 0; good && i < found.num && *num < max; i++) {
        atomic_fetch_add_explicit(&found.at[i]->refs, 1, memory_order_relaxed);
        out[(*num)++] = found.at[i];
    }
    pthread_mutex_unlock(&shard->write);
    free(found.at);
    return good ? 0 : -ENOMEM;
}

int store_list(struct store *store, uint64_t pool, const struct signet_span *ns,
               const struct store_cursor *from, struct store_object **out, size_t max, size_t *num)
{
    const struct search search = {pool, ns, from};
    struct store_shard *end = store->shard + store->options.shards;
    *num = 0;
    for (struct store_shard *s = store_shard_of(store, from->hash); s < end && *num < max; s++) {
        int err = list_shard(s, &search, out, max, num);
        if (err != 0) {
            while (*num > 0) {
                store_object_unref(out[--*num]);
            }
            return err;
        }
    }
    return 0;
}

unsigned store_shards(const struct store *store)
{
    return store->options.shards;
}

unsigned store_shard_index(const struct store *store, uint32_t hash)
{
    return (unsigned)((uint64_t)lite_reverse(hash) << store->shard_bits >> 32);
}

int store_shard_take(struct store *store, unsigned index, struct store_object ***out, size_t *num,
                     void (*cut)(void *arg, unsigned index), void *arg)
{
    struct store_shard *shard = &store->shard[index];
    int err = 0;
    *num = 0;
    pthread_mutex_lock(&shard->write);
    const struct store_table *table = &shard->table;
    *out = calloc(table->num, sizeof(struct store_object *));
    if (*out == NULL) {
        err = -ENOMEM;
    }
    for (size_t i = 0; i < table->num && err == 0; i++) {
        if (table->slot[i].object != NULL) {
            store_object_ref(table->slot[i].object);
            (*out)[(*num)++] = table->slot[i].object;
        }
    }
    cut(arg, index);
    pthread_mutex_unlock(&shard->write);
    return err;
}
