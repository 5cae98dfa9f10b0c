/* SPDX-License-Identifier: MIT */
/* Open addressing, one step at a time. */
#include "lite/store_table.h"

#include <stdlib.h>

#include "lite/store_internal.h"

enum { FIRST_SLOTS = 16 };

bool store_table_init(struct store_table *t)
{
    t->slot = calloc(FIRST_SLOTS, sizeof(*t->slot));
    t->num = FIRST_SLOTS;
    return t->slot != NULL;
}

struct store_slot *store_table_find(const struct store_table *t, uint64_t place,
                                    const struct store_id *id)
{
    size_t i = place & (t->num - 1);
    while (t->slot[i].object != NULL &&
           (t->slot[i].place != place || !store_object_is(t->slot[i].object, id))) {
        i = (i + 1) & (t->num - 1);
    }
    return &t->slot[i];
}

bool store_table_is_full(const struct store_table *t, uint64_t used)
{
    return used + 1 > t->num / 4 * 3;
}

static void put(struct store_table *t, const struct store_slot *slot)
{
    size_t i = slot->place & (t->num - 1);
    while (t->slot[i].object != NULL) {
        i = (i + 1) & (t->num - 1);
    }
    t->slot[i] = *slot;
}

bool store_table_grown(struct store_table *out, const struct store_table *t)
{
    out->num = t->num * 2;
    out->slot = calloc(out->num, sizeof(*out->slot));
    for (size_t i = 0; out->slot != NULL && i < t->num; i++) {
        if (t->slot[i].object != NULL) {
            put(out, &t->slot[i]);
        }
    }
    return out->slot != NULL;
}

/* Whoever stands behind a free slot, and came there past it, goes into it. */
void store_table_remove(struct store_table *t, struct store_slot *slot)
{
    size_t mask = t->num - 1, hole = (size_t)(slot - t->slot);
    for (size_t i = (hole + 1) & mask; t->slot[i].object != NULL; i = (i + 1) & mask) {
        size_t way = (i - t->slot[i].place) & mask; /* steps from where it belongs */
        if (way >= ((i - hole) & mask)) {
            t->slot[hole] = t->slot[i];
            hole = i;
        }
    }
    t->slot[hole] = (struct store_slot){0, NULL};
}
