/* SPDX-License-Identifier: MIT */
/* The preamble and the places of everything in a frame. Source: msgr2.md 2, 3. */
#ifndef SIGNET_MSG_LAYOUT_H
#define SIGNET_MSG_LAYOUT_H

#include <signet/frame.h>

enum {
    SIGNET_CRC_LEN = 4,
    SIGNET_INLINE_LEN = 48,       /* bytes of segment 0 in the first secure block */
    SIGNET_FIRST_PLAIN_LEN = 80,  /* preamble and inline part */
    SIGNET_FIRST_SEALED_LEN = 96, /* and the tag */
    SIGNET_CRC_EPILOGUE_LEN = 13,
    SIGNET_SECURE_EPILOGUE_LEN = 16,
    SIGNET_LATE_COMPLETE = 0x0e,
    SIGNET_LATE_ABORTED = 0x01,
    SIGNET_FRAME_COMPRESSED = 1, /* bit of the preamble's flags */
};

struct signet_preamble {
    uint8_t tag, num, flags;
    uint32_t len[SIGNET_SEGMENTS_MAX]; /* 0 beyond num */
};

/* Byte counts of the parts of a frame, all in u64: their sum cannot overflow. */
struct signet_extent {
    uint64_t first; /* preamble, or the first secure block with its tag */
    uint64_t rest0; /* segment 0 with its crc, or the second block with its tag */
    uint64_t tail;  /* segments 1.. and epilogue, with the tag */
    uint64_t total;
};

/* Trailing empty segments do not count, but one is always there. */
static inline unsigned signet_layout_num(const uint32_t len[SIGNET_SEGMENTS_MAX])
{
    unsigned num = SIGNET_SEGMENTS_MAX;
    while (num > 1 && len[num - 1] == 0) {
        num--;
    }
    return num;
}

static inline uint64_t signet_layout_pad(uint64_t len)
{
    return (len + 15U) & ~(uint64_t)15U;
}

/* num: segments that count; len[] beyond it is not read. */
static inline struct signet_extent signet_layout_extent(enum signet_layout layout,
                                                        const uint32_t len[SIGNET_SEGMENTS_MAX],
                                                        unsigned num)
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

void signet_preamble_write(const struct signet_preamble *preamble,
                           uint8_t out[SIGNET_PREAMBLE_LEN]);
/* crc, tag, counts, descriptors and flags. offset: of the frame, for fail. */
int signet_preamble_read(struct signet_preamble *out, const uint8_t in[SIGNET_PREAMBLE_LEN],
                         uint64_t offset, struct signet_fail *fail);
/* What the limits and the tag allow. */
int signet_preamble_check(const struct signet_preamble *preamble,
                          const struct signet_frame_limits *limits, uint64_t offset,
                          struct signet_fail *fail);

#endif
