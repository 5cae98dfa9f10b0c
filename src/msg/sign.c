/* SPDX-License-Identifier: MIT */
/* Message signatures of msgr1. Source: msgr1-signature.md 3. */
#include <signet/sign.h>

#include "base/cursor.h"
#include "base/secret.h"
#include "crypto/type1_key.h"

#define MSG_AUTH UINT64_C(0x0000000000800000)
#define CEPHX_V2 UINT64_C(0x2000000000000000)

enum { BLOCK_LEN = 32, SEALED_MAX = 48, OLD_PAYLOAD_LEN = 20 };

enum signet_sign_form signet_sign_form(uint64_t features)
{
    if ((features & MSG_AUTH) == 0) {
        return SIGNET_SIGN_NONE;
    }
    return (features & CEPHX_V2) != 0 ? SIGNET_SIGN_V2 : SIGNET_SIGN_V1;
}

static void write_block(uint8_t block[BLOCK_LEN], const struct signet_sign_input *input)
{
    struct signet_writer w = signet_writer_init(block, BLOCK_LEN);
    signet_write_u32(&w, input->header_crc);
    signet_write_u32(&w, input->front_crc);
    signet_write_u32(&w, input->front_len);
    signet_write_u32(&w, input->middle_crc);
    signet_write_u32(&w, input->middle_len);
    signet_write_u32(&w, input->data_crc);
    signet_write_u32(&w, input->data_len);
    signet_write_u32(&w, (uint32_t)input->seq);
}

/* The words of the ciphertext's first two blocks, or of the HMAC. */
static uint64_t fold(const uint8_t *p)
{
    return signet_load_u64(p) ^ signet_load_u64(p + 8) ^ signet_load_u64(p + 16) ^
           signet_load_u64(p + 24);
}

int signet_sign(const struct signet_key *session, const struct signet_sign_input *input,
                uint64_t *signature)
{
    uint8_t block[BLOCK_LEN], out[SEALED_MAX];
    int err;
    *signature = 0;
    write_block(block, input);
    if (signet_key_type(session) == SIGNET_KEY_AES) {
        struct signet_writer w = signet_writer_init(out, sizeof(out));
        signet_write_bytes(&w, block, sizeof(block));
        err = signet_type1_key_seal(session, out, sizeof(block));
    } else {
        err = signet_key_hmac(session, out, block, sizeof(block));
    }
    if (err == 0) {
        *signature = fold(out);
    }
    signet_wipe(out, sizeof(out));
    return err;
}

/* The old form: the first cipher block of an envelope, of which 3 bytes depend on the message. */
static int sign_old(const struct signet_key *session, const struct signet_sign_input *input,
                    uint64_t *signature)
{
    uint8_t plain[OLD_PAYLOAD_LEN], sealed[SEALED_MAX];
    size_t len;
    struct signet_writer w = signet_writer_init(plain, sizeof(plain));
    signet_write_u32(&w, 16);
    signet_write_u32(&w, input->header_crc);
    signet_write_u32(&w, input->front_crc);
    signet_write_u32(&w, input->middle_crc);
    signet_write_u32(&w, input->data_crc);
    int err = signet_envelope_seal(session, SIGNET_USAGE_NONE, sealed, sizeof(sealed), &len, plain,
                                   sizeof(plain));
    *signature = err == 0 ? signet_load_u64(sealed) : 0;
    return err;
}

int signet_sign_verify(const struct signet_key *session, const struct signet_sign_input *input,
                       uint64_t signature)
{
    uint64_t want;
    int err = signet_sign(session, input, &want);
    if (err != 0) {
        return err;
    }
    bool same = signet_equal(&want, &signature, sizeof(want));
    signet_wipe(&want, sizeof(want));
    if (same) {
        return 0;
    }
    if (signet_key_type(session) == SIGNET_KEY_AES) {
        err = sign_old(session, input, &want);
        if (err == 0 && signet_equal(&want, &signature, sizeof(want))) {
            return -SIGNET_E_SIGN_OLD_FORM;
        }
    }
    return -SIGNET_E_SIGN_MISMATCH;
}
