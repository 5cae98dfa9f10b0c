/* SPDX-License-Identifier: MIT */
/*
 * Blocks without a chain, and AES-CTR made of them: softoken's own CTR handles one block at a time
 * and takes six times as long as encrypting the counters in one call and XORing them in.
 */
#include "crypto/nss_lib.h"

#include "base/secret.h"

/* Counters encrypted in one call; a multiple of the eight blocks that freebl does side by side. */
#define PIECE  2048U
#define BLOCKS (PIECE / 16)
/* A call that found no session did nothing, so that it can be repeated also in place. */
static CK_RV blocks(struct signet_nss_lane *lane, uint8_t *out, const uint8_t *in, size_t len)
{
    CK_RV rv = signet_nss_update(lane, out, in, len);
    if (__builtin_expect(rv != CKR_OK, 0) && signet_nss_lane_again(lane, rv)) {
        rv = signet_nss_update(lane, out, in, len);
        if (rv != CKR_OK) {
            signet_nss_lane_close(lane);
        }
    }
    return rv;
}

int signet_nss_ecb(void *lane_, uint8_t *out, const uint8_t *in, size_t len)
{
    struct signet_nss_lane *lane = lane_;
    CK_RV rv = CKR_OK;
    signet_nss_enter(lane->flag);
    while (rv == CKR_OK && len > 0) {
        size_t part = len < SIGNET_NSS_PART_MAX ? len : SIGNET_NSS_PART_MAX;
        rv = blocks(lane, out, in, part);
        out += part;
        in += part;
        len -= part;
    }
    signet_nss_leave(lane->flag);
    return rv == CKR_OK ? 0 : -SIGNET_E_HANDLER_FAILED;
}

/* Counter blocks as two halves, the first byte of a block in the top of high. */
struct counter {
    uint64_t high, low;
    size_t stale; /* so many first halves at the start are from before a carry */
};

static void put_high(uint8_t *out, size_t from, size_t num, uint64_t high)
{
    for (size_t i = from; i < num; i++) {
        signet_store_u64(out + 16 * i, __builtin_bswap64(high));
    }
}

static inline void put_one(uint8_t *out, size_t i, uint64_t low)
{
    signet_store_u64(out + 16 * i + 8, __builtin_bswap64(low));
}

/* With a carry between them. */
static void put_carrying(uint8_t *out, size_t num, struct counter *c)
{
    for (size_t i = 0; i < num; i++) {
        put_one(out, i, c->low++);
        if (c->low == 0) {
            put_high(out, i + 1, BLOCKS, ++c->high);
            c->stale = i + 1;
        }
    }
}

/* The first halves are there already; only the second ones count, but for a carry. */
static void put_low(uint8_t *out, size_t num, struct counter *c)
{
    size_t i = 0;
    put_high(out, 0, c->stale, c->high);
    c->stale = 0;
    if (__builtin_expect(c->low + num < num, 0)) {
        put_carrying(out, num, c);
        return;
    }
    for (; i + 4 <= num; i += 4) {
        put_one(out, i, c->low + i);
        put_one(out, i + 1, c->low + i + 1);
        put_one(out, i + 2, c->low + i + 2);
        put_one(out, i + 3, c->low + i + 3);
    }
    for (; i < num; i++) {
        put_one(out, i, c->low + i);
    }
    c->low += num;
}

/* 16 bytes at any address. */
typedef uint64_t block __attribute__((vector_size(16), aligned(1), may_alias));

static inline void mix_block(uint8_t *out, const uint8_t *in, const uint8_t *stream)
{
    *(block *)out = *(const block *)in ^ *(const block *)stream;
}

static void mix(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
{
    size_t at = 0;
    for (; at + 64 <= len; at += 64) {
        mix_block(out + at, in + at, stream + at);
        mix_block(out + at + 16, in + at + 16, stream + at + 16);
        mix_block(out + at + 32, in + at + 32, stream + at + 32);
        mix_block(out + at + 48, in + at + 48, stream + at + 48);
    }
    for (; at + 16 <= len; at += 16) {
        mix_block(out + at, in + at, stream + at);
    }
    for (; at < len; at++) {
        out[at] = in[at] ^ stream[at];
    }
}

int signet_nss_ctr(void *lane_, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    struct signet_nss_lane *lane = lane_;
    struct counter c = {__builtin_bswap64(signet_load_u64(iv)),
                        __builtin_bswap64(signet_load_u64(iv + 8)), 0};
    _Alignas(64) uint8_t counters[PIECE], stream[PIECE];
    size_t most = len < PIECE ? (len + 15) / 16 : BLOCKS;
    CK_RV rv = CKR_OK;
    put_high(counters, 0, most, c.high);
    signet_nss_enter(lane->flag);
    while (rv == CKR_OK && len > 0) {
        size_t part = len < PIECE ? len : PIECE, num = (part + 15) / 16;
        put_low(counters, num, &c);
        rv = blocks(lane, stream, counters, 16 * num);
        if (rv == CKR_OK) {
            mix(out, in, stream, part);
        }
        out += part;
        in += part;
        len -= part;
    }
    signet_nss_leave(lane->flag);
    signet_wipe(stream, 16 * most);
    return rv == CKR_OK ? 0 : -SIGNET_E_HANDLER_FAILED;
}
