/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_CRYPTO_KDF_H
#define SIGNET_CRYPTO_KDF_H

#include "crypto/key_state.h"

/* The encryption and integrity keys of RFC 8009 (aes256-cts-hmac-sha384-192) for a usage
 * number. Source: keys.md 3.1. */
int signet_kdf(const struct signet_handler *handler, uint8_t ke[SIGNET_KE_LEN],
               uint8_t ki[SIGNET_KI_LEN], const uint8_t secret[32], uint32_t usage);

#endif
