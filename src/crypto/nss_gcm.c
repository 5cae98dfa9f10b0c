/* SPDX-License-Identifier: MIT */
/* AES-GCM by the message interface of PKCS #11 3.0, or by the function of freebl below it: each
 * call brings its own nonce and leaves nothing behind in the session or context. */
#include "crypto/nss_lib.h"

/* softoken and freebl count in unsigned int. */
#define LEN_MAX 0xffffffefU

/* softoken's answers to a wrong tag. The session is as good as before. */
static bool is_forged(CK_RV rv)
{
    return rv == CKR_ENCRYPTED_DATA_INVALID || rv == 0x42 /* CKR_AEAD_DECRYPT_FAILED */;
}

static inline CK_RV by_freebl(const struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in,
                              size_t len, CK_GCM_MESSAGE_PARAMS *message)
{
    int err = signet_nss_context_gcm(lane->chain.context, out, in, (unsigned int)len, message,
                                     sizeof(*message));
    return err == 0                ? CKR_OK
           : err == -SIGNET_E_OPEN ? CKR_ENCRYPTED_DATA_INVALID
                                   : CKR_GENERAL_ERROR;
}

/* One message; the tag is written or checked at tag. */
static inline CK_RV once(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len,
                         const uint8_t *nonce, const uint8_t *tag)
{
    const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
    CK_GCM_MESSAGE_PARAMS message = {
        .pIv = (CK_BYTE_PTR)(uintptr_t)nonce,
        .ulIvLen = 12,
        .ivGenerator = CKG_NO_GENERATE,
        .pTag = (CK_BYTE_PTR)(uintptr_t)tag,
        .ulTagBits = 128,
    };
    uint8_t nothing[16]; /* without an output the call would only ask for the length */
    CK_BYTE_PTR to = len > 0 ? out : nothing;
    CK_BYTE_PTR from = len > 0 ? (CK_BYTE_PTR)(uintptr_t)in : nothing;
    if (lane->chain.context != NULL) {
        return by_freebl(lane, to, from, len, &message);
    }
    CK_ULONG got = len;
    CK_RV rv = lane->opens ? fn->C_DecryptMessage(lane->session, &message, sizeof(message), NULL, 0,
                                                  from, len, to, &got)
                           : fn->C_EncryptMessage(lane->session, &message, sizeof(message), NULL, 0,
                                                  from, len, to, &got);
    return rv == CKR_OK && got != len ? CKR_GENERAL_ERROR : rv;
}

static int message(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len,
                   const uint8_t *nonce, const uint8_t *tag)
{
    if (len > LEN_MAX) {
        return -SIGNET_E_INVAL;
    }
    signet_nss_enter(lane->flag);
    CK_RV rv = once(lane, out, in, len, nonce, tag);
    if (__builtin_expect(rv != CKR_OK && !is_forged(rv), 0) && signet_nss_lane_again(lane, rv)) {
        rv = once(lane, out, in, len, nonce, tag);
    }
    signet_nss_leave(lane->flag);
    return rv == CKR_OK ? 0 : is_forged(rv) ? -SIGNET_E_OPEN : -SIGNET_E_HANDLER_FAILED;
}

int signet_nss_gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t nonce[12])
{
    return message(lane, out, in, len, nonce, out + len);
}

int signet_nss_gcm_open(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                        const uint8_t nonce[12])
{
    return message(lane, out, in, len, nonce, in + len);
}
