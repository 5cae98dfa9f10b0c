/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_CRYPTO_STREAM_STATE_H
#define SIGNET_CRYPTO_STREAM_STATE_H

#include <signet/stream.h>

#include "crypto/engine.h"
#include "crypto/registry.h"

/* Numbers of one stream. A request that goes beyond it has moved the counter already; the upper
 * half of the counter's range keeps such requests from carrying it around to 0. */
#define SIGNET_STREAM_NUMBERS (UINT64_C(1) << 63)

struct signet_stream {
    /* What every operation reads, on one line. */
    signet_engine_slot engines[SIGNET_HANDLER_MAX];
    struct signet_row *pin;
    uint64_t counter; /* of the initial nonce */
    uint8_t fixed[4];
    atomic_bool broken; /* a tag was wrong, or a reserved number got lost */
    uint8_t direction;  /* enum signet_direction */
    /* Read when an engine is built. */
    uint8_t key[SIGNET_STREAM_KEY_LEN];
    /* Written per operation: on a line of its own, away from what sealing threads read, and not
     * beside another object either, as lines are fetched in pairs. */
    _Alignas(128) _Atomic uint64_t used;
};

_Static_assert(offsetof(struct signet_stream, key) <= 64, "operations read more than one line");

#endif
