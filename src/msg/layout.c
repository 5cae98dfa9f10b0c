/* SPDX-License-Identifier: MIT */
#include "msg/layout.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"

/* Where the fields are: tag at 0, number at 1, then four times u32 length and u16 alignment, flags
 * at 26, zero, the crc at 28. */
static const uint16_t alignment[SIGNET_SEGMENTS_MAX] = {8, 8, 8, 4096};

enum { CRC_AT = 28 };

size_t signet_frame_len(enum signet_layout layout, const uint32_t len[SIGNET_SEGMENTS_MAX])
{
    uint64_t total = signet_layout_extent(layout, len, signet_layout_num(len)).total;
    return total <= SIZE_MAX ? (size_t)total : 0;
}

unsigned signet_frame_nonces(const uint32_t len[SIGNET_SEGMENTS_MAX])
{
    return 1U + (len[0] > SIGNET_INLINE_LEN ? 1U : 0U) + (signet_layout_num(len) > 1 ? 1U : 0U);
}

/* Length and alignment of a segment, 48 bits; 0 beyond the number. */
static inline uint64_t descriptor(const struct signet_preamble *p, unsigned i)
{
    return i < p->num ? p->len[i] | (uint64_t)alignment[i] << 32 : 0;
}

/* Whole words: what reads the preamble next (the crc, the cipher) finds each in one store. */
void signet_preamble_write(const struct signet_preamble *preamble, uint8_t out[SIGNET_PREAMBLE_LEN])
{
    uint64_t second = descriptor(preamble, 1), third = descriptor(preamble, 2),
             fourth = descriptor(preamble, 3);
    uint64_t words[3] = {
        preamble->tag | (uint64_t)preamble->num << 8 | descriptor(preamble, 0) << 16,
        second | third << 48,
        third >> 16 | fourth << 32,
    };
    uint64_t last = fourth >> 32 | (uint64_t)preamble->flags << 16;
    signet_store_pair(out, words[0], words[1]);
    signet_store_pair(out + 16, words[2], last);
    uint64_t crc = signet_crc32c(0, out, CRC_AT);
    signet_store_pair(out + 16, words[2], last | crc << 32);
}
