/* SPDX-License-Identifier: MIT */
/* The calling thread's index without a call on the hot path. */
#ifndef SIGNET_CRYPTO_THREAD_INDEX_H
#define SIGNET_CRYPTO_THREAD_INDEX_H

#include <stdint.h>

#include "crypto/handler.h"

/* All that thread-local storage holds: index + 1, or 0 before the first call. */
extern _Thread_local uint32_t signet_thread_number __attribute__((tls_model("initial-exec")));

static inline unsigned signet_thread_index_inline(void)
{
    uint32_t number = signet_thread_number;
    return number != 0 ? number - 1 : signet_thread_index();
}

/* How many indices are taken now; for tests. */
unsigned signet_thread_indices_taken(void);

#endif
