/* SPDX-License-Identifier: MIT */
/* From what authentication gives to what the frames need. Source: msgr2.md 5, 7.1. */
#include <signet/frame.h>

#include <string.h>

#include "base/secret.h"

enum { KEY_AT = 0, SERVER_NONCE_AT = 16, CLIENT_NONCE_AT = 28, SECRET_MIN = 40, FIXED_LEN = 4 };

int signet_streams_new(struct signet_stream **seal, struct signet_stream **open,
                       const uint8_t *secret, size_t secret_len, enum signet_role role,
                       const struct signet_handler *pin)
{
    struct signet_stream *unused;
    struct signet_stream **out[2] = {seal != NULL ? seal : &unused, open != NULL ? open : &unused};
    *out[0] = *out[1] = NULL;
    if (secret_len < SECRET_MIN) {
        return -SIGNET_E_CONN_SECRET;
    }
    if (signet_equal(secret + SERVER_NONCE_AT, secret + CLIENT_NONCE_AT, FIXED_LEN)) {
        return -SIGNET_E_NONCE_CLASH;
    }
    bool client = role == SIGNET_ROLE_CLIENT;
    const uint8_t *tx = secret + (client ? CLIENT_NONCE_AT : SERVER_NONCE_AT);
    const uint8_t *rx = secret + (client ? SERVER_NONCE_AT : CLIENT_NONCE_AT);
    int err = 0;
    if (seal != NULL) {
        err = signet_stream_new(seal, SIGNET_SEAL, secret + KEY_AT, tx, pin);
    }
    if (err == 0 && open != NULL) {
        err = signet_stream_new(open, SIGNET_OPEN, secret + KEY_AT, rx, pin);
    }
    if (err != 0 && seal != NULL) {
        signet_stream_free(*seal);
        *seal = NULL;
    }
    return err;
}

int signet_auth_signature(const struct signet_key *key, uint8_t out[SIGNET_SIGNATURE_LEN],
                          const uint8_t *transcript, size_t len)
{
    if (key == NULL) {
        memset(out, 0, SIGNET_SIGNATURE_LEN);
        return 0;
    }
    return signet_key_hmac(key, out, transcript, len);
}
