/* SPDX-License-Identifier: MIT */
/*
 * Where the objects of a shard are found: places beside pointers, so that nothing but the object
 * asked for is touched. Not locked: see store.h.
 */
#ifndef SIGNET_LITE_STORE_TABLE_H
#define SIGNET_LITE_STORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_object;
struct store_id;

struct store_slot {
    uint64_t place;              /* where it belongs */
    struct store_object *object; /* NULL: free */
};

struct store_table {
    struct store_slot *slot;
    size_t num; /* a power of two; one in four is free at least */
};

/* False when out of memory. */
bool store_table_init(struct store_table *table);
/* The slot of the object, or the free one where it would be. */
struct store_slot *store_table_find(const struct store_table *table, uint64_t place,
                                    const struct store_id *id);
/* Whether one more than `used` objects is too much for it. */
bool store_table_is_full(const struct store_table *table, uint64_t used);
/* The same objects in a table of twice the size; the old one stays. False when out of memory. */
bool store_table_grown(struct store_table *out, const struct store_table *table);
/* Frees the slot, and moves those behind it that belong in front. */
void store_table_remove(struct store_table *table, struct store_slot *slot);

#endif
