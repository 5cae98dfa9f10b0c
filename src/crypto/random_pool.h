/* SPDX-License-Identifier: MIT */
/* Small random draws without a call into the library each time. */
#ifndef SIGNET_CRYPTO_RANDOM_POOL_H
#define SIGNET_CRYPTO_RANDOM_POOL_H

#include "crypto/handler.h"

enum { SIGNET_POOL_LEN = 2040 }; /* bytes a refill draws */

/* Fills up to 64 bytes from the calling thread's pool, which the handler refills. Bytes are
 * wiped as they are handed out, and a forked child never sees those of its parent.
 * 0 or -RANDOM. */
int signet_random_small(const struct signet_handler *handler, uint8_t *out, size_t len);

#endif
