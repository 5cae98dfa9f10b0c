/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_CRYPTO_KEY_MAKE_H
#define SIGNET_CRYPTO_KEY_MAKE_H

#include <signet/key.h>

/* Creation time as it is on the wire, where any value is accepted. */
struct signet_utime {
    uint32_t sec, nsec;
};

/* A key from a secret of the right length for its type (AES or AES256K). */
int signet_key_make(struct signet_key **out, enum signet_key_type type, const uint8_t *secret,
                    struct signet_utime created, const struct signet_handler *pin);

#endif
