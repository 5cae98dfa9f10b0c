/* SPDX-License-Identifier: MIT */
/*
 * What the files of the NSS handler share. Everything here is called inside the gate
 * (crypto/nss_gate.h) unless it says otherwise.
 *
 * A secret becomes one softoken object, shared by all that use the same bytes, in one of our own
 * slots; each lane is a session of that slot with an operation that is never ended.
 */
#ifndef SIGNET_CRYPTO_NSS_LIB_H
#define SIGNET_CRYPTO_NSS_LIB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nss.h>
#include <pk11pub.h>
#include <pkcs11.h>
#include <secmod.h>

#include "crypto/handler.h"
#include "crypto/nss_freebl.h"
#include "crypto/nss_gate.h"

/* Set by start, cleared by stop; constant in between. */
struct signet_nss_lib {
    NSSInitContext *context;
    SECMODModule *module;           /* lives as long as our slots */
    const CK_FUNCTION_LIST_3_0 *fn; /* softoken's functions */
    bool lowhash;                   /* HMAC by freebl's hashes, see nss_lowhash.h */
    bool midstate;                  /* and from half-way states, see nss_midstate.h */
    bool freebl;                    /* AES by freebl's contexts, see nss_freebl.h */
};
extern struct signet_nss_lib signet_nss_lib;

/* Outside the gate. The handler's functions of the same names. */
int signet_nss_start(char *why, size_t cap);
void signet_nss_stop(void);
bool signet_nss_fips(void);
/* Whether NSS is in FIPS mode now and refuses to import this secret: asked with a real import
 * into its current internal slot. */
bool signet_nss_refuses(CK_KEY_TYPE type, const uint8_t *raw, size_t len);

/* --- slots (nss_slots.c) --- */

/* A slot of ours and a session that holds its objects. Guarded by the objects' lock. */
struct signet_nss_slot {
    PK11SlotInfo *pk11; /* the reference that keeps NSS from being shut down under us */
    CK_SLOT_ID id;
    CK_SESSION_HANDLE holder;
    unsigned objects;
};

/* The number of the slot for one more object; slots are opened on demand. -1: there is none. */
int signet_nss_slot_take(void);
struct signet_nss_slot *signet_nss_slot(unsigned number);
void signet_nss_slots_close(void);
unsigned signet_nss_slots_open(void);

/* --- objects (nss_object.c) --- */

struct signet_nss_object;

/* Imports the secret or takes a reference to the object that holds it already.
 * -HANDLER_FIPS, -HANDLER_FAILED, -NOMEM. */
int signet_nss_object_get(struct signet_nss_object **out, CK_KEY_TYPE type, const uint8_t *raw,
                          size_t len);
void signet_nss_object_put(struct signet_nss_object *object);
CK_OBJECT_HANDLE signet_nss_object_handle(const struct signet_nss_object *object);
CK_SLOT_ID signet_nss_object_slot(const struct signet_nss_object *object);
/* The secret, where freebl's contexts are made of it and softoken has no object; else NULL. */
const uint8_t *signet_nss_object_raw(const struct signet_nss_object *object, size_t *len);
/* Imports the secret again when softoken has lost the object of that handle. */
CK_RV signet_nss_object_renew(struct signet_nss_object *object, CK_OBJECT_HANDLE lost);

/* --- lanes (nss_lane.c) --- */

/* A context of freebl, NULL where a session takes its place, and for CBC the chaining value that it
 * or the session holds. */
struct signet_nss_chain {
    void *context;
    uint8_t last[16];
};

/* A session with an operation under way, or contexts of freebl. session is 0 and chain.context NULL
 * when it must be made anew. Each operation writes to it, so it has cache lines of its own. */
struct signet_nss_lane {
    _Alignas(64) struct signet_nss_flag *flag;
    struct signet_nss_object *object;
    signet_nss_crypt *crypt; /* CBC, ECB: with the context */
    CK_SESSION_HANDLE session;
    struct signet_nss_chain chain;
    uint16_t index; /* at most SIGNET_THREAD_MAX */
    uint8_t alg;
    bool opens;
    struct signet_nss_chain next; /* sealing CBC with contexts: the message after this one's */
};
_Static_assert(sizeof(struct signet_nss_lane) == 128, "a lane is two cache lines");

/* freebl and softoken count in unsigned int. */
#define SIGNET_NSS_PART_MAX 0x40000000U

/* Blocks, at most SIGNET_NSS_PART_MAX bytes, through the operation of a lane. */
static inline CK_RV signet_nss_update(const struct signet_nss_lane *lane, uint8_t *out,
                                      const uint8_t *in, size_t len)
{
    if (lane->chain.context != NULL) {
        unsigned int part = (unsigned int)len, got = part;
        int failed = lane->crypt(lane->chain.context, out, &got, part, in, part);
        return failed == 0 && got == part ? CKR_OK : CKR_GENERAL_ERROR;
    }
    const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
    CK_BYTE_PTR from = (CK_BYTE_PTR)(uintptr_t)in;
    CK_ULONG got = len;
    CK_RV rv = lane->opens ? fn->C_DecryptUpdate(lane->session, from, len, out, &got)
                           : fn->C_EncryptUpdate(lane->session, from, len, out, &got);
    return rv == CKR_OK && got != len ? CKR_GENERAL_ERROR : rv;
}

/* Session and operation, or context; also used to make them anew. */
CK_RV signet_nss_lane_open(struct signet_nss_lane *lane);
void signet_nss_lane_close(struct signet_nss_lane *lane);
/* After a call that returned rv (not CKR_OK): drops the session. True when the call did not
 * touch any data and the lane has been made anew, so that it can be repeated. */
bool signet_nss_lane_again(struct signet_nss_lane *lane, CK_RV rv);

/* Whether freebl's contexts give what sessions of softoken give. Outside the gate, before the
 * handler is used; leaves signet_nss_lib.freebl false. */
bool signet_nss_freebl_agrees(void);

/* Outside the gate: members of the handler's table and what they call. */
int signet_nss_lane_new(void **out, enum signet_alg alg, struct signet_nss_object *object,
                        unsigned index);
void signet_nss_lane_free(void *lane);
int signet_nss_cbc(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16]);
int signet_nss_ctr(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16]);
int signet_nss_ecb(void *lane, uint8_t *out, const uint8_t *in, size_t len);
int signet_nss_gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t nonce[12]);
int signet_nss_gcm_open(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t nonce[12]);

/* --- HMAC (nss_hmac.c), outside the gate --- */

int signet_nss_hmac_key_new(void **out, enum signet_alg alg, const uint8_t *raw, size_t len);
void signet_nss_hmac_key_free(void *key);
int signet_nss_hmac_lane_new(void **out, enum signet_alg alg, const void *key, unsigned index);
void signet_nss_hmac_lane_free(void *lane);
int signet_nss_hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num);

/* What the lanes of all thread indices shared; inside the gate, when no lane is left. */
void signet_nss_hashes_free(void);

/* 0 or the error for a softoken result. */
int signet_nss_err(CK_RV rv);

#endif
