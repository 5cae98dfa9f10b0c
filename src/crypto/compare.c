/* SPDX-License-Identifier: MIT */
#include "crypto/compare.h"

#include <string.h>

#define LONGEST 4096

struct texts {
    uint8_t in[LONGEST], a[LONGEST + 16], b[LONGEST + 16];
};

/* CBC, CTR and blocks. */
static int run(enum signet_alg alg, const struct signet_way *w, uint8_t *out, const uint8_t *in,
               size_t len)
{
    uint8_t iv[16];
    memset(iv, (int)(len % 255), sizeof(iv));
    switch (alg) {
    case SIGNET_ALG_ECB128_SEAL:
        return w->functions->ecb(w->lane, out, in, len);
    case SIGNET_ALG_CTR256:
        return w->functions->ctr(w->lane, out, in, len, iv);
    default:
        return w->functions->cbc(w->lane, out, in, len, iv);
    }
}

static bool same_text(enum signet_alg alg, const struct signet_way *known,
                      const struct signet_way *fresh, struct texts *t, size_t len)
{
    memcpy(t->b, t->in, len); /* in place */
    return run(alg, known, t->a, t->in, len) == 0 && run(alg, fresh, t->b, t->b, len) == 0 &&
           memcmp(t->a, t->b, len) == 0 && run(alg, fresh, t->b, t->in, len) == 0 &&
           memcmp(t->a, t->b, len) == 0;
}

static bool same_seal(const struct signet_way *known, const struct signet_way *fresh,
                      struct texts *t, size_t len)
{
    uint8_t nonce[12];
    memset(nonce, (int)(len % 255), sizeof(nonce));
    memcpy(t->b, t->in, len);
    return known->functions->gcm_seal(known->lane, t->a, t->in, len, nonce) == 0 &&
           fresh->functions->gcm_seal(fresh->lane, t->b, t->b, len, nonce) == 0 &&
           memcmp(t->a, t->b, len + 16) == 0;
}

/* Opens what the known way sealed, and refuses it with one bit changed. */
static bool same_open(const struct signet_way *known, const struct signet_way *fresh,
                      struct texts *t, size_t len)
{
    uint8_t nonce[12];
    memset(nonce, (int)(len % 255), sizeof(nonce));
    if (known->functions->gcm_seal(known->lane, t->a, t->in, len, nonce) != 0 ||
        fresh->functions->gcm_open(fresh->lane, t->b, t->a, len, nonce) != 0 ||
        memcmp(t->b, t->in, len) != 0) {
        return false;
    }
    t->a[len + len % 16] ^= 1;
    return fresh->functions->gcm_open(fresh->lane, t->b, t->a, len, nonce) == -SIGNET_E_OPEN;
}

bool signet_ways_agree(enum signet_alg alg, const struct signet_way *known,
                       const struct signet_way *fresh)
{
    static struct texts t;
    bool gcm = signet_alg_is_gcm(alg), any = gcm || alg == SIGNET_ALG_CTR256, ok = true;
    for (size_t i = 0; i < LONGEST; i++) {
        t.in[i] = (uint8_t)(i * 131 + (i >> 8));
    }
    /* Every length at first, then sparser ones up to the longest. */
    size_t step = any ? 1 : 16;
    for (size_t len = any ? 0 : 16; ok && len <= LONGEST;
         len += len < 40 * step ? step : 13 * step) {
        ok = !gcm                    ? same_text(alg, known, fresh, &t, len)
             : signet_alg_opens(alg) ? same_open(known, fresh, &t, len)
                                     : same_seal(known, fresh, &t, len);
    }
    return ok;
}
