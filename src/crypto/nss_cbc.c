/* SPDX-License-Identifier: MIT */
/* The streaming operation of a lane (of softoken or of freebl) is never begun anew. */
#include "crypto/cbc_chain.h"
#include "crypto/nss_lib.h"

/* Lost after the first part: in place that one is overwritten, and can't be done once more. */
static CK_RV update_parts(const struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in,
                          size_t len)
{
    CK_RV rv = CKR_OK;
    bool untouched = true;
    while (rv == CKR_OK && len > 0) {
        size_t part = len < SIGNET_NSS_PART_MAX ? len : SIGNET_NSS_PART_MAX;
        rv = signet_nss_update(lane, out, in, part);
        in += part;
        out += part;
        len -= part;
        untouched = untouched && rv != CKR_OK;
    }
    return rv == CKR_OK || untouched ? rv : CKR_GENERAL_ERROR;
}

static inline unsigned long update(void *lane, uint8_t *out, const uint8_t *in, size_t len)
{
    return __builtin_expect(len > SIGNET_NSS_PART_MAX, 0) ? update_parts(lane, out, in, len)
                                                          : signet_nss_update(lane, out, in, len);
}

/* A chain's next message can't begin before its last one is done, although each block waits for the
 * one before and leaves the AES unit idle most of the time. On two chains in turn the processor
 * begins a message while the one before is still under way. */
static inline void take_turns(struct signet_nss_lane *lane)
{
    if (lane->next.context != NULL) {
        void *done = lane->chain.context;
        lane->chain.context = lane->next.context;
        lane->next.context = done;
        signet_block last = *(const signet_block *)lane->chain.last;
        *(signet_block *)lane->chain.last = *(const signet_block *)lane->next.last;
        *(signet_block *)lane->next.last = last;
    }
}

/* Inline in any case: what stands between two messages keeps them from overlapping. */
static inline __attribute__((always_inline)) CK_RV
once(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *iv)
{
    if (lane->opens) {
        return signet_cbc_open(lane->chain.last, update, lane, out, in, len, iv);
    }
    CK_RV rv = signet_cbc_seal(lane->chain.last, update, lane, out, in, len, iv);
    if (rv == CKR_OK) {
        take_turns(lane);
    }
    return rv;
}

/* A session of 0, as a failure leaves it, is refused by softoken, and so it or a context is made
 * anew. */
static __attribute__((noinline)) CK_RV again(struct signet_nss_lane *lane, CK_RV rv, uint8_t *out,
                                             const uint8_t *in, size_t len, const uint8_t *iv)
{
    if (signet_nss_lane_again(lane, rv)) {
        rv = once(lane, out, in, len, iv);
        if (rv != CKR_OK) {
            signet_nss_lane_close(lane);
        }
    }
    return rv;
}

int signet_nss_cbc(void *lane_, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    struct signet_nss_lane *lane = lane_;
    struct signet_nss_flag *flag = lane->flag;
    signet_nss_enter(flag);
    CK_RV rv = once(lane, out, in, len, iv);
    if (__builtin_expect(rv != CKR_OK, 0)) {
        rv = again(lane, rv, out, in, len, iv);
    }
    signet_nss_leave(flag);
    return rv == CKR_OK ? 0 : -SIGNET_E_HANDLER_FAILED;
}
