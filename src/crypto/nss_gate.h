/* SPDX-License-Identifier: MIT */
/*
 * The gate in front of NSS. A forked child inherits NSS's locks as they are, so a fork must not
 * happen while any thread of ours is inside the library. Each call stands between enter and
 * leave, which cost two plain stores to a flag of the thread's own; fork's prepare closes the
 * gate, makes that visible to all (membarrier) and waits until every flag is down.
 *
 * Never nested. Locks of this handler are taken inside the gate only, so that they are free in
 * a child.
 */
#ifndef SIGNET_CRYPTO_NSS_GATE_H
#define SIGNET_CRYPTO_NSS_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "crypto/handler.h"

/* 1 while its thread is inside. The last one belongs to all threads without an index and
 * counts them. */
struct signet_nss_flag {
    _Alignas(64) _Atomic uint32_t busy;
};

extern struct signet_nss_flag signet_nss_flags[SIGNET_THREAD_MAX + 1];
/* 0: open. Low bits: forks under way. Top bit: no membarrier, so every entry takes the slow
 * path with its full fence. */
extern _Atomic uint32_t signet_nss_gate;

/* Registers for membarrier; without it the gate works with fences. Idempotent. */
void signet_nss_gate_start(void);
/* Waits until no fork is under way; returns with the flag up. */
void signet_nss_enter_slow(struct signet_nss_flag *flag);
/* Whether entries take the fast path; for people. */
bool signet_nss_gate_fast(void);

/* The three hooks of the handler. */
void signet_nss_fork_prepare(void);
void signet_nss_fork_parent(void);
void signet_nss_fork_child(void);

static inline struct signet_nss_flag *signet_nss_flag(unsigned index)
{
    return &signet_nss_flags[index < SIGNET_THREAD_MAX ? index : SIGNET_THREAD_MAX];
}

static inline bool signet_nss_flag_shared(const struct signet_nss_flag *flag)
{
    return __builtin_expect(flag == &signet_nss_flags[SIGNET_THREAD_MAX], 0);
}

/* The store may sink below the load in hardware: prepare's membarrier makes up for it. */
static inline void signet_nss_enter(struct signet_nss_flag *flag)
{
    if (signet_nss_flag_shared(flag)) {
        atomic_fetch_add(&flag->busy, 1);
    } else {
        atomic_store_explicit(&flag->busy, 1, memory_order_relaxed);
    }
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&signet_nss_gate, memory_order_acquire) != 0, 0)) {
        signet_nss_enter_slow(flag);
    }
}

/* Release: pairs with the acquire in prepare, so that a child sees what was done inside. */
static inline void signet_nss_leave(struct signet_nss_flag *flag)
{
    if (signet_nss_flag_shared(flag)) {
        atomic_fetch_sub_explicit(&flag->busy, 1, memory_order_release);
    } else {
        atomic_store_explicit(&flag->busy, 0, memory_order_release);
    }
}

#endif
