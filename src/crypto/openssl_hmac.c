/* SPDX-License-Identifier: MIT */
/*
 * HMAC from the states of the digest after the key's two padded blocks, which are hashed once,
 * when the key is made. An operation copies a state by value: that saves two of its blocks, and
 * there is nothing to allocate. Only the old digest functions can do that: EVP allocates for
 * each copy and for each new start. They are deprecated, not gone; where they are, or where the
 * digests are not the default provider's, EVP serves.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "crypto/openssl.h"

#include <string.h>

#include <openssl/provider.h>
#include <openssl/sha.h>

#include "base/secret.h"

#ifdef OPENSSL_NO_DEPRECATED_3_0

bool signet_openssl_hmac_usable(void)
{
    return false;
}

int signet_openssl_hmac_key_new(void **out, enum signet_alg alg, const uint8_t *raw, size_t len)
{
    (void)alg, (void)raw, (void)len;
    *out = NULL;
    return -SIGNET_E_HANDLER_FAILED;
}

void signet_openssl_hmac_key_free(void *key)
{
    (void)key;
}

int signet_openssl_hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num)
{
    (void)lane, (void)out, (void)parts, (void)num;
    return -SIGNET_E_HANDLER_FAILED;
}

#else

union state {
    SHA256_CTX sha256;
    SHA512_CTX sha384;
};

/* Immutable, so that all threads use it as it is. */
struct hmac_key {
    enum signet_alg alg;
    union state inner, outer;
};

bool signet_openssl_hmac_usable(void)
{
    const OSSL_PROVIDER *a = EVP_MD_get0_provider(signet_openssl.sha256);
    const OSSL_PROVIDER *b = EVP_MD_get0_provider(signet_openssl.sha384);
    return a == b && strcmp(OSSL_PROVIDER_get0_name(a), "default") == 0;
}

static bool add(enum signet_alg alg, union state *s, const uint8_t *in, size_t len)
{
    return alg == SIGNET_ALG_HMAC_SHA256 ? SHA256_Update(&s->sha256, in, len) == 1
                                         : SHA384_Update(&s->sha384, in, len) == 1;
}

static bool end(enum signet_alg alg, union state *s, uint8_t *out)
{
    return alg == SIGNET_ALG_HMAC_SHA256 ? SHA256_Final(out, &s->sha256) == 1
                                         : SHA384_Final(out, &s->sha384) == 1;
}

/* The state after the key block of one pass. */
static bool begin(enum signet_alg alg, union state *s, const uint8_t *raw, size_t len, uint8_t mask)
{
    bool small = alg == SIGNET_ALG_HMAC_SHA256;
    size_t block = small ? SHA256_CBLOCK : SHA512_CBLOCK;
    uint8_t pad[SHA512_CBLOCK];
    memset(pad, mask, block);
    for (size_t i = 0; i < len; i++) {
        pad[i] ^= raw[i];
    }
    bool ok =
        (small ? SHA256_Init(&s->sha256) : SHA384_Init(&s->sha384)) == 1 && add(alg, s, pad, block);
    signet_wipe(pad, sizeof(pad));
    return ok;
}

int signet_openssl_hmac_key_new(void **out, enum signet_alg alg, const uint8_t *raw, size_t len)
{
    *out = NULL;
    struct hmac_key *key = signet_secret_alloc(sizeof(*key));
    if (key == NULL) {
        return -SIGNET_E_NOMEM;
    }
    key->alg = alg;
    if (!begin(alg, &key->inner, raw, len, 0x36) || !begin(alg, &key->outer, raw, len, 0x5c)) {
        signet_secret_free(key, sizeof(*key));
        return -SIGNET_E_HANDLER_FAILED;
    }
    *out = key;
    return 0;
}

void signet_openssl_hmac_key_free(void *key)
{
    signet_secret_free(key, sizeof(struct hmac_key));
}

int signet_openssl_hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num)
{
    const struct hmac_key *key = lane;
    enum signet_alg alg = key->alg;
    size_t size = alg == SIGNET_ALG_HMAC_SHA256 ? SHA256_DIGEST_LENGTH : SHA384_DIGEST_LENGTH;
    uint8_t digest[SHA384_DIGEST_LENGTH];
    union state s = key->inner;
    bool ok = true;
    for (size_t i = 0; i < num && ok; i++) {
        ok = add(alg, &s, parts[i].p, parts[i].len);
    }
    ok = ok && end(alg, &s, digest);
    s = key->outer;
    ok = ok && add(alg, &s, digest, size) && end(alg, &s, out);
    signet_wipe(&s, sizeof(s));
    signet_wipe(digest, sizeof(digest));
    return ok ? 0 : -SIGNET_E_HANDLER_FAILED;
}

#endif
