/* SPDX-License-Identifier: MIT */
#include "support/fresh_keys.h"

#include <string.h>

#include <signet/signet.h>

bool seal_and_open(const struct signet_key *key)
{
    uint8_t buf[160], plain[64];
    size_t len;
    memset(plain, 0x42, sizeof(plain));
    return signet_envelope_seal(key, SIGNET_USAGE_AUTHORIZE, buf, sizeof(buf), &len, plain,
                                sizeof(plain)) == 0 &&
           signet_envelope_open(key, SIGNET_USAGE_AUTHORIZE, buf, sizeof(buf), &len, buf, len) ==
               0 &&
           len == sizeof(plain) && memcmp(buf, plain, len) == 0;
}

bool use_fresh(void)
{
    bool ok = true;
    for (int type = SIGNET_KEY_AES; type <= SIGNET_KEY_AES256K; type++) {
        struct signet_key *key;
        ok = ok && signet_key_generate(&key, (enum signet_key_type)type, NULL) == 0;
        if (ok) {
            ok = seal_and_open(key);
            signet_key_unref(key);
        }
    }
    uint8_t secret[16] = {9}, nonce[12] = {0}, buf[80] = {0};
    struct signet_stream *stream = NULL;
    ok = ok && signet_stream_new(&stream, SIGNET_SEAL, secret, nonce, NULL) == 0 &&
         signet_stream_seal(stream, buf, buf, 64) == 0;
    signet_stream_free(stream);
    return ok;
}
