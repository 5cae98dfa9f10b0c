/* SPDX-License-Identifier: MIT */
/*
 * The default provider's own cipher functions, called without EVP in between: EVP's work per
 * call costs as much as a short message. What they skip is EVP's checking of arguments, which
 * the contract of the handler makes sure of. The functions are part of the library itself and
 * stay when the provider is unloaded. They are used only if they are all there and give what
 * EVP gives.
 */
#include "crypto/cbc_chain.h"
#include "crypto/openssl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "base/secret.h"

struct functions {
    OSSL_FUNC_cipher_newctx_fn *newctx;
    OSSL_FUNC_cipher_freectx_fn *freectx;
    OSSL_FUNC_cipher_encrypt_init_fn *seal_init;
    OSSL_FUNC_cipher_decrypt_init_fn *open_init;
    OSSL_FUNC_cipher_cipher_fn *cipher;
    OSSL_FUNC_cipher_final_fn *final;
    OSSL_FUNC_cipher_get_ctx_params_fn *get;
    OSSL_FUNC_cipher_set_ctx_params_fn *set;
};

/* Filled by signet_openssl_direct_usable(), constant afterwards. */
static struct functions functions[OPENSSL_CIPHERS];
static void *provider_context;

struct lane {
    _Alignas(64) void *ctx;
    OSSL_FUNC_cipher_encrypt_init_fn *init; /* the one for opening has the same type */
    const struct functions *f;
    uint8_t last[16]; /* CBC: the chaining value that ctx holds */
    bool opens;
    OSSL_PARAM tag[2]; /* GCM: where its tag is */
};

static const uint8_t zeros[16];

int signet_direct_lane_new(void **out, enum signet_alg alg, const struct openssl_key *key)
{
    const struct functions *f = &functions[signet_openssl_cipher(alg)];
    size_t iv_len = signet_alg_is_gcm(alg) ? 12 : alg == SIGNET_ALG_ECB128_SEAL ? 0 : 16;
    if (key->len != signet_alg_key_len(alg)) {
        return -SIGNET_E_KEY_LENGTH;
    }
    struct lane *lane = aligned_alloc(64, sizeof(*lane));
    void *ctx = lane != NULL ? f->newctx(provider_context) : NULL;
    if (ctx == NULL) {
        free(lane);
        return -SIGNET_E_NOMEM;
    }
    *lane = (struct lane){
        .ctx = ctx,
        .init = signet_alg_opens(alg) ? f->open_init : f->seal_init,
        .f = f,
        .opens = signet_alg_opens(alg),
    };
    lane->tag[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 16);
    lane->tag[1] = OSSL_PARAM_construct_end();
    if (lane->init(ctx, key->raw, key->len, iv_len > 0 ? zeros : NULL, iv_len, NULL) != 1) {
        signet_direct_lane_free(lane);
        return -SIGNET_E_HANDLER_FAILED;
    }
    *out = lane;
    return 0;
}

void signet_direct_lane_free(void *lane_)
{
    struct lane *lane = lane_;
    if (lane != NULL) {
        lane->f->freectx(lane->ctx);
        free(lane);
    }
}

static unsigned long go_on(void *lane_, uint8_t *out, const uint8_t *in, size_t len)
{
    struct lane *lane = lane_;
    size_t done = 0;
    return lane->f->cipher(lane->ctx, out, &done, len, in, len) != 1 || done != len;
}

int signet_direct_cbc(void *lane_, uint8_t *out, const uint8_t *in, size_t len,
                      const uint8_t iv[16])
{
    struct lane *lane = lane_;
    unsigned long failed = lane->opens ? signet_cbc_open(lane->last, go_on, lane, out, in, len, iv)
                                       : signet_cbc_seal(lane->last, go_on, lane, out, in, len, iv);
    if (__builtin_expect(failed != 0, 0)) {
        memset(lane->last, 0, sizeof(lane->last));
        (void)lane->init(lane->ctx, NULL, 0, zeros, sizeof(zeros), NULL);
    }
    return failed == 0 ? 0 : -SIGNET_E_HANDLER_FAILED;
}

int signet_direct_iv(void *lane_, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    struct lane *lane = lane_;
    size_t done = 0;
    bool ok = lane->init(lane->ctx, NULL, 0, iv, 16, NULL) == 1 &&
              lane->f->cipher(lane->ctx, out, &done, len, in, len) == 1 && done == len;
    return ok ? 0 : -SIGNET_E_HANDLER_FAILED;
}

int signet_direct_ecb(void *lane_, uint8_t *out, const uint8_t *in, size_t len)
{
    struct lane *lane = lane_;
    size_t done = 0;
    bool ok = lane->f->cipher(lane->ctx, out, &done, len, in, len) == 1 && done == len;
    return ok ? 0 : -SIGNET_E_HANDLER_FAILED;
}

/* Nonce and text; the tag of an empty text is made at the end, too. */
static bool gcm_text(struct lane *lane, uint8_t *out, const uint8_t *in, size_t len)
{
    size_t done = 0;
    return len == 0 || (lane->f->cipher(lane->ctx, out, &done, len, in, len) == 1 && done == len);
}

int signet_direct_gcm_seal(void *lane_, uint8_t *out, const uint8_t *in, size_t len,
                           const uint8_t nonce[12])
{
    struct lane *lane = lane_;
    size_t done = 0;
    lane->tag[0].data = out + len;
    bool ok = lane->init(lane->ctx, NULL, 0, nonce, 12, NULL) == 1 &&
              gcm_text(lane, out, in, len) &&
              lane->f->final(lane->ctx, out + len, &done, 16) == 1 &&
              lane->f->get(lane->ctx, lane->tag) == 1;
    return ok ? 0 : -SIGNET_E_HANDLER_FAILED;
}

int signet_direct_gcm_open(void *lane_, uint8_t *out, const uint8_t *in, size_t len,
                           const uint8_t nonce[12])
{
    struct lane *lane = lane_;
    uint8_t tag[16], unused[16];
    size_t done = 0;
    memcpy(tag, in + len, sizeof(tag)); /* parameters are not const, and out may be in */
    lane->tag[0].data = tag;
    if (lane->init(lane->ctx, NULL, 0, nonce, 12, NULL) != 1 ||
        lane->f->set(lane->ctx, lane->tag) != 1 || !gcm_text(lane, out, in, len)) {
        return -SIGNET_E_HANDLER_FAILED;
    }
    return lane->f->final(lane->ctx, unused, &done, sizeof(unused)) == 1 ? 0 : -SIGNET_E_OPEN;
}

/* ---- finding them ---- */

static void collect(struct functions *f, const OSSL_DISPATCH *d)
{
    for (; d->function_id != 0; d++) {
        switch (d->function_id) {
        case OSSL_FUNC_CIPHER_NEWCTX:
            f->newctx = OSSL_FUNC_cipher_newctx(d);
            break;
        case OSSL_FUNC_CIPHER_FREECTX:
            f->freectx = OSSL_FUNC_cipher_freectx(d);
            break;
        case OSSL_FUNC_CIPHER_ENCRYPT_INIT:
            f->seal_init = OSSL_FUNC_cipher_encrypt_init(d);
            break;
        case OSSL_FUNC_CIPHER_DECRYPT_INIT:
            f->open_init = OSSL_FUNC_cipher_decrypt_init(d);
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

/* names: "AES-128-CBC:AES128:2.16.840..." */
static bool named(const char *names, const char *name)
{
    size_t len = strlen(name);
    return strncasecmp(names, name, len) == 0 && (names[len] == ':' || names[len] == '\0');
}

static bool find(struct functions *f, const OSSL_ALGORITHM *a, const char *name)
{
    *f = (struct functions){0};
    while (a->algorithm_names != NULL && !named(a->algorithm_names, name)) {
        a++;
    }
    if (a->algorithm_names == NULL) {
        return false;
    }
    collect(f, a->implementation);
    return f->newctx && f->freectx && f->seal_init && f->open_init && f->cipher && f->final &&
           f->get && f->set;
}

static bool find_all(void)
{
    const OSSL_PROVIDER *p = EVP_CIPHER_get0_provider(signet_openssl.cipher[0]);
    if (p == NULL || strcmp(OSSL_PROVIDER_get0_name(p), "default") != 0) {
        return false;
    }
    int no_cache = 0;
    const OSSL_ALGORITHM *a = OSSL_PROVIDER_query_operation(p, OSSL_OP_CIPHER, &no_cache);
    provider_context = OSSL_PROVIDER_get0_provider_ctx(p);
    bool ok = a != NULL && no_cache == 0;
    for (unsigned i = 0; ok && i < OPENSSL_CIPHERS; i++) {
        ok = p == EVP_CIPHER_get0_provider(signet_openssl.cipher[i]) &&
             find(&functions[i], a, signet_openssl_names[i]);
    }
    return ok;
}

bool signet_openssl_direct_usable(void)
{
    return find_all() && signet_openssl_compare();
}
