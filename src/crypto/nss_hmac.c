/* SPDX-License-Identifier: MIT */
/*
 * HMAC on freebl's bare hashes with the padded key prepared, or better already hashed: no lock, no
 * allocation, and less than half the time of C_SignInit and C_Sign. Where libfreebl3 is missing it
 * goes through softoken, which allocates in every operation. Which way is fixed as long as keys
 * live.
 */
#include "crypto/nss_lib.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "crypto/nss_lowhash.h"
#include "crypto/nss_midstate.h"

/* Keys have at most 64 bytes, so what follows them in a block of SHA-384 is padding alone. */
enum { HALF = 64, INNER = 0x36, OUTER = 0x5c };

union hmac_key {
    struct {
        uint8_t inner[HALF], outer[HALF]; /* the padded key, or the states behind it */
    } freebl;
    struct signet_nss_object *object; /* by softoken */
};

/* By freebl. By softoken it is a struct signet_nss_lane. */
struct hash_lane {
    struct signet_nss_flag *flag;
    const union hmac_key *key;
    void *hash; /* of nss_midstate.h or nss_lowhash.h */
    unsigned bits;
    bool owned; /* hash is this lane's own */
};

/* A hash begins anew in every operation, so all keys of a thread index use the same two. */
static void *hashes[SIGNET_THREAD_MAX][2];

static void *new_hash(unsigned bits)
{
    return signet_nss_lib.midstate ? signet_nss_midstate_new(bits) : signet_nss_lowhash_new(bits);
}

static void free_hash(void *hash, unsigned bits)
{
    if (signet_nss_lib.midstate) {
        signet_nss_midstate_free(hash, bits);
    } else {
        signet_nss_lowhash_free(hash);
    }
}

void signet_nss_hashes_free(void)
{
    for (unsigned i = 0; i < 2 * SIGNET_THREAD_MAX; i++) {
        void **hash = &hashes[i / 2][i % 2];
        if (*hash != NULL) {
            free_hash(*hash, i % 2 == 0 ? 256 : 384);
            *hash = NULL;
        }
    }
}

/* The key's block: 64 bytes, and for SHA-384 64 more of padding. */
static void key_block(uint8_t block[2 * HALF], const uint8_t *raw, size_t len, uint8_t mask)
{
    memset(block, mask, (size_t)2 * HALF);
    for (size_t i = 0; i < len; i++) {
        block[i] ^= raw[i];
    }
}

/* One of the two halves of a key that is used through freebl. */
static bool make_half(uint8_t half[HALF], const uint8_t *raw, size_t len, uint8_t mask,
                      unsigned bits)
{
    uint8_t block[2 * HALF];
    bool ok = true;
    key_block(block, raw, len, mask);
    if (signet_nss_lib.midstate) {
        ok = signet_nss_midstate_of(half, block, bits);
    } else {
        memcpy(half, block, HALF);
    }
    signet_wipe(block, sizeof(block));
    return ok;
}

int signet_nss_hmac_key_new(void **out, enum signet_alg alg, const uint8_t *raw, size_t len)
{
    *out = NULL;
    union hmac_key *key = signet_secret_alloc(sizeof(*key));
    if (key == NULL) {
        return -SIGNET_E_NOMEM;
    }
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    unsigned bits = alg == SIGNET_ALG_HMAC_SHA256 ? 256 : 384;
    int err = 0;
    signet_nss_enter(flag);
    if (!signet_nss_lib.lowhash) {
        err = signet_nss_object_get(&key->object, CKK_GENERIC_SECRET, raw, len);
    } else if (signet_nss_refuses(CKK_GENERIC_SECRET, raw, len)) {
        err = -SIGNET_E_HANDLER_FIPS;
    } else if (!make_half(key->freebl.inner, raw, len, INNER, bits) ||
               !make_half(key->freebl.outer, raw, len, OUTER, bits)) {
        err = -SIGNET_E_NOMEM;
    }
    signet_nss_leave(flag);
    if (err != 0) {
        signet_secret_free(key, sizeof(*key));
        return err;
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

static void *hash_of(unsigned index, unsigned bits, bool *owned)
{
    *owned = index >= SIGNET_THREAD_MAX;
    if (*owned) {
        return new_hash(bits);
    }
    void **hash = &hashes[index][bits == 384];
    if (*hash == NULL) {
        *hash = new_hash(bits);
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
        free_hash(lane->hash, lane->bits);
        signet_nss_leave(flag);
    }
    free(lane);
}

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

static void from_states(const struct hash_lane *lane, uint8_t *out, const struct signet_span *parts,
                        size_t num)
{
    uint8_t digest[48];
    unsigned bits = lane->bits;
    signet_nss_midstate_begin(lane->hash, lane->key->freebl.inner, bits);
    for (size_t i = 0; i < num; i++) {
        signet_nss_midstate_add(lane->hash, parts[i].p, parts[i].len, bits);
    }
    signet_nss_midstate_end(lane->hash, digest, bits);
    signet_nss_midstate_begin(lane->hash, lane->key->freebl.outer, bits);
    signet_nss_midstate_add(lane->hash, digest, bits / 8, bits);
    signet_nss_midstate_end(lane->hash, out, bits);
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
    if (signet_nss_lib.midstate) {
        from_states(lane, out, parts, num);
    } else {
        by_freebl(lane, out, parts, num);
    }
    signet_nss_leave(lane->flag);
    return 0;
}
