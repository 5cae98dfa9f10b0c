/* SPDX-License-Identifier: MIT */
/* AES-128-CBC with nothing but the AES instructions: the least that sealing can cost. */
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define AESNI __attribute__((target("aes,sse4.1")))

struct state {
    __m128i enc[11], dec[11];
};

AESNI static __m128i expand(__m128i k, __m128i assist)
{
    assist = _mm_shuffle_epi32(assist, 0xff);
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    return _mm_xor_si128(k, assist);
}

#define EXPAND(s, i, rcon)                                                                         \
    (s)->enc[i] = expand((s)->enc[(i)-1], _mm_aeskeygenassist_si128((s)->enc[(i)-1], rcon))

AESNI static void schedule(struct state *s, const uint8_t key[16])
{
    s->enc[0] = _mm_loadu_si128((const __m128i *)key);
    EXPAND(s, 1, 0x01);
    EXPAND(s, 2, 0x02);
    EXPAND(s, 3, 0x04);
    EXPAND(s, 4, 0x08);
    EXPAND(s, 5, 0x10);
    EXPAND(s, 6, 0x20);
    EXPAND(s, 7, 0x40);
    EXPAND(s, 8, 0x80);
    EXPAND(s, 9, 0x1b);
    EXPAND(s, 10, 0x36);
    s->dec[0] = s->enc[10];
    s->dec[10] = s->enc[0];
    for (int i = 1; i < 10; i++) {
        s->dec[i] = _mm_aesimc_si128(s->enc[10 - i]);
    }
}

static void *make(const uint8_t key[REF_KEY_LEN])
{
    if (!__builtin_cpu_supports("aes") || !__builtin_cpu_supports("sse4.1")) {
        return NULL;
    }
    struct state *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    if (s) {
        schedule(s, key);
    }
    return s;
}

static void drop(void *state)
{
    free(state);
}

/* One block whose input already has the first round key in it. */
AESNI static inline __m128i rounds(const struct state *s, __m128i x, __m128i last)
{
    for (int r = 1; r < 10; r++) {
        x = _mm_aesenc_si128(x, s->enc[r]);
    }
    return _mm_aesenclast_si128(x, last);
}

/* The next block is XORed into the last round key, so that the chain is AES rounds only. */
AESNI static int seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    const struct state *s = state;
    int whole = n / 16;
    uint8_t tail[16];
    memset(tail, 16 - (n & 15), sizeof tail);
    memcpy(tail, in + 16 * whole, (size_t)(n & 15));
    const __m128i end = _mm_loadu_si128((const __m128i *)tail), k0 = s->enc[0], kl = s->enc[10];
    __m128i next = whole ? _mm_loadu_si128((const __m128i *)in) : end;
    __m128i x = _mm_xor_si128(_mm_xor_si128(_mm_loadu_si128((const __m128i *)ref_iv), k0), next);
    for (int b = 0; b < whole; b++) {
        next = b + 1 < whole ? _mm_loadu_si128((const __m128i *)(in + 16 * b + 16)) : end;
        __m128i mix = _mm_xor_si128(k0, next);
        x = rounds(s, x, _mm_xor_si128(kl, mix));
        _mm_storeu_si128((__m128i *)(out + 16 * b), _mm_xor_si128(x, mix));
    }
    _mm_storeu_si128((__m128i *)(out + 16 * whole), rounds(s, x, kl));
    return 16 * whole + 16;
}

/* num blocks side by side; returns the last block of ciphertext. */
AESNI static inline __m128i open_blocks(const struct state *s, uint8_t *out, const uint8_t *in,
                                        __m128i prev, int num)
{
    __m128i c[8], x[8];
    for (int i = 0; i < num; i++) {
        c[i] = _mm_loadu_si128((const __m128i *)(in + 16 * i));
        x[i] = _mm_xor_si128(c[i], s->dec[0]);
    }
    for (int r = 1; r < 10; r++) {
        for (int i = 0; i < num; i++) {
            x[i] = _mm_aesdec_si128(x[i], s->dec[r]);
        }
    }
    for (int i = 0; i < num; i++) {
        x[i] = _mm_xor_si128(_mm_aesdeclast_si128(x[i], s->dec[10]), prev);
        _mm_storeu_si128((__m128i *)(out + 16 * i), x[i]);
        prev = c[i];
    }
    return prev;
}

AESNI static int open_one(void *state, uint8_t *out, const uint8_t *in, int n)
{
    const struct state *s = state;
    __m128i prev = _mm_loadu_si128((const __m128i *)ref_iv);
    int at = 0;
    for (; at + 128 <= n; at += 128) {
        prev = open_blocks(s, out + at, in + at, prev, 8);
    }
    for (; at < n; at += 16) {
        prev = open_blocks(s, out + at, in + at, prev, 1);
    }
    return ref_unpad(out, n);
}

static int seal_fenced(void *state, uint8_t *out, const uint8_t *in, int n)
{
    int len = seal(state, out, in, n);
    _mm_lfence();
    return len;
}

static int open_fenced(void *state, uint8_t *out, const uint8_t *in, int n)
{
    int len = open_one(state, out, in, n);
    _mm_lfence();
    return len;
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

static int seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    (void)state, (void)out, (void)in, (void)n;
    return -1;
}

#define open_one    seal
#define seal_fenced seal
#define open_fenced seal
#endif

const struct ref_cipher ref_limit_fenced = {"limit", make, drop, seal_fenced, open_fenced};
const struct ref_cipher ref_limit_unfenced = {"unfenced limit", make, drop, seal, open_one};
