/* SPDX-License-Identifier: MIT */
/* What is particular to the ipsec-mb handler; that it does right is tested with the others. */
#include "support/suite.h"

#include <signet/signet.h>
#include <pthread.h>
#include <string.h>

#include "crypto/engine.h"

static const struct signet_handler *const h = &signet_handler_ipsec_mb;
static const uint8_t raw[64] = {5, 4, 3};

static void start(void)
{
    struct signet_options options = {.handler = "ipsec-mb", .strict = true};
    assert_ok(signet_init(&options));
}

START_TEST(it_says_what_it_does)
{
    struct signet_handler_info info;
    assert_ok(signet_handler_info(h, &info));
    ck_assert_str_eq(info.name, "ipsec-mb");
    ck_assert(info.current && !info.fips && info.probe_err == 0);
    ck_assert_ptr_nonnull(strstr(info.version, "ipsec-mb 1."));
    ck_assert_ptr_nonnull(strstr(info.version, "OpenSSL 3."));
    ck_assert_ptr_nonnull(strstr(info.detail, "the rest by openssl"));
}
END_TEST

START_TEST(wrong_key_lengths_are_refused)
{
    static const enum signet_alg algs[] = {SIGNET_ALG_GCM128_SEAL, SIGNET_ALG_GCM256_OPEN,
                                           SIGNET_ALG_CBC128_OPEN, SIGNET_ALG_CBC256_OPEN,
                                           SIGNET_ALG_CTR256};
    for (size_t i = 0; i < sizeof(algs) / sizeof(algs[0]); i++) {
        for (size_t len = 0; len <= sizeof(raw); len++) {
            void *key = &key;
            if (len != signet_alg_key_len(algs[i])) {
                assert_err(h->key_new(&key, algs[i], raw, len), INVAL);
                ck_assert_ptr_null(key);
            }
        }
    }
}
END_TEST

/* The library would say so by its error number alone and write nothing. */
START_TEST(an_overlong_message_is_refused)
{
    struct signet_lane lane;
    struct signet_engine *e;
    uint8_t byte[32] = {0};
    size_t len = ((size_t)1 << 36) - 31;
    assert_ok(signet_engine_new(&e, h, SIGNET_ALG_GCM128_SEAL, raw, 16));
    assert_ok(signet_lane_enter(e, &lane));
    assert_err(h->gcm_seal(lane.p, byte, byte, len, raw), INVAL);
    assert_err(h->gcm_open(lane.p, byte, byte, len, raw), INVAL);
    signet_lane_leave(&lane);
    signet_engine_free(e);
}
END_TEST

/* Keys of one thread share a manager, which outlives them; each start begins with none. */
START_TEST(managers_go_with_the_handler)
{
    for (int turn = 0; turn < 3; turn++) {
        struct signet_key *a, *b;
        uint8_t buf[128] = {1};
        size_t len;
        assert_ok(signet_key_import(&a, SIGNET_KEY_AES, raw, 16, 0, NULL));
        assert_ok(signet_key_import(&b, SIGNET_KEY_AES256K, raw, 32, 0, NULL));
        for (int i = 0; i < 2; i++) {
            const struct signet_key *key = i == 0 ? a : b;
            assert_ok(signet_envelope_seal(key, SIGNET_USAGE_AUTHORIZE, buf, 128, &len, buf, 50));
            assert_ok(signet_envelope_open(key, SIGNET_USAGE_AUTHORIZE, buf, 128, &len, buf, len));
        }
        signet_key_unref(a);
        assert_ok(signet_envelope_seal(b, SIGNET_USAGE_AUTHORIZE, buf, 128, &len, buf, 50));
        assert_ok(signet_envelope_open(b, SIGNET_USAGE_AUTHORIZE, buf, 128, &len, buf, len));
        signet_key_unref(b);
        signet_shutdown();
        start();
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ipsec_mb");
    TCase *t = tcase_create("ipsec_mb");
    tcase_add_checked_fixture(t, start, signet_shutdown);
    tcase_add_test(t, it_says_what_it_does);
    tcase_add_test(t, wrong_key_lengths_are_refused);
    tcase_add_test(t, an_overlong_message_is_refused);
    tcase_add_test(t, managers_go_with_the_handler);
    suite_add_tcase(s, t);
    return suite_run(s);
}
