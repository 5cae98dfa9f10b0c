/* SPDX-License-Identifier: MIT */
/*
 * Message signatures of msgr1. They cover crcs, not contents: a known limit of that protocol.
 * The old form protects nothing and is only recognised, to be refused. Format: msgr1-signature.md
 * 3. All functions: any thread, no state.
 */
#ifndef SIGNET_SIGN_H
#define SIGNET_SIGN_H

#include <stdint.h>

#include <signet/error.h>
#include <signet/key.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is signed of a message: from its header and its footer, the crcs already verified. */
struct signet_sign_input {
    uint32_t header_crc;
    uint32_t front_crc, front_len;
    uint32_t middle_crc, middle_len;
    uint32_t data_crc, data_len;
    uint64_t seq; /* the low 32 bits count */
};

enum signet_sign_form { SIGNET_SIGN_NONE, SIGNET_SIGN_V1, SIGNET_SIGN_V2 };

/* The form that the connection features in effect (of both sides) call for: NONE without
 * MSG_AUTH, V1 without CEPHX_V2. Anything but V2 is to be refused when an authorizer was used. */
SIGNET_API enum signet_sign_form signet_sign_form(uint64_t features);

/* The signature field of the footer (v2 form) under the session key of the authorizer exchange.
 * Type 1 and type 2 keys. */
SIGNET_MUST SIGNET_API int signet_sign(const struct signet_key *session,
                                       const struct signet_sign_input *input, uint64_t *signature);
/* Constant time. -SIGN_MISMATCH; -SIGN_OLD_FORM: it would be right as a v1 signature (type 1 keys
 * only), so the peer does not have CEPHX_V2. Neither may be accepted. */
SIGNET_MUST SIGNET_API int signet_sign_verify(const struct signet_key *session,
                                              const struct signet_sign_input *input,
                                              uint64_t signature);

#ifdef __cplusplus
}
#endif
#endif
