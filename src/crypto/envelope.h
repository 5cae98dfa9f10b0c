/* SPDX-License-Identifier: MIT */
/* The envelope with its parts exposed, for the other rooms and for known answers. */
#ifndef SIGNET_CRYPTO_ENVELOPE_H
#define SIGNET_CRYPTO_ENVELOPE_H

#include <signet/key.h>

#define SIGNET_ENVELOPE_MAGIC UINT64_C(0xff009cad8826aa55)

/* As signet_envelope_seal() with a given confounder, which must never be used twice; NULL
 * draws one. Type 1 has none. */
int signet_envelope_seal_with(const struct signet_key *key, enum signet_usage usage,
                              const uint8_t *confounder, uint8_t *out, size_t cap, size_t *out_len,
                              const uint8_t *in, size_t len);
/* The bare type 1 cipher, for the few places of the protocol that seal without an envelope
 * (message signatures of msgr1). out gets 16 * (len / 16 + 1) bytes and may overlap in.
 * -KEY_TYPE for other keys, -SPACE. */
int signet_key_cbc_seal(const struct signet_key *key, uint8_t *out, size_t cap, size_t *out_len,
                        const uint8_t *in, size_t len);

#endif
