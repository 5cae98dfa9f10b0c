/* SPDX-License-Identifier: MIT */
/* Intel's multi-buffer library, one message at a time. */
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

#ifdef BENCH_IPSEC_MB
#include <intel-ipsec-mb.h>

struct state {
    struct gcm_key_data key;
    IMB_MGR *mgr;
} __attribute__((aligned(64)));

static void *make(const uint8_t key[REF_KEY_LEN])
{
    struct state *s = aligned_alloc(64, sizeof *s);
    IMB_MGR *mgr = alloc_mb_mgr(0);
    if (!s || !mgr) {
        return NULL;
    }
    init_mb_mgr_auto(mgr, NULL);
    s->mgr = mgr;
    IMB_AES128_GCM_PRE(mgr, key, &s->key);
    return s;
}

static void drop(void *state)
{
    struct state *s = state;
    free_mb_mgr(s->mgr);
    free(s);
}

static int seal(void *state, uint8_t *out, const uint8_t *in, size_t n,
                const uint8_t nonce[REF_NONCE_LEN])
{
    struct state *s = state;
    struct gcm_context_data context;
    IMB_AES128_GCM_ENC(s->mgr, &s->key, &context, out, in, n, nonce, NULL, 0, out + n, REF_TAG_LEN);
    return 0;
}

static int open_one(void *state, uint8_t *out, const uint8_t *in, size_t n,
                    const uint8_t nonce[REF_NONCE_LEN])
{
    struct state *s = state;
    struct gcm_context_data context;
    uint8_t tag[REF_TAG_LEN], bad = 0;
    IMB_AES128_GCM_DEC(s->mgr, &s->key, &context, out, in, n, nonce, NULL, 0, tag, REF_TAG_LEN);
    for (int i = 0; i < REF_TAG_LEN; i++) {
        bad = (uint8_t)(bad | (tag[i] ^ in[n + (size_t)i]));
    }
    return bad;
}

const char *ref_ipsec_mb_version(void)
{
    return imb_get_version_str();
}

#else

static void *make(const uint8_t key[REF_KEY_LEN])
{
    (void)key;
    return NULL;
}

static void drop(void *state)
{
    (void)state;
}

static int seal(void *state, uint8_t *out, const uint8_t *in, size_t n,
                const uint8_t nonce[REF_NONCE_LEN])
{
    (void)state, (void)out, (void)in, (void)n, (void)nonce;
    return -1;
}

#define open_one seal

const char *ref_ipsec_mb_version(void)
{
    return "not built in";
}
#endif

const struct ref_gcm ref_gcm_ipsec_mb = {"bare ipsec-mb", make, drop, seal, open_one};
