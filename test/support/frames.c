/* SPDX-License-Identifier: MIT */
#include "support/frames.h"

#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"

static struct test_frame make(uint8_t tag, bool aborted, const struct signet_span *segment,
                              unsigned num, struct signet_stream *stream)
{
    struct iovec parts[SIGNET_SEGMENTS_MAX];
    struct signet_frame frame = {.tag = tag, .aborted = aborted};
    uint32_t len[SIGNET_SEGMENTS_MAX] = {0};
    for (unsigned i = 0; i < num; i++) {
        parts[i] = (struct iovec){(void *)(uintptr_t)segment[i].p, segment[i].len};
        frame.segment[i] = (struct signet_segment){&parts[i], 1};
        len[i] = (uint32_t)segment[i].len;
    }
    uint64_t seq = 0;
    if (stream != NULL) {
        assert_ok(signet_stream_reserve(stream, &seq, signet_frame_nonces(len)));
    }
    size_t want = signet_frame_len(stream != NULL ? SIGNET_LAYOUT_SECURE : SIGNET_LAYOUT_CRC, len);
    struct test_frame out = {.p = malloc(want)};
    assert_ok(signet_frame_build(out.p, want, &out.len, &frame, stream, seq));
    ck_assert_uint_eq(out.len, want);
    return out;
}

struct test_frame make_frame(uint8_t tag, const struct signet_span *segment, unsigned num,
                             struct signet_stream *stream)
{
    return make(tag, false, segment, num, stream);
}

struct test_frame make_aborted(uint8_t tag, const struct signet_span *segment, unsigned num,
                               struct signet_stream *stream)
{
    return make(tag, true, segment, num, stream);
}

struct test_frame make_control(const struct signet_control *control, struct signet_stream *stream)
{
    static uint8_t payload[1 << 17];
    struct signet_span segment = {.p = payload};
    assert_ok(signet_control_encode(control, payload, sizeof(payload), &segment.len));
    return make_frame(control->tag, &segment, 1, stream);
}

void make_preamble(uint8_t out[SIGNET_PREAMBLE_LEN], uint8_t tag, uint8_t num,
                   const uint32_t len[SIGNET_SEGMENTS_MAX], uint8_t flags)
{
    struct signet_writer w = signet_writer_init(out, SIGNET_PREAMBLE_LEN);
    signet_write_u8(&w, tag);
    signet_write_u8(&w, num);
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        signet_write_u32(&w, len[i]);
        signet_write_u16(&w, i < num ? (uint16_t)(i == 3 ? 4096 : 8) : 0);
    }
    signet_write_u8(&w, flags);
    signet_write_u8(&w, 0);
    signet_write_u32(&w, signet_crc32c(0, out, 28));
}

void test_streams(struct signet_stream **seal, struct signet_stream **open,
                  enum signet_role seal_role)
{
    uint8_t secret[64];
    for (unsigned i = 0; i < sizeof(secret); i++) {
        secret[i] = (uint8_t)i;
    }
    enum signet_role other =
        seal_role == SIGNET_ROLE_CLIENT ? SIGNET_ROLE_SERVER : SIGNET_ROLE_CLIENT;
    assert_ok(signet_streams_new(seal, NULL, secret, sizeof(secret), seal_role, NULL));
    assert_ok(signet_streams_new(NULL, open, secret, sizeof(secret), other, NULL));
}

struct signet_frame_limits test_limits(void)
{
    struct signet_frame_limits limits = signet_frame_limits_default();
    limits.any_shape = true;
    return limits;
}
