/* SPDX-License-Identifier: MIT */
/*
 * What a handler must offer: primitives only. Everything that is Ceph's (padding,
 * fixed IV, ciphertext stealing, envelope, usages, nonces) is written once, above.
 *
 * Two kinds of objects:
 *   key   immutable, made once per (handler, algorithm, raw key), shared by all threads;
 *   lane  mutable context of one key, made, used by one thread (the owner of one thread
 *         index) at a time. May be freed by any thread when no operation is in flight.
 */
#ifndef SIGNET_CRYPTO_HANDLER_H
#define SIGNET_CRYPTO_HANDLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/handler.h>

#include "base/cursor.h"

/* Key lengths: names with 128: 16; with 256 but no HMAC: 32; HMACs: any from 1 to 64. */
enum signet_alg {
    SIGNET_ALG_CBC128_SEAL,
    SIGNET_ALG_CBC128_OPEN,
    SIGNET_ALG_CBC256_SEAL,
    SIGNET_ALG_CBC256_OPEN,
    SIGNET_ALG_GCM128_SEAL,
    SIGNET_ALG_GCM128_OPEN,
    SIGNET_ALG_GCM256_SEAL,
    SIGNET_ALG_GCM256_OPEN,
    SIGNET_ALG_CTR256,
    SIGNET_ALG_ECB128_SEAL, /* many blocks of messages that have nothing to do with each other */
    SIGNET_ALG_HMAC_SHA256,
    SIGNET_ALG_HMAC_SHA384,
    SIGNET_ALG_NUM
};

static inline bool signet_alg_is_hmac(enum signet_alg alg)
{
    return alg == SIGNET_ALG_HMAC_SHA256 || alg == SIGNET_ALG_HMAC_SHA384;
}

static inline bool signet_alg_is_gcm(enum signet_alg alg)
{
    return alg >= SIGNET_ALG_GCM128_SEAL && alg <= SIGNET_ALG_GCM256_OPEN;
}

/* Whether it runs the cipher backwards or checks a tag. */
static inline bool signet_alg_opens(enum signet_alg alg)
{
    return alg == SIGNET_ALG_CBC128_OPEN || alg == SIGNET_ALG_CBC256_OPEN ||
           alg == SIGNET_ALG_GCM128_OPEN || alg == SIGNET_ALG_GCM256_OPEN;
}

/* 0 for HMAC. */
static inline size_t signet_alg_key_len(enum signet_alg alg)
{
    switch (alg) {
    case SIGNET_ALG_CBC128_SEAL:
    case SIGNET_ALG_CBC128_OPEN:
    case SIGNET_ALG_GCM128_SEAL:
    case SIGNET_ALG_GCM128_OPEN:
    case SIGNET_ALG_ECB128_SEAL:
        return 16;
    case SIGNET_ALG_CBC256_SEAL:
    case SIGNET_ALG_CBC256_OPEN:
    case SIGNET_ALG_GCM256_SEAL:
    case SIGNET_ALG_GCM256_OPEN:
    case SIGNET_ALG_CTR256:
        return 32;
    default:
        return 0;
    }
}

/*
 * All functions return 0 or -SIGNET_E_x; all are required. None allocates except start,
 * key_new and lane_new. A lane whose call failed must either recover by itself at its next
 * call or go on failing; it must never give a wrong result.
 */
struct signet_handler {
    const char *name;

    /* Loads and sets up the library; called once under the registry's lock, before all
     * else. On failure why gets one sentence. stop undoes it when no key is left. */
    int (*start)(char *why, size_t cap);
    void (*stop)(void);
    void (*version)(char *out, size_t cap);
    bool (*fips)(void);
    /* Which paths start chose, for people, e.g. "provider dispatch". */
    void (*detail)(char *out, size_t cap);

    /* raw is copied or imported, never kept. -HANDLER_FIPS when the library refuses the
     * import, -HANDLER_FAILED, -NOMEM. *key is NULL on failure. */
    int (*key_new)(void **key, enum signet_alg alg, const uint8_t *raw, size_t len);
    void (*key_free)(enum signet_alg alg, void *key);
    /* index: the thread index of the calling thread. The key outlives its lanes. */
    int (*lane_new)(void **lane, enum signet_alg alg, const void *key, unsigned index);
    void (*lane_free)(enum signet_alg alg, void *lane);

    /* CBC over whole blocks: len > 0, a multiple of 16. out == in is allowed, other overlap is
     * not. iv is only read. */
    int (*cbc)(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16]);
    /* out gets len bytes of ciphertext and then the 16-byte tag. out == in allowed. len may be 0.
     */
    int (*gcm_seal)(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12]);
    /* in is len bytes of ciphertext and then the tag; out gets len bytes. -OPEN on a wrong tag
     * (out is then unspecified; the caller wipes it). */
    int (*gcm_open)(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12]);
    /* Any len; iv is the first counter block, counted as one big-endian number of 16 bytes. out ==
     * in allowed. Both directions are the same. */
    int (*ctr)(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16]);
    /* Each block by itself: len > 0, a multiple of 16. out == in allowed. */
    int (*ecb)(void *lane, uint8_t *out, const uint8_t *in, size_t len);
    /* MAC of the concatenated parts, 32 or 48 bytes. */
    int (*hmac)(void *lane, uint8_t *out, const struct signet_span *parts, size_t num);
    int (*random)(uint8_t *out, size_t len);

    /* Around fork: wait until no thread is inside the library and hold newcomers; let go. */
    void (*fork_prepare)(void);
    void (*fork_parent)(void);
    void (*fork_child)(void);
};

/* signet_options.plain_calls; set before the handlers are started. */
extern bool signet_plain_calls;

extern const struct signet_handler signet_handler_nss;
extern const struct signet_handler signet_handler_openssl;
extern const struct signet_handler signet_handler_ipsec_mb; /* where it is built */

/* The calling thread's index: small, from 0; SIGNET_THREAD_MAX when all are taken. Taken at
 * the thread's first call, given back when it ends. */
enum { SIGNET_THREAD_MAX = 1024 };
unsigned signet_thread_index(void);

#endif
