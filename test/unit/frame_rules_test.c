/* SPDX-License-Identifier: MIT */
/* What preambles may say, and what a frame needs to be built. */
#include "support/suite.h"

#include <string.h>

#include "support/frames.h"

/* A preamble of any content, alone; in secure mode inside a first block. */
static int read_preamble(bool secure, uint8_t tag, uint8_t num, const uint32_t *len, uint8_t flags,
                         struct signet_frame_limits limits)
{
    uint8_t buf[96] = {0};
    struct lane l = lane_new(secure, limits);
    struct signet_frame_view view;
    make_preamble(buf, tag, num, len, flags);
    if (secure) {
        assert_ok(signet_stream_seal(l.seal, buf, buf, 80));
    }
    int err = lane_read(&l, buf, secure ? 96 : 32, &view);
    lane_free(&l);
    return err;
}

static void lying_lengths_one(int variant)
{
    static const uint32_t lies[] = {0x7fffffff, 0x80000000, 0xffffffff};
    bool secure = variant != 0;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned lie = 0; lie < 3; lie++) {
            uint32_t len[4] = {41, 1, 1, 1};
            len[i] = lies[lie];
            ck_assert_int_eq(read_preamble(secure, SIGNET_TAG_MESSAGE, 4, len, 0, test_limits()),
                             -SIGNET_E_FRAME_LIMIT);
            uint32_t one[4] = {lies[lie]};
            ck_assert_int_eq(
                read_preamble(secure, SIGNET_TAG_HELLO, 1, one, 0, signet_frame_limits_preauth()),
                -SIGNET_E_FRAME_LIMIT);
        }
    }
    /* all of them at once: the sum is taken in 64 bits */
    struct signet_frame_limits none = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, true, false};
    uint32_t all[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    ck_assert_int_eq(read_preamble(secure, SIGNET_TAG_MESSAGE, 4, all, 0, none), 0);
}

START_TEST(lying_lengths)
{
    for (int i = 0; i < 2; i++) {
        lying_lengths_one(i);
    }
}
END_TEST

static void limits_one(int variant)
{
    const struct signet_frame_limits pre = signet_frame_limits_preauth();
    const struct signet_frame_limits post = signet_frame_limits_default();
    struct {
        struct signet_frame_limits limits;
        uint8_t tag, num;
        uint32_t len[4];
        int err;
    } rows[] = {
        {pre, SIGNET_TAG_AUTH_DONE, 1, {65536}, 0},
        {pre, SIGNET_TAG_AUTH_DONE, 1, {65537}, -SIGNET_E_FRAME_LIMIT},
        {pre, SIGNET_TAG_MESSAGE, 2, {41, 1}, -SIGNET_E_FRAME_LIMIT},
        {post, SIGNET_TAG_AUTH_DONE, 1, {1 << 20}, 0},
        {post, SIGNET_TAG_AUTH_DONE, 1, {(1 << 20) + 1}, -SIGNET_E_FRAME_LIMIT},
        {post, SIGNET_TAG_MESSAGE, 4, {41, 16 << 20, 16 << 20, 64 << 20}, 0},
        {post, SIGNET_TAG_MESSAGE, 4, {41, (16 << 20) + 1, 0, 1}, -SIGNET_E_FRAME_LIMIT},
        {post, SIGNET_TAG_MESSAGE, 4, {41, 0, (16 << 20) + 1, 1}, -SIGNET_E_FRAME_LIMIT},
        {post, SIGNET_TAG_MESSAGE, 4, {41, 0, 0, (64 << 20) + 1}, -SIGNET_E_FRAME_LIMIT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int err =
            read_preamble(variant != 0, rows[i].tag, rows[i].num, rows[i].len, 0, rows[i].limits);
        ck_assert_msg(err == rows[i].err, "row %zu: %s", i, signet_err_name(err));
    }
}

START_TEST(limits)
{
    for (int i = 0; i < 2; i++) {
        limits_one(i);
    }
}
END_TEST

static void preamble_rules_one(int variant)
{
    static const struct {
        uint8_t tag, num;
        uint32_t len[4];
        uint8_t flags;
        int err;
    } rows[] = {
        {0, 1, {8}, 0, -SIGNET_E_TAG},
        {23, 1, {8}, 0, -SIGNET_E_TAG},
        {255, 1, {8}, 0, -SIGNET_E_TAG},
        {SIGNET_TAG_ACK, 0, {0}, 0, -SIGNET_E_SEGMENTS},
        {SIGNET_TAG_ACK, 5, {8}, 0, -SIGNET_E_SEGMENTS},
        {SIGNET_TAG_ACK, 255, {8}, 0, -SIGNET_E_SEGMENTS},
        {SIGNET_TAG_ACK, 1, {8, 1}, 0, -SIGNET_E_SEGMENTS},      /* described, not announced */
        {SIGNET_TAG_MESSAGE, 2, {41, 0}, 0, -SIGNET_E_SEGMENTS}, /* last one empty */
        {SIGNET_TAG_MESSAGE, 4, {41, 1}, 0, -SIGNET_E_SEGMENTS},
        {SIGNET_TAG_ACK, 2, {8, 1}, 0, -SIGNET_E_SEGMENTS}, /* control with a front */
        {SIGNET_TAG_ACK, 1, {8}, 1, -SIGNET_E_FRAME_FLAGS}, /* compressed */
        {SIGNET_TAG_ACK, 1, {8}, 0x80, -SIGNET_E_FRAME_FLAGS},
        {SIGNET_TAG_WAIT, 1, {4}, 0, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int err = read_preamble(variant != 0, rows[i].tag, rows[i].num, rows[i].len, rows[i].flags,
                                strict_limits());
        ck_assert_msg(err == rows[i].err, "row %zu: %s", i, signet_err_name(err));
    }
}

START_TEST(preamble_rules)
{
    for (int i = 0; i < 2; i++) {
        preamble_rules_one(i);
    }
}
END_TEST

static void empty_control_one(int variant)
{
    for (uint8_t tag = 1; tag < SIGNET_TAG_NUM; tag++) {
        const uint32_t none[4] = {0};
        int want = tag == SIGNET_TAG_WAIT      ? 0
                   : tag == SIGNET_TAG_MESSAGE ? -SIGNET_E_MESSAGE_SHORT
                                               : -SIGNET_E_SEGMENTS;
        ck_assert_int_eq(read_preamble(variant != 0, tag, 1, none, 0, strict_limits()), want);
        const uint32_t gap[4] = {0, 1};
        want = tag == SIGNET_TAG_MESSAGE ? -SIGNET_E_MESSAGE_SHORT : -SIGNET_E_SEGMENTS;
        ck_assert_int_eq(read_preamble(variant != 0, tag, 2, gap, 0, strict_limits()), want);
    }
}

START_TEST(empty_control)
{
    for (int i = 0; i < 2; i++) {
        empty_control_one(i);
    }
}
END_TEST

static void short_message_one(int variant)
{
    for (uint32_t n = 0; n <= 41; n++) {
        const uint32_t len[4] = {n, 5, 0, 0};
        ck_assert_int_eq(
            read_preamble(variant != 0, SIGNET_TAG_MESSAGE, 2, len, 0, strict_limits()),
            n < 41 ? -SIGNET_E_MESSAGE_SHORT : 0);
    }
}

START_TEST(short_message)
{
    for (int i = 0; i < 2; i++) {
        short_message_one(i);
    }
}
END_TEST

START_TEST(build_errors)
{
    uint8_t header[8] = {1};
    struct iovec parts[2] = {{header, 8}, {header, SIZE_MAX}};
    struct signet_frame frame = {.tag = SIGNET_TAG_ACK, .segment = {{parts, 2}}};
    uint8_t out[64] = {7};
    size_t len = 1;
    assert_err(signet_frame_build(out, sizeof(out), &len, &frame, NULL, 0), LENGTH);
    parts[1].iov_len = UINT32_MAX - 7;
    assert_err(signet_frame_build(out, sizeof(out), &len, &frame, NULL, 0), LENGTH);
    ck_assert_uint_eq(len, 0);
    frame.segment[0].num = 1;
    assert_err(signet_frame_build(out, 43, &len, &frame, NULL, 0), SPACE);
    ck_assert_uint_eq(out[0], 7);
    assert_ok(signet_frame_build(out, 44, &len, &frame, NULL, 0));
}
END_TEST

START_TEST(streams_of_a_secret)
{
    uint8_t secret[64] = {0};
    struct signet_stream *seal = (void *)1, *open = (void *)1;
    secret[16] = 1;
    assert_err(signet_streams_new(&seal, &open, secret, 39, SIGNET_ROLE_CLIENT, NULL), CONN_SECRET);
    ck_assert_ptr_null(seal);
    ck_assert_ptr_null(open);
    assert_err(signet_streams_new(&seal, &open, secret, 0, SIGNET_ROLE_CLIENT, NULL), CONN_SECRET);
    assert_ok(signet_streams_new(&seal, &open, secret, 40, SIGNET_ROLE_CLIENT, NULL));
    signet_stream_free(seal);
    signet_stream_free(open);
    secret[28] = 1;
    assert_err(signet_streams_new(&seal, &open, secret, 64, SIGNET_ROLE_SERVER, NULL), NONCE_CLASH);
    ck_assert_ptr_null(seal);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("frame_rules");
    TCase *t = suite_case(s, "frames");
    tcase_add_test(t, lying_lengths);
    tcase_add_test(t, limits);
    tcase_add_test(t, preamble_rules);
    tcase_add_test(t, empty_control);
    tcase_add_test(t, short_message);
    tcase_add_test(t, build_errors);
    tcase_add_test(t, streams_of_a_secret);
    return suite_run(s);
}
