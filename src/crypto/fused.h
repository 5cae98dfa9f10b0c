/* SPDX-License-Identifier: MIT */
/*
 * A cipher and a crc32c in one go: a piece is worked on by both while it is in the cache, which
 * saves the second pass over memory that a large payload would take.
 */
#ifndef SIGNET_CRYPTO_FUSED_H
#define SIGNET_CRYPTO_FUSED_H

#include "crypto/engine.h"

/* What the crc is taken of. */
enum signet_crc_of { SIGNET_CRC_IN, SIGNET_CRC_OUT };

/* As the handler's cbc and ctr (engines of those algorithms). *crc is the raw register, as in
 * base/crc32c.h, and is advanced over all bytes of in or out. out == in is allowed. On failure *crc
 * and out mean nothing. */
int signet_fused_cbc_open(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len,
                          const uint8_t iv[16], enum signet_crc_of of, uint32_t *crc);
int signet_fused_ctr(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len,
                     const uint8_t iv[16], enum signet_crc_of of, uint32_t *crc);

#endif
