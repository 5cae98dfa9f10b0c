/* SPDX-License-Identifier: MIT */
/*
 * Memory of objects. A daemon that keeps millions of small objects would have the system grow its
 * heap by a few pages for each of them, with a call and a page fault each time: here memory comes
 * in blocks of 2 MiB, which a thread of the arena's own makes ready. A block is cut into spans of
 * equal pieces; sizes are an eighth apart, so that less than a quarter is wasted. What is free
 * again is used again, and a block without pieces goes back to the system after a while.
 *
 * Any thread. Under the address sanitizer all of it is malloc() and free().
 */
#ifndef SIGNET_LITE_ARENA_H
#define SIGNET_LITE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/* How long blocks without pieces are kept. NULL when out of memory. */
struct arena *arena_new(uint64_t keep_ns);
/* All pieces must have been given back; those that were not are gone. NULL is fine. */
void arena_free(struct arena *arena);

/* len bytes, aligned to 16, with any contents; NULL when out of memory. */
void *arena_take(struct arena *arena, size_t len);
/* len: as it was taken. */
void arena_give(struct arena *arena, void *p, size_t len);
/* Bytes taken from the system for pieces up to 512 KiB, those of empty blocks too; larger ones are
 * malloc()'s. */
uint64_t arena_mapped(struct arena *arena);

#endif
