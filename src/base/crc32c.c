/* SPDX-License-Identifier: MIT */
#include "base/crc32c.h"

#include <isa-l/crc.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define PIECE ((size_t)1 << 30) /* ISA-L takes an int length */

/* ISA-L 2.30 folds with AVX512 from 256 bytes on and returns with data in the upper parts of the
 * vector registers. While they're there, each AES instruction in the old encoding, which is what
 * OpenSSL and NSS use, has to merge with them (a row of bench_big_payload). */
#ifdef __x86_64__
__attribute__((target("avx"))) static void clear_upper_parts(void)
{
    if (__builtin_cpu_supports("avx")) {
        _mm256_zeroupper();
    }
}
#else
static void clear_upper_parts(void)
{
}
#endif

uint32_t signet_crc32c(uint32_t seed, const void *data, size_t len)
{
    const uint8_t *p = data;
    while (len > 0) {
        size_t piece = len < PIECE ? len : PIECE;
        /* ISA-L declares its input non-const but only reads it. */
        union {
            const uint8_t *in;
            unsigned char *out;
        } at = {.in = p};
        seed = crc32_iscsi(at.out, (int)piece, seed);
        p += piece;
        len -= piece;
    }
    clear_upper_parts();
    return seed;
}
