/* SPDX-License-Identifier: MIT */
/*
 * The cipher of aes256k keys: aes256-cts-hmac-sha384-192 of RFC 8009, CBC with ciphertext
 * stealing (CS3) and a zero IV, then a MAC. Source: keys.md 3.
 */
#ifndef SIGNET_CRYPTO_TYPE2_H
#define SIGNET_CRYPTO_TYPE2_H

#include "crypto/engine.h"

enum { SIGNET_CONFOUNDER_LEN = 16, SIGNET_TYPE2_TAG_LEN = 24 };

/* Encrypts len bytes (the confounder and the plaintext, >= 16) in place and puts the tag
 * behind them. buf holds len + 24 bytes. */
int signet_type2_seal(struct signet_engine *cbc, struct signet_engine *mac, uint8_t *buf,
                      size_t len);
/* Checks the tag of in[0..len), in constant time and first, then decrypts len - 24 bytes into
 * out, which holds len. -OPEN when the tag is wrong or len < 40. out may equal in. */
int signet_type2_open(struct signet_engine *cbc, struct signet_engine *mac, uint8_t *out,
                      const uint8_t *in, size_t len);

#endif
