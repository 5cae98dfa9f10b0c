/* SPDX-License-Identifier: MIT */
/*
 * CBC by a context that is begun once, with an IV of zeros, and never anew: beginning takes as long
 * as some blocks. The chaining value it holds is the last block of ciphertext, `last`; XORing
 * last ^ iv into the first block (of plaintext when sealing, of the output when opening) makes it
 * as if it had been begun with iv. Source: CBC's definition, NIST SP 800-38A 6.2.
 */
#ifndef SIGNET_CRYPTO_CBC_CHAIN_H
#define SIGNET_CRYPTO_CBC_CHAIN_H

#include <stdint.h>
#include <string.h>

/* Up to here copying the input costs less than a second call for the rest. */
#define SIGNET_CBC_COPY_MAX 2048U

/* 16 bytes at any address; vectors, so that the library's loads find each store whole. */
typedef uint64_t signet_block __attribute__((vector_size(16), aligned(1), may_alias));

/* The library's call for whole blocks, going on from its chaining value; 0, or the library's reason
 * and its chaining value means nothing any more. */
typedef unsigned long signet_cbc_call(void *lane, uint8_t *out, const uint8_t *in, size_t len);

static inline void signet_cbc_mix(uint8_t *out, const uint8_t *in, const uint8_t *last,
                                  const uint8_t *iv)
{
    *(signet_block *)out =
        *(const signet_block *)in ^ *(const signet_block *)last ^ *(const signet_block *)iv;
}

/* What the call returns; on success last is the new one. out is in, or they do not overlap; len is
 * a multiple of 16, and not 0. After a failure in place the input is as it was, if the call did
 * nothing. */
static inline unsigned long signet_cbc_seal(uint8_t last[16], signet_cbc_call *call, void *lane,
                                            uint8_t *out, const uint8_t *in, size_t len,
                                            const uint8_t *iv)
{
    unsigned long err;
    if (in == out || len <= SIGNET_CBC_COPY_MAX) {
        if (in != out) {
            memcpy(out, in, len);
        }
        signet_cbc_mix(out, out, last, iv);
        err = call(lane, out, out, len);
        if (err != 0 && in == out) {
            signet_cbc_mix(out, out, last, iv);
        }
    } else {
        signet_cbc_mix(out, in, last, iv);
        err = call(lane, out, out, 16);
        if (err == 0) {
            err = call(lane, out + 16, in + 16, len - 16);
        }
    }
    if (err == 0) {
        *(signet_block *)last = *(const signet_block *)(out + len - 16);
    }
    return err;
}

/* Likewise. */
static inline unsigned long signet_cbc_open(uint8_t last[16], signet_cbc_call *call, void *lane,
                                            uint8_t *out, const uint8_t *in, size_t len,
                                            const uint8_t *iv)
{
    /* Read early only where it is overwritten: of a long input it is not in the cache yet, and
     * waiting for it costs as much as opening a KiB. */
    const signet_block *end = (const signet_block *)(in + len - 16);
    signet_block next = {0, 0};
    if (in == out) {
        next = *end;
    }
    unsigned long err = call(lane, out, in, len);
    if (err == 0) {
        signet_cbc_mix(out, out, last, iv);
        *(signet_block *)last = in == out ? next : *end;
    }
    return err;
}

#endif
