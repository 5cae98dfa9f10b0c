/* SPDX-License-Identifier: MIT */
/* Direct calls against EVP over many lengths, before it may be used. */
#include "crypto/openssl.h"

#include <string.h>

#include "base/secret.h"

#define LONGEST 4096

struct pair {
    void *evp, *direct;
};

static bool same_iv(const struct pair *p, const uint8_t *in, size_t len, uint8_t *a, uint8_t *b)
{
    uint8_t iv[16];
    memset(iv, (int)(len % 255), sizeof(iv));
    if (signet_evp_iv(p->evp, a, in, len, iv) != 0) {
        return false;
    }
    memcpy(b, in, len); /* in place */
    return signet_direct_iv(p->direct, b, b, len, iv) == 0 && memcmp(a, b, len) == 0 &&
           signet_direct_iv(p->direct, b, in, len, iv) == 0 && memcmp(a, b, len) == 0;
}

static bool same_ecb(const struct pair *p, const uint8_t *in, size_t len, uint8_t *a, uint8_t *b)
{
    memcpy(b, in, len);
    return signet_evp_ecb(p->evp, a, in, len) == 0 &&
           signet_direct_ecb(p->direct, b, b, len) == 0 && memcmp(a, b, len) == 0;
}

static bool same_seal(const struct pair *p, const uint8_t *in, size_t len, uint8_t *a, uint8_t *b)
{
    uint8_t nonce[12];
    memset(nonce, (int)(len % 255), sizeof(nonce));
    memcpy(b, in, len);
    return signet_evp_gcm_seal(p->evp, a, in, len, nonce) == 0 &&
           signet_direct_gcm_seal(p->direct, b, b, len, nonce) == 0 && memcmp(a, b, len + 16) == 0;
}

/* Opens what EVP sealed, and refuses it with one bit changed. */
static bool same_open(const struct pair *p, const uint8_t *in, size_t len, uint8_t *a, uint8_t *b)
{
    uint8_t nonce[12];
    memset(nonce, (int)(len % 255), sizeof(nonce));
    if (signet_evp_gcm_seal(p->evp, a, in, len, nonce) != 0 ||
        signet_direct_gcm_open(p->direct, b, a, len, nonce) != 0 || memcmp(b, in, len) != 0) {
        return false;
    }
    a[len + len % 16] ^= 1;
    return signet_direct_gcm_open(p->direct, b, a, len, nonce) == -SIGNET_E_OPEN;
}

static bool same(enum signet_alg alg, const struct pair *p, const uint8_t *in, size_t len,
                 uint8_t *a, uint8_t *b)
{
    if (alg == SIGNET_ALG_ECB128_SEAL) {
        return same_ecb(p, in, len, a, b);
    }
    if (!signet_alg_is_gcm(alg)) {
        return same_iv(p, in, len, a, b);
    }
    return signet_alg_opens(alg) ? same_open(p, in, len, a, b) : same_seal(p, in, len, a, b);
}

static bool all_lengths(enum signet_alg alg, const struct pair *p)
{
    static uint8_t in[LONGEST], a[LONGEST + 16], b[LONGEST + 16];
    bool any = signet_alg_is_gcm(alg) || alg == SIGNET_ALG_CTR256;
    for (size_t i = 0; i < LONGEST; i++) {
        in[i] = (uint8_t)(i * 131 + (i >> 8));
    }
    /* Every length at first, then sparser ones up to the longest. */
    size_t step = any ? 1 : 16;
    for (size_t len = any ? 0 : 16; len <= LONGEST; len += len < 40 * step ? step : 13 * step) {
        if (!same(alg, p, in, len, a, b)) {
            return false;
        }
    }
    return true;
}

/* All lengths both ways. */
static bool agrees(enum signet_alg alg, const struct openssl_key *key)
{
    /* What is opened directly is sealed by EVP. */
    enum signet_alg other = alg == SIGNET_ALG_GCM128_OPEN   ? SIGNET_ALG_GCM128_SEAL
                            : alg == SIGNET_ALG_GCM256_OPEN ? SIGNET_ALG_GCM256_SEAL
                                                            : alg;
    struct pair p = {NULL, NULL};
    bool ok = signet_evp_lane_new(&p.evp, other, key) == 0 &&
              signet_direct_lane_new(&p.direct, alg, key) == 0 && all_lengths(alg, &p);
    signet_evp_lane_free(other, p.evp);
    signet_direct_lane_free(p.direct);
    return ok;
}

bool signet_openssl_compare(void)
{
    size_t size = sizeof(struct openssl_key) + 32;
    struct openssl_key *key = signet_secret_alloc(size);
    if (key == NULL) {
        return false;
    }
    memset(key->raw, 0x5a, 32);
    bool ok = true;
    for (int alg = SIGNET_ALG_CBC128_SEAL; ok && alg <= SIGNET_ALG_ECB128_SEAL; alg++) {
        key->len = (uint8_t)signet_alg_key_len((enum signet_alg)alg);
        ok = agrees((enum signet_alg)alg, key);
    }
    signet_secret_free(key, size);
    return ok;
}
