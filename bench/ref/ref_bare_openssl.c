/* SPDX-License-Identifier: MIT */
/* The default provider's own functions on a context that is kept: what is left of OpenSSL when
 * nothing is done twice. */
#include "ref/ref.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

struct functions {
    OSSL_FUNC_cipher_newctx_fn *newctx;
    OSSL_FUNC_cipher_freectx_fn *freectx;
    OSSL_FUNC_cipher_encrypt_init_fn *einit;
    OSSL_FUNC_cipher_decrypt_init_fn *dinit;
    OSSL_FUNC_cipher_cipher_fn *cipher;
    OSSL_FUNC_cipher_final_fn *final;
    OSSL_FUNC_cipher_get_ctx_params_fn *get;
    OSSL_FUNC_cipher_set_ctx_params_fn *set;
};

struct state {
    struct functions f;
    void *enc, *dec;
};

static void collect(struct functions *f, const OSSL_DISPATCH *d)
{
    for (; d->function_id; d++) {
        switch (d->function_id) {
        case OSSL_FUNC_CIPHER_NEWCTX:
            f->newctx = OSSL_FUNC_cipher_newctx(d);
            break;
        case OSSL_FUNC_CIPHER_FREECTX:
            f->freectx = OSSL_FUNC_cipher_freectx(d);
            break;
        case OSSL_FUNC_CIPHER_ENCRYPT_INIT:
            f->einit = OSSL_FUNC_cipher_encrypt_init(d);
            break;
        case OSSL_FUNC_CIPHER_DECRYPT_INIT:
            f->dinit = OSSL_FUNC_cipher_decrypt_init(d);
            break;
        case OSSL_FUNC_CIPHER_CIPHER:
            f->cipher = OSSL_FUNC_cipher_cipher(d);
            break;
        case OSSL_FUNC_CIPHER_FINAL:
            f->final = OSSL_FUNC_cipher_final(d);
            break;
        case OSSL_FUNC_CIPHER_GET_CTX_PARAMS:
            f->get = OSSL_FUNC_cipher_get_ctx_params(d);
            break;
        case OSSL_FUNC_CIPHER_SET_CTX_PARAMS:
            f->set = OSSL_FUNC_cipher_set_ctx_params(d);
            break;
        default:
            break;
        }
    }
}

static bool named(const char *names, const char *name)
{
    size_t len = strlen(name);
    return strncasecmp(names, name, len) == 0 && (names[len] == ':' || names[len] == 0);
}

static void *make(const char *name, const uint8_t *key, size_t iv_len)
{
    struct state *s = calloc(1, sizeof *s);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    const OSSL_PROVIDER *provider = cipher ? EVP_CIPHER_get0_provider(cipher) : NULL;
    int no_cache;
    const OSSL_ALGORITHM *a =
        provider ? OSSL_PROVIDER_query_operation(provider, OSSL_OP_CIPHER, &no_cache) : NULL;
    while (a && a->algorithm_names && !named(a->algorithm_names, name)) {
        a++;
    }
    if (!s || !a || !a->algorithm_names) {
        free(s);
        return NULL;
    }
    collect(&s->f, a->implementation);
    if (!s->f.newctx || !s->f.einit || !s->f.dinit) {
        free(s);
        return NULL;
    }
    s->enc = s->f.newctx(OSSL_PROVIDER_get0_provider_ctx(provider));
    s->dec = s->f.newctx(OSSL_PROVIDER_get0_provider_ctx(provider));
    if (s->f.einit(s->enc, key, 16, ref_iv, iv_len, NULL) != 1 ||
        s->f.dinit(s->dec, key, 16, ref_iv, iv_len, NULL) != 1) {
        free(s);
        return NULL;
    }
    return s; /* the cipher is kept for the life of the process */
}

static void drop(void *state)
{
    struct state *s = state;
    s->f.freectx(s->enc);
    s->f.freectx(s->dec);
    free(s);
}

static void *make_cbc(const uint8_t key[REF_KEY_LEN])
{
    return make("AES-128-CBC", key, 16);
}

static int cbc_seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    struct state *s = state;
    size_t whole = ref_pad(out, in, n), len = 0;
    if (s->f.einit(s->enc, NULL, 0, ref_iv, 16, NULL) != 1 ||
        s->f.cipher(s->enc, out, &len, whole, out, whole) != 1) {
        return -1;
    }
    return (int)whole;
}

static int cbc_open(void *state, uint8_t *out, const uint8_t *in, int n)
{
    struct state *s = state;
    size_t len = 0;
    if (s->f.dinit(s->dec, NULL, 0, ref_iv, 16, NULL) != 1 ||
        s->f.cipher(s->dec, out, &len, (size_t)n, in, (size_t)n) != 1) {
        return -1;
    }
    return ref_unpad(out, n);
}

static void *make_gcm(const uint8_t key[REF_KEY_LEN])
{
    return make("AES-128-GCM", key, REF_NONCE_LEN);
}

static int gcm_seal(void *state, uint8_t *out, const uint8_t *in, size_t n,
                    const uint8_t nonce[REF_NONCE_LEN])
{
    struct state *s = state;
    size_t len = 0;
    OSSL_PARAM tag[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, out + n, REF_TAG_LEN),
        OSSL_PARAM_construct_end()};
    return s->f.einit(s->enc, NULL, 0, nonce, REF_NONCE_LEN, NULL) != 1 ||
           s->f.cipher(s->enc, out, &len, n, in, n) != 1 ||
           s->f.final(s->enc, out + n, &len, 0) != 1 || s->f.get(s->enc, tag) != 1;
}

static int gcm_open(void *state, uint8_t *out, const uint8_t *in, size_t n,
                    const uint8_t nonce[REF_NONCE_LEN])
{
    struct state *s = state;
    size_t len = 0;
    OSSL_PARAM tag[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG,
                                                          (uint8_t *)in + n, REF_TAG_LEN),
                        OSSL_PARAM_construct_end()};
    return s->f.dinit(s->dec, NULL, 0, nonce, REF_NONCE_LEN, NULL) != 1 ||
           s->f.set(s->dec, tag) != 1 || s->f.cipher(s->dec, out, &len, n, in, n) != 1 ||
           s->f.final(s->dec, out + n, &len, 0) != 1;
}

const struct ref_cipher ref_bare_openssl = {"bare openssl", make_cbc, drop, cbc_seal, cbc_open};
const struct ref_gcm ref_gcm_openssl = {"bare openssl", make_gcm, drop, gcm_seal, gcm_open};
