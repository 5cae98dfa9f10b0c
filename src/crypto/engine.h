/* SPDX-License-Identifier: MIT */
/*
 * One raw key made ready for one algorithm of one handler, and the lanes of the
 * threads that use it. Immutable once published, but for lane pointers, each of which
 * is filled once by the owner of its thread index and stays until the engine is freed.
 */
#ifndef SIGNET_CRYPTO_ENGINE_H
#define SIGNET_CRYPTO_ENGINE_H

#include <stdatomic.h>

#include "crypto/handler.h"
#include "crypto/thread_index.h"

enum { SIGNET_LANES_INLINE = 8, SIGNET_LANE_CHUNKS = 7 };

typedef _Atomic(void *) signet_lane_slot;

/* Chunk c holds the lanes of the indices 8 << c .. (16 << c) - 1. Never moved. */
struct signet_lane_chunks {
    _Atomic(signet_lane_slot *) chunk[SIGNET_LANE_CHUNKS];
    void *overflow; /* of threads without an index; under the overflow lock */
};

struct signet_engine {
    const struct signet_handler *handler;
    void *key; /* the handler's */
    signet_lane_slot lanes[SIGNET_LANES_INLINE];
    _Atomic(struct signet_lane_chunks *) more;
    enum signet_alg alg;
};

typedef _Atomic(struct signet_engine *) signet_engine_slot;

/* raw is not kept. 0, -NOMEM or what the handler said; *out is NULL then. */
int signet_engine_new(struct signet_engine **out, const struct signet_handler *handler,
                      enum signet_alg alg, const uint8_t *raw, size_t len);
/* NULL is fine. No operation may be in flight. */
void signet_engine_free(struct signet_engine *engine);
/* As signet_engine_new(), published in an empty slot; the first one wins if two threads do so. */
int signet_engine_fill(signet_engine_slot *slot, struct signet_engine **out,
                       const struct signet_handler *handler, enum signet_alg alg,
                       const uint8_t *raw, size_t len);
/* Frees what the slot holds. */
void signet_engine_drop(signet_engine_slot *slot);

/* A lane borrowed for one operation. Never hold two: threads without an index share one
 * lock for all their lanes. */
struct signet_lane {
    void *p;
    bool locked;
};

int signet_lane_enter_slow(struct signet_engine *engine, struct signet_lane *lane);
void signet_lane_leave_slow(void);

/* 0 or why there is no lane; then leave must not be called. */
static inline int signet_lane_enter(struct signet_engine *engine, struct signet_lane *lane)
{
    unsigned index = signet_thread_index_inline();
    if (index < SIGNET_LANES_INLINE) {
        lane->p = atomic_load_explicit(&engine->lanes[index], memory_order_relaxed);
        lane->locked = false;
        if (lane->p != NULL) {
            return 0;
        }
    }
    return signet_lane_enter_slow(engine, lane);
}

static inline void signet_lane_leave(const struct signet_lane *lane)
{
    if (lane->locked) {
        signet_lane_leave_slow();
    }
}

/* One operation on the calling thread's lane. */
static inline int signet_engine_cbc(struct signet_engine *engine, uint8_t *out, const uint8_t *in,
                                    size_t len, const uint8_t iv[16])
{
    struct signet_lane lane;
    int err = signet_lane_enter(engine, &lane);
    if (err == 0) {
        err = engine->handler->cbc(lane.p, out, in, len, iv);
        signet_lane_leave(&lane);
    }
    return err;
}

static inline int signet_engine_hmac(struct signet_engine *engine, uint8_t *out,
                                     const struct signet_span *parts, size_t num)
{
    struct signet_lane lane;
    int err = signet_lane_enter(engine, &lane);
    if (err == 0) {
        err = engine->handler->hmac(lane.p, out, parts, num);
        signet_lane_leave(&lane);
    }
    return err;
}

/* The overflow lock, held over a fork. */
void signet_engine_fork_lock(void);
void signet_engine_fork_unlock(void);

#endif
