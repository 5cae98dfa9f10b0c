/* SPDX-License-Identifier: MIT */
/* SipHash-1-3 (Aumasson and Bernstein): places in hash tables that a peer cannot foresee. */
#ifndef SIGNET_BASE_SIPHASH_H
#define SIGNET_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"

struct siphash {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t siphash_turn(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static inline void siphash_round(struct siphash *s)
{
    s->v0 += s->v1;
    s->v1 = siphash_turn(s->v1, 13) ^ s->v0;
    s->v0 = siphash_turn(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = siphash_turn(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = siphash_turn(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = siphash_turn(s->v1, 17) ^ s->v2;
    s->v2 = siphash_turn(s->v2, 32);
}

static inline struct siphash siphash_begin(const uint64_t key[2])
{
    return (struct siphash){key[0] ^ 0x736f6d6570736575U, key[1] ^ 0x646f72616e646f6dU,
                            key[0] ^ 0x6c7967656e657261U, key[1] ^ 0x7465646279746573U};
}

static inline void siphash_word(struct siphash *s, uint64_t word)
{
    s->v3 ^= word;
    siphash_round(s);
    s->v0 ^= word;
}

/* Whole words; the last one is filled with zeros, so lengths must be put in apart. */
static inline void siphash_bytes(struct siphash *s, const uint8_t *p, size_t len)
{
    for (; len >= 8; len -= 8, p += 8) {
        siphash_word(s, signet_load_u64(p));
    }
    if (len > 0) {
        uint8_t last[8] = {0};
        memcpy(last, p, len);
        siphash_word(s, signet_load_u64(last));
    }
}

static inline uint64_t siphash_end(struct siphash *s)
{
    s->v2 ^= 0xff;
    siphash_round(s);
    siphash_round(s);
    siphash_round(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

#endif
