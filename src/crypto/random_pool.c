/* SPDX-License-Identifier: MIT */
/*
 * A pool per thread index, kept for the life of the process. A child notices the fork
 * by a page that the kernel wipes (also where no atfork hook runs, as after _Fork()) and
 * by a hook (where the kernel cannot), and starts a new generation, which empties all
 * pools.
 */
#include "crypto/random_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/secret.h"
#include "crypto/thread_index.h"

struct pool {
    uint32_t generation;
    uint32_t left; /* unused bytes, at the end */
    uint8_t bytes[SIGNET_POOL_LEN];
};

static _Atomic(struct pool *) pools[SIGNET_THREAD_MAX];
static _Atomic uint32_t generation = 1;
static _Atomic uint32_t always_alive = 1;
static _Atomic uint32_t *alive = &always_alive; /* 0 only just after a fork */

static void after_fork(void)
{
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, after_fork);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return;
    }
    if (madvise(page, 4096, MADV_WIPEONFORK) != 0) {
        munmap(page, 4096);
        return;
    }
    alive = page;
    atomic_store_explicit(alive, 1, memory_order_relaxed);
}

static uint32_t generation_now(void)
{
    if (atomic_load_explicit(alive, memory_order_acquire) == 0) {
        after_fork();
        /* Whoever sees 1 sees the new generation as well. */
        atomic_store_explicit(alive, 1, memory_order_release);
    }
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

/* The calling thread's pool; NULL when it has no index or there is no memory. */
static struct pool *pool_of(unsigned index)
{
    if (index >= SIGNET_THREAD_MAX) {
        return NULL;
    }
    struct pool *pool = atomic_load_explicit(&pools[index], memory_order_relaxed);
    if (pool == NULL) {
        pool = signet_secret_alloc(sizeof(*pool));
        atomic_store_explicit(&pools[index], pool, memory_order_relaxed);
    }
    return pool;
}

static int refill(struct pool *pool, const struct signet_handler *handler, uint32_t now)
{
    pool->left = 0;
    int err = handler->random(pool->bytes, sizeof(pool->bytes));
    if (err == 0) {
        pool->generation = now;
        pool->left = sizeof(pool->bytes);
    }
    return err;
}

int signet_random_small(const struct signet_handler *handler, uint8_t *out, size_t len)
{
    struct pool *pool = pool_of(signet_thread_index_inline());
    if (pool == NULL) {
        return handler->random(out, len);
    }
    uint32_t now = generation_now();
    if (pool->left < len || pool->generation != now) {
        int err = refill(pool, handler, now);
        if (err != 0) {
            return err;
        }
    }
    uint8_t *from = pool->bytes + (sizeof(pool->bytes) - pool->left);
    memcpy(out, from, len);
    signet_wipe(from, len);
    pool->left -= (uint32_t)len;
    return 0;
}
