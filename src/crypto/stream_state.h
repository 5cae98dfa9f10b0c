/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_CRYPTO_STREAM_STATE_H
#define SIGNET_CRYPTO_STREAM_STATE_H

#include <signet/stream.h>

#include "crypto/engine.h"
#include "crypto/registry.h"

struct signet_stream {
    signet_engine_slot engines[SIGNET_HANDLER_MAX];
    struct signet_row *pin;
    uint64_t counter; /* of the initial nonce */
    uint8_t key[SIGNET_STREAM_KEY_LEN];
    uint8_t fixed[4];
    enum signet_direction direction;
    atomic_bool broken; /* a tag was wrong, or a reserved number got lost */
    /* Written per operation: on a line of its own, away from what sealing threads read. */
    _Alignas(64) _Atomic uint64_t used;
};

#endif
