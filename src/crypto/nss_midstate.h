/* SPDX-License-Identifier: MIT */
/*
 * Hashes of freebl that start from a state after one block, which saves HMAC two of its blocks.
 * The states come from the hash contexts of libfreeblpriv3 (the functions that softoken itself
 * calls, found in the table that FREEBL_GetVector gives and to which NSS only ever appends). They
 * are used only where they give what the whole hash gives. Any thread, one at a time per context.
 */
#ifndef SIGNET_CRYPTO_NSS_MIDSTATE_H
#define SIGNET_CRYPTO_NSS_MIDSTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIGNET_NSS_MIDSTATE_LEN = 64 };

/* Once, with NSS started and the bare hashes of nss_lowhash.h loaded, which it is compared with. */
bool signet_nss_midstate_load(void);
/* bits: 256 or 384. NULL: out of memory. */
void *signet_nss_midstate_new(unsigned bits);
void signet_nss_midstate_free(void *context, unsigned bits);
/* The state after a block (64 bytes, or 128 for 384 bits). False: out of memory. */
bool signet_nss_midstate_of(uint8_t state[SIGNET_NSS_MIDSTATE_LEN], const uint8_t *block,
                            unsigned bits);
void signet_nss_midstate_begin(void *context, const uint8_t state[SIGNET_NSS_MIDSTATE_LEN],
                               unsigned bits);
void signet_nss_midstate_add(void *context, const uint8_t *in, size_t len, unsigned bits);
/* out takes bits / 8 bytes. */
void signet_nss_midstate_end(void *context, uint8_t *out, unsigned bits);

#endif
