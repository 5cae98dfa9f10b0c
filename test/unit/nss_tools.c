/* SPDX-License-Identifier: MIT */
#include "unit/nss_tools.h"

#include <string.h>

#include <openssl/evp.h>

uint8_t raw[64], in[LEN_MAX], out[LEN_MAX + 16], want[LEN_MAX + 16];

void start(void)
{
    char why[160] = "";
    int err = h->start(why, sizeof(why));
    ck_assert_msg(err == 0, "%s: %s", signet_err_name(err), why);
    assert_ok(h->random(raw, sizeof(raw)));
    assert_ok(h->random(in, sizeof(in)));
}

void stop(void)
{
    h->stop();
}

void start_softoken(void)
{
    start();
    signet_nss_lib.freebl = false;
}

struct user use(enum signet_alg alg, size_t len)
{
    struct user u = {.alg = alg};
    assert_ok(h->key_new(&u.key, alg, raw, len));
    assert_ok(h->lane_new(&u.lane, alg, u.key, signet_thread_index()));
    return u;
}

void drop(struct user *u)
{
    h->lane_free(u->alg, u->lane);
    h->key_free(u->alg, u->key);
}

void evp_cbc(bool seal, size_t key_len, const uint8_t *from, size_t len, const uint8_t *iv)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int got;
    ck_assert(
        EVP_CipherInit(ctx, key_len == 16 ? EVP_aes_128_cbc() : EVP_aes_256_cbc(), raw, iv, seal));
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    ck_assert(EVP_CipherUpdate(ctx, want, &got, from, (int)len));
    ck_assert_uint_eq((size_t)got, len);
    EVP_CIPHER_CTX_free(ctx);
}

void evp_gcm(const uint8_t *from, size_t len, const uint8_t *nonce)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int got;
    ck_assert(EVP_EncryptInit(ctx, EVP_aes_128_gcm(), raw, nonce));
    ck_assert(EVP_EncryptUpdate(ctx, want, &got, from, (int)len));
    ck_assert(EVP_EncryptFinal(ctx, want + len, &got));
    ck_assert(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, want + len));
    EVP_CIPHER_CTX_free(ctx);
}

const struct cbc_alg cbc_algs[4] = {
    {SIGNET_ALG_CBC128_SEAL, 16, true},
    {SIGNET_ALG_CBC128_OPEN, 16, false},
    {SIGNET_ALG_CBC256_SEAL, 32, true},
    {SIGNET_ALG_CBC256_OPEN, 32, false},
};

void check_cbc(struct user *u, int row, size_t len)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        uint8_t iv[16];
        assert_ok(h->random(iv, sizeof(iv)));
        evp_cbc(cbc_algs[row].seal, cbc_algs[row].key_len, in, len, iv);
        memset(out, 0, sizeof(out));
        if (in_place) {
            memcpy(out, in, len);
        }
        assert_ok(h->cbc(u->lane, out, in_place ? out : in, len, iv));
        ck_assert_mem_eq(out, want, len);
        ck_assert_uint_eq(out[len], 0);
    }
}
