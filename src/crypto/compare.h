/* SPDX-License-Identifier: MIT */
/* Whether a shorter way of a library does what its documented way does; asked before it is used. */
#ifndef SIGNET_CRYPTO_COMPARE_H
#define SIGNET_CRYPTO_COMPARE_H

#include "crypto/handler.h"

/* Of handlers only the functions for AES are looked at. */
struct signet_way {
    const struct signet_handler *functions;
    void *lane;
};

/* Some hundred lengths, in place and not; GCM also with a changed bit. alg is that of fresh; known
 * has a lane of the same, but of the sealing one where alg opens GCM. One thread at a time. */
bool signet_ways_agree(enum signet_alg alg, const struct signet_way *known,
                       const struct signet_way *fresh);

static inline enum signet_alg signet_way_known(enum signet_alg alg)
{
    return alg == SIGNET_ALG_GCM128_OPEN   ? SIGNET_ALG_GCM128_SEAL
           : alg == SIGNET_ALG_GCM256_OPEN ? SIGNET_ALG_GCM256_SEAL
                                           : alg;
}

#endif
