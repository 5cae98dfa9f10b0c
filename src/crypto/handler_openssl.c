/* SPDX-License-Identifier: MIT */
#include "crypto/openssl.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

#include "base/secret.h"

struct openssl_fetched signet_openssl;
struct openssl_direct signet_openssl_direct;

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;
static bool fetched;

bool signet_openssl_started(void)
{
    return fetched;
}

void signet_openssl_lock(void)
{
    pthread_mutex_lock(&library);
}

void signet_openssl_unlock(void)
{
    pthread_mutex_unlock(&library);
}

const char *const signet_openssl_names[OPENSSL_CIPHERS] = {
    [OPENSSL_CBC128] = "AES-128-CBC", [OPENSSL_CBC256] = "AES-256-CBC",
    [OPENSSL_GCM128] = "AES-128-GCM", [OPENSSL_GCM256] = "AES-256-GCM",
    [OPENSSL_CTR256] = "AES-256-CTR", [OPENSSL_ECB128] = "AES-128-ECB",
};

/* Fetches all or nothing; never again once it has succeeded. */
static const char *fetch_all(void)
{
    struct openssl_fetched *f = &signet_openssl;
    for (unsigned i = 0; i < OPENSSL_CIPHERS; i++) {
        f->cipher[i] = EVP_CIPHER_fetch(NULL, signet_openssl_names[i], NULL);
        if (f->cipher[i] == NULL) {
            return "no provider offers AES";
        }
    }
    f->sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    f->sha384 = EVP_MD_fetch(NULL, "SHA2-384", NULL);
    if (f->sha256 == NULL || f->sha384 == NULL) {
        return "no provider offers SHA-2";
    }
    return signet_openssl_random_start() != 0 ? "no provider offers a random generator" : NULL;
}

static void drop_all(void)
{
    for (unsigned i = 0; i < OPENSSL_CIPHERS; i++) {
        EVP_CIPHER_free(signet_openssl.cipher[i]);
    }
    EVP_MD_free(signet_openssl.sha256);
    EVP_MD_free(signet_openssl.sha384);
    memset(&signet_openssl, 0, sizeof(signet_openssl));
}

static void choose_ways(void)
{
    bool allowed = !signet_plain_calls;
    ERR_set_mark();
    signet_openssl_direct = (struct openssl_direct){
        .hmac = allowed && signet_openssl_hmac_usable(),
        .cipher = allowed && signet_openssl_direct_usable(),
    };
    ERR_pop_to_mark();
}

static int start(char *why, size_t cap)
{
    if (fetched) {
        choose_ways();
        return 0;
    }
    ERR_set_mark();
    const char *failure = fetch_all();
    ERR_pop_to_mark();
    if (failure != NULL) {
        bool only_fips = EVP_default_properties_is_fips_enabled(NULL) == 1;
        snprintf(why, cap, "%s%s", failure, only_fips ? " under the FIPS policy" : "");
        drop_all();
        return only_fips ? -SIGNET_E_HANDLER_FIPS : -SIGNET_E_HANDLER_REFUSED;
    }
    fetched = true;
    choose_ways();
    return 0;
}

/* The references are kept: the library may not be able to give them again. */
static void stop(void)
{
}

static void version(char *out, size_t cap)
{
    snprintf(out, cap, "OpenSSL %s", OpenSSL_version(OPENSSL_VERSION_STRING));
}

static bool fips(void)
{
    const OSSL_PROVIDER *p = EVP_CIPHER_get0_provider(signet_openssl.cipher[0]);
    const char *name = p != NULL ? OSSL_PROVIDER_get0_name(p) : "";
    return strcmp(name, "fips") == 0;
}

static void detail(char *out, size_t cap)
{
    snprintf(out, cap, "%s contexts re-initialised by IV%s",
             signet_openssl_direct.cipher ? "provider dispatch, CBC with IV algebra, other"
                                          : "EVP,",
             signet_openssl_direct.hmac ? "; HMAC from half-way states" : "");
}

static int key_new(void **key, enum signet_alg alg, const uint8_t *raw, size_t len)
{
    *key = NULL;
    if (len == 0 || len > 64) {
        return -SIGNET_E_INVAL;
    }
    if (signet_alg_is_hmac(alg) && signet_openssl_direct.hmac) {
        return signet_openssl_hmac_key_new(key, alg, raw, len);
    }
    struct openssl_key *k = signet_secret_alloc(sizeof(*k) + len);
    if (k == NULL) {
        return -SIGNET_E_NOMEM;
    }
    k->len = (uint8_t)len;
    memcpy(k->raw, raw, len);
    *key = k;
    return 0;
}

static void key_free(enum signet_alg alg, void *key)
{
    struct openssl_key *k = key;
    if (signet_alg_is_hmac(alg) && signet_openssl_direct.hmac) {
        signet_openssl_hmac_key_free(key);
    } else if (k != NULL) {
        signet_secret_free(k, sizeof(*k) + k->len);
    }
}

static int lane_new(void **lane, enum signet_alg alg, const void *key, unsigned index)
{
    (void)index;
    *lane = NULL;
    if (signet_alg_is_hmac(alg) && signet_openssl_direct.hmac) {
        *lane = (void *)(uintptr_t)key;
        return 0;
    }
    signet_openssl_lock();
    ERR_set_mark();
    int err = !signet_alg_is_hmac(alg) && signet_openssl_direct.cipher
                  ? signet_direct_lane_new(lane, alg, key)
                  : signet_evp_lane_new(lane, alg, key);
    ERR_pop_to_mark();
    signet_openssl_unlock();
    return err;
}

static void lane_free(enum signet_alg alg, void *lane)
{
    if (signet_alg_is_hmac(alg) && signet_openssl_direct.hmac) {
        return; /* it is the key */
    }
    if (!signet_alg_is_hmac(alg) && signet_openssl_direct.cipher) {
        signet_direct_lane_free(lane);
    } else {
        signet_evp_lane_free(alg, lane);
    }
}

static int cbc(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    return signet_openssl_direct.cipher ? signet_direct_cbc(lane, out, in, len, iv)
                                        : signet_evp_iv(lane, out, in, len, iv);
}

static int ctr(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    return signet_openssl_direct.cipher ? signet_direct_iv(lane, out, in, len, iv)
                                        : signet_evp_iv(lane, out, in, len, iv);
}

static int ecb(void *lane, uint8_t *out, const uint8_t *in, size_t len)
{
    return signet_openssl_direct.cipher ? signet_direct_ecb(lane, out, in, len)
                                        : signet_evp_ecb(lane, out, in, len);
}

static int gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12])
{
    return signet_openssl_direct.cipher ? signet_direct_gcm_seal(lane, out, in, len, nonce)
                                        : signet_evp_gcm_seal(lane, out, in, len, nonce);
}

static int gcm_open(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12])
{
    return signet_openssl_direct.cipher ? signet_direct_gcm_open(lane, out, in, len, nonce)
                                        : signet_evp_gcm_open(lane, out, in, len, nonce);
}

static int hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num)
{
    return signet_openssl_direct.hmac ? signet_openssl_hmac(lane, out, parts, num)
                                      : signet_evp_hmac(lane, out, parts, num);
}

const struct signet_handler signet_handler_openssl = {
    .name = "openssl",
    .start = start,
    .stop = stop,
    .version = version,
    .fips = fips,
    .detail = detail,
    .key_new = key_new,
    .key_free = key_free,
    .lane_new = lane_new,
    .lane_free = lane_free,
    .cbc = cbc,
    .gcm_seal = gcm_seal,
    .gcm_open = gcm_open,
    .ctr = ctr,
    .ecb = ecb,
    .hmac = hmac,
    .random = signet_openssl_random,
    .fork_prepare = signet_openssl_lock,
    .fork_parent = signet_openssl_unlock,
    .fork_child = signet_openssl_unlock,
};
