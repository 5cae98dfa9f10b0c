/* SPDX-License-Identifier: MIT */
/* Frames to send: every byte is copied once, to its final place, and sealed there. */
#include "msg/layout.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"
#include "base/secret.h"

static uint8_t *copy(uint8_t *out, const void *from, size_t len)
{
    if (len > 0) { /* from may be NULL then */
        memcpy(out, from, len);
    }
    return out + len;
}

/* All of a segment; returns its end. */
static uint8_t *copy_segment(uint8_t *out, const struct signet_segment *segment)
{
    for (size_t i = 0; i < segment->num; i++) {
        out = copy(out, segment->parts[i].iov_base, segment->parts[i].iov_len);
    }
    return out;
}

/* Its first head bytes, or all if there are fewer, to out, what is left to rest. */
static void split_segment(uint8_t *out, size_t head, uint8_t *rest,
                          const struct signet_segment *segment)
{
    for (size_t i = 0; i < segment->num; i++) {
        const uint8_t *from = segment->parts[i].iov_base;
        size_t len = segment->parts[i].iov_len, now = len < head ? len : head;
        out = copy(out, from, now);
        head -= now;
        if (len > now) {
            rest = copy(rest, from + now, len - now);
        }
    }
}

/* Zeros from the end of a segment to the next multiple of 16. Every segment of the secure layout
 * has at least a tag behind its padding, so that there is room for 16. */
static uint8_t *pad(uint8_t *out, size_t len)
{
    signet_store_pair(out, 0, 0);
    return out + (size_t)(signet_layout_pad(len) - len);
}

/* Bytes of a segment; more than a u32 holds: UINT64_MAX. */
static inline uint64_t segment_len(const struct signet_segment *segment)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < segment->num; i++) {
        size_t len = segment->parts[i].iov_len;
        if (len > UINT32_MAX - sum) {
            return UINT64_MAX;
        }
        sum += len;
    }
    return sum;
}

static int measure(struct signet_preamble *out, const struct signet_frame *frame)
{
    unsigned num = 1;
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        uint64_t len = segment_len(&frame->segment[i]);
        if (len > UINT32_MAX) {
            return -SIGNET_E_LENGTH;
        }
        out->len[i] = (uint32_t)len;
        num = len > 0 ? i + 1 : num;
    }
    out->tag = frame->tag;
    out->flags = 0;
    out->num = (uint8_t)num;
    return frame->aborted && num == 1 ? -SIGNET_E_INVAL : 0;
}

static uint8_t late_status(const struct signet_frame *frame)
{
    return frame->aborted ? SIGNET_LATE_ABORTED : SIGNET_LATE_COMPLETE;
}

static void build_crc(uint8_t *out, const struct signet_frame *frame,
                      const struct signet_preamble *p)
{
    uint8_t epilogue[SIGNET_CRC_EPILOGUE_LEN] = {late_status(frame)};
    uint8_t *at = out + SIGNET_PREAMBLE_LEN;
    for (unsigned i = 0; i < p->num; i++) {
        uint8_t *start = at;
        at = copy_segment(at, &frame->segment[i]);
        uint32_t crc = signet_crc32c(UINT32_MAX, start, p->len[i]);
        if (i > 0) {
            signet_store_u32(epilogue + 1 + (size_t)SIGNET_CRC_LEN * (i - 1), crc);
        } else if (p->len[0] > 0) {
            signet_store_u32(at, crc);
            at += SIGNET_CRC_LEN;
        }
    }
    if (p->num > 1) {
        memcpy(at, epilogue, sizeof(epilogue));
    }
}

/* The plaintexts of all blocks, each with room for its tag behind it. */
static void lay_out_secure(uint8_t *out, const struct signet_frame *frame,
                           const struct signet_preamble *p, const struct signet_extent *e)
{
    for (size_t i = 0; i < SIGNET_INLINE_LEN; i += 16) {
        signet_store_pair(out + SIGNET_PREAMBLE_LEN + i, 0, 0);
    }
    if (e->rest0 > 0) {
        signet_store_pair(out + e->first + e->rest0 - SIGNET_STREAM_TAG_LEN - 16, 0, 0);
    }
    split_segment(out + SIGNET_PREAMBLE_LEN, SIGNET_INLINE_LEN, out + e->first, &frame->segment[0]);
    uint8_t *at = out + e->first + e->rest0;
    for (unsigned i = 1; i < p->num; i++) {
        at = pad(copy_segment(at, &frame->segment[i]), p->len[i]);
    }
    if (p->num > 1) {
        signet_store_pair(at, late_status(frame), 0);
    }
}

/* Seals a block of sealed_len bytes, its tag included, in place; nothing if it is empty. */
static int seal_block(const struct signet_stream *stream, uint64_t *seq, uint8_t *block,
                      uint64_t sealed_len)
{
    if (sealed_len == 0) {
        return 0;
    }
    return signet_stream_seal_at(stream, (*seq)++, block, block,
                                 (size_t)sealed_len - SIGNET_STREAM_TAG_LEN);
}

static int build_secure(uint8_t *out, const struct signet_frame *frame,
                        const struct signet_preamble *p, const struct signet_extent *e,
                        const struct signet_stream *stream, uint64_t seq)
{
    lay_out_secure(out, frame, p, e);
    int err = seal_block(stream, &seq, out, e->first);
    if (err == 0) {
        err = seal_block(stream, &seq, out + e->first, e->rest0);
    }
    if (err == 0) {
        err = seal_block(stream, &seq, out + e->first + e->rest0, e->tail);
    }
    if (err != 0) {
        signet_wipe(out, (size_t)e->total);
    }
    return err;
}

int signet_frame_build(uint8_t *out, size_t cap, size_t *out_len, const struct signet_frame *frame,
                       const struct signet_stream *stream, uint64_t seq)
{
    struct signet_preamble p;
    *out_len = 0;
    int err = measure(&p, frame);
    if (err != 0) {
        return err;
    }
    enum signet_layout layout = stream != NULL ? SIGNET_LAYOUT_SECURE : SIGNET_LAYOUT_CRC;
    struct signet_extent e = signet_layout_extent(layout, p.len, p.num);
    if (e.total > cap) {
        return -SIGNET_E_SPACE;
    }
    signet_preamble_write(&p, out);
    if (stream == NULL) {
        build_crc(out, frame, &p);
    } else {
        err = build_secure(out, frame, &p, &e, stream, seq);
    }
    *out_len = err == 0 ? (size_t)e.total : 0;
    return err;
}
