/* SPDX-License-Identifier: MIT */
/* Softoken's own functions on sessions that are kept. The chaining value that a CBC session is left
 * with is the last block of ciphertext; XORing it away makes every message start from the fixed IV.
 */
#include "ref/ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nss.h>
#include <pkcs11.h>
#include <pk11pub.h>
#include <secmod.h>

struct state {
    CK_FUNCTION_LIST_3_0_PTR f;
    CK_SESSION_HANDLE enc, dec;
    uint8_t enc_last[16], dec_last[16];
};

static void xor_block(uint8_t *p, const uint8_t *a, const uint8_t *b)
{
    for (int i = 0; i < 16; i++) {
        p[i] = (uint8_t)(p[i] ^ a[i] ^ b[i]);
    }
}

static CK_SESSION_HANDLE session(struct state *s, CK_SLOT_ID id)
{
    CK_SESSION_HANDLE h = 0;
    return s->f->C_OpenSession(id, CKF_SERIAL_SESSION, NULL, NULL, &h) == CKR_OK ? h : 0;
}

/* The sessions and a key object. The slot is one of its own, as the sessions of a slot stand in
 * each other's way. */
static CK_OBJECT_HANDLE set_up(struct state *s, const uint8_t *key, const char *token)
{
    char spec[128];
    snprintf(spec, sizeof spec,
             "configDir='' tokenDescription='%s' flags=readOnly,noCertDB,noKeyDB,forceOpen", token);
    PK11SlotInfo *slot = ref_nss_start() == 0 ? SECMOD_OpenUserDB(spec) : NULL;
    if (!slot) {
        return 0;
    }
    CK_OBJECT_CLASS class = CKO_SECRET_KEY;
    CK_KEY_TYPE type = CKK_AES;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ATTRIBUTE attributes[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_VALUE, (void *)key, 16},      {CKA_ENCRYPT, &yes, sizeof yes},
        {CKA_DECRYPT, &yes, sizeof yes},   {CKA_TOKEN, &no, sizeof no}};
    CK_OBJECT_HANDLE object = 0;
    s->f = (CK_FUNCTION_LIST_3_0_PTR)PK11_GetModule(slot)->functionList;
    s->enc = session(s, PK11_GetSlotID(slot));
    s->dec = session(s, PK11_GetSlotID(slot));
    if (!s->enc || !s->dec || s->f->C_CreateObject(s->enc, attributes, 6, &object) != CKR_OK) {
        return 0;
    }
    return object;
}

static void drop(void *state)
{
    struct state *s = state;
    s->f->C_CloseSession(s->enc);
    s->f->C_CloseSession(s->dec);
    free(s);
}

static void *make_cbc(const uint8_t key[REF_KEY_LEN])
{
    struct state *s = calloc(1, sizeof *s);
    CK_MECHANISM m = {CKM_AES_CBC, (void *)ref_iv, 16};
    CK_OBJECT_HANDLE object = s ? set_up(s, key, "bench cbc") : 0;
    if (!object || s->f->C_EncryptInit(s->enc, &m, object) != CKR_OK ||
        s->f->C_DecryptInit(s->dec, &m, object) != CKR_OK) {
        free(s);
        return NULL;
    }
    memcpy(s->enc_last, ref_iv, 16);
    memcpy(s->dec_last, ref_iv, 16);
    return s;
}

static int cbc_seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    struct state *s = state;
    CK_ULONG whole = ref_pad(out, in, n), len = whole;
    xor_block(out, s->enc_last, ref_iv);
    if (s->f->C_EncryptUpdate(s->enc, out, whole, out, &len) != CKR_OK) {
        return -1;
    }
    memcpy(s->enc_last, out + whole - 16, 16);
    return (int)whole;
}

static int cbc_open(void *state, uint8_t *out, const uint8_t *in, int n)
{
    struct state *s = state;
    CK_ULONG len = (CK_ULONG)n;
    uint8_t last[16];
    memcpy(last, in + n - 16, 16);
    if (s->f->C_DecryptUpdate(s->dec, (uint8_t *)in, (CK_ULONG)n, out, &len) != CKR_OK) {
        return -1;
    }
    xor_block(out, s->dec_last, ref_iv);
    memcpy(s->dec_last, last, 16);
    return ref_unpad(out, n);
}

static void *make_gcm(const uint8_t key[REF_KEY_LEN])
{
    struct state *s = calloc(1, sizeof *s);
    CK_MECHANISM m = {CKM_AES_GCM, NULL, 0};
    CK_OBJECT_HANDLE object = s ? set_up(s, key, "bench gcm") : 0;
    if (!object || s->f->version.major < 3 ||
        s->f->C_MessageEncryptInit(s->enc, &m, object) != CKR_OK ||
        s->f->C_MessageDecryptInit(s->dec, &m, object) != CKR_OK) {
        free(s);
        return NULL;
    }
    return s;
}

static int gcm_seal(void *state, uint8_t *out, const uint8_t *in, size_t n,
                    const uint8_t nonce[REF_NONCE_LEN])
{
    struct state *s = state;
    CK_ULONG len = n;
    CK_GCM_MESSAGE_PARAMS p = {(uint8_t *)nonce, REF_NONCE_LEN, 0,
                               CKG_NO_GENERATE,  out + n,       8 * REF_TAG_LEN};
    return s->f->C_EncryptMessage(s->enc, &p, sizeof p, NULL, 0, (uint8_t *)in, n, out, &len) !=
           CKR_OK;
}

static int gcm_open(void *state, uint8_t *out, const uint8_t *in, size_t n,
                    const uint8_t nonce[REF_NONCE_LEN])
{
    struct state *s = state;
    CK_ULONG len = n;
    CK_GCM_MESSAGE_PARAMS p = {(uint8_t *)nonce, REF_NONCE_LEN,     0,
                               CKG_NO_GENERATE,  (uint8_t *)in + n, 8 * REF_TAG_LEN};
    return s->f->C_DecryptMessage(s->dec, &p, sizeof p, NULL, 0, (uint8_t *)in, n, out, &len) !=
           CKR_OK;
}

const struct ref_cipher ref_bare_nss = {"bare nss", make_cbc, drop, cbc_seal, cbc_open};
const struct ref_gcm ref_gcm_nss = {"bare nss", make_gcm, drop, gcm_seal, gcm_open};
