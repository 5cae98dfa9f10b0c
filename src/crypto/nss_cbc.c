/* SPDX-License-Identifier: MIT */
/*
 * The streaming operation of a lane is never begun anew. The chaining value it holds is the last
 * block of ciphertext, `last`; XORing last ^ iv into the first block (of plaintext when sealing,
 * of the output when opening) makes it as if it had been begun with iv.
 */
#include "crypto/nss_lib.h"

#include <string.h>

/* Up to here copying the input costs less than a second call for the rest. */
#define COPY_MAX 2048U
/* softoken counts in unsigned int. */
#define CHUNK_MAX 0x40000000U

static void mix(uint8_t *out, const uint8_t *in, const uint8_t *last, const uint8_t *iv)
{
    uint64_t a[2], b[2], c[2];
    memcpy(a, in, 16);
    memcpy(b, last, 16);
    memcpy(c, iv, 16);
    a[0] ^= b[0] ^ c[0];
    a[1] ^= b[1] ^ c[1];
    memcpy(out, a, 16);
}

static CK_RV update(struct signet_nss_lane *lane, bool open, uint8_t *out, const uint8_t *in,
                    size_t len)
{
    const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
    CK_RV rv = CKR_OK;
    while (rv == CKR_OK && len > 0) {
        CK_ULONG part = len < CHUNK_MAX ? len : CHUNK_MAX;
        CK_ULONG got = part;
        CK_BYTE_PTR from = (CK_BYTE_PTR)(uintptr_t)in;
        rv = open ? fn->C_DecryptUpdate(lane->session, from, part, out, &got)
                  : fn->C_EncryptUpdate(lane->session, from, part, out, &got);
        if (rv == CKR_OK && got != part) {
            return CKR_GENERAL_ERROR;
        }
        in += part;
        out += part;
        len -= part;
    }
    return rv;
}

static CK_RV seal(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t *iv)
{
    CK_RV rv;
    if (in == out || len <= COPY_MAX) {
        if (in != out) {
            memcpy(out, in, len);
        }
        mix(out, out, lane->last, iv);
        rv = update(lane, false, out, out, len);
        if (rv != CKR_OK && in == out) {
            mix(out, out, lane->last, iv); /* as it was, if the call did nothing */
        }
    } else {
        uint8_t first[16];
        mix(first, in, lane->last, iv);
        rv = update(lane, false, out, first, sizeof(first));
        if (rv == CKR_OK) {
            rv = update(lane, false, out + 16, in + 16, len - 16);
        }
    }
    if (rv == CKR_OK) {
        memcpy(lane->last, out + len - 16, 16);
    }
    return rv;
}

static CK_RV open(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t *iv)
{
    uint8_t last[16];
    memcpy(last, in + len - 16, 16);
    CK_RV rv = update(lane, true, out, in, len);
    if (rv == CKR_OK) {
        mix(out, out, lane->last, iv);
        memcpy(lane->last, last, 16);
    }
    return rv;
}

static CK_RV once(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t *iv)
{
    if (__builtin_expect(lane->session == CK_INVALID_HANDLE, 0)) {
        return CKR_SESSION_HANDLE_INVALID;
    }
    bool opens = lane->alg == SIGNET_ALG_CBC128_OPEN || lane->alg == SIGNET_ALG_CBC256_OPEN;
    return opens ? open(lane, out, in, len, iv) : seal(lane, out, in, len, iv);
}

int signet_nss_cbc(void *lane_, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    struct signet_nss_lane *lane = lane_;
    signet_nss_enter(lane->flag);
    CK_RV rv = once(lane, out, in, len, iv);
    if (__builtin_expect(rv != CKR_OK, 0) && signet_nss_lane_again(lane, rv)) {
        rv = once(lane, out, in, len, iv);
        if (rv != CKR_OK) {
            signet_nss_lane_close(lane);
        }
    }
    signet_nss_leave(lane->flag);
    return rv == CKR_OK ? 0 : -SIGNET_E_HANDLER_FAILED;
}
