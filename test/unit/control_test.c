/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "support/frames.h"

static bool has_control(unsigned tag)
{
    return tag >= 1 && tag < SIGNET_TAG_NUM && tag != SIGNET_TAG_MESSAGE;
}

START_TEST(round_trip)
{
    for (uint8_t tag = 1; tag < SIGNET_TAG_NUM; tag++) {
        struct signet_control c, back;
        uint8_t first[SIGNET_CONTROL_MAX], second[SIGNET_CONTROL_MAX];
        size_t len, len2;
        if (!has_control(tag)) {
            continue;
        }
        sample_control(&c, tag);
        assert_ok(signet_control_encode(&c, first, sizeof(first), &len));
        assert_ok(signet_control_decode(&back, tag, first, len, NULL));
        ck_assert_uint_eq(back.tag, tag);
        assert_ok(signet_control_encode(&back, second, sizeof(second), &len2));
        ck_assert_uint_eq(len, len2);
        ck_assert(len == 0 || memcmp(first, second, len) == 0);
        /* exactly the room that is needed, no less */
        assert_ok(signet_control_encode(&c, second, len, &len2));
        if (len > 0) {
            assert_err(signet_control_encode(&c, second, len - 1, &len2), SPACE);
            ck_assert_uint_eq(len2, 0);
        }
    }
}
END_TEST

START_TEST(truncated_and_longer)
{
    for (uint8_t tag = 1; tag < SIGNET_TAG_NUM; tag++) {
        struct signet_control c;
        uint8_t wire[SIGNET_CONTROL_MAX] = {0};
        size_t len;
        if (!has_control(tag)) {
            continue;
        }
        sample_control(&c, tag);
        assert_ok(signet_control_encode(&c, wire, sizeof(wire), &len));
        for (size_t n = 0; n < len; n++) {
            struct signet_fail fail = {0};
            uint8_t *cut = malloc(n + 1);
            memcpy(cut, wire, n);
            int err = signet_control_decode(&c, tag, cut, n, &fail);
            ck_assert_msg(err < 0 && fail.err == err, "tag %u, %zu bytes", tag, n);
            ck_assert_str_eq(fail.where, signet_tag_name(tag));
            free(cut);
        }
        assert_ok(signet_control_decode(&c, tag, wire, len + 7, NULL));
    }
}
END_TEST

static int decode_hex(struct signet_control *c, uint8_t tag, const char *hex)
{
    static uint8_t in[256];
    size_t len = strlen(hex) / 2;
    unhex_to(in, len, hex);
    return signet_control_decode(c, tag, in, len, NULL);
}

START_TEST(recorded_payloads)
{
    struct signet_control c;
    /* what a real monitor answers to a wrong key */
    assert_ok(decode_hex(&c, SIGNET_TAG_AUTH_BAD_METHOD,
                         "02000000f3ffffff01000000020000000200000002000000"
                         "01000000"));
    ck_assert_uint_eq(c.bad_method.method, 2);
    ck_assert_int_eq(c.bad_method.result, -13);
    ck_assert_uint_eq(c.bad_method.methods.num, 1);
    ck_assert_uint_eq(c.bad_method.modes.num, 2);
    ck_assert_uint_eq(c.bad_method.modes.v[0], 2);
    assert_ok(decode_hex(&c, SIGNET_TAG_AUTH_REQUEST,
                         "02000000020000000200000001000000160000000a080000000500000061646d696e"
                         "0000000000000000"));
    ck_assert_uint_eq(c.auth_request.modes.num, 2);
    ck_assert_uint_eq(c.auth_request.payload.len, 22);
    assert_ok(decode_hex(&c, SIGNET_TAG_COMPRESSION_REQUEST, "000100000001000000"));
    ck_assert_uint_eq(c.compression.methods.num, 1);
    assert_ok(decode_hex(&c, SIGNET_TAG_COMPRESSION_REQUEST, "0000000000"));
    assert_ok(decode_hex(&c, SIGNET_TAG_COMPRESSION_DONE, "0000000000"));
    assert_ok(decode_hex(&c, SIGNET_TAG_WAIT, ""));
}
END_TEST

START_TEST(recorded_idents)
{
    struct signet_control c;
    assert_ok(decode_hex(
        &c, SIGNET_TAG_CLIENT_IDENT,
        "02010000000101011c00000003000000a1e4ce3910000000020000007f00000100000000000000000101011c00"
        "000002000000000000001000000002005c947f0000010000000000000000ffffffffffffffff01000000000000"
        "00fffffdffbdcf013f00000000000000080000000000000000a7f98849be64d68f"));
    ck_assert_int_eq(c.ident.gid, -1);
    ck_assert_uint_eq(c.ident.addrs.addr[0].type, SIGNET_ADDR_ANY);
    ck_assert_uint_eq(c.ident.target.port, 23700);
    ck_assert_uint_eq(c.ident.supported, UINT64_C(0x3f01cfbdfffdffff));
    ck_assert_uint_eq(c.ident.required, UINT64_C(0x0800000000000000));
    ck_assert_uint_eq(c.ident.cookie, UINT64_C(0x8fd664be4988f9a7));
    assert_ok(decode_hex(
        &c, SIGNET_TAG_SERVER_IDENT,
        "02020000000101011c00000002000000000000001000000002005c947f00000100000000000000000101011c00"
        "000001000000000000001000000002005c957f000001000000000000000000000000000000001f000000000000"
        "00fffffdffbdcf013f000004420002010c01000000000000000000000000000000"));
    ck_assert_uint_eq(c.ident.addrs.num, 2);
    ck_assert_uint_eq(c.ident.target.family, SIGNET_FAMILY_NONE);
    ck_assert_uint_eq(c.ident.required, UINT64_C(0x0c01020042040000));
    ck_assert_uint_eq(c.ident.flags, SIGNET_IDENT_LOSSY);
}
END_TEST

START_TEST(lying_lengths)
{
    static const char *const lengths[] = {"06000000", "ffffff7f", "00000080", "ffffffff"};
    for (size_t i = 0; i < 4; i++) {
        struct signet_control c;
        char hex[128];
        snprintf(hex, sizeof(hex), "201000000000000002000000%s0102030405", lengths[i]);
        assert_err(decode_hex(&c, SIGNET_TAG_AUTH_DONE, hex), LENGTH);
        snprintf(hex, sizeof(hex), "%s0102030405", lengths[i]);
        assert_err(decode_hex(&c, SIGNET_TAG_AUTH_REPLY_MORE, hex), LENGTH);
        assert_err(decode_hex(&c, SIGNET_TAG_AUTH_REQUEST_MORE, hex), LENGTH);
        snprintf(hex, sizeof(hex), "0200000000000000%s0102030405", lengths[i]);
        assert_err(decode_hex(&c, SIGNET_TAG_AUTH_REQUEST, hex), LENGTH);
        snprintf(hex, sizeof(hex), "02000000%s0102030405", lengths[i]);
        assert_err(decode_hex(&c, SIGNET_TAG_AUTH_REQUEST, hex), COUNT);
        snprintf(hex, sizeof(hex), "02000000f3ffffff%s0102030405", lengths[i]);
        assert_err(decode_hex(&c, SIGNET_TAG_AUTH_BAD_METHOD, hex), COUNT);
        snprintf(hex, sizeof(hex), "02%s0102030405", lengths[i]);
        assert_err(decode_hex(&c, SIGNET_TAG_CLIENT_IDENT, hex), COUNT);
    }
}
END_TEST

START_TEST(list_bound)
{
    uint8_t wire[8 + 4 * 33] = {2, 0, 0, 0, 33};
    struct signet_control c;
    assert_err(signet_control_decode(&c, SIGNET_TAG_AUTH_REQUEST, wire, sizeof(wire), NULL), COUNT);
    wire[4] = 32;
    assert_ok(signet_control_decode(&c, SIGNET_TAG_AUTH_REQUEST, wire, sizeof(wire), NULL));
    ck_assert_uint_eq(c.auth_request.modes.num, 32);
    uint8_t out[256];
    size_t len;
    c.auth_request.modes.num = 33;
    assert_err(signet_control_encode(&c, out, sizeof(out), &len), COUNT);
    sample_control(&c, SIGNET_TAG_COMPRESSION_DONE);
    c.compression.methods.num = 2;
    assert_err(signet_control_encode(&c, out, sizeof(out), &len), COUNT);
}
END_TEST

START_TEST(not_control)
{
    static const uint8_t tags[] = {0, SIGNET_TAG_MESSAGE, SIGNET_TAG_NUM, 255};
    for (size_t i = 0; i < sizeof(tags); i++) {
        struct signet_control c = {.tag = tags[i]};
        uint8_t out[64] = {0};
        size_t len = 1;
        assert_err(signet_control_decode(&c, tags[i], out, sizeof(out), NULL), TAG);
        c.tag = tags[i];
        assert_err(signet_control_encode(&c, out, sizeof(out), &len), TAG);
        ck_assert_uint_eq(len, 0);
    }
}
END_TEST

START_TEST(message_header)
{
    struct signet_message m = {.seq = 1,
                               .tid = 2,
                               .type = 3,
                               .priority = 4,
                               .version = 5,
                               .compat_version = 6,
                               .data_off = 7,
                               .data_pre_padding_len = 8,
                               .flags = 9,
                               .ack_seq = 10};
    struct signet_message back;
    uint8_t header[SIGNET_MESSAGE_HEADER_LEN + 1];
    signet_message_header_encode(&m, header);
    struct signet_frame_view view = {.tag = SIGNET_TAG_MESSAGE,
                                     .segment = {{header, 41}, {header, 3}}};
    assert_ok(signet_message_decode(&back, &view));
    m.front = view.segment[1];
    ck_assert_uint_eq(back.seq, 1);
    ck_assert_uint_eq(back.tid, 2);
    ck_assert_uint_eq(back.type, 3);
    ck_assert_uint_eq(back.priority, 4);
    ck_assert_uint_eq(back.version, 5);
    ck_assert_uint_eq(back.compat_version, 6);
    ck_assert_uint_eq(back.data_off, 7);
    ck_assert_uint_eq(back.data_pre_padding_len, 8);
    ck_assert_uint_eq(back.flags, 9);
    ck_assert_uint_eq(back.ack_seq, 10);
    ck_assert_uint_eq(back.front.len, 3);
    view.segment[0].len = 42;
    assert_ok(signet_message_decode(&back, &view));
    for (size_t n = 0; n < SIGNET_MESSAGE_HEADER_LEN; n++) {
        view.segment[0].len = n;
        assert_err(signet_message_decode(&back, &view), MESSAGE_SHORT);
    }
    view.tag = SIGNET_TAG_ACK;
    assert_err(signet_message_decode(&back, &view), TAG);
}
END_TEST

START_TEST(tag_names)
{
    ck_assert_str_eq(signet_tag_name(SIGNET_TAG_HELLO), "HELLO");
    ck_assert_str_eq(signet_tag_name(SIGNET_TAG_COMPRESSION_DONE), "COMPRESSION_DONE");
    ck_assert_ptr_null(signet_tag_name(0));
    ck_assert_ptr_null(signet_tag_name(SIGNET_TAG_NUM));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("control");
    TCase *t = tcase_create("control");
    tcase_add_test(t, round_trip);
    tcase_add_test(t, truncated_and_longer);
    tcase_add_test(t, recorded_payloads);
    tcase_add_test(t, recorded_idents);
    tcase_add_test(t, lying_lengths);
    tcase_add_test(t, list_bound);
    tcase_add_test(t, not_control);
    tcase_add_test(t, message_header);
    tcase_add_test(t, tag_names);
    suite_add_tcase(s, t);
    return suite_run(s);
}
