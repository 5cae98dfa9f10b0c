/* SPDX-License-Identifier: MIT */
#include "msg/layout.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"

static const uint16_t alignment[SIGNET_SEGMENTS_MAX] = {8, 8, 8, 4096};

enum { CRC_AT = 28 };

unsigned signet_layout_num(const uint32_t len[SIGNET_SEGMENTS_MAX])
{
    unsigned num = SIGNET_SEGMENTS_MAX;
    while (num > 1 && len[num - 1] == 0) {
        num--;
    }
    return num;
}

uint64_t signet_layout_pad(uint64_t len)
{
    return (len + 15U) & ~(uint64_t)15U;
}

struct signet_extent signet_layout_extent(enum signet_layout layout,
                                          const uint32_t len[SIGNET_SEGMENTS_MAX], unsigned num)
{
    struct signet_extent e = {.first = SIGNET_PREAMBLE_LEN};
    bool secure = layout == SIGNET_LAYOUT_SECURE;
    if (secure) {
        uint64_t padded = signet_layout_pad(len[0]);
        e.first = SIGNET_FIRST_SEALED_LEN;
        e.rest0 =
            padded > SIGNET_INLINE_LEN ? padded - SIGNET_INLINE_LEN + SIGNET_STREAM_TAG_LEN : 0;
    } else if (len[0] > 0) {
        e.rest0 = (uint64_t)len[0] + SIGNET_CRC_LEN;
    }
    for (unsigned i = 1; i < num; i++) {
        e.tail += secure ? signet_layout_pad(len[i]) : len[i];
    }
    if (num > 1) {
        e.tail +=
            secure ? SIGNET_SECURE_EPILOGUE_LEN + SIGNET_STREAM_TAG_LEN : SIGNET_CRC_EPILOGUE_LEN;
    }
    e.total = e.first + e.rest0 + e.tail;
    return e;
}

size_t signet_frame_len(enum signet_layout layout, const uint32_t len[SIGNET_SEGMENTS_MAX])
{
    uint64_t total = signet_layout_extent(layout, len, signet_layout_num(len)).total;
    return total <= SIZE_MAX ? (size_t)total : 0;
}

unsigned signet_frame_nonces(const uint32_t len[SIGNET_SEGMENTS_MAX])
{
    return 1U + (len[0] > SIGNET_INLINE_LEN ? 1U : 0U) + (signet_layout_num(len) > 1 ? 1U : 0U);
}

void signet_preamble_write(const struct signet_preamble *preamble, uint8_t out[SIGNET_PREAMBLE_LEN])
{
    struct signet_writer w = signet_writer_init(out, SIGNET_PREAMBLE_LEN);
    signet_write_u8(&w, preamble->tag);
    signet_write_u8(&w, preamble->num);
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        signet_write_u32(&w, i < preamble->num ? preamble->len[i] : 0);
        signet_write_u16(&w, i < preamble->num ? alignment[i] : 0);
    }
    signet_write_u8(&w, preamble->flags);
    signet_write_u8(&w, 0);
    signet_write_u32(&w, signet_crc32c(0, out, CRC_AT));
}
