/* SPDX-License-Identifier: MIT */
/* Sealed structures inside larger ones: u32 length, then the ciphertext. */
#ifndef SIGNET_AUTH_SEAL_H
#define SIGNET_AUTH_SEAL_H

#include <signet/ticket.h>

#include "base/cursor.h"

#define SIGNET_SEALED_WRITER(x)                                                                    \
    static inline void signet_write_sealed_##x(                                                    \
        struct signet_writer *w, const struct signet_key *key, const struct signet_##x *in)        \
    {                                                                                              \
        size_t len = 0;                                                                            \
        int err = signet_##x##_seal(NULL, 0, &len, key, in);                                       \
        signet_write_u32(w, (uint32_t)len);                                                        \
        uint8_t *room = signet_write_room(w, len);                                                 \
        if (err == 0 && room != NULL) {                                                            \
            err = signet_##x##_seal(room, len, &len, key, in);                                     \
        }                                                                                          \
        if (err != 0) {                                                                            \
            signet_writer_fail(w, (enum signet_err) - err);                                        \
        }                                                                                          \
    }

SIGNET_SEALED_WRITER(service_ticket)
SIGNET_SEALED_WRITER(service_ticket_info)
SIGNET_SEALED_WRITER(wrapped_blob)
SIGNET_SEALED_WRITER(connection_secret)
SIGNET_SEALED_WRITER(authorize)
SIGNET_SEALED_WRITER(authorize_reply)

#endif
