/* SPDX-License-Identifier: MIT */
#include "crypto/kdf.h"

#include <string.h>

#include "base/secret.h"

static int derive(struct signet_engine *mac, uint8_t *out, size_t len, uint32_t usage, uint8_t c)
{
    uint8_t msg[14] = {0}, full[48];
    signet_store_be32(msg, 1);
    signet_store_be32(msg + 4, usage);
    msg[8] = c;
    signet_store_be32(msg + 10, (uint32_t)len * 8);
    struct signet_span part = {msg, sizeof(msg)};
    int err = signet_engine_hmac(mac, full, &part, 1);
    if (err == 0) {
        memcpy(out, full, len);
    }
    signet_wipe(full, sizeof(full));
    return err;
}

int signet_kdf(const struct signet_handler *handler, uint8_t ke[SIGNET_KE_LEN],
               uint8_t ki[SIGNET_KI_LEN], const uint8_t secret[32], uint32_t usage)
{
    struct signet_engine *mac;
    int err = signet_engine_new(&mac, handler, SIGNET_ALG_HMAC_SHA384, secret, 32);
    if (err != 0) {
        return err;
    }
    err = derive(mac, ke, SIGNET_KE_LEN, usage, 0xaa);
    if (err == 0) {
        err = derive(mac, ki, SIGNET_KI_LEN, usage, 0x55);
    }
    signet_engine_free(mac);
    return err;
}
