/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <string.h>

#include <signet/error.h>

#include "base/cursor.h"

START_TEST(integers_are_little_endian)
{
    uint8_t in[17] = {0x01, 0x02, 0x03, 0x11, 0x12, 0x13, 0x14, 0x21, 0x22,
                      0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0xab, 0xcd};
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_u8(&r), 0x01);
    ck_assert_uint_eq(signet_read_u16(&r), 0x0302);
    ck_assert_uint_eq(signet_read_u32(&r), 0x14131211);
    ck_assert_uint_eq(signet_reader_left(&r), 10);
    ck_assert_uint_eq(signet_reader_offset(&r), 7);
    ck_assert_uint_eq(signet_read_u64(&r), 0x2827262524232221);
    ck_assert_uint_eq(signet_read_be16(&r), 0xabcd);
    assert_ok(signet_reader_done(&r));
}
END_TEST

START_TEST(failure_is_sticky)
{
    uint8_t in[3] = {1, 2, 3};
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_u16(&r), 0x0201);
    ck_assert_uint_eq(signet_read_u32(&r), 0);
    ck_assert_uint_eq(signet_read_u8(&r), 0);
    assert_err(signet_reader_done(&r), SHORT);
    ck_assert_uint_eq(signet_reader_offset(&r), 2);
    assert_err(signet_reader_fail(&r, SIGNET_E_VALUE), SHORT);
}
END_TEST

/* Each read of n bytes fails on every shorter input and gives zeros. */
START_TEST(no_read_past_the_end)
{
    uint8_t in[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, out[8];
    for (size_t len = 0; len <= 8; len++) {
        struct signet_reader r[6];
        for (int i = 0; i < 6; i++) {
            r[i] = signet_reader_init(in, len);
        }
        memset(out, 0xee, sizeof(out));
        ck_assert_uint_eq(signet_read_u8(&r[0]), len < 1 ? 0 : 0xff);
        ck_assert_uint_eq(signet_read_u16(&r[1]), len < 2 ? 0 : 0xffff);
        ck_assert_uint_eq(signet_read_u32(&r[2]), len < 4 ? 0 : 0xffffffff);
        ck_assert_uint_eq(signet_read_u64(&r[3]), len < 8 ? 0 : UINT64_MAX);
        ck_assert_uint_eq(signet_read_be16(&r[4]), len < 2 ? 0 : 0xffff);
        signet_read_bytes(&r[5], out, 5);
        ck_assert_uint_eq(out[4], len < 5 ? 0 : 0xff);
        ck_assert_uint_eq(out[5], 0xee);
        const size_t needs[6] = {1, 2, 4, 8, 2, 5};
        for (int i = 0; i < 6; i++) {
            ck_assert_int_eq(r[i].err, len < needs[i] ? -SIGNET_E_SHORT : 0);
        }
    }
}
END_TEST

START_TEST(trailing_bytes_are_an_error)
{
    uint8_t in[2] = {1, 2};
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    (void)signet_read_u8(&r);
    assert_err(signet_reader_done(&r), TRAILING);
    assert_err(signet_reader_done(&r), TRAILING);
    ck_assert_uint_eq(signet_read_u8(&r), 0);
    ck_assert_uint_eq(signet_reader_offset(&r), 1);
}
END_TEST

START_TEST(empty_input)
{
    struct signet_reader r = signet_reader_init(NULL, 0);
    ck_assert_uint_eq(signet_reader_left(&r), 0);
    struct signet_span span = signet_read_view(&r, 0);
    ck_assert_ptr_nonnull(span.p);
    ck_assert_uint_eq(span.len, 0);
    signet_read_bytes(&r, NULL, 0);
    assert_ok(signet_reader_done(&r));
}
END_TEST

START_TEST(views)
{
    uint8_t in[4] = {1, 2, 3, 4};
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    struct signet_span span = signet_read_view(&r, 3);
    ck_assert_ptr_eq(span.p, in);
    ck_assert_uint_eq(span.len, 3);
    span = signet_read_view(&r, UINT64_MAX);
    ck_assert_ptr_null(span.p);
    ck_assert_uint_eq(span.len, 0);
    assert_err(signet_reader_done(&r), SHORT);
}
END_TEST

START_TEST(blobs)
{
    uint8_t in[8] = {2, 0, 0, 0, 'a', 'b', 'c', 'd'};
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    struct signet_span span = signet_read_blob(&r, 2);
    ck_assert_ptr_eq(span.p, in + 4);
    ck_assert_uint_eq(span.len, 2);
    ck_assert_uint_eq(signet_reader_left(&r), 2);

    r = signet_reader_init(in, sizeof(in));
    ck_assert_ptr_null(signet_read_blob(&r, 1).p);
    assert_err(r.err, LENGTH);
    in[0] = 4;
    r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_blob(&r, 4).len, 4);
    assert_ok(signet_reader_done(&r));
    r = signet_reader_init(in, 3);
    (void)signet_read_blob(&r, 4);
    assert_err(r.err, SHORT);
}
END_TEST

static const uint32_t lying_lengths[] = {5, 0x7fffffff, 0x80000000, 0xffffffff};

START_TEST(lying_blob_length)
{
    uint8_t in[8] = {0};
    signet_store_u32(in, lying_lengths[_i]);
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    struct signet_span span = signet_read_blob(&r, UINT64_MAX);
    ck_assert_ptr_null(span.p);
    ck_assert_uint_eq(span.len, 0);
    assert_err(r.err, LENGTH);
    ck_assert_uint_eq(signet_reader_offset(&r), 4);
}
END_TEST

START_TEST(counts)
{
    uint8_t in[12] = {2};
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_count(&r, 2, 4), 2); /* 2 * 4 bytes are there */
    assert_ok(r.err);
    r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_count(&r, 2, 5), 0);
    assert_err(r.err, COUNT);
    r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_count(&r, 1, 1), 0);
    assert_err(r.err, COUNT);
    r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_count(&r, UINT32_MAX, 0), 2); /* elements may be empty */
    signet_store_u32(in, UINT32_MAX);
    r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_count(&r, UINT32_MAX, SIZE_MAX), 0);
    assert_err(r.err, COUNT);
}
END_TEST

START_TEST(sub_readers)
{
    uint8_t in[6] = {1, 2, 3, 4, 5, 6};
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    struct signet_reader sub = signet_read_sub(&r, 2);
    ck_assert_uint_eq(signet_read_u16(&sub), 0x0201);
    ck_assert_uint_eq(signet_read_u8(&sub), 0); /* not into what follows */
    assert_err(sub.err, SHORT);
    assert_ok(r.err);
    ck_assert_uint_eq(signet_read_u32(&r), 0x06050403);
    sub = signet_read_sub(&r, 1);
    assert_err(sub.err, SHORT);
    assert_err(r.err, SHORT);
    ck_assert_uint_eq(signet_reader_left(&sub), 0);
}
END_TEST

START_TEST(written_bytes)
{
    uint8_t out[32];
    struct signet_writer w = signet_writer_init(out, sizeof(out));
    signet_write_u8(&w, 0x01);
    signet_write_u16(&w, 0x0302);
    signet_write_u32(&w, 0x14131211);
    signet_write_u64(&w, 0x2827262524232221);
    signet_write_be16(&w, 0xabcd);
    signet_write_bytes(&w, "xy", 2);
    signet_write_zeros(&w, 2);
    signet_write_blob(&w, "z", 1);
    assert_ok(w.err);
    ck_assert_uint_eq(w.len, 26);
    assert_hex(out, 26,
               "01020311121314"
               "2122232425262728"
               "abcd"
               "7879"
               "0000"
               "010000007a");
}
END_TEST

/* A writer with any smaller room stops before the write that does not fit, and stays there. */
START_TEST(no_write_past_the_end)
{
    for (size_t cap = 0; cap < 15; cap++) {
        uint8_t out[16];
        memset(out, 0xee, sizeof(out));
        struct signet_writer w = signet_writer_init(cap > 0 ? out : NULL, cap);
        signet_write_u64(&w, 0);
        signet_write_u32(&w, 0);
        signet_write_u16(&w, 0);
        signet_write_u8(&w, 0);
        assert_err(w.err, SPACE);
        for (size_t i = cap; i < sizeof(out); i++) {
            ck_assert_uint_eq(out[i], 0xee);
        }
        size_t at = cap < 8 ? 0 : cap < 12 ? 8 : cap < 14 ? 12 : 14;
        ck_assert_uint_eq(w.len, at);
        ck_assert_ptr_null(signet_write_room(&w, 0));
        assert_err(signet_writer_fail(&w, SIGNET_E_VALUE), SPACE);
    }
}
END_TEST

START_TEST(counting)
{
    struct signet_writer w = signet_writer_count();
    signet_write_u64(&w, 1);
    signet_write_blob(&w, "abc", 3);
    signet_write_patch_u32(&w, signet_write_hole_u32(&w), 7);
    ck_assert_ptr_null(signet_write_room(&w, (size_t)1 << 40));
    assert_ok(w.err);
    ck_assert_uint_eq(w.len, 8 + 7 + 4 + ((uint64_t)1 << 40));
}
END_TEST

START_TEST(holes)
{
    uint8_t out[8] = {0};
    struct signet_writer w = signet_writer_init(out, sizeof(out));
    size_t at = signet_write_hole_u32(&w);
    signet_write_u16(&w, 0xbbaa);
    signet_write_patch_u32(&w, at, 2);
    signet_write_patch_u32(&w, 3, 0xffffffff); /* not all of it is written yet: ignored */
    assert_hex(out, 8, "02000000aabb0000");
    signet_write_u32(&w, 0);
    signet_write_patch_u32(&w, at, 9); /* nothing changes after a failure */
    assert_err(w.err, SPACE);
    ck_assert_uint_eq(out[0], 2);
}
END_TEST

START_TEST(overlapping_source)
{
    uint8_t out[8] = {1, 2, 3, 4, 5};
    struct signet_writer w = signet_writer_init(out, sizeof(out));
    signet_write_u8(&w, 9);
    signet_write_bytes(&w, out + 1, 4);
    signet_write_bytes(&w, NULL, 0);
    assert_hex(out, 5, "0902030405");
}
END_TEST

START_TEST(blob_longer_than_u32)
{
    struct signet_writer w = signet_writer_count();
    signet_write_blob(&w, "", (size_t)UINT32_MAX + 1);
    assert_err(w.err, LENGTH);
    ck_assert_uint_eq(w.len, 0);
}
END_TEST

START_TEST(loads_and_stores)
{
    uint8_t p[8];
    signet_store_u64(p, 0xfedcba9876543210);
    assert_hex(p, 8, "1032547698badcfe");
    ck_assert_uint_eq(signet_load_u64(p), 0xfedcba9876543210);
    ck_assert_uint_eq(signet_load_u32(p + 4), 0xfedcba98);
    signet_store_be32(p, 0x01020304);
    signet_store_u32(p + 4, 0x01020304);
    assert_hex(p, 8, "0102030404030201");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cursor");
    TCase *t = tcase_create("reader");
    tcase_add_test(t, integers_are_little_endian);
    tcase_add_test(t, failure_is_sticky);
    tcase_add_test(t, no_read_past_the_end);
    tcase_add_test(t, trailing_bytes_are_an_error);
    tcase_add_test(t, empty_input);
    tcase_add_test(t, views);
    tcase_add_test(t, blobs);
    tcase_add_loop_test(t, lying_blob_length, 0, 4);
    tcase_add_test(t, counts);
    tcase_add_test(t, sub_readers);
    suite_add_tcase(s, t);
    t = tcase_create("writer");
    tcase_add_test(t, written_bytes);
    tcase_add_test(t, no_write_past_the_end);
    tcase_add_test(t, counting);
    tcase_add_test(t, holes);
    tcase_add_test(t, overlapping_source);
    tcase_add_test(t, blob_longer_than_u32);
    tcase_add_test(t, loads_and_stores);
    suite_add_tcase(s, t);
    return suite_run(s);
}
