/* SPDX-License-Identifier: MIT */
#include "lite/arena_block.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/thread.h"

#define SECOND UINT64_C(1000000000)

enum {
    AHEAD_MAX = 8,     /* empty blocks that are made ready, at most */
    AHEAD_SHARE = 8,   /* one for so many in use */
    PIECE = 256 << 10, /* bytes asked of the system in one call */
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* --- the system ----------------------------------------------------------------------------- */

static struct block *map_block(void)
{
    const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    uint8_t *p = mmap(NULL, 2 * (size_t)ARENA_BLOCK, protection, flags, -1, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
    size_t before = (ARENA_BLOCK - (uintptr_t)p % ARENA_BLOCK) % ARENA_BLOCK;
    if (before > 0) {
        munmap(p, before);
    }
    munmap(p + before + ARENA_BLOCK, ARENA_BLOCK - before);
    return (struct block *)(void *)(p + before);
}

/* A call for many pages instead of a fault for each. Where the system does not know the call, it is
 * the faults. Not huge pages: of a machine that gives what it frees back to its host, they are the
 * ones that take long to come back. */
static void populate(struct block *b)
{
#ifdef MADV_POPULATE_WRITE
    for (size_t at = 0; at < ARENA_BLOCK; at += PIECE) {
        if (madvise((uint8_t *)b + at, PIECE, MADV_POPULATE_WRITE) != 0) {
            return;
        }
    }
#else
    (void)b;
#endif
}

/* --- the keeper ----------------------------------------------------------------------------- */

/* Empty blocks that should be ready. */
static unsigned ahead(const struct block_pool *pool)
{
    unsigned share = pool->num_used / AHEAD_SHARE;
    return share < AHEAD_MAX ? share : AHEAD_MAX;
}

/* Of the oldest empty block, as long as there are more than must be ready; else UINT64_MAX. */
static uint64_t next_end_ns(struct block_pool *pool)
{
    if (pool->num_empty <= ahead(pool) || cds_list_empty(&pool->empty)) {
        return UINT64_MAX;
    }
    struct block *oldest = cds_list_entry(pool->empty.prev, struct block, in_blocks);
    return oldest->empty_ns + pool->keep_ns;
}

/* Gives the lock away while it works. False: out of memory. */
static bool make_ready(struct block_pool *pool, bool with_pages)
{
    pthread_mutex_unlock(pool->lock);
    struct block *b = map_block();
    if (b != NULL) {
        if (with_pages) {
            populate(b);
        }
        memset(b, 0, sizeof(*b)); /* these pages are there in any case, before the lock is held */
        b->empty_ns = now_ns();
    }
    pthread_mutex_lock(pool->lock);
    if (b != NULL) {
        cds_list_add_tail(&b->in_blocks, &pool->empty);
        pool->num_empty++;
    }
    return b != NULL;
}

static void let_go(struct block_pool *pool)
{
    struct block *oldest = cds_list_entry(pool->empty.prev, struct block, in_blocks);
    cds_list_del(&oldest->in_blocks);
    pool->num_empty--;
    pthread_mutex_unlock(pool->lock);
    munmap(oldest, ARENA_BLOCK);
    pthread_mutex_lock(pool->lock);
}

static void wait_for_work(struct block_pool *pool, uint64_t until_ns)
{
    pool->has_date = until_ns != UINT64_MAX;
    if (!pool->has_date) {
        pthread_cond_wait(&pool->work, pool->lock);
        return;
    }
    struct timespec at = {(time_t)(until_ns / SECOND), (long)(until_ns % SECOND)};
    (void)pthread_cond_timedwait(&pool->work, pool->lock, &at);
}

static void *keep(void *arg)
{
    struct block_pool *pool = arg;
    pthread_mutex_lock(pool->lock);
    while (!pool->stopping) {
        uint64_t end_ns = next_end_ns(pool);
        if (pool->num_empty < ahead(pool)) {
            if (make_ready(pool, true)) {
                continue;
            }
        } else if (end_ns <= now_ns()) {
            let_go(pool);
            continue;
        }
        wait_for_work(pool, end_ns);
    }
    pthread_mutex_unlock(pool->lock);
    return NULL;
}

/* Without a keeper blocks are asked for when they are needed, and all are kept. The first call
 * gives the lock away: a thread takes memory, too. */
static void call_keeper(struct block_pool *pool)
{
    if (pool->running || pool->starting) {
        pthread_cond_signal(&pool->work);
        return;
    }
    pool->starting = true;
    pthread_mutex_unlock(pool->lock);
    bool running = signet_thread_start(&pool->keeper, "signet-arena", keep, pool) == 0;
    pthread_mutex_lock(pool->lock);
    pool->starting = false;
    pool->running = running;
}

/* --- blocks --------------------------------------------------------------------------------- */

bool block_more(struct block_pool *pool)
{
    return make_ready(pool, false);
}

struct block *block_take(struct block_pool *pool)
{
    if (cds_list_empty(&pool->empty)) {
        return NULL;
    }
    struct block *b = cds_list_first_entry(&pool->empty, struct block, in_blocks);
    cds_list_del(&b->in_blocks);
    pool->num_empty--;
    memset(b->in_use, 0, sizeof(b->in_use));
    memset(b->in_use, 1, ARENA_HEADER_PAGES);
    b->num_free = b->run = ARENA_PAGES - ARENA_HEADER_PAGES;
    cds_list_add(&b->in_blocks, &pool->used);
    pool->num_used++;
    if (pool->num_empty < ahead(pool)) {
        call_keeper(pool);
    }
    return b;
}

void block_give(struct block_pool *pool, struct block *b)
{
    cds_list_del(&b->in_blocks);
    pool->num_used--;
    b->empty_ns = now_ns();
    cds_list_add(&b->in_blocks, &pool->empty);
    pool->num_empty++;
    if (pool->num_empty > ahead(pool) && !pool->has_date) {
        call_keeper(pool);
    }
}

void block_pool_init(struct block_pool *pool, pthread_mutex_t *lock, uint64_t keep_ns)
{
    signet_cond_init(&pool->work);
    CDS_INIT_LIST_HEAD(&pool->used);
    CDS_INIT_LIST_HEAD(&pool->empty);
    pool->lock = lock;
    pool->keep_ns = keep_ns;
}

static void unmap_all(struct cds_list_head *list)
{
    struct block *b, *next;
    cds_list_for_each_entry_safe(b, next, list, in_blocks)
    {
        munmap(b, ARENA_BLOCK);
    }
}

void block_pool_fini(struct block_pool *pool)
{
    pthread_mutex_lock(pool->lock);
    pool->stopping = true;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(pool->lock);
    if (pool->running) {
        pthread_join(pool->keeper, NULL);
    }
    unmap_all(&pool->used);
    unmap_all(&pool->empty);
    pthread_cond_destroy(&pool->work);
}
