/* SPDX-License-Identifier: MIT */
/*
 * freebl's hashes without PKCS #11 around them (the NSSLOWHASH interface of libfreebl3, which is
 * part of NSS but not of its pkg-config libraries): a context that begins, updates and ends
 * without a lock or an allocation. Any thread, one thread at a time per context.
 */
#ifndef SIGNET_CRYPTO_NSS_LOWHASH_H
#define SIGNET_CRYPTO_NSS_LOWHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct NSSLOWHASHContextStr;

/* Loads libfreebl3, once; it stays. False: it is missing or does not work. */
bool signet_nss_lowhash_load(void);
/* bits: 256 or 384. NULL: out of memory. */
struct NSSLOWHASHContextStr *signet_nss_lowhash_new(unsigned bits);
void signet_nss_lowhash_free(struct NSSLOWHASHContextStr *hash);
void signet_nss_lowhash_begin(struct NSSLOWHASHContextStr *hash);
void signet_nss_lowhash_add(struct NSSLOWHASHContextStr *hash, const uint8_t *in, size_t len);
/* out takes bits / 8 bytes. */
void signet_nss_lowhash_end(struct NSSLOWHASHContextStr *hash, uint8_t *out, unsigned bits);

#endif
