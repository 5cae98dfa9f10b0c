/* SPDX-License-Identifier: MIT */
/* The cipher of aes keys: AES-128-CBC, constant IV, PKCS#7. Source: keys.md 2. */
#ifndef SIGNET_CRYPTO_TYPE1_H
#define SIGNET_CRYPTO_TYPE1_H

#include "crypto/engine.h"

extern const uint8_t signet_type1_iv[16];

/* Length with padding: 1..16 bytes more. */
static inline size_t signet_type1_len(size_t plain_len)
{
    return (plain_len / 16 + 1) * 16;
}

/* Encrypts len bytes that have their padding, in place. */
static inline int signet_type1_blocks(struct signet_engine *engine, uint8_t *buf, size_t len)
{
    return signet_engine_cbc(engine, buf, buf, len, signet_type1_iv);
}

/* Pads and encrypts the first len bytes of buf in place; buf holds signet_type1_len(len). */
int signet_type1_seal(struct signet_engine *engine, uint8_t *buf, size_t len);
/* Decrypts without looking at the padding. -OPEN when len is no length of a ciphertext.
 * out may equal in. */
int signet_type1_open(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len);
/* Padding of decrypted bytes (len >= 16): 1..16, or 0 when it is not valid. The time depends
 * on len alone. */
uint32_t signet_type1_padding(const uint8_t *plain, size_t len);

#endif
