/* SPDX-License-Identifier: MIT */
/*
 * HMAC on freebl's bare hashes with the padded key prepared: no lock, no allocation, and less
 * than half the time of C_SignInit and C_Sign. Where libfreebl3 is missing it goes through
 * softoken, which allocates in every operation. Which way is fixed as long as keys live.
 */
#include "crypto/nss_lib.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "crypto/nss_lowhash.h"

/* Keys have at most 64 bytes, so what follows them in a block of SHA-384 is padding alone. */
enum { HALF = 64, INNER = 0x36, OUTER = 0x5c };

union hmac_key {
    struct {
        uint8_t inner[HALF], outer[HALF];
    } freebl;
    struct signet_nss_object *object; /* by softoken */
};

/* By freebl. By softoken it is a struct signet_nss_lane. */
struct hash_lane {
    struct signet_nss_flag *flag;
    const union hmac_key *key;
    struct NSSLOWHASHContextStr *hash;
    unsigned bits;
    bool owned; /* hash is this lane's own */
};

/* A hash begins anew in every operation, so all keys of a thread index use the same two. */
static struct NSSLOWHASHContextStr *hashes[SIGNET_THREAD_MAX][2];

void signet_nss_hashes_free(void)
{
    for (unsigned i = 0; i < 2 * SIGNET_THREAD_MAX; i++) {
        struct NSSLOWHASHContextStr **hash = &hashes[i / 2][i % 2];
        if (*hash != NULL) {
            signet_nss_lowhash_free(*hash);
            *hash = NULL;
        }
    }
}

int signet_nss_hmac_key_new(void **out, const uint8_t *raw, size_t len)
{
    *out = NULL;
    union hmac_key *key = signet_secret_alloc(sizeof(*key));
    if (key == NULL) {
        return -SIGNET_E_NOMEM;
    }
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    int err = 0;
    signet_nss_enter(flag);
    if (!signet_nss_lib.lowhash) {
        err = signet_nss_object_get(&key->object, CKK_GENERIC_SECRET, raw, len);
    } else if (signet_nss_refuses(CKK_GENERIC_SECRET, raw, len)) {
        err = -SIGNET_E_HANDLER_FIPS;
    }
    signet_nss_leave(flag);
    if (err != 0) {
        signet_secret_free(key, sizeof(*key));
        return err;
    }
    for (size_t i = 0; signet_nss_lib.lowhash && i < HALF; i++) {
        key->freebl.inner[i] = (i < len ? raw[i] : 0) ^ INNER;
        key->freebl.outer[i] = (i < len ? raw[i] : 0) ^ OUTER;
    }
    *out = key;
    return 0;
}

void signet_nss_hmac_key_free(void *key_)
{
    union hmac_key *key = key_;
    if (!signet_nss_lib.lowhash) {
        struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
        signet_nss_enter(flag);
        signet_nss_object_put(key->object);
        signet_nss_leave(flag);
    }
    signet_secret_free(key, sizeof(*key));
}

static struct NSSLOWHASHContextStr *hash_of(unsigned index, unsigned bits, bool *owned)
{
    *owned = index >= SIGNET_THREAD_MAX;
    if (*owned) {
        return signet_nss_lowhash_new(bits);
    }
    struct NSSLOWHASHContextStr **hash = &hashes[index][bits == 384];
    if (*hash == NULL) {
        *hash = signet_nss_lowhash_new(bits);
    }
    return *hash;
}

int signet_nss_hmac_lane_new(void **out, enum signet_alg alg, const void *key, unsigned index)
{
    if (!signet_nss_lib.lowhash) {
        return signet_nss_lane_new(out, alg, ((const union hmac_key *)key)->object, index);
    }
    *out = NULL;
    struct hash_lane *lane = calloc(1, sizeof(*lane));
    if (lane == NULL) {
        return -SIGNET_E_NOMEM;
    }
    lane->flag = signet_nss_flag(index);
    lane->key = key;
    lane->bits = alg == SIGNET_ALG_HMAC_SHA256 ? 256 : 384;
    signet_nss_enter(lane->flag);
    lane->hash = hash_of(index, lane->bits, &lane->owned);
    signet_nss_leave(lane->flag);
    if (lane->hash == NULL) {
        free(lane);
        return -SIGNET_E_NOMEM;
    }
    *out = lane;
    return 0;
}

void signet_nss_hmac_lane_free(void *lane_)
{
    if (!signet_nss_lib.lowhash) {
        signet_nss_lane_free(lane_);
        return;
    }
    struct hash_lane *lane = lane_;
    if (lane->owned) {
        struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
        signet_nss_enter(flag);
        signet_nss_lowhash_free(lane->hash);
        signet_nss_leave(flag);
    }
    free(lane);
}

/* The key's block: 64 bytes, and for SHA-384 64 more of padding. */
static void begin(const struct hash_lane *lane, const uint8_t *half, int padding)
{
    signet_nss_lowhash_begin(lane->hash);
    signet_nss_lowhash_add(lane->hash, half, HALF);
    if (lane->bits == 384) {
        uint8_t rest[HALF];
        memset(rest, padding, sizeof(rest));
        signet_nss_lowhash_add(lane->hash, rest, sizeof(rest));
    }
}

static void by_freebl(const struct hash_lane *lane, uint8_t *out, const struct signet_span *parts,
                      size_t num)
{
    uint8_t digest[48];
    begin(lane, lane->key->freebl.inner, INNER);
    for (size_t i = 0; i < num; i++) {
        signet_nss_lowhash_add(lane->hash, parts[i].p, parts[i].len);
    }
    signet_nss_lowhash_end(lane->hash, digest, lane->bits);
    begin(lane, lane->key->freebl.outer, OUTER);
    signet_nss_lowhash_add(lane->hash, digest, lane->bits / 8);
    signet_nss_lowhash_end(lane->hash, out, lane->bits);
}

static CK_RV by_softoken(struct signet_nss_lane *lane, uint8_t *out,
                         const struct signet_span *parts, size_t num)
{
    const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
    bool small = lane->alg == SIGNET_ALG_HMAC_SHA256;
    CK_MECHANISM mechanism = {small ? CKM_SHA256_HMAC : CKM_SHA384_HMAC, NULL, 0};
    CK_ULONG got = small ? 32 : 48;
    CK_RV rv = fn->C_SignInit(lane->session, &mechanism, signet_nss_object_handle(lane->object));
    for (size_t i = 0; i < num && rv == CKR_OK; i++) {
        if (parts[i].len > 0) {
            rv = fn->C_SignUpdate(lane->session, (CK_BYTE_PTR)(uintptr_t)parts[i].p, parts[i].len);
        }
    }
    return rv == CKR_OK ? fn->C_SignFinal(lane->session, out, &got) : rv;
}

static int through_softoken(struct signet_nss_lane *lane, uint8_t *out,
                            const struct signet_span *parts, size_t num)
{
    signet_nss_enter(lane->flag);
    CK_RV rv = by_softoken(lane, out, parts, num);
    if (rv != CKR_OK && signet_nss_lane_again(lane, rv)) {
        rv = by_softoken(lane, out, parts, num);
    }
    signet_nss_leave(lane->flag);
    return rv == CKR_OK ? 0 : -SIGNET_E_HANDLER_FAILED;
}

int signet_nss_hmac(void *lane_, uint8_t *out, const struct signet_span *parts, size_t num)
{
    if (!signet_nss_lib.lowhash) {
        return through_softoken(lane_, out, parts, num);
    }
    const struct hash_lane *lane = lane_;
    signet_nss_enter(lane->flag);
    by_freebl(lane, out, parts, num);
    signet_nss_leave(lane->flag);
    return 0;
}
