/* SPDX-License-Identifier: MIT */
/* Frames to send: every byte is copied once, to its final place, and sealed there. */
#include "msg/layout.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"
#include "base/secret.h"

/* Where a segment's parts have been read up to. */
struct gather {
    const struct iovec *part;
    size_t left, at;
};

static struct gather gather_start(const struct signet_segment *segment)
{
    return (struct gather){.part = segment->parts, .left = segment->num};
}

/* The next len bytes, which are there. */
static uint8_t *gather_copy(struct gather *g, uint8_t *out, size_t len)
{
    while (len > 0) {
        size_t have = g->part->iov_len - g->at;
        size_t n = have < len ? have : len;
        if (n > 0) {
            memcpy(out, (const uint8_t *)g->part->iov_base + g->at, n);
        }
        out += n;
        len -= n;
        g->at += n;
        if (g->at == g->part->iov_len && len > 0) {
            g->part++;
            g->at = 0;
        }
    }
    return out;
}

static uint8_t *zeros(uint8_t *out, size_t len)
{
    memset(out, 0, len);
    return out + len;
}

static int measure(struct signet_preamble *out, const struct signet_frame *frame)
{
    *out = (struct signet_preamble){.tag = frame->tag};
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < frame->segment[i].num; j++) {
            size_t len = frame->segment[i].parts[j].iov_len;
            if (len > UINT32_MAX - sum) {
                return -SIGNET_E_LENGTH;
            }
            sum += len;
        }
        out->len[i] = (uint32_t)sum;
    }
    out->num = (uint8_t)signet_layout_num(out->len);
    return frame->aborted && out->num == 1 ? -SIGNET_E_INVAL : 0;
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
        struct gather g = gather_start(&frame->segment[i]);
        uint8_t *start = at;
        at = gather_copy(&g, at, p->len[i]);
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
    size_t head = p->len[0] < SIGNET_INLINE_LEN ? p->len[0] : SIGNET_INLINE_LEN;
    size_t rest = p->len[0] - head;
    struct gather g = gather_start(&frame->segment[0]);
    uint8_t *at = gather_copy(&g, out + SIGNET_PREAMBLE_LEN, head);
    zeros(at, SIGNET_INLINE_LEN - head);
    at = gather_copy(&g, out + e->first, rest);
    zeros(at, (size_t)(signet_layout_pad(rest) - rest));
    at = out + e->first + e->rest0;
    for (unsigned i = 1; i < p->num; i++) {
        g = gather_start(&frame->segment[i]);
        at = gather_copy(&g, at, p->len[i]);
        at = zeros(at, (size_t)(signet_layout_pad(p->len[i]) - p->len[i]));
    }
    if (p->num > 1) {
        *at = late_status(frame);
        zeros(at + 1, SIGNET_SECURE_EPILOGUE_LEN - 1);
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
