/* SPDX-License-Identifier: MIT */
/*
 * Blocks of an arena: where they come from and where they go.
 *
 * A page that is used for the first time costs the system more than all that a small write costs
 * here. So a thread of the arena's own has a few blocks ready whose pages are there, and those that
 * became empty stay for a while, as another object is likely to come. Nobody asks the system for
 * memory, or gives it back, while holding the arena's lock: what has to gives it away meanwhile.
 */
#ifndef SIGNET_LITE_ARENA_BLOCK_H
#define SIGNET_LITE_ARENA_BLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <urcu/list.h>

enum {
    ARENA_BLOCK = 2 << 20,
    ARENA_PAGE = 8192,
    ARENA_PAGES = ARENA_BLOCK / ARENA_PAGE,
};

/* A run of pages in use for one class; in the header of its block, at the number of its first. */
struct span {
    struct cds_list_head in_class; /* while it has room */
    void *free;                    /* pieces that were given back */
    uint16_t class, pages;
    uint16_t used, fresh; /* pieces in use; pieces that were used once */
};

struct block {
    struct cds_list_head in_blocks; /* of those with spans, or of the empty ones */
    struct cds_list_head in_room;   /* while it has spans and free pages */
    uint64_t empty_ns;              /* since when it is empty */
    unsigned num_free;              /* pages */
    unsigned run;                   /* no more free pages than these are in a row */
    uint8_t first[ARENA_PAGES];     /* of each page's span: its first page */
    uint8_t in_use[ARENA_PAGES];    /* pages */
    struct span span[ARENA_PAGES];
};

enum { ARENA_HEADER_PAGES = (sizeof(struct block) + ARENA_PAGE - 1) / ARENA_PAGE };

struct block_pool {
    pthread_mutex_t *lock;            /* the arena's; protects all of this and the blocks */
    struct cds_list_head used, empty; /* empty: the next to be used first, the oldest last */
    unsigned num_used, num_empty;
    uint64_t keep_ns;
    pthread_cond_t work;
    pthread_t keeper;
    bool running, starting, stopping;
    bool has_date; /* it wakes up by itself for the oldest empty block */
};

void block_pool_init(struct block_pool *pool, pthread_mutex_t *lock, uint64_t keep_ns);
/* Frees all blocks, those in use too. */
void block_pool_fini(struct block_pool *pool);
/* With the lock held, which it may give away: then all else may have changed. An empty one, now in
 * `used`; NULL when there is none. */
struct block *block_take(struct block_pool *pool);
/* Gives the lock away while it asks the system for an empty one. False: out of memory. */
bool block_more(struct block_pool *pool);
/* As block_take(). It has no spans and is in no list of rooms. */
void block_give(struct block_pool *pool, struct block *b);

#endif
