/* SPDX-License-Identifier: MIT */
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

struct state {
    uint8_t key[REF_KEY_LEN];
    EVP_CIPHER *cipher;        /* fetched once; cached only */
    EVP_CIPHER_CTX *enc, *dec; /* kept, evp only */
};

static void *make_naive(const uint8_t key[REF_KEY_LEN])
{
    struct state *s = calloc(1, sizeof *s);
    if (s) {
        memcpy(s->key, key, REF_KEY_LEN);
    }
    return s;
}

static void *make_cached(const uint8_t key[REF_KEY_LEN])
{
    struct state *s = make_naive(key);
    if (s) {
        s->cipher = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
    }
    return s;
}

static void drop(void *state)
{
    struct state *s = state;
    EVP_CIPHER_CTX_free(s->enc);
    EVP_CIPHER_CTX_free(s->dec);
    EVP_CIPHER_free(s->cipher);
    free(s);
}

/* Contexts that keep the key; each message sets the IV only. */
static void *make_evp(const uint8_t key[REF_KEY_LEN])
{
    struct state *s = make_cached(key);
    if (s) {
        s->enc = EVP_CIPHER_CTX_new();
        s->dec = EVP_CIPHER_CTX_new();
        EVP_CipherInit_ex(s->enc, s->cipher, NULL, key, ref_iv, 1);
        EVP_CipherInit_ex(s->dec, s->cipher, NULL, key, ref_iv, 0);
    }
    return s;
}

static int evp_one(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *in, int n)
{
    int len = 0, rest = 0;
    int ok = EVP_CipherInit_ex(ctx, NULL, NULL, NULL, ref_iv, -1) == 1 &&
             EVP_CipherUpdate(ctx, out, &len, in, n) == 1 &&
             EVP_CipherFinal_ex(ctx, out + len, &rest) == 1;
    return ok ? len + rest : -1;
}

static int evp_seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return evp_one(((const struct state *)state)->enc, out, in, n);
}

static int evp_open(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return evp_one(((const struct state *)state)->dec, out, in, n);
}

/* A context per call; the cipher by name too unless it is kept. */
static int crypt_one(const struct state *s, uint8_t *out, const uint8_t *in, int n, int enc)
{
    int len = 0, rest = 0;
    const EVP_CIPHER *cipher = s->cipher ? s->cipher : EVP_aes_128_cbc();
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int ok = ctx && EVP_CipherInit_ex(ctx, cipher, NULL, s->key, ref_iv, enc) == 1 &&
             EVP_CipherUpdate(ctx, out, &len, in, n) == 1 &&
             EVP_CipherFinal_ex(ctx, out + len, &rest) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return ok ? len + rest : -1;
}

static int seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return crypt_one(state, out, in, n, 1);
}

static int open_one(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return crypt_one(state, out, in, n, 0);
}

const struct ref_cipher ref_evp_openssl = {"evp openssl", make_evp, drop, evp_seal, evp_open};
const struct ref_cipher ref_naive_openssl = {"naive openssl", make_naive, drop, seal, open_one};
const struct ref_cipher ref_cached_openssl = {"cached openssl", make_cached, drop, seal, open_one};
