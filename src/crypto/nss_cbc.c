/* SPDX-License-Identifier: MIT */
/*
 * The streaming operation of a lane (of softoken or of freebl) is never begun anew. The chaining
 * value it holds is the last block of ciphertext, `last`; XORing last ^ iv into the first block (of
 * plaintext when sealing, of the output when opening) makes it as if it had been begun with iv.
 */
#include "crypto/nss_lib.h"

#include <string.h>

/* Up to here copying the input costs less than a second call for the rest. */
#define COPY_MAX 2048U
/* 16 bytes at any address; vectors, so that softoken's loads find each store whole. */
typedef uint64_t block __attribute__((vector_size(16), aligned(1), may_alias));

static inline void mix(uint8_t *out, const uint8_t *in, const uint8_t *last, const uint8_t *iv)
{
    *(block *)out = *(const block *)in ^ *(const block *)last ^ *(const block *)iv;
}

static CK_RV update_parts(const struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in,
                          size_t len)
{
    CK_RV rv = CKR_OK;
    while (rv == CKR_OK && len > 0) {
        size_t part = len < SIGNET_NSS_PART_MAX ? len : SIGNET_NSS_PART_MAX;
        rv = signet_nss_update(lane, out, in, part);
        in += part;
        out += part;
        len -= part;
    }
    return rv;
}

static inline CK_RV update(const struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in,
                           size_t len)
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
        block last = *(const block *)lane->chain.last;
        *(block *)lane->chain.last = *(const block *)lane->next.last;
        *(block *)lane->next.last = last;
    }
}

static inline CK_RV seal(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len,
                         const uint8_t *iv)
{
    CK_RV rv;
    if (in == out || len <= COPY_MAX) {
        if (in != out) {
            memcpy(out, in, len);
        }
        mix(out, out, lane->chain.last, iv);
        rv = update(lane, out, out, len);
        if (rv != CKR_OK && in == out) {
            mix(out, out, lane->chain.last, iv); /* as it was, if the call did nothing */
        }
    } else {
        uint8_t first[16];
        mix(first, in, lane->chain.last, iv);
        rv = update(lane, out, first, sizeof(first));
        if (rv == CKR_OK) {
            rv = update(lane, out + 16, in + 16, len - 16);
        }
    }
    if (rv == CKR_OK) {
        *(block *)lane->chain.last = *(const block *)(out + len - 16);
        take_turns(lane);
    }
    return rv;
}

static inline CK_RV open_blocks(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in,
                                size_t len, const uint8_t *iv)
{
    /* Read early only where it is overwritten: of a long input it is not in the cache yet, and
     * waiting for it costs as much as opening a KiB. */
    const block *end = (const block *)(in + len - 16);
    block last = {0, 0};
    if (in == out) {
        last = *end;
    }
    CK_RV rv = update(lane, out, in, len);
    if (rv == CKR_OK) {
        mix(out, out, lane->chain.last, iv);
        *(block *)lane->chain.last = in == out ? last : *end;
    }
    return rv;
}

static inline CK_RV once(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len,
                         const uint8_t *iv)
{
    return lane->opens ? open_blocks(lane, out, in, len, iv) : seal(lane, out, in, len, iv);
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
