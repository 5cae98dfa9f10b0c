/* SPDX-License-Identifier: MIT */
/*
 * A generator of our own: RAND_bytes() would fetch by name in each new thread, which
 * fails once the application has unloaded its providers. It reseeds by itself in a
 * forked child.
 */
#include "crypto/openssl.h"

#include <stdatomic.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include <signet/env.h>

static EVP_RAND_CTX *drbg;
static atomic_bool cleaned_up;

/* After OPENSSL_cleanup() the generator's own sources may be gone. */
static void on_cleanup(void)
{
    atomic_store(&cleaned_up, true);
}

int signet_openssl_random_start(void)
{
    EVP_RAND *rand = EVP_RAND_fetch(NULL, "CTR-DRBG", NULL);
    if (rand == NULL) {
        return -SIGNET_E_RANDOM;
    }
    char cipher[] = "AES-256-CTR";
    unsigned requests =
        1 << 16; /* as the library's own generators of threads; a reseed allocates */
    OSSL_PARAM params[3] = {
        OSSL_PARAM_construct_utf8_string(OSSL_DRBG_PARAM_CIPHER, cipher, 0),
        OSSL_PARAM_construct_uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, &requests),
        OSSL_PARAM_construct_end(),
    };
    drbg = EVP_RAND_CTX_new(rand, NULL);
    EVP_RAND_free(rand);
    if (drbg == NULL || EVP_RAND_instantiate(drbg, 256, 0, NULL, 0, params) != 1 ||
        OPENSSL_atexit(on_cleanup) != 1) {
        EVP_RAND_CTX_free(drbg);
        drbg = NULL;
        return -SIGNET_E_RANDOM;
    }
    return 0;
}

static int from_system(uint8_t *out, size_t len)
{
    struct signet_env env = signet_env_system();
    return env.random(env.arg, out, len);
}

int signet_openssl_random(uint8_t *out, size_t len)
{
    if (atomic_load(&cleaned_up)) {
        return from_system(out, len);
    }
    signet_openssl_lock();
    int ok = EVP_RAND_generate(drbg, out, len, 256, 0, NULL, 0);
    signet_openssl_unlock();
    return ok == 1 ? 0 : -SIGNET_E_RANDOM;
}
