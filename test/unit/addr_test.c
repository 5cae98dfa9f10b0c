/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/addr.h>

#include <stdlib.h>
#include <string.h>

#define V4 "0101011c00000002000000000000001000000002000ce40a0000010000000000000000"
#define V6                                                                                         \
    "0101012800000002000000070000001c0000000a000ce401020304200100000000000000000000000000010900"   \
    "0000"
#define ANY4 "0101011c00000003000000a1e4ce3910000000020000007f0000010000000000000000"

static struct signet_addr v4(void)
{
    return (struct signet_addr){
        .type = SIGNET_ADDR_MSGR2, .family = SIGNET_FAMILY_IPV4, .port = 3300, .ip = {10, 0, 0, 1}};
}

static struct signet_addr v6(void)
{
    return (struct signet_addr){.type = SIGNET_ADDR_MSGR2,
                                .nonce = 7,
                                .family = SIGNET_FAMILY_IPV6,
                                .port = 3300,
                                .flowinfo = 0x01020304,
                                .scope_id = 9,
                                .ip = {0x20, 1, [15] = 1}};
}

static int decode_hex(struct signet_addr *out, const char *hex, size_t *used)
{
    size_t len;
    uint8_t *in = unhex(hex, &len);
    int err = signet_addr_decode(out, in, len, used);
    free(in);
    return err;
}

START_TEST(new_form)
{
    uint8_t out[SIGNET_ADDR_WIRE_MAX];
    size_t len;
    struct signet_addr addr = v4(), back;
    assert_ok(signet_addr_encode(&addr, out, sizeof(out), &len));
    assert_hex(out, len, V4);
    assert_ok(decode_hex(&back, V4 "ff", &len));
    ck_assert_uint_eq(len, 35);
    ck_assert(signet_addr_equal(&addr, &back));

    addr = v6();
    assert_ok(signet_addr_encode(&addr, out, sizeof(out), &len));
    assert_hex(out, len, V6);
    assert_ok(decode_hex(&back, V6, &len));
    ck_assert_uint_eq(len, 47);
    ck_assert(signet_addr_equal(&addr, &back));
}
END_TEST

START_TEST(blank_forms)
{
    uint8_t out[SIGNET_ADDR_WIRE_MAX];
    size_t len;
    struct signet_addr blank = {0}, back;
    assert_ok(signet_addr_encode(&blank, out, sizeof(out), &len));
    ck_assert_uint_eq(len, 47);
    assert_ok(signet_addr_decode(&back, out, len, &len));
    ck_assert(signet_addr_equal(&blank, &back));
    /* elen 0, and a family of its own only */
    assert_ok(decode_hex(&back, "0101010c000000000000000000000000000000", &len));
    ck_assert(signet_addr_equal(&blank, &back));
    assert_ok(decode_hex(&back, "0101010e0000000000000000000000020000000000", &len));
    ck_assert(signet_addr_equal(&blank, &back));
}
END_TEST

START_TEST(legacy_form)
{
    uint8_t out[SIGNET_ADDR_LEGACY_LEN];
    size_t used;
    struct signet_addr addr = v4(), back;
    addr.port = 6789;
    signet_addr_encode_legacy(&addr, out);
    assert_hex(out, 16, "000000000000000000021a850a000001");
    for (size_t i = 16; i < sizeof(out); i++) {
        ck_assert_uint_eq(out[i], 0);
    }
    assert_ok(signet_addr_decode(&back, out, sizeof(out), &used));
    ck_assert_uint_eq(used, sizeof(out));
    ck_assert_uint_eq(back.type, SIGNET_ADDR_LEGACY);
    ck_assert(signet_addr_same_endpoint(&addr, &back));
    addr = v6();
    signet_addr_encode_legacy(&addr, out);
    assert_ok(signet_addr_decode(&back, out, sizeof(out), &used));
    addr.type = SIGNET_ADDR_LEGACY;
    ck_assert(signet_addr_equal(&addr, &back));
    assert_err(signet_addr_decode(&back, out, sizeof(out) - 1, &used), SHORT);
    out[9] = 77; /* family */
    assert_err(signet_addr_decode(&back, out, sizeof(out), &used), VALUE);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *hex;
        int err;
    } rows[] = {
        {"", -SIGNET_E_SHORT},
        {"03", -SIGNET_E_VALUE},                                                   /* marker */
        {"0101021c00000002000000", -SIGNET_E_VERSION},                             /* compat */
        {"0100011c00000002000000", -SIGNET_E_VERSION},                             /* version 0 */
        {"0101011d00000002000000000000001000000002000ce40a0000010000000000000000", /* struct_len */
         -SIGNET_E_LENGTH},
        {"010101ffffffff02000000000000001000000002000ce4", -SIGNET_E_LENGTH},
        {"0101011c00000005000000000000001000000002000ce40a0000010000000000000000", /* type */
         -SIGNET_E_VALUE},
        {"0101011c00000002000000000000000100000002000ce40a0000010000000000000000", /* elen 1 */
         -SIGNET_E_LENGTH},
        {"0101011c00000002000000000000000f00000002000ce40a0000010000000000000000", /* IPv4, 15 */
         -SIGNET_E_LENGTH},
        {"0101011c0000000200000000000000100000000a000ce40a0000010000000000000000", /* IPv6, 16 */
         -SIGNET_E_LENGTH},
        {"0101011c00000002000000000000001100000002000ce40a0000010000000000000000", /* elen > len */
         -SIGNET_E_LENGTH},
        {"0101011c0000000200000000000000ffffffff02000ce40a0000010000000000000000",
         -SIGNET_E_LENGTH},
        {"0101011c00000002000000000000001000000003000ce40a0000010000000000000000", /* family */
         -SIGNET_E_VALUE},
        {"010101040000000200000000000000", -SIGNET_E_SHORT}, /* envelope too small for its fields */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct signet_addr addr, blank = {0};
        size_t used = 99;
        ck_assert_msg(decode_hex(&addr, rows[i].hex, &used) == rows[i].err, "row %zu", i);
        ck_assert_uint_eq(used, 0);
        ck_assert(signet_addr_equal(&addr, &blank));
    }
}
END_TEST

START_TEST(longer_envelope_is_skipped)
{
    struct signet_addr addr, want = v4();
    size_t used;
    assert_ok(decode_hex(&addr,
                         "0101011e00000002000000000000001000000002000ce40a0000010000000000000000"
                         "aabb"
                         "cc",
                         &used));
    ck_assert_uint_eq(used, 37);
    ck_assert(signet_addr_equal(&addr, &want));
}
END_TEST

START_TEST(truncated_everywhere)
{
    static const char *const hex[] = {V4, V6};
    for (size_t i = 0; i < 2; i++) {
        size_t len, used;
        uint8_t *in = unhex(hex[i], &len);
        struct signet_addr addr;
        for (size_t n = 0; n < len; n++) {
            uint8_t *cut = malloc(n + 1); /* exact size for the sanitizer */
            memcpy(cut, in, n);
            ck_assert_int_lt(signet_addr_decode(&addr, cut, n, &used), 0);
            ck_assert_uint_eq(used, 0);
            free(cut);
        }
        free(in);
    }
}
END_TEST

START_TEST(vectors)
{
    uint8_t out[SIGNET_ADDRVEC_WIRE_MAX];
    size_t len, used;
    struct signet_addrvec vec = {.num = 2, .addr = {v4(), v6()}}, back;
    assert_ok(signet_addrvec_encode(&vec, out, sizeof(out), &len));
    assert_hex(out, len, "0202000000" V4 V6);
    assert_ok(signet_addrvec_decode(&back, out, len, &used));
    ck_assert_uint_eq(used, len);
    ck_assert_uint_eq(back.num, 2);
    ck_assert(signet_addr_equal(&back.addr[1], &vec.addr[1]));
    for (size_t n = 0; n < len; n++) {
        ck_assert_int_lt(signet_addrvec_decode(&back, out, n, &used), 0);
        ck_assert_uint_eq(back.num, 0);
    }
    /* one address of either form is a vector of one */
    assert_ok(signet_addrvec_decode(&back, out + 5, 35, &used));
    ck_assert_uint_eq(back.num, 1);
    ck_assert(signet_addr_equal(&back.addr[0], &vec.addr[0]));
    uint8_t legacy[SIGNET_ADDR_LEGACY_LEN];
    signet_addr_encode_legacy(&vec.addr[0], legacy);
    assert_ok(signet_addrvec_decode(&back, legacy, sizeof(legacy), &used));
    ck_assert_uint_eq(back.num, 1);
}
END_TEST

START_TEST(vector_bounds)
{
    static struct signet_addrvec vec, back;
    uint8_t out[SIGNET_ADDRVEC_WIRE_MAX];
    size_t len, used;
    vec.num = SIGNET_ADDRVEC_MAX;
    assert_ok(signet_addrvec_encode(&vec, out, sizeof(out), &len));
    ck_assert_uint_eq(len, SIGNET_ADDRVEC_WIRE_MAX);
    assert_ok(signet_addrvec_decode(&back, out, len, &used));
    ck_assert_uint_eq(back.num, SIGNET_ADDRVEC_MAX);
    assert_err(signet_addrvec_encode(&vec, out, sizeof(out) - 1, &len), SPACE);
    ck_assert_uint_eq(len, 0);
    vec.num++;
    assert_err(signet_addrvec_encode(&vec, out, sizeof(out), &len), COUNT);
    static const uint8_t counts[][5] = {{2, 33, 0, 0, 0},
                                        {2, 0xff, 0xff, 0xff, 0x7f},
                                        {2, 0, 0, 0, 0x80},
                                        {2, 0xff, 0xff, 0xff, 0xff}};
    for (size_t i = 0; i < 4; i++) {
        assert_err(signet_addrvec_decode(&back, counts[i], 5, &used), COUNT);
    }
    assert_err(signet_addrvec_decode(&back, (const uint8_t *)"\x03", 1, &used), VALUE);
}
END_TEST

START_TEST(order)
{
    struct signet_addr a = v4(), b = v4();
    ck_assert_int_eq(signet_addr_compare(&a, &b), 0);
    b.nonce = 1;
    ck_assert_int_lt(signet_addr_compare(&a, &b), 0);
    a.nonce = 0x100; /* bytes 00 01 against 01 00 */
    ck_assert_int_lt(signet_addr_compare(&a, &b), 0);
    a.nonce = 1;
    b.port = 3301;
    ck_assert_int_lt(signet_addr_compare(&a, &b), 0);
    ck_assert_int_gt(signet_addr_compare(&b, &a), 0);
    b = v6();
    ck_assert_int_lt(signet_addr_compare(&a, &b), 0);
    ck_assert(!signet_addr_equal(&a, &b));
    b = a;
    b.type = SIGNET_ADDR_LEGACY;
    ck_assert(signet_addr_same_endpoint(&a, &b));
    ck_assert(!signet_addr_equal(&a, &b));
}
END_TEST

START_TEST(recorded_client_address)
{
    struct signet_addr addr;
    uint8_t out[SIGNET_ADDR_WIRE_MAX];
    size_t len;
    assert_ok(decode_hex(&addr, ANY4, &len));
    ck_assert_uint_eq(addr.type, SIGNET_ADDR_ANY);
    ck_assert_uint_eq(addr.nonce, 969860257);
    assert_ok(signet_addr_encode(&addr, out, sizeof(out), &len));
    assert_hex(out, len, ANY4);
    assert_err(signet_addr_encode(&addr, out, 34, &len), SPACE);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("addr");
    TCase *t = tcase_create("wire");
    tcase_add_test(t, new_form);
    tcase_add_test(t, blank_forms);
    tcase_add_test(t, legacy_form);
    tcase_add_test(t, refused);
    tcase_add_test(t, longer_envelope_is_skipped);
    tcase_add_test(t, truncated_everywhere);
    tcase_add_test(t, vectors);
    tcase_add_test(t, vector_bounds);
    tcase_add_test(t, order);
    tcase_add_test(t, recorded_client_address);
    suite_add_tcase(s, t);
    return suite_run(s);
}
