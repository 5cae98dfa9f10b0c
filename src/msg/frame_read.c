/* SPDX-License-Identifier: MIT */
/* Received frames: opened and checked where they lie. Source: msgr2.md 2, 3, 11. */
#include "msg/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"
#include "base/fail.h"

struct signet_frame_reader {
    struct signet_frame_limits limits;
    struct signet_stream *stream; /* NULL: crc layout */
    uint64_t offset;              /* stream position of the present frame */
    struct signet_preamble preamble;
    struct signet_extent extent;
    bool begun; /* the preamble of the present frame is known */
    int err;
};

int signet_frame_reader_new(struct signet_frame_reader **out,
                            const struct signet_frame_limits *limits, uint64_t offset)
{
    *out = calloc(1, sizeof(**out));
    if (*out == NULL) {
        return -SIGNET_E_NOMEM;
    }
    (*out)->limits = *limits;
    (*out)->offset = offset;
    return 0;
}

void signet_frame_reader_free(struct signet_frame_reader *reader)
{
    free(reader);
}

void signet_frame_reader_limits(struct signet_frame_reader *reader,
                                const struct signet_frame_limits *limits)
{
    reader->limits = *limits;
}

void signet_frame_reader_secure(struct signet_frame_reader *reader, struct signet_stream *stream)
{
    reader->stream = stream;
}

/* Opens sealed_len bytes at buf + at in place. */
static int open_block(struct signet_frame_reader *r, uint8_t *buf, uint64_t at, uint64_t sealed_len,
                      const char *where, struct signet_fail *fail)
{
    if (sealed_len == 0) {
        return 0;
    }
    int err = signet_stream_open(r->stream, buf + at, buf + at, (size_t)sealed_len);
    if (err != 0) {
        return signet_fail_set(fail, err, where, r->offset + at, "a block of %llu bytes: %s",
                               (unsigned long long)sealed_len, signet_strerror(err));
    }
    return 0;
}

static int begin(struct signet_frame_reader *r, uint8_t *buf, struct signet_fail *fail)
{
    int err = 0;
    if (r->stream != NULL) {
        err = open_block(r, buf, 0, SIGNET_FIRST_SEALED_LEN, "first block", fail);
    }
    if (err == 0) {
        err = signet_preamble_read(&r->preamble, buf, r->offset, fail);
    }
    if (err == 0) {
        err = signet_preamble_check(&r->preamble, &r->limits, r->offset, fail);
    }
    if (err == 0) {
        enum signet_layout layout = r->stream != NULL ? SIGNET_LAYOUT_SECURE : SIGNET_LAYOUT_CRC;
        r->extent = signet_layout_extent(layout, r->preamble.len, r->preamble.num);
        r->begun = true;
    }
    return err;
}

static int check_late_status(struct signet_frame_reader *r, uint8_t late, uint64_t at,
                             struct signet_frame_view *view, struct signet_fail *fail)
{
    uint8_t low = late & 0x0f;
    bool reserved = r->limits.strict && (late & 0xf0) != 0;
    if (reserved || (low != SIGNET_LATE_COMPLETE && low != SIGNET_LATE_ABORTED)) {
        return signet_fail_set(fail, -SIGNET_E_LATE_STATUS, "epilogue", r->offset + at,
                               "late_status is 0x%02x", (unsigned)late);
    }
    view->aborted = low == SIGNET_LATE_ABORTED;
    return 0;
}

static int check_crc(struct signet_frame_reader *r, unsigned segment, uint64_t at, uint32_t got,
                     uint32_t want, struct signet_fail *fail)
{
    if (got == want) {
        return 0;
    }
    return signet_fail_set(fail, -SIGNET_E_SEGMENT_CRC, signet_tag_name(r->preamble.tag),
                           r->offset + at, "the crc of segment %u is 0x%08x, its bytes give 0x%08x",
                           segment, (unsigned)got, (unsigned)want);
}

static void set_segment(struct signet_frame_view *view, unsigned i, const uint8_t *p, uint32_t len)
{
    view->segment[i] = (struct signet_span){.p = p, .len = len};
}

static int finish_crc(struct signet_frame_reader *r, const uint8_t *buf,
                      struct signet_frame_view *view, struct signet_fail *fail)
{
    const struct signet_preamble *p = &r->preamble;
    uint32_t crc[SIGNET_SEGMENTS_MAX] = {0};
    uint64_t at = r->extent.first;
    for (unsigned i = 0; i < p->num; i++) {
        set_segment(view, i, buf + at, p->len[i]);
        crc[i] = signet_crc32c(UINT32_MAX, buf + at, p->len[i]);
        at += p->len[i];
        if (i == 0 && p->len[0] > 0) {
            int err = check_crc(r, 0, at, signet_load_u32(buf + at), crc[0], fail);
            if (err != 0) {
                return err;
            }
            at += SIGNET_CRC_LEN;
        }
    }
    if (p->num == 1) {
        return 0;
    }
    int err = check_late_status(r, buf[at], at, view, fail);
    for (unsigned i = 1; i < SIGNET_SEGMENTS_MAX && err == 0 && !view->aborted; i++) {
        uint64_t crc_at = at + 1 + (uint64_t)SIGNET_CRC_LEN * (i - 1);
        err = check_crc(r, i, crc_at, signet_load_u32(buf + crc_at), crc[i], fail);
    }
    return err;
}

static int check_zeros(struct signet_frame_reader *r, const uint8_t *buf, uint64_t at, uint64_t end,
                       const char *where, struct signet_fail *fail)
{
    uint64_t any = 0, i = at;
    for (; i + 8 <= end; i += 8) {
        any |= signet_load_u64(buf + i);
    }
    for (; i < end; i++) {
        any |= buf[i];
    }
    return any == 0 ? 0
                    : signet_fail_set(fail, -SIGNET_E_PADDING, where, r->offset + at,
                                      "the padding is not zero");
}

/* Segment 0 lies around the tag of the first block: its head moves up to the rest. */
static int finish_control(struct signet_frame_reader *r, uint8_t *buf,
                          struct signet_frame_view *view, struct signet_fail *fail)
{
    uint32_t len = r->preamble.len[0];
    uint64_t at = SIGNET_PREAMBLE_LEN, room = SIGNET_INLINE_LEN;
    int err = open_block(r, buf, r->extent.first, r->extent.rest0, "control block", fail);
    if (err != 0) {
        return err;
    }
    if (r->extent.rest0 > 0) {
        at += SIGNET_STREAM_TAG_LEN;
        room = signet_layout_pad(len);
        memmove(buf + at, buf + SIGNET_PREAMBLE_LEN, SIGNET_INLINE_LEN);
    }
    set_segment(view, 0, buf + at, len);
    return check_zeros(r, buf, at + len, at + room, "segment 0", fail);
}

static int finish_secure(struct signet_frame_reader *r, uint8_t *buf,
                         struct signet_frame_view *view, struct signet_fail *fail)
{
    const struct signet_preamble *p = &r->preamble;
    uint64_t at = r->extent.first + r->extent.rest0;
    int err = finish_control(r, buf, view, fail);
    if (err != 0 || p->num == 1) {
        return err;
    }
    err = open_block(r, buf, at, r->extent.tail, "body block", fail);
    for (unsigned i = 1; i < p->num && err == 0; i++) {
        uint64_t next = at + signet_layout_pad(p->len[i]);
        set_segment(view, i, buf + at, p->len[i]);
        err = check_zeros(r, buf, at + p->len[i], next, "body block", fail);
        at = next;
    }
    if (err == 0) {
        err = check_late_status(r, buf[at], at, view, fail);
    }
    return err != 0
               ? err
               : check_zeros(r, buf, at + 1, at + SIGNET_SECURE_EPILOGUE_LEN, "epilogue", fail);
}

static int advance(struct signet_frame_reader *r, uint8_t *buf, size_t len,
                   struct signet_frame_view *view, size_t *need, struct signet_fail *fail)
{
    size_t first = r->stream != NULL ? SIGNET_FIRST_SEALED_LEN : SIGNET_PREAMBLE_LEN;
    *need = first;
    if (!r->begun) {
        int err = len < first ? 0 : begin(r, buf, fail);
        if (err != 0 || !r->begun) {
            return err;
        }
    }
    if (r->extent.total > len) {
        *need = (size_t)r->extent.total;
        return 0;
    }
    int err =
        r->stream != NULL ? finish_secure(r, buf, view, fail) : finish_crc(r, buf, view, fail);
    if (err != 0) {
        return err;
    }
    view->offset = r->offset;
    view->len = (size_t)r->extent.total;
    view->tag = r->preamble.tag;
    view->num_segments = r->preamble.num;
    view->secure = r->stream != NULL;
    r->offset += r->extent.total;
    r->begun = false;
    return 0;
}

int signet_frame_reader_next(struct signet_frame_reader *reader, uint8_t *buf, size_t len,
                             struct signet_frame_view *view, size_t *need, struct signet_fail *fail)
{
    memset(view, 0, sizeof(*view));
    *need = 0;
    if (reader->err != 0) {
        return signet_fail_set(fail, reader->err, "frame reader", reader->offset,
                               "an earlier frame failed");
    }
    reader->err = advance(reader, buf, len, view, need, fail);
    if (reader->err != 0) {
        memset(view, 0, sizeof(*view));
    }
    return reader->err;
}
