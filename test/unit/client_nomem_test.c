/* SPDX-License-Identifier: MIT */
/*
 * Memory runs out at each allocation that the library makes for a client, one after the other:
 * the call says so, nothing that was held is lost, and the next try works. The linker puts these
 * wrappers in front of the library's allocations only.
 */
#include <signet/client.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_login.h"

#define SEEN __attribute__((visibility("default")))

void *__real_malloc(size_t len);
void *__real_calloc(size_t num, size_t len);
void *__real_signet_secret_alloc(size_t len);
SEEN void *__wrap_malloc(size_t len);
SEEN void *__wrap_calloc(size_t num, size_t len);
SEEN void *__wrap_signet_secret_alloc(size_t len);

static long until = -1; /* allocations that still work; negative: all do */
static bool failed;

static bool fails(void)
{
    failed = failed || until == 0;
    return until >= 0 && until-- == 0;
}

void *__wrap_malloc(size_t len)
{
    return fails() ? NULL : __real_malloc(len);
}

void *__wrap_calloc(size_t num, size_t len)
{
    return fails() ? NULL : __real_calloc(num, len);
}

void *__wrap_signet_secret_alloc(size_t len)
{
    return fails() ? NULL : __real_signet_secret_alloc(len);
}

/* Whether the allocation number n was there to fail, in which case the call must have said so. */
static bool ended(int err)
{
    until = -1;
    if (!failed) {
        assert_ok(err);
        return true;
    }
    assert_err(err, NOMEM);
    return false;
}

static void begin(long n)
{
    failed = false;
    until = n;
}

static uint64_t expiry(size_t index)
{
    struct signet_ticket_info info;
    assert_ok(signet_client_ticket(login.client, index, &info));
    return info.expires_mono_ns;
}

START_TEST(objects)
{
    struct signet_client *client = NULL;
    struct signet_authorizer *authorizer = NULL;
    login_start(SIGNET_KEY_AES256K);
    login_ok();
    struct signet_client_options options = test_mon_options(&login.mon, SIGNET_OSD);
    begin(0);
    ck_assert(!ended(signet_client_new(&client, &options)));
    ck_assert_ptr_null(client);
    begin(0);
    ck_assert(!ended(signet_authorizer_new(&authorizer, login.client, SIGNET_OSD)));
    ck_assert_ptr_null(authorizer);
    login_stop();
}
END_TEST

/* The end of a reclaim. */
START_TEST(done)
{
    login_start(_i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K);
    login_ok();
    uint64_t before = expiry(0);
    fake_env_pass(&login.fake, SEC);
    login_converse(SIGNET_MODE_SECURE);
    for (long n = 0;; n++) {
        login_ask_again();
        begin(n);
        if (ended(signet_client_done(login.client, &login.result, TEST_GLOBAL_ID,
                                     SIGNET_MODE_SECURE, login.in, login.in_len, NULL))) {
            ck_assert_int_gt(n, 3);
            break;
        }
        ck_assert_uint_eq(expiry(0), before);
        ck_assert_uint_eq(signet_client_global_id(login.client), TEST_GLOBAL_ID);
    }
    ck_assert_uint_eq(expiry(0), before + SEC);
    login_stop();
}
END_TEST

/* Two service tickets in one reply: both or none. */
START_TEST(renewal)
{
    struct test_login *l = &login;
    login_start(_i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K);
    login_ok();
    for (long n = 0;; n++) {
        fake_env_pass(&l->fake, 3600 * SEC);
        assert_ok(signet_client_renew(l->client, l->out, sizeof(l->out), &l->out_len));
        if (n == 40) { /* by then the AUTH ticket is due as well */
            break;
        }
        ck_assert_uint_gt(l->out_len, 0);
        l->in_len = test_mon_mauth(&l->mon, l->out, l->out_len, l->in);
        uint64_t before = expiry(1);
        begin(n);
        if (ended(signet_client_reply(l->client, l->in, l->in_len, NULL))) {
            ck_assert_int_gt(n, 3);
            break;
        }
        ck_assert_uint_eq(expiry(1), before);
        ck_assert_uint_eq(expiry(2), before);
    }
    ck_assert_uint_eq(expiry(1), l->fake.mono_ns + 3600 * SEC);
    ck_assert_uint_eq(expiry(2), l->fake.mono_ns + 3600 * SEC);
    login_stop();
}
END_TEST

START_TEST(rotating)
{
    struct test_login *l = &login;
    struct signet_rotating_info info;
    login_start(SIGNET_KEY_AES256K);
    l->mon.name.type = SIGNET_OSD;
    signet_client_free(l->client);
    struct signet_client_options options = test_mon_options(&l->mon, 0);
    assert_ok(signet_client_new(&l->client, &options));
    login_ok();
    for (long n = 0;; n++) {
        assert_ok(signet_client_rotating(l->client, l->out, sizeof(l->out), &l->out_len));
        l->in_len = test_mon_mauth(&l->mon, l->out, l->out_len, l->in);
        begin(n);
        if (ended(signet_client_reply(l->client, l->in, l->in_len, NULL))) {
            ck_assert_int_gt(n, 3);
            break;
        }
        assert_err(signet_client_secret(l->client, 0, &info), NOT_FOUND);
    }
    assert_ok(signet_client_secret(l->client, 2, &info));
    login_stop();
}
END_TEST

/* At the other end: a ticket and its session key. */
START_TEST(daemon)
{
    struct test_login *l = &login;
    struct signet_authorizer *authorizer;
    struct signet_authorizer_parts parts;
    struct signet_presented who;
    login_start(_i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K);
    login_ok();
    assert_ok(signet_authorizer_new(&authorizer, l->client, SIGNET_OSD));
    assert_ok(signet_authorizer_request(authorizer, l->out, sizeof(l->out), &l->out_len));
    assert_ok(signet_authorizer_parts_decode(&parts, l->out, l->out_len, NULL));
    for (long n = 0;; n++) {
        begin(n);
        if (ended(signet_authorizer_open(&who, &parts, l->mon.secrets, NULL, NULL))) {
            ck_assert_int_gt(n, 1);
            break;
        }
        ck_assert_ptr_null(who.session_key);
    }
    signet_presented_clear(&who);
    signet_authorizer_free(authorizer);
    login_stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_nomem");
    TCase *tc = suite_case(suite, "out of memory");
    tcase_add_test(tc, objects);
    tcase_add_loop_test(tc, done, 0, 2);
    tcase_add_loop_test(tc, renewal, 0, 2);
    tcase_add_test(tc, rotating);
    tcase_add_loop_test(tc, daemon, 0, 2);
    return suite_run(suite);
}
