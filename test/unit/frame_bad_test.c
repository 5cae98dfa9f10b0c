/* SPDX-License-Identifier: MIT */
/* Frames that must not be taken: flipped, cut, lying. Each error of the reader by name. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "support/frames.h"

static uint8_t header[SIGNET_MESSAGE_HEADER_LEN] = {1};
static uint8_t longer[100];
static uint8_t front[] = "front", data[] = "some data";

/* The frames under test: one segment, a long control, a message with all, one with a gap. */
static const struct {
    uint8_t tag;
    unsigned num;
    struct signet_span segment[4];
} shapes[] = {
    {SIGNET_TAG_ACK, 1, {{header, 8}}},
    {SIGNET_TAG_CLIENT_IDENT, 1, {{longer, sizeof(longer)}}},
    {SIGNET_TAG_MESSAGE, 4, {{header, 41}, {front, 5}, {front, 3}, {data, 9}}},
    {SIGNET_TAG_MESSAGE, 4, {{header, 41}, {NULL, 0}, {NULL, 0}, {data, 9}}},
    {SIGNET_TAG_MESSAGE, 1, {{header, 41}}},
    {SIGNET_TAG_WAIT, 1, {{NULL, 0}}},
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

/* Every single byte of every frame, each bit pattern of a few, must be noticed. */
static void flip_all(bool secure, unsigned shape, uint8_t mask)
{
    for (size_t at = 0;; at++) {
        struct lane l = lane_new(secure, strict_limits());
        struct signet_frame_view view;
        struct test_frame f =
            make_frame(shapes[shape].tag, shapes[shape].segment, shapes[shape].num, l.seal);
        bool end = at == f.len;
        if (!end) {
            f.p[at] ^= mask;
            int err = lane_read(&l, f.p, f.len, &view);
            /* 0x0e ^ 0x0f is the status of an aborted frame, which is told */
            ck_assert_msg(err < 0 || view.aborted, "shape %u byte %zu mask %02x", shape, at, mask);
            ck_assert_msg(!secure || err < 0, "shape %u byte %zu mask %02x", shape, at, mask);
            ck_assert(err == 0 || lane_read(&l, f.p, f.len, &view) == err);
        }
        free(f.p);
        lane_free(&l);
        if (end) {
            return;
        }
    }
}

static void flipped_bytes_one(int variant)
{
    static const uint8_t masks[] = {0x01, 0x80, 0x0f, 0xff};
    for (unsigned shape = 0; shape < SHAPES; shape++) {
        for (unsigned m = 0; m < sizeof(masks); m++) {
            flip_all(variant != 0, shape, masks[m]);
        }
    }
}

START_TEST(flipped_bytes)
{
    for (int i = 0; i < 2; i++) {
        flipped_bytes_one(i);
    }
}
END_TEST

/* Fed one byte more each time, a frame is complete exactly at its length. */
static void byte_by_byte_one(int variant)
{
    for (unsigned shape = 0; shape < SHAPES; shape++) {
        struct lane l = lane_new(variant != 0, strict_limits());
        struct test_frame f =
            make_frame(shapes[shape].tag, shapes[shape].segment, shapes[shape].num, l.seal);
        struct signet_frame_view view;
        for (size_t n = 0; n <= f.len; n++) {
            size_t need;
            assert_ok(signet_frame_reader_next(l.reader, f.p, n, &view, &need, NULL));
            ck_assert_uint_eq(view.len, n == f.len ? f.len : 0);
            ck_assert(n == f.len || (need > n && need <= f.len));
        }
        for (unsigned i = 0; i < shapes[shape].num; i++) {
            ck_assert_uint_eq(view.segment[i].len, shapes[shape].segment[i].len);
            ck_assert(view.segment[i].len == 0 ||
                      memcmp(view.segment[i].p, shapes[shape].segment[i].p, view.segment[i].len) ==
                          0);
        }
        free(f.p);
        lane_free(&l);
    }
}

START_TEST(byte_by_byte)
{
    for (int i = 0; i < 2; i++) {
        byte_by_byte_one(i);
    }
}
END_TEST

START_TEST(late_status)
{
    static const struct {
        uint8_t late;
        int err, err_strict;
        bool aborted;
    } rows[] = {
        {0x0e, 0, 0, false},
        {0x01, 0, 0, true},
        {0x00, -SIGNET_E_LATE_STATUS, -SIGNET_E_LATE_STATUS, false},
        {0x0f, -SIGNET_E_LATE_STATUS, -SIGNET_E_LATE_STATUS, false},
        {0xe0, -SIGNET_E_LATE_STATUS, -SIGNET_E_LATE_STATUS, false},
        {0xee, 0, -SIGNET_E_LATE_STATUS, false},
        {0x11, 0, -SIGNET_E_LATE_STATUS, true},
    };
    for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
        bool is_strict = (i & 1) != 0;
        struct lane l =
            lane_new(false, is_strict ? strict_limits() : signet_frame_limits_default());
        struct test_frame f = make_frame(SIGNET_TAG_MESSAGE, shapes[2].segment, 4, NULL);
        struct signet_frame_view view;
        f.p[f.len - 13] = rows[i / 2].late;
        int err = lane_read(&l, f.p, f.len, &view);
        ck_assert_int_eq(err, is_strict ? rows[i / 2].err_strict : rows[i / 2].err);
        ck_assert(err < 0 || view.aborted == rows[i / 2].aborted);
        free(f.p);
        lane_free(&l);
    }
}
END_TEST

/* A secure frame of any plaintext: blocks of the given lengths, sealed one by one. */
static int read_plain(uint8_t *plain, size_t first_tail, bool *aborted)
{
    struct lane l = lane_new(true, signet_frame_limits_default());
    struct signet_frame_view view;
    uint8_t buf[512];
    memcpy(buf, plain, 80);
    assert_ok(signet_stream_seal(l.seal, buf, buf, 80));
    if (first_tail > 0) {
        memcpy(buf + 96, plain + 80, first_tail);
        assert_ok(signet_stream_seal(l.seal, buf + 96, buf + 96, first_tail));
    }
    int err = lane_read(&l, buf, 96 + (first_tail > 0 ? first_tail + 16 : 0), &view);
    *aborted = view.aborted;
    lane_free(&l);
    return err;
}

START_TEST(secure_padding_and_status)
{
    uint8_t plain[112];
    bool aborted;
    const uint32_t len[4] = {41, 5};
    for (size_t at = 32; at < sizeof(plain); at++) {
        memset(plain, 0, sizeof(plain));
        make_preamble(plain, SIGNET_TAG_MESSAGE, 2, len, 0);
        plain[96] = 0x0e;
        assert_ok(read_plain(plain, 32, &aborted));
        plain[at] ^= 0x30;
        bool used = at < 32 + 41 || (at >= 80 && at < 85) || at == 96;
        ck_assert_int_eq(read_plain(plain, 32, &aborted), used ? 0 : -SIGNET_E_PADDING);
    }
    static const uint8_t bad[] = {0x00, 0x0f, 0xe0};
    for (size_t i = 0; i < sizeof(bad); i++) {
        memset(plain, 0, sizeof(plain));
        make_preamble(plain, SIGNET_TAG_MESSAGE, 2, len, 0);
        plain[96] = bad[i];
        assert_err(read_plain(plain, 32, &aborted), LATE_STATUS);
    }
    plain[96] = 0x01;
    assert_ok(read_plain(plain, 32, &aborted));
    ck_assert(aborted);
    /* the rest of a long control */
    uint8_t control[96] = {0};
    const uint32_t long_len[4] = {60};
    make_preamble(control, SIGNET_TAG_CLIENT_IDENT, 1, long_len, 0);
    assert_ok(read_plain(control, 16, &aborted));
    control[92] = 1;
    assert_err(read_plain(control, 16, &aborted), PADDING);
    /* the preamble is checked in secure mode too */
    control[92] = 0;
    control[28] ^= 1;
    assert_err(read_plain(control, 16, &aborted), PREAMBLE_CRC);
}
END_TEST

START_TEST(named_errors)
{
    struct signet_frame_view view;
    struct lane l = lane_new(false, strict_limits());
    struct test_frame f = make_frame(SIGNET_TAG_ACK, shapes[0].segment, 1, NULL);
    f.p[28] ^= 1;
    assert_err(lane_read(&l, f.p, f.len, &view), PREAMBLE_CRC);
    free(f.p);
    lane_free(&l);

    for (size_t at = 0; at < 16; at++) { /* payload, its crc; front's crc */
        l = lane_new(false, strict_limits());
        f = make_frame(SIGNET_TAG_MESSAGE, shapes[2].segment, 4, NULL);
        f.p[at < 4 ? 32 + 41 + at : f.len - 12 + at - 4] ^= 1;
        assert_err(lane_read(&l, f.p, f.len, &view), SEGMENT_CRC);
        free(f.p);
        lane_free(&l);
    }
    l = lane_new(false, strict_limits()); /* the crc of a segment that is not there */
    f = make_frame(SIGNET_TAG_MESSAGE, shapes[2].segment, 2, NULL);
    f.p[f.len - 1] = 1;
    assert_err(lane_read(&l, f.p, f.len, &view), SEGMENT_CRC);
    free(f.p);
    lane_free(&l);

    l = lane_new(true, strict_limits());
    f = make_frame(SIGNET_TAG_MESSAGE, shapes[2].segment, 4, l.seal);
    f.p[95] ^= 1;
    assert_err(lane_read(&l, f.p, f.len, &view), OPEN);
    for (size_t i = 0; i < 80; i++) { /* nothing of the block is left */
        ck_assert_uint_eq(f.p[i], 0);
    }
    free(f.p);
    lane_free(&l);
}
END_TEST

static void aborted_frames_one(int variant)
{
    struct lane l = lane_new(variant != 0, strict_limits());
    struct signet_frame_view view;
    struct test_frame f = make_aborted(SIGNET_TAG_MESSAGE, shapes[2].segment, 4, l.seal);
    assert_ok(lane_read(&l, f.p, f.len, &view));
    ck_assert(view.aborted);
    free(f.p);
    f = make_frame(SIGNET_TAG_ACK, shapes[0].segment, 1, l.seal); /* and life goes on */
    assert_ok(lane_read(&l, f.p, f.len, &view));
    ck_assert(!view.aborted);
    ck_assert_uint_eq(view.offset, variant != 0 ? 96 + 80 : 0 + 32 + 45 + 17 + 13);
    free(f.p);
    lane_free(&l);
    struct iovec part = {header, 8};
    struct signet_frame frame = {.tag = SIGNET_TAG_ACK, .aborted = true, .segment = {{&part, 1}}};
    uint8_t out[96];
    size_t len;
    assert_err(signet_frame_build(out, sizeof(out), &len, &frame, NULL, 0), INVAL);
}

START_TEST(aborted_frames)
{
    for (int i = 0; i < 2; i++) {
        aborted_frames_one(i);
    }
}
END_TEST

START_TEST(wrong_direction_does_not_open)
{
    struct signet_stream *seal, *open, *back;
    struct signet_frame_view view;
    test_streams(&seal, &open, SIGNET_ROLE_CLIENT);
    struct test_frame f = make_frame(SIGNET_TAG_ACK, shapes[0].segment, 1, seal);
    signet_stream_free(seal);
    signet_stream_free(open);
    test_streams(&seal, &back, SIGNET_ROLE_SERVER);
    struct lane l = lane_new(false, strict_limits());
    signet_frame_reader_secure(l.reader, back);
    assert_err(lane_read(&l, f.p, f.len, &view), OPEN);
    free(f.p);
    lane_free(&l);
    signet_stream_free(seal);
    signet_stream_free(back);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("frame_bad");
    TCase *t = suite_case(s, "frames");
    tcase_add_test(t, flipped_bytes);
    tcase_add_test(t, byte_by_byte);
    tcase_add_test(t, late_status);
    tcase_add_test(t, secure_padding_and_status);
    tcase_add_test(t, named_errors);
    tcase_add_test(t, aborted_frames);
    tcase_add_test(t, wrong_direction_does_not_open);
    return suite_run(s);
}
