/* SPDX-License-Identifier: MIT */
/*
 * Assembling an envelope in blocks of 16 bytes, each written by one store. The cipher reads
 * whole blocks, and a load is served from a store that has not yet reached the cache only if
 * that one store holds all of it. Where it meets the ends of two it waits until both are
 * written, which is when the message before is sealed: then messages no longer overlap in the
 * processor, and short ones take half as long again.
 */
#ifndef SIGNET_CRYPTO_BLOCKS_H
#define SIGNET_CRYPTO_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <signet/key.h>

#include "base/cursor.h"

/* The header is u8 1 and this, little endian. Source: keys.md 4. */
#define SIGNET_ENVELOPE_MAGIC UINT64_C(0xff009cad8826aa55)

/* The last block: the last num bytes (0..15) before end, then fill. Reads 16 bytes before end
 * unless num is 0. */
static inline void signet_put_tail(uint8_t out[16], const uint8_t *end, size_t num, uint8_t fill)
{
    uint64_t many = fill * UINT64_C(0x0101010101010101);
    if (num == 0) {
        signet_store_pair(out, many, many);
        return;
    }
    uint64_t low = signet_load_u64(end - 16), high = signet_load_u64(end - 8);
    if (num > 8) {
        unsigned shift = 8 * (16 - (unsigned)num); /* 8..56 */
        signet_store_pair(out, low >> shift | high << (64 - shift),
                          high >> shift | many << (64 - shift));
    } else {
        unsigned shift = 8 * (8 - (unsigned)num); /* 0..56 */
        signet_store_pair(out, high >> shift | many << 1 << (63 - shift), many);
    }
}

/* For short structures, and for an input that overlaps the output. */
static inline void signet_put_bytes(uint8_t *out, const uint8_t *in, size_t len, uint8_t fill)
{
    size_t plain = SIGNET_ENVELOPE_HEADER + len;
    if (len > 0) { /* in may be NULL then */
        memmove(out + SIGNET_ENVELOPE_HEADER, in, len);
    }
    out[0] = 1;
    signet_store_u64(out + 1, SIGNET_ENVELOPE_MAGIC);
    memset(out + plain, fill, 16 - plain % 16);
}

/* Header, structure and 1..16 bytes of `fill` up to a whole block. in may overlap out. */
static inline void signet_put_envelope(uint8_t *out, const uint8_t *in, size_t len, uint8_t fill)
{
    size_t plain = SIGNET_ENVELOPE_HEADER + len, whole = plain / 16 * 16;
    bool apart =
        (uintptr_t)in + len <= (uintptr_t)out || (uintptr_t)out + plain + 16 <= (uintptr_t)in;
    if (!apart || plain < 16 || (len < 16 && plain % 16 != 0)) {
        signet_put_bytes(out, in, len, fill);
        return;
    }
    uint64_t seven = signet_load_u32(in) | (uint64_t)signet_load_u32(in + 3) << 24;
    signet_store_pair(out, SIGNET_ENVELOPE_MAGIC << 8 | 1,
                      SIGNET_ENVELOPE_MAGIC >> 56 | seven << 8);
    const uint8_t *from = in - SIGNET_ENVELOPE_HEADER;
    for (size_t at = 16; at < whole; at += 16) {
        signet_store_pair(out + at, signet_load_u64(from + at), signet_load_u64(from + at + 8));
    }
    signet_put_tail(out + whole, in + len, plain % 16, fill);
}

#endif
