/* SPDX-License-Identifier: MIT */
/* The envelope with a given confounder, for known answers. */
#ifndef SIGNET_CRYPTO_ENVELOPE_H
#define SIGNET_CRYPTO_ENVELOPE_H

#include <signet/key.h>

/* As signet_envelope_seal() with a given confounder, which must never be used twice; NULL
 * draws one. Type 1 has none. */
int signet_envelope_seal_with(const struct signet_key *key, enum signet_usage usage,
                              const uint8_t *confounder, uint8_t *out, size_t cap, size_t *out_len,
                              const uint8_t *in, size_t len);

#endif
