/* SPDX-License-Identifier: MIT */
/* Logins that must fail, each with its own error and with nothing lost. */
#include <signet/client.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "support/auth_login.h"

START_TEST(order)
{
    static const uint8_t challenge[9] = {1, 1};
    login_start(SIGNET_KEY_AES256K);
    assert_err(signet_client_challenge(login.client, login.out, sizeof(login.out), &login.out_len,
                                       challenge, 9, &login.fail),
               STATE);
    assert_err(login_done(SIGNET_MODE_SECURE), STATE);
    assert_ok(signet_client_login(login.client, login.out, sizeof(login.out), &login.out_len));
    assert_err(login_done(SIGNET_MODE_SECURE), STATE);
    login_ask_again();
    assert_err(signet_client_challenge(login.client, login.out, sizeof(login.out), &login.out_len,
                                       challenge, 9, &login.fail),
               SECOND_CHALLENGE);
    ck_assert_uint_eq(login.out_len, 0);
    assert_err(login_done(SIGNET_MODE_SECURE), STATE);
    login_ok();
    assert_err(login_done(SIGNET_MODE_SECURE), STATE);
    login_stop();
}
END_TEST

START_TEST(challenges)
{
    static const uint8_t zero[10] = {1}, two[9] = {2, 1}, good[10] = {1, 1};
    static const struct {
        const uint8_t *p;
        size_t len;
        enum signet_err err;
    } rows[] = {{zero, 9, SIGNET_E_CHALLENGE_ZERO},
                {two, 9, SIGNET_E_VERSION},
                {good, 8, SIGNET_E_SHORT},
                {good, 0, SIGNET_E_SHORT},
                {good, 10, SIGNET_E_TRAILING}};
    login_start(SIGNET_KEY_AES256K);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_ok(signet_client_login(login.client, login.out, sizeof(login.out), &login.out_len));
        ck_assert_int_eq(signet_client_challenge(login.client, login.out, sizeof(login.out),
                                                 &login.out_len, rows[i].p, rows[i].len,
                                                 &login.fail),
                         -(int)rows[i].err);
        ck_assert_int_eq(login.fail.err, -(int)rows[i].err);
        ck_assert_uint_eq(login.out_len, 0);
    }
    assert_ok(signet_client_login(login.client, login.out, sizeof(login.out), &login.out_len));
    login.fake.random_err = -SIGNET_E_RANDOM;
    assert_err(signet_client_challenge(login.client, login.out, sizeof(login.out), &login.out_len,
                                       good, 9, &login.fail),
               RANDOM);
    ck_assert_uint_eq(login.out_len, 0);
    login_stop();
}
END_TEST

START_TEST(frame_fields)
{
    login_start(SIGNET_KEY_AES256K);
    login_converse(SIGNET_MODE_SECURE);
    assert_err(signet_client_done(login.client, &login.result, 0, SIGNET_MODE_SECURE, login.in,
                                  login.in_len, &login.fail),
               GLOBAL_ID_ZERO);
    for (int mode = 0; mode < 5; mode++) {
        if (mode == SIGNET_MODE_CRC || mode == SIGNET_MODE_SECURE) {
            continue;
        }
        login_converse(SIGNET_MODE_SECURE);
        assert_err(login_done((enum signet_con_mode)mode), CON_MODE);
    }
    login_stop();
}
END_TEST

START_TEST(headers)
{
    static const struct {
        struct signet_response_header header;
        enum signet_err err;
    } rows[] = {
        {{0x0200, 0}, SIGNET_E_REPLY_TYPE},      {{0, 0}, SIGNET_E_REPLY_TYPE},
        {{0x0100, -EACCES}, SIGNET_E_RESULT},    {{0x0100, INT_MIN}, SIGNET_E_RESULT},
        {{0x0100, 1}, SIGNET_E_RESULT_POSITIVE}, {{0x0100, INT_MAX}, SIGNET_E_RESULT_POSITIVE},
    };
    login_start(SIGNET_KEY_AES256K);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t len;
        login_converse(SIGNET_MODE_CRC);
        assert_ok(signet_response_header_encode(login.in, sizeof(login.in), &len, &rows[i].header));
        ck_assert_int_eq(login_done(SIGNET_MODE_CRC), -(int)rows[i].err);
        ck_assert(rows[i].header.status != -EACCES || strstr(login.fail.text, "EACCES") != NULL);
    }
    login_stop();
}
END_TEST

static void bend_plain(struct signet_session_grant *grant)
{
    grant->old_key = NULL;
}

static void bend_wrong_old(struct signet_session_grant *grant)
{
    grant->old_key = grant->auth.session_key;
}

/* A failed reclaim leaves the instance as it was, and the next one works. */
START_TEST(reclaims)
{
    struct signet_ticket_info before, after;
    login_start(SIGNET_KEY_AES256K);
    login_ok();
    assert_ok(signet_client_ticket(login.client, 0, &before));
    fake_env_pass(&login.fake, SEC);
    login.mon.bend = bend_plain;
    login_converse(SIGNET_MODE_SECURE);
    assert_err(login_done(SIGNET_MODE_SECURE), TICKET_ENC_MISSING);
    login.mon.bend = bend_wrong_old;
    login_converse(SIGNET_MODE_SECURE);
    assert_err(login_done(SIGNET_MODE_SECURE), OPEN);
    assert_ok(signet_client_ticket(login.client, 0, &after));
    ck_assert_uint_eq(before.expires_mono_ns, after.expires_mono_ns);
    ck_assert_uint_eq(signet_client_global_id(login.client), TEST_GLOBAL_ID);
    login.mon.bend = NULL;
    login_ok();
    assert_ok(signet_client_ticket(login.client, 0, &after));
    ck_assert_uint_eq(before.expires_mono_ns + SEC, after.expires_mono_ns);
    login_stop();
}
END_TEST

/* CVE-2026-22992, CVE-2014-6418: each cut fails, and each changed byte of a type 2 reclaim. */
START_TEST(mutilated)
{
    enum signet_key_type type = _i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K;
    login_start(type);
    login_ok();
    login_converse(SIGNET_MODE_SECURE);
    size_t whole = login.in_len;
    uint8_t *reply = malloc(whole);
    memcpy(reply, login.in, whole);
    for (size_t i = 0; i < whole; i++) {
        login_ask_again();
        login.in_len = i;
        ck_assert_int_ne(login_done(SIGNET_MODE_SECURE), 0);
        login_ask_again();
        login.in_len = whole;
        login.in[i] ^= 0x10;
        int err = login_done(SIGNET_MODE_SECURE);
        ck_assert_msg(err != 0 || type == SIGNET_KEY_AES, "byte %zu", i);
        login.in[i] = reply[i];
        if (err == 0) { /* bent under type 1: begin anew with what the monitor knows */
            signet_auth_result_clear(&login.result);
            signet_client_reset(login.client);
            login_ok();
            login_converse(SIGNET_MODE_SECURE);
            ck_assert_uint_eq(login.in_len, whole);
            memcpy(reply, login.in, whole);
        }
    }
    login_ask_again();
    login.in[login.in_len++] = 0;
    assert_err(login_done(SIGNET_MODE_SECURE), TRAILING);
    login_ask_again();
    login.in_len = whole;
    assert_ok(login_done(SIGNET_MODE_SECURE));
    free(reply);
    login_stop();
}
END_TEST

START_TEST(changed_global_id)
{
    login_start(SIGNET_KEY_AES256K);
    login_ok();
    login_converse(SIGNET_MODE_SECURE);
    assert_ok(signet_client_done(login.client, &login.result, 77, SIGNET_MODE_SECURE, login.in,
                                 login.in_len, &login.fail));
    ck_assert_uint_eq(signet_client_global_id(login.client), 77);
    ck_assert_uint_eq(login.result.global_id, 77);
    login_stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_login");
    TCase *tc = suite_case(suite, "refusals");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, order);
    tcase_add_test(tc, challenges);
    tcase_add_test(tc, frame_fields);
    tcase_add_test(tc, headers);
    tcase_add_test(tc, reclaims);
    tcase_add_loop_test(tc, mutilated, 0, 2);
    tcase_add_test(tc, changed_global_id);
    return suite_run(suite);
}
