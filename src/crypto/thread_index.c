/* SPDX-License-Identifier: MIT */
/*
 * Indices are bits of a bitmap. Taking one is an acquire that pairs with the
 * release of giving it back, so that the next owner sees all that the last one
 * wrote into the lanes of this index. The lowest free index is taken, which keeps
 * the lanes of most programs in the first slots.
 */
#include "crypto/thread_index.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define WORDS (SIGNET_THREAD_MAX / 64)

_Thread_local uint32_t signet_thread_number __attribute__((tls_model("initial-exec")));

static _Atomic uint64_t taken[WORDS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit;
static bool have_key;

static void give_back(unsigned index)
{
    atomic_fetch_and_explicit(&taken[index / 64], ~(UINT64_C(1) << (index % 64)),
                              memory_order_release);
}

/* Runs when the thread ends. Destructors of others may still use signet after this one: they
 * get the overflow index, which needs no giving back. */
static void thread_ends(void *number)
{
    signet_thread_number = SIGNET_THREAD_MAX + 1;
    give_back((unsigned)(uintptr_t)number - 1);
}

static void make_key(void)
{
    have_key = pthread_key_create(&at_exit, thread_ends) == 0;
}

/* A free bit of one word, or 64. */
static unsigned take_in_word(_Atomic uint64_t *word)
{
    uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
    while (~seen != 0) {
        unsigned bit = (unsigned)__builtin_ctzll(~seen);
        if (atomic_compare_exchange_weak_explicit(word, &seen, seen | UINT64_C(1) << bit,
                                                  memory_order_acquire, memory_order_relaxed)) {
            return bit;
        }
    }
    return 64;
}

static unsigned take(void)
{
    for (unsigned w = 0; w < WORDS; w++) {
        unsigned bit = take_in_word(&taken[w]);
        if (bit < 64) {
            return w * 64 + bit;
        }
    }
    return SIGNET_THREAD_MAX;
}

unsigned signet_thread_index(void)
{
    if (signet_thread_number != 0) {
        return signet_thread_number - 1;
    }
    pthread_once(&once, make_key);
    if (!have_key) {
        return SIGNET_THREAD_MAX;
    }
    unsigned index = take();
    if (index == SIGNET_THREAD_MAX) {
        return index; /* not remembered: one may become free */
    }
    if (pthread_setspecific(at_exit, (void *)(uintptr_t)(index + 1)) != 0) {
        give_back(index);
        return SIGNET_THREAD_MAX;
    }
    signet_thread_number = index + 1;
    return index;
}

unsigned signet_thread_indices_taken(void)
{
    unsigned num = 0;
    for (unsigned w = 0; w < WORDS; w++) {
        num +=
            (unsigned)__builtin_popcountll(atomic_load_explicit(&taken[w], memory_order_relaxed));
    }
    return num;
}
