/* SPDX-License-Identifier: MIT */
#include "crypto/engine.h"

#include <pthread.h>

#include "base/secret.h"

static pthread_mutex_t overflow_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t chunk_size(unsigned c)
{
    return ((size_t)SIGNET_LANES_INLINE << c) * sizeof(signet_lane_slot);
}

int signet_engine_new(struct signet_engine **out, const struct signet_handler *handler,
                      enum signet_alg alg, const uint8_t *raw, size_t len)
{
    *out = NULL;
    struct signet_engine *engine = signet_secret_alloc(sizeof(*engine));
    if (engine == NULL) {
        return -SIGNET_E_NOMEM;
    }
    engine->handler = handler;
    engine->alg = alg;
    int err = handler->key_new(&engine->key, alg, raw, len);
    if (err != 0) {
        signet_secret_free(engine, sizeof(*engine));
        return err;
    }
    *out = engine;
    return 0;
}

static void free_lanes(struct signet_engine *engine, signet_lane_slot *slots, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        void *lane = atomic_load_explicit(&slots[i], memory_order_relaxed);
        if (lane != NULL) {
            engine->handler->lane_free(engine->alg, lane);
        }
    }
}

static void free_chunks(struct signet_engine *engine, struct signet_lane_chunks *more)
{
    for (unsigned c = 0; c < SIGNET_LANE_CHUNKS; c++) {
        signet_lane_slot *chunk = atomic_load_explicit(&more->chunk[c], memory_order_relaxed);
        if (chunk != NULL) {
            free_lanes(engine, chunk, (size_t)SIGNET_LANES_INLINE << c);
            signet_secret_free(chunk, chunk_size(c));
        }
    }
    if (more->overflow != NULL) {
        engine->handler->lane_free(engine->alg, more->overflow);
    }
    signet_secret_free(more, sizeof(*more));
}

void signet_engine_free(struct signet_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    /* Pairs with what the threads released by handing over the last reference. */
    atomic_thread_fence(memory_order_acquire);
    free_lanes(engine, engine->lanes, SIGNET_LANES_INLINE);
    struct signet_lane_chunks *more = atomic_load_explicit(&engine->more, memory_order_relaxed);
    if (more != NULL) {
        free_chunks(engine, more);
    }
    engine->handler->key_free(engine->alg, engine->key);
    signet_secret_free(engine, sizeof(*engine));
}

int signet_engine_fill(signet_engine_slot *slot, struct signet_engine **out,
                       const struct signet_handler *handler, enum signet_alg alg,
                       const uint8_t *raw, size_t len)
{
    struct signet_engine *engine, *seen = NULL;
    int err = signet_engine_new(&engine, handler, alg, raw, len);
    if (err != 0) {
        *out = NULL;
        return err;
    }
    if (!atomic_compare_exchange_strong_explicit(slot, &seen, engine, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        signet_engine_free(engine);
        engine = seen;
    }
    *out = engine;
    return 0;
}

void signet_engine_drop(signet_engine_slot *slot)
{
    signet_engine_free(atomic_load_explicit(slot, memory_order_relaxed));
    atomic_store_explicit(slot, NULL, memory_order_relaxed);
}

/* The table of chunks, published by whoever comes first. */
static struct signet_lane_chunks *more_of(struct signet_engine *engine)
{
    struct signet_lane_chunks *more = atomic_load_explicit(&engine->more, memory_order_acquire);
    if (more != NULL) {
        return more;
    }
    struct signet_lane_chunks *fresh = signet_secret_alloc(sizeof(*fresh));
    if (fresh != NULL &&
        !atomic_compare_exchange_strong_explicit(&engine->more, &more, fresh, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        signet_secret_free(fresh, sizeof(*fresh));
        return more;
    }
    return fresh;
}

/* The slot of a thread index, making its chunk if there is none; NULL when out of memory. */
static signet_lane_slot *slot_of(struct signet_engine *engine, unsigned index)
{
    if (index < SIGNET_LANES_INLINE) {
        return &engine->lanes[index];
    }
    struct signet_lane_chunks *more = more_of(engine);
    if (more == NULL) {
        return NULL;
    }
    unsigned c = (unsigned)(31 - __builtin_clz(index)) - 3;
    signet_lane_slot *chunk = atomic_load_explicit(&more->chunk[c], memory_order_acquire);
    if (chunk == NULL) {
        signet_lane_slot *fresh = signet_secret_alloc(chunk_size(c));
        if (fresh == NULL) {
            return NULL;
        }
        if (atomic_compare_exchange_strong_explicit(&more->chunk[c], &chunk, fresh,
                                                    memory_order_acq_rel, memory_order_acquire)) {
            chunk = fresh;
        } else {
            signet_secret_free(fresh, chunk_size(c));
        }
    }
    return &chunk[index - ((unsigned)SIGNET_LANES_INLINE << c)];
}

/* Without an index: the one lane that all such threads share, under the lock. */
static int enter_overflow(struct signet_engine *engine, struct signet_lane *lane)
{
    struct signet_lane_chunks *more = more_of(engine);
    if (more == NULL) {
        return -SIGNET_E_NOMEM;
    }
    pthread_mutex_lock(&overflow_lock);
    int err = 0;
    if (more->overflow == NULL) {
        err =
            engine->handler->lane_new(&more->overflow, engine->alg, engine->key, SIGNET_THREAD_MAX);
    }
    if (err != 0) {
        pthread_mutex_unlock(&overflow_lock);
        return err;
    }
    *lane = (struct signet_lane){.p = more->overflow, .locked = true};
    return 0;
}

int signet_lane_enter_slow(struct signet_engine *engine, struct signet_lane *lane)
{
    unsigned index = signet_thread_index();
    if (index >= SIGNET_THREAD_MAX) {
        return enter_overflow(engine, lane);
    }
    signet_lane_slot *slot = slot_of(engine, index);
    if (slot == NULL) {
        return -SIGNET_E_NOMEM;
    }
    /* Relaxed: only the owner of the index writes here, and ownership passes on with
     * release and acquire. */
    lane->locked = false;
    lane->p = atomic_load_explicit(slot, memory_order_relaxed);
    if (lane->p != NULL) {
        return 0;
    }
    int err = engine->handler->lane_new(&lane->p, engine->alg, engine->key, index);
    if (err == 0) {
        atomic_store_explicit(slot, lane->p, memory_order_release);
    }
    return err;
}

void signet_lane_leave_slow(void)
{
    pthread_mutex_unlock(&overflow_lock);
}

void signet_engine_fork_lock(void)
{
    pthread_mutex_lock(&overflow_lock);
}

void signet_engine_fork_unlock(void)
{
    pthread_mutex_unlock(&overflow_lock);
}
