/* SPDX-License-Identifier: MIT */
/*
 * HMAC on freebl's bare hashes with the two padded key blocks prepared: no lock, no allocation,
 * and less than half the time of C_SignInit and C_Sign. Where libfreebl3 is missing it goes
 * through softoken, which allocates in every operation.
 */
#include "crypto/nss_lib.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "crypto/nss_lowhash.h"

#define BLOCK_MAX 128

struct hmac_key {
    struct signet_nss_object *object; /* NULL: by freebl */
    uint8_t inner[BLOCK_MAX], outer[BLOCK_MAX];
};

struct hmac_lane {
    struct signet_nss_lane lane; /* by softoken; flag is set for both ways */
    const struct hmac_key *key;
    struct NSSLOWHASHContextStr *hash;
};

static unsigned bits_of(enum signet_alg alg)
{
    return alg == SIGNET_ALG_HMAC_SHA256 ? 256 : 384;
}

static size_t block_of(enum signet_alg alg)
{
    return alg == SIGNET_ALG_HMAC_SHA256 ? 64 : BLOCK_MAX;
}

static void pad(struct hmac_key *key, const uint8_t *raw, size_t len)
{
    for (size_t i = 0; i < BLOCK_MAX; i++) {
        uint8_t byte = i < len ? raw[i] : 0;
        key->inner[i] = byte ^ 0x36;
        key->outer[i] = byte ^ 0x5c;
    }
}

int signet_nss_hmac_key_new(void **out, enum signet_alg alg, const uint8_t *raw, size_t len)
{
    (void)alg;
    *out = NULL;
    struct hmac_key *key = signet_secret_alloc(sizeof(*key));
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
    pad(key, raw, len);
    *out = key;
    return 0;
}

void signet_nss_hmac_key_free(void *key_)
{
    struct hmac_key *key = key_;
    if (key->object != NULL) {
        struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
        signet_nss_enter(flag);
        signet_nss_object_put(key->object);
        signet_nss_leave(flag);
    }
    signet_secret_free(key, sizeof(*key));
}

int signet_nss_hmac_lane_new(void **out, enum signet_alg alg, const void *key_, unsigned index)
{
    const struct hmac_key *key = key_;
    struct hmac_lane *lane = aligned_alloc(64, sizeof(*lane));
    *out = NULL;
    if (lane == NULL) {
        return -SIGNET_E_NOMEM;
    }
    memset(lane, 0, sizeof(*lane));
    lane->key = key;
    lane->lane.alg = alg;
    lane->lane.index = index;
    lane->lane.flag = signet_nss_flag(index);
    lane->lane.object = key->object;
    int err;
    signet_nss_enter(lane->lane.flag);
    if (key->object != NULL) {
        err = signet_nss_err(signet_nss_lane_open(&lane->lane));
    } else {
        lane->hash = signet_nss_lowhash_new(bits_of(alg));
        err = lane->hash != NULL ? 0 : -SIGNET_E_NOMEM;
    }
    signet_nss_leave(lane->lane.flag);
    if (err != 0) {
        free(lane);
        return err;
    }
    *out = lane;
    return 0;
}

void signet_nss_hmac_lane_free(void *lane_)
{
    struct hmac_lane *lane = lane_;
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    signet_nss_enter(flag);
    signet_nss_lane_close(&lane->lane);
    signet_nss_lowhash_free(lane->hash);
    signet_nss_leave(flag);
    free(lane);
}

static void by_freebl(struct hmac_lane *lane, uint8_t *out, const struct signet_span *parts,
                      size_t num)
{
    size_t block = block_of(lane->lane.alg);
    unsigned bits = bits_of(lane->lane.alg);
    signet_nss_lowhash_begin(lane->hash);
    signet_nss_lowhash_add(lane->hash, lane->key->inner, block);
    for (size_t i = 0; i < num; i++) {
        signet_nss_lowhash_add(lane->hash, parts[i].p, parts[i].len);
    }
    uint8_t digest[48];
    signet_nss_lowhash_end(lane->hash, digest, bits);
    signet_nss_lowhash_begin(lane->hash);
    signet_nss_lowhash_add(lane->hash, lane->key->outer, block);
    signet_nss_lowhash_add(lane->hash, digest, bits / 8);
    signet_nss_lowhash_end(lane->hash, out, bits);
}

static CK_RV by_softoken(struct signet_nss_lane *lane, uint8_t *out,
                         const struct signet_span *parts, size_t num)
{
    const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
    CK_MECHANISM mechanism = {
        lane->alg == SIGNET_ALG_HMAC_SHA256 ? CKM_SHA256_HMAC : CKM_SHA384_HMAC, NULL, 0};
    if (lane->session == CK_INVALID_HANDLE) {
        return CKR_SESSION_HANDLE_INVALID;
    }
    CK_RV rv = fn->C_SignInit(lane->session, &mechanism, signet_nss_object_handle(lane->object));
    for (size_t i = 0; i < num && rv == CKR_OK; i++) {
        rv = parts[i].len > 0
                 ? fn->C_SignUpdate(lane->session, (CK_BYTE_PTR)(uintptr_t)parts[i].p, parts[i].len)
                 : CKR_OK;
    }
    CK_ULONG got = bits_of(lane->alg) / 8;
    return rv == CKR_OK ? fn->C_SignFinal(lane->session, out, &got) : rv;
}

int signet_nss_hmac(void *lane_, uint8_t *out, const struct signet_span *parts, size_t num)
{
    struct hmac_lane *lane = lane_;
    CK_RV rv = CKR_OK;
    signet_nss_enter(lane->lane.flag);
    if (lane->hash != NULL) {
        by_freebl(lane, out, parts, num);
    } else {
        rv = by_softoken(&lane->lane, out, parts, num);
        if (rv != CKR_OK && signet_nss_lane_again(&lane->lane, rv)) {
            rv = by_softoken(&lane->lane, out, parts, num);
        }
    }
    signet_nss_leave(lane->lane.flag);
    return rv == CKR_OK ? 0 : -SIGNET_E_HANDLER_FAILED;
}
