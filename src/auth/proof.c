/* SPDX-License-Identifier: MIT */
/* The proof that a principal knows its secret. Source: cephx.md 4. */
#include <signet/ticket.h>

#include "base/cursor.h"
#include "base/secret.h"

enum { CHALLENGES_LEN = 16, FOLDED_LEN = 32, AES_SEALED_LEN = 32 };

/* Four little endian words into one. */
static uint64_t fold(const uint8_t buf[FOLDED_LEN])
{
    return signet_load_u64(buf) ^ signet_load_u64(buf + 8) ^ signet_load_u64(buf + 16) ^
           signet_load_u64(buf + 24);
}

/* The words start at the length in front of the ciphertext, so its last four bytes are left out. */
static int proof_aes(uint8_t buf[FOLDED_LEN], const struct signet_key *secret,
                     const uint8_t challenges[CHALLENGES_LEN])
{
    uint8_t sealed[AES_SEALED_LEN];
    size_t len;
    int err = signet_envelope_seal(secret, SIGNET_USAGE_NONE, sealed, sizeof(sealed), &len,
                                   challenges, CHALLENGES_LEN);
    if (err != 0) {
        return err;
    }
    struct signet_writer w = signet_writer_init(buf, FOLDED_LEN);
    signet_write_u32(&w, (uint32_t)len);
    signet_write_bytes(&w, sealed, FOLDED_LEN - 4);
    signet_wipe(sealed, sizeof(sealed));
    return w.err;
}

int signet_proof(uint64_t *proof, const struct signet_key *secret, uint64_t server_challenge,
                 uint64_t client_challenge)
{
    uint8_t challenges[CHALLENGES_LEN];
    uint8_t buf[FOLDED_LEN];
    signet_store_u64(challenges, server_challenge);
    signet_store_u64(challenges + 8, client_challenge);
    int err = signet_key_type(secret) == SIGNET_KEY_AES
                  ? proof_aes(buf, secret, challenges)
                  : signet_key_hmac(secret, buf, challenges, sizeof(challenges));
    *proof = err == 0 ? fold(buf) : 0;
    signet_wipe(buf, sizeof(buf));
    return err;
}

int signet_proof_check(const struct signet_key *secret, uint64_t server_challenge,
                       const struct signet_authenticate *request)
{
    uint64_t want;
    int err = signet_proof(&want, secret, server_challenge, request->client_challenge);
    if (err != 0) {
        return err;
    }
    bool same = signet_equal(&want, &request->key, sizeof(want));
    signet_wipe(&want, sizeof(want));
    if (server_challenge == 0) {
        return -SIGNET_E_CHALLENGE_ZERO;
    }
    return same ? 0 : -SIGNET_E_PROOF_WRONG;
}
