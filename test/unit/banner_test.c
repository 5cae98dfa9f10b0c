/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/frame.h>

#include <string.h>

#define BANNER "636570682076320a100001000000000000000000000000000000"

START_TEST(encode)
{
    uint8_t out[SIGNET_BANNER_LEN];
    struct signet_banner banner = {1, 0};
    signet_banner_encode(&banner, out);
    assert_hex(out, sizeof(out), BANNER);
    banner.supported = 3;
    signet_banner_encode(&banner, out);
    assert_hex(out, sizeof(out), "636570682076320a100003000000000000000000000000000000");
}
END_TEST

START_TEST(parse_byte_by_byte)
{
    uint8_t in[SIGNET_BANNER_LEN];
    struct signet_banner banner;
    size_t used;
    unhex_to(in, sizeof(in), BANNER);
    for (size_t n = 0; n < sizeof(in); n++) {
        assert_ok(signet_banner_parse(&banner, in, n, &used));
        ck_assert_uint_eq(used, 0);
    }
    assert_ok(signet_banner_parse(&banner, in, sizeof(in), &used));
    ck_assert_uint_eq(used, sizeof(in));
    ck_assert_uint_eq(banner.supported, 1);
    ck_assert_uint_eq(banner.required, 0);
}
END_TEST

START_TEST(longer_payload)
{
    uint8_t in[10 + SIGNET_BANNER_PAYLOAD_MAX] = "ceph v2\n";
    struct signet_banner banner;
    size_t used;
    in[9] = SIGNET_BANNER_PAYLOAD_MAX >> 8;
    in[10] = 5;
    in[18] = 6;
    assert_ok(signet_banner_parse(&banner, in, sizeof(in) - 1, &used));
    ck_assert_uint_eq(used, 0);
    assert_ok(signet_banner_parse(&banner, in, sizeof(in), &used));
    ck_assert_uint_eq(used, sizeof(in));
    ck_assert_uint_eq(banner.supported, 5);
    ck_assert_uint_eq(banner.required, 6);
    in[8] = 1; /* 1025 */
    assert_err(signet_banner_parse(&banner, in, 10, &used), BANNER);
    in[8] = 0xff;
    in[9] = 0xff;
    assert_err(signet_banner_parse(&banner, in, 10, &used), BANNER);
    in[8] = 15;
    in[9] = 0;
    assert_err(signet_banner_parse(&banner, in, 10, &used), BANNER);
}
END_TEST

START_TEST(msgr1_peer)
{
    const char *text = "ceph v027";
    struct signet_banner banner;
    size_t used;
    for (size_t n = 0; n < 9; n++) {
        assert_ok(signet_banner_parse(&banner, (const uint8_t *)text, n, &used));
        ck_assert_uint_eq(used, 0);
    }
    assert_err(signet_banner_parse(&banner, (const uint8_t *)text, 9, &used), MSGR1_PEER);
    assert_err(signet_banner_parse(&banner, (const uint8_t *)"ceph v027xxxx", 13, &used),
               MSGR1_PEER);
}
END_TEST

START_TEST(strangers)
{
    static const char *const texts[] = {"SSH-2.0-OpenSSH", "HTTP/1.1 400", "x",    "ceph v3\n",
                                        "ceph v2 ",        "ceph v028",    "cepH", "ceph v0x"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct signet_banner banner;
        size_t used;
        assert_err(signet_banner_parse(&banner, (const uint8_t *)texts[i], strlen(texts[i]), &used),
                   NOT_CEPH);
    }
}
END_TEST

START_TEST(checks)
{
    const struct signet_banner mine = {1, 1};
    struct signet_banner theirs = {3, 0};
    assert_ok(signet_banner_check(&mine, &theirs));
    theirs.supported = 0;
    assert_err(signet_banner_check(&mine, &theirs), MSGR20_PEER);
    theirs.supported = 2;
    assert_err(signet_banner_check(&mine, &theirs), MSGR20_PEER);
    theirs = (struct signet_banner){3, 2};
    assert_err(signet_banner_check(&mine, &theirs), BANNER_FEATURES);
    const struct signet_banner picky = {7, 5};
    theirs = (struct signet_banner){3, 1};
    assert_err(signet_banner_check(&picky, &theirs), BANNER_FEATURES);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("banner");
    TCase *t = tcase_create("banner");
    tcase_add_test(t, encode);
    tcase_add_test(t, parse_byte_by_byte);
    tcase_add_test(t, longer_payload);
    tcase_add_test(t, msgr1_peer);
    tcase_add_test(t, strangers);
    tcase_add_test(t, checks);
    suite_add_tcase(s, t);
    return suite_run(s);
}
