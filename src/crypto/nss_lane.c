/* SPDX-License-Identifier: MIT */
#include "crypto/nss_lib.h"

#include <stdlib.h>
#include <string.h>

/*
 * softoken picks the lock of a session by the low bits of its handle, which counts up, and the
 * locks lie side by side in memory. Two sessions with equal or neighbouring handles slow each
 * other down to half the speed, so each thread gets handles of a residue of its own: 16 threads
 * are apart for certain, more of them by chance. A handle that does not fit is given back; an
 * attempt costs 0.2 us.
 */
#define RESIDUES 64U
#define APART    4U

static CK_RV open_session(CK_SLOT_ID slot, unsigned index, CK_SESSION_HANDLE *session)
{
    const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
    CK_SESSION_HANDLE want = index * APART % RESIDUES;
    for (unsigned tries = 0;; tries++) {
        CK_RV rv = fn->C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, session);
        if (rv != CKR_OK || *session % RESIDUES == want || tries > 2 * RESIDUES) {
            return rv;
        }
        (void)fn->C_CloseSession(*session);
    }
}

static CK_RV begin(struct signet_nss_lane *lane, CK_SESSION_HANDLE session)
{
    const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
    CK_OBJECT_HANDLE key = signet_nss_object_handle(lane->object);
    CK_MECHANISM gcm = {CKM_AES_GCM, NULL, 0};
    CK_MECHANISM cbc = {CKM_AES_CBC, lane->chain.last, sizeof(lane->chain.last)};
    CK_MECHANISM ecb = {CKM_AES_ECB, NULL, 0};
    CK_OBJECT_CLASS class;
    CK_ATTRIBUTE what = {CKA_CLASS, &class, sizeof(class)};
    switch (lane->alg) {
    case SIGNET_ALG_CBC128_SEAL:
    case SIGNET_ALG_CBC256_SEAL:
        return fn->C_EncryptInit(session, &cbc, key);
    case SIGNET_ALG_CBC128_OPEN:
    case SIGNET_ALG_CBC256_OPEN:
        return fn->C_DecryptInit(session, &cbc, key);
    case SIGNET_ALG_CTR256:
    case SIGNET_ALG_ECB128_SEAL:
        return fn->C_EncryptInit(session, &ecb, key);
    case SIGNET_ALG_GCM128_SEAL:
    case SIGNET_ALG_GCM256_SEAL:
        return fn->C_MessageEncryptInit(session, &gcm, key);
    case SIGNET_ALG_GCM128_OPEN:
    case SIGNET_ALG_GCM256_OPEN:
        return fn->C_MessageDecryptInit(session, &gcm, key);
    default: /* HMAC begins anew for each message; is the object there? */
        return fn->C_GetAttributeValue(session, key, &what, 1);
    }
}

/* Once more with a new import when the object is gone. */
static CK_RV begin_or_renew(struct signet_nss_lane *lane, CK_SESSION_HANDLE session)
{
    CK_OBJECT_HANDLE key = signet_nss_object_handle(lane->object);
    CK_RV rv = begin(lane, session);
    if (rv == CKR_KEY_HANDLE_INVALID || rv == CKR_OBJECT_HANDLE_INVALID) {
        rv = signet_nss_object_renew(lane->object, key);
        if (rv == CKR_OK) {
            rv = begin(lane, session);
        }
    }
    return rv;
}

static void drop_context(struct signet_nss_chain *chain)
{
    if (chain->context != NULL) {
        signet_nss_context_free(chain->context);
        chain->context = NULL;
    }
}

void signet_nss_lane_close(struct signet_nss_lane *lane)
{
    if (lane->session != CK_INVALID_HANDLE) {
        (void)signet_nss_lib.fn->C_CloseSession(lane->session);
        lane->session = CK_INVALID_HANDLE;
    }
    drop_context(&lane->chain);
    drop_context(&lane->next);
}

static CK_RV make_contexts(struct signet_nss_lane *lane, const uint8_t *raw, size_t len)
{
    bool in_turn = lane->alg == SIGNET_ALG_CBC128_SEAL || lane->alg == SIGNET_ALG_CBC256_SEAL;
    lane->chain.context = signet_nss_context_new(lane->alg, raw, len, &lane->crypt);
    if (lane->chain.context != NULL && in_turn) {
        lane->next = (struct signet_nss_chain){
            .context = signet_nss_context_new(lane->alg, raw, len, &lane->crypt),
        };
    }
    if (lane->chain.context != NULL && (!in_turn || lane->next.context != NULL)) {
        return CKR_OK;
    }
    signet_nss_lane_close(lane);
    return CKR_HOST_MEMORY;
}

CK_RV signet_nss_lane_open(struct signet_nss_lane *lane)
{
    CK_SESSION_HANDLE session = CK_INVALID_HANDLE;
    size_t len;
    const uint8_t *raw = signet_nss_object_raw(lane->object, &len);
    memset(lane->chain.last, 0, sizeof(lane->chain.last));
    if (raw != NULL) {
        return make_contexts(lane, raw, len);
    }
    CK_RV rv = open_session(signet_nss_object_slot(lane->object), lane->index, &session);
    if (rv != CKR_OK) {
        return rv;
    }
    rv = begin_or_renew(lane, session);
    if (rv != CKR_OK) {
        (void)signet_nss_lib.fn->C_CloseSession(session);
        return rv;
    }
    lane->session = session;
    return CKR_OK;
}

int signet_nss_lane_new(void **out, enum signet_alg alg, struct signet_nss_object *object,
                        unsigned index)
{
    *out = NULL;
    struct signet_nss_lane *lane = aligned_alloc(64, sizeof(*lane));
    if (lane == NULL) {
        return -SIGNET_E_NOMEM;
    }
    *lane = (struct signet_nss_lane){
        .flag = signet_nss_flag(index),
        .object = object,
        .index = (uint16_t)index,
        .alg = (uint8_t)alg,
        .opens = signet_alg_opens(alg),
    };
    signet_nss_enter(lane->flag);
    CK_RV rv = signet_nss_lane_open(lane);
    signet_nss_leave(lane->flag);
    if (rv != CKR_OK) {
        free(lane);
        return signet_nss_err(rv);
    }
    *out = lane;
    return 0;
}

void signet_nss_lane_free(void *lane)
{
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    signet_nss_enter(flag);
    signet_nss_lane_close(lane);
    signet_nss_leave(flag);
    free(lane);
}

/* Results of a call that found no session or no operation, and so did nothing. */
static bool is_lost(CK_RV rv)
{
    return rv == CKR_SESSION_HANDLE_INVALID || rv == CKR_SESSION_CLOSED ||
           rv == CKR_OPERATION_NOT_INITIALIZED || rv == CKR_DEVICE_ERROR ||
           rv == CKR_DEVICE_REMOVED || rv == CKR_KEY_HANDLE_INVALID;
}

bool signet_nss_lane_again(struct signet_nss_lane *lane, CK_RV rv)
{
    signet_nss_lane_close(lane);
    return is_lost(rv) && signet_nss_lane_open(lane) == CKR_OK;
}
