/* SPDX-License-Identifier: MIT */
/* The cipher of an aes key without an envelope: for msgr1 signatures only, which are no secret. */
#ifndef SIGNET_CRYPTO_TYPE1_KEY_H
#define SIGNET_CRYPTO_TYPE1_KEY_H

#include <signet/key.h>

/* Pads and encrypts the first len bytes of buf in place; buf holds the next multiple of 16 above
 * len. -KEY_TYPE: not an aes key; else as signet_envelope_seal. */
int signet_type1_key_seal(const struct signet_key *key, uint8_t *buf, size_t len);

#endif
