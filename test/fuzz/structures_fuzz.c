/* SPDX-License-Identifier: MIT */
/* The first byte picks a structure; what decodes must encode to the same bytes. */
#include <string.h>

#include <signet/cephx.h>

#include "demand.h"

static uint8_t out[1 << 18];

#define CASE(number, x)                                                                            \
    case number: {                                                                                 \
        static struct signet_##x v;                                                                \
        struct signet_fail fail;                                                                   \
        size_t len;                                                                                \
        int err = signet_##x##_decode(&v, data, size, &fail);                                      \
        if (err != 0) {                                                                            \
            demand(fail.err == err && fail.offset <= size);                                        \
            break;                                                                                 \
        }                                                                                          \
        demand(signet_##x##_encode(out, sizeof(out), &len, &v) == 0);                              \
        demand(len == size && memcmp(out, data, size) == 0);                                       \
        break;                                                                                     \
    }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    uint8_t which = *data++;
    size--;
    switch (which % 28) {
        CASE(0, key_view)
        CASE(1, server_challenge)
        CASE(2, response_header)
        CASE(3, ticket_blob)
        CASE(4, service_ticket)
        CASE(5, auth_caps)
        CASE(6, auth_ticket)
        CASE(7, service_ticket_info)
        CASE(8, expiring_key)
        CASE(9, rotating_secrets)
        CASE(10, connection_secret)
        CASE(11, wrapped_blob)
        CASE(12, authorize)
        CASE(13, authorize_challenge)
        CASE(14, authorize_reply)
        CASE(15, auth_start)
        CASE(16, auth_start_v1)
        CASE(17, authorizer_parts)
        CASE(18, authenticate)
        CASE(19, service_ticket_request)
        CASE(20, auth_request)
        CASE(21, ticket_reply)
        CASE(22, session_reply)
        CASE(23, principal_reply)
        CASE(24, rotating_reply)
        CASE(25, sealed)
        CASE(26, mauth)
        CASE(27, mauth_reply)
    default:
        break;
    }
    return 0;
}
