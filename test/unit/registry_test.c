/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/signet.h>
#include <string.h>

START_TEST(handlers_are_listed)
{
    size_t num = 0;
    for (const struct signet_handler *h; (h = signet_handler_at(num)) != NULL; num++) {
        struct signet_handler_info info;
        assert_ok(signet_handler_info(h, &info));
        ck_assert_str_eq(info.name, signet_handler_name(h));
        ck_assert_ptr_eq(signet_handler_find(info.name), h);
        ck_assert(info.current == (h == signet_handler_current()));
        ck_assert_int_eq(info.probe_err, 0);
        ck_assert(!info.fips);
        ck_assert_uint_gt(strlen(info.version), 4);
        ck_assert_uint_gt(strlen(info.detail), 4);
    }
    ck_assert_uint_ge(num, 1);
    ck_assert_str_eq(signet_handler_name(signet_handler_current()), suite_handler());
}
END_TEST

START_TEST(unknown_handlers)
{
    ck_assert_ptr_null(signet_handler_find("rot13"));
    ck_assert_ptr_null(signet_handler_find(NULL));
    const struct signet_handler *odd = (const struct signet_handler *)(const void *)"";
    struct signet_handler_info info;
    struct signet_key *key = NULL;
    assert_err(signet_handler_info(odd, &info), HANDLER_UNKNOWN);
    assert_err(signet_handler_probe(odd), HANDLER_UNKNOWN);
    assert_err(signet_handler_use(odd), HANDLER_UNKNOWN);
    assert_err(signet_handler_use(NULL), HANDLER_UNKNOWN);
    assert_err(signet_key_generate(&key, SIGNET_KEY_AES, odd), HANDLER_UNKNOWN);
}
END_TEST

START_TEST(init_is_counted)
{
    assert_ok(signet_init(NULL));
    signet_shutdown();
    ck_assert_ptr_nonnull(signet_handler_current());
    signet_shutdown();
    ck_assert_ptr_null(signet_handler_current());
    signet_shutdown(); /* one too many does nothing */
    const struct signet_handler *h = signet_handler_at(0);
    struct signet_handler_info info;
    assert_err(signet_handler_use(h), STATE);
    assert_err(signet_handler_probe(h), STATE);
    assert_err(signet_handler_info(h, &info), STATE);
    struct signet_options odd = {.handler = "rot13"};
    assert_err(signet_init(&odd), HANDLER_UNKNOWN);
    suite_start();
    assert_ok(signet_handler_probe(signet_handler_current()));
}
END_TEST

/* What is sealed on one handler opens on every other, with the same bytes where the cipher has
 * no random part, and one key may be used on all of them in turn. */
START_TEST(handlers_agree)
{
    struct signet_key *key;
    uint8_t first[128], sealed[128], plain[50] = {5}, out[128];
    size_t first_len, len;
    enum signet_key_type type = _i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K;
    assert_ok(signet_key_generate(&key, type, NULL));
    assert_ok(signet_envelope_seal(key, 0x10, first, sizeof(first), &first_len, plain, 50));
    for (size_t i = 0; signet_handler_at(i) != NULL; i++) {
        assert_ok(signet_handler_use(signet_handler_at(i)));
        ck_assert_ptr_eq(signet_handler_current(), signet_handler_at(i));
        assert_ok(signet_envelope_open(key, 0x10, out, sizeof(out), &len, first, first_len));
        ck_assert_mem_eq(out, plain, 50);
        assert_ok(signet_envelope_seal(key, 0x10, sealed, sizeof(sealed), &len, plain, 50));
        ck_assert(type == SIGNET_KEY_AES256K || memcmp(sealed, first, len) == 0);
        for (size_t k = 0; signet_handler_at(k) != NULL; k++) {
            assert_ok(signet_handler_use(signet_handler_at(k)));
            assert_ok(signet_envelope_open(key, 0x10, out, sizeof(out), &len, sealed, first_len));
            ck_assert_mem_eq(out, plain, 50);
        }
    }
    signet_key_unref(key);
}
END_TEST

START_TEST(pinned_keys_stay)
{
    for (size_t i = 0; signet_handler_at(i) != NULL; i++) {
        struct signet_key *key;
        uint8_t buf[64] = {0};
        size_t len;
        assert_ok(signet_key_generate(&key, SIGNET_KEY_AES, signet_handler_at(i)));
        for (size_t k = 0; signet_handler_at(k) != NULL; k++) {
            assert_ok(signet_handler_use(signet_handler_at(k)));
            assert_ok(signet_envelope_seal(key, 0, buf, sizeof(buf), &len, buf, 8));
            assert_ok(signet_envelope_open(key, 0, buf, sizeof(buf), &len, buf, len));
        }
        signet_key_unref(key);
    }
}
END_TEST

static unsigned lines;

static void count_line(void *arg, enum signet_log_level level, const char *line)
{
    ck_assert_ptr_eq(arg, &lines);
    ck_assert_int_le(level, SIGNET_LOG_DEBUG);
    ck_assert_ptr_null(strchr(line, '\n'));
    lines++;
}

START_TEST(the_log_callback_is_called)
{
    signet_shutdown();
    struct signet_options options = {
        .log = count_line, .log_arg = &lines, .handler = suite_handler()};
    assert_ok(signet_init(&options));
    ck_assert_uint_ge(lines, 1);
    ck_assert_str_eq(signet_version(), SIGNET_VERSION);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("registry");
    TCase *t = suite_case(s, "registry");
    tcase_add_test(t, handlers_are_listed);
    tcase_add_test(t, unknown_handlers);
    tcase_add_test(t, init_is_counted);
    tcase_add_loop_test(t, handlers_agree, 0, 2);
    tcase_add_test(t, pinned_keys_stay);
    tcase_add_test(t, the_log_callback_is_called);
    return suite_run(s);
}
