/* SPDX-License-Identifier: MIT */
#include "base/crc32c.h"

#include <isa-l/crc.h>

#define PIECE ((size_t)1 << 30) /* ISA-L takes an int length */

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
    return seed;
}
