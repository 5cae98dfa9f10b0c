/* SPDX-License-Identifier: MIT */
#include "crypto/openssl.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/secret.h"

#define PIECE ((size_t)1 << 30) /* EVP takes int lengths; a multiple of the block */

struct hmac_lane {
    EVP_MD_CTX *ctx;
    const EVP_MD *md;
    const struct openssl_key *key;
    size_t block, size;
};

static int cipher_lane_new(void **lane, enum signet_alg alg, const struct openssl_key *key)
{
    static const uint8_t iv[16];
    int seal = !signet_alg_opens(alg);
    const EVP_CIPHER *cipher = signet_openssl.cipher[signet_openssl_cipher(alg)];
    if (key->len != EVP_CIPHER_get_key_length(cipher)) {
        return -SIGNET_E_KEY_LENGTH;
    }
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL) {
        return -SIGNET_E_NOMEM;
    }
    if (EVP_CipherInit_ex2(ctx, cipher, key->raw, iv, seal, NULL) != 1 ||
        EVP_CIPHER_CTX_set_padding(ctx, 0) != 1) {
        EVP_CIPHER_CTX_free(ctx);
        return -SIGNET_E_HANDLER_FAILED;
    }
    *lane = ctx;
    return 0;
}

static int hmac_lane_new(void **lane, enum signet_alg alg, const struct openssl_key *key)
{
    const EVP_MD *md =
        alg == SIGNET_ALG_HMAC_SHA256 ? signet_openssl.sha256 : signet_openssl.sha384;
    struct hmac_lane *l = signet_secret_alloc(sizeof(*l));
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    if (l == NULL || ctx == NULL || EVP_DigestInit_ex2(ctx, md, NULL) != 1) {
        signet_secret_free(l, sizeof(*l));
        EVP_MD_CTX_free(ctx);
        return -SIGNET_E_NOMEM;
    }
    *l = (struct hmac_lane){.ctx = ctx,
                            .md = md,
                            .key = key,
                            .block = (size_t)EVP_MD_get_block_size(md),
                            .size = (size_t)EVP_MD_get_size(md)};
    *lane = l;
    return 0;
}

int signet_evp_lane_new(void **lane, enum signet_alg alg, const struct openssl_key *key)
{
    return signet_alg_is_hmac(alg) ? hmac_lane_new(lane, alg, key)
                                   : cipher_lane_new(lane, alg, key);
}

void signet_evp_lane_free(enum signet_alg alg, void *lane)
{
    if (!signet_alg_is_hmac(alg)) {
        EVP_CIPHER_CTX_free(lane);
    } else if (lane != NULL) {
        struct hmac_lane *l = lane;
        EVP_MD_CTX_free(l->ctx);
        signet_secret_free(l, sizeof(*l));
    }
}

/* All of in through an initialised context. */
static bool update(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    while (len > 0) {
        int piece = (int)(len < PIECE ? len : PIECE), done;
        if (EVP_CipherUpdate(ctx, out, &done, in, piece) != 1 || done != piece) {
            return false;
        }
        out += piece;
        in += piece;
        len -= (size_t)piece;
    }
    return true;
}

int signet_evp_iv(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    EVP_CIPHER_CTX *ctx = lane;
    if (EVP_CipherInit_ex2(ctx, NULL, NULL, iv, -1, NULL) != 1 || !update(ctx, out, in, len)) {
        return -SIGNET_E_HANDLER_FAILED;
    }
    return 0;
}

int signet_evp_ecb(void *lane, uint8_t *out, const uint8_t *in, size_t len)
{
    return update(lane, out, in, len) ? 0 : -SIGNET_E_HANDLER_FAILED;
}

int signet_evp_gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t nonce[12])
{
    EVP_CIPHER_CTX *ctx = lane;
    int none;
    if (EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, -1, NULL) != 1 || !update(ctx, out, in, len) ||
        EVP_CipherFinal_ex(ctx, out + len, &none) != 1 ||
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, out + len) != 1) {
        return -SIGNET_E_HANDLER_FAILED;
    }
    return 0;
}

int signet_evp_gcm_open(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t nonce[12])
{
    EVP_CIPHER_CTX *ctx = lane;
    uint8_t tag[16], unused[16];
    int none;
    memcpy(tag, in + len, 16); /* the control call takes it non-const */
    if (EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, -1, NULL) != 1 ||
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) != 1 ||
        !update(ctx, out, in, len)) {
        return -SIGNET_E_HANDLER_FAILED;
    }
    return EVP_CipherFinal_ex(ctx, unused, &none) == 1 ? 0 : -SIGNET_E_OPEN;
}

/* Starts the digest with the key block of the inner (0x36) or outer (0x5c) pass. */
static bool begin(const struct hmac_lane *l, uint8_t mask)
{
    uint8_t pad[128];
    memset(pad, mask, l->block);
    for (size_t i = 0; i < l->key->len; i++) {
        pad[i] ^= l->key->raw[i];
    }
    bool ok = EVP_DigestInit_ex2(l->ctx, l->md, NULL) == 1 &&
              EVP_DigestUpdate(l->ctx, pad, l->block) == 1;
    signet_wipe(pad, sizeof(pad));
    return ok;
}

int signet_evp_hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num)
{
    struct hmac_lane *l = lane;
    uint8_t inner[64];
    bool ok = begin(l, 0x36);
    for (size_t i = 0; ok && i < num; i++) {
        ok = parts[i].len == 0 || EVP_DigestUpdate(l->ctx, parts[i].p, parts[i].len) == 1;
    }
    ok = ok && EVP_DigestFinal_ex(l->ctx, inner, NULL) == 1 && begin(l, 0x5c) &&
         EVP_DigestUpdate(l->ctx, inner, l->size) == 1 &&
         EVP_DigestFinal_ex(l->ctx, out, NULL) == 1;
    signet_wipe(inner, sizeof(inner));
    return ok ? 0 : -SIGNET_E_HANDLER_FAILED;
}
