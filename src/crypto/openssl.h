/* SPDX-License-Identifier: MIT */
/*
 * Parts of the handler `openssl`. Everything is fetched once from the default library
 * context (so that the system's FIPS policy holds) and the references are kept for
 * life: a later unload of a provider or OPENSSL_cleanup() leaves them usable, while
 * fetching then would fail or crash.
 */
#ifndef SIGNET_CRYPTO_OPENSSL_H
#define SIGNET_CRYPTO_OPENSSL_H

#include <openssl/evp.h>

#include "crypto/handler.h"

enum openssl_cipher {
    OPENSSL_CBC128,
    OPENSSL_CBC256,
    OPENSSL_GCM128,
    OPENSSL_GCM256,
    OPENSSL_CTR256,
    OPENSSL_ECB128,
    OPENSSL_CIPHERS
};

struct openssl_fetched {
    EVP_CIPHER *cipher[OPENSSL_CIPHERS];
    EVP_MD *sha256, *sha384;
};
extern struct openssl_fetched signet_openssl;
extern const char *const signet_openssl_names[OPENSSL_CIPHERS];

/* Not for HMAC. */
static inline enum openssl_cipher signet_openssl_cipher(enum signet_alg alg)
{
    switch (alg) {
    case SIGNET_ALG_CBC128_SEAL:
    case SIGNET_ALG_CBC128_OPEN:
        return OPENSSL_CBC128;
    case SIGNET_ALG_CBC256_SEAL:
    case SIGNET_ALG_CBC256_OPEN:
        return OPENSSL_CBC256;
    case SIGNET_ALG_GCM128_SEAL:
    case SIGNET_ALG_GCM128_OPEN:
        return OPENSSL_GCM128;
    case SIGNET_ALG_GCM256_SEAL:
    case SIGNET_ALG_GCM256_OPEN:
        return OPENSSL_GCM256;
    case SIGNET_ALG_CTR256:
        return OPENSSL_CTR256;
    default:
        return OPENSSL_ECB128;
    }
}

/* Which shorter ways are taken; decided by start. */
struct openssl_direct {
    bool hmac, cipher;
};
extern struct openssl_direct signet_openssl_direct;

/* A key is its raw bytes; lanes hold the schedules. */
struct openssl_key {
    uint8_t len;
    uint8_t raw[];
};

/* Whether the handler has started before; then it need not be started for another's use. */
bool signet_openssl_started(void);

/* Held around calls that may take locks of the library (new contexts, random), and over a fork. */
void signet_openssl_lock(void);
void signet_openssl_unlock(void);

int signet_openssl_random_start(void);
int signet_openssl_random(uint8_t *out, size_t len);

/* The EVP path: contexts keyed once, re-initialised by IV alone. */
int signet_evp_lane_new(void **lane, enum signet_alg alg, const struct openssl_key *key);
void signet_evp_lane_free(enum signet_alg alg, void *lane);
/* CBC and CTR. */
int signet_evp_iv(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16]);
int signet_evp_ecb(void *lane, uint8_t *out, const uint8_t *in, size_t len);
int signet_evp_gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t nonce[12]);
int signet_evp_gcm_open(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t nonce[12]);
int signet_evp_hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num);

/* The provider's functions called directly (openssl_direct.c). Whether they are there and give
 * what EVP gives; the others only if they do. */
bool signet_openssl_direct_usable(void);
bool signet_openssl_compare(void); /* the second half of it (openssl_compare.c) */
int signet_direct_lane_new(void **out, enum signet_alg alg, const struct openssl_key *key);
void signet_direct_lane_free(void *lane);
int signet_direct_cbc(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                      const uint8_t iv[16]);
int signet_direct_iv(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16]);
int signet_direct_ecb(void *lane, uint8_t *out, const uint8_t *in, size_t len);
int signet_direct_gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                           const uint8_t nonce[12]);
int signet_direct_gcm_open(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                           const uint8_t nonce[12]);

/* HMAC from half-way states (openssl_hmac.c); the key serves as the lane of all threads. */
bool signet_openssl_hmac_usable(void);
int signet_openssl_hmac_key_new(void **out, enum signet_alg alg, const uint8_t *raw, size_t len);
void signet_openssl_hmac_key_free(void *key);
int signet_openssl_hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num);

#endif
