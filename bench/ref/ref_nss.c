/* SPDX-License-Identifier: MIT */
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

#include <nss.h>
#include <pk11pub.h>

static NSSInitContext *nss;

struct state {
    uint8_t key[REF_KEY_LEN];
    PK11SlotInfo *slot;
    PK11SymKey *sym;
    SECItem *param;
};

int ref_nss_start(void)
{
    static NSSInitParameters params = {.length = sizeof params};
    if (!nss) {
        nss = NSS_InitContext("", "", "", "", &params,
                              NSS_INIT_READONLY | NSS_INIT_NOCERTDB | NSS_INIT_NOMODDB |
                                  NSS_INIT_FORCEOPEN | NSS_INIT_NOROOTINIT);
    }
    return nss ? 0 : -1;
}

/* The key structures of one call or, when kept, of all calls. */
static int set_up(struct state *s, CK_ATTRIBUTE_TYPE operation)
{
    SECItem raw = {siBuffer, s->key, REF_KEY_LEN};
    SECItem iv = {siBuffer, (unsigned char *)ref_iv, sizeof ref_iv};
    s->slot = PK11_GetInternalSlot();
    s->sym = PK11_ImportSymKey(s->slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, operation, &raw, NULL);
    s->param = PK11_ParamFromIV(CKM_AES_CBC_PAD, &iv);
    return s->slot && s->sym && s->param ? 0 : -1;
}

static void tear_down(struct state *s)
{
    if (s->param) {
        SECITEM_FreeItem(s->param, PR_TRUE);
    }
    if (s->sym) {
        PK11_FreeSymKey(s->sym);
    }
    if (s->slot) {
        PK11_FreeSlot(s->slot);
    }
}

static void *make_naive(const uint8_t key[REF_KEY_LEN])
{
    struct state *s = ref_nss_start() == 0 ? calloc(1, sizeof *s) : NULL;
    if (s) {
        memcpy(s->key, key, REF_KEY_LEN);
    }
    return s;
}

static void *make_cached(const uint8_t key[REF_KEY_LEN])
{
    struct state *s = make_naive(key);
    if (s && set_up(s, CKA_ENCRYPT)) {
        tear_down(s);
        free(s);
        return NULL;
    }
    return s;
}

static void drop(void *state)
{
    tear_down(state);
    free(state);
}

static int crypt_one(const struct state *s, CK_ATTRIBUTE_TYPE operation, uint8_t *out,
                     const uint8_t *in, int n)
{
    int len = 0;
    unsigned rest = 0;
    PK11Context *ctx = PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, operation, s->sym, s->param);
    if (!ctx) {
        return -1;
    }
    SECStatus ok = PK11_CipherOp(ctx, out, &len, n + 16, in, n);
    if (ok == SECSuccess) {
        ok = PK11_DigestFinal(ctx, out + len, &rest, (unsigned)(n + 16 - len));
    }
    PK11_DestroyContext(ctx, PR_TRUE);
    return ok == SECSuccess ? len + (int)rest : -1;
}

static int naive(const struct state *kept, CK_ATTRIBUTE_TYPE operation, uint8_t *out,
                 const uint8_t *in, int n)
{
    struct state s = {0};
    memcpy(s.key, kept->key, REF_KEY_LEN);
    int len = set_up(&s, operation) == 0 ? crypt_one(&s, operation, out, in, n) : -1;
    tear_down(&s);
    return len;
}

static int naive_seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return naive(state, CKA_ENCRYPT, out, in, n);
}

static int naive_open(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return naive(state, CKA_DECRYPT, out, in, n);
}

static int cached_seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return crypt_one(state, CKA_ENCRYPT, out, in, n);
}

static int cached_open(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return crypt_one(state, CKA_DECRYPT, out, in, n);
}

const struct ref_cipher ref_naive_nss = {"naive nss", make_naive, drop, naive_seal, naive_open};
const struct ref_cipher ref_cached_nss = {"cached nss", make_cached, drop, cached_seal,
                                          cached_open};
