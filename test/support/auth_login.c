/* SPDX-License-Identifier: MIT */
#include "support/auth_login.h"

#include <string.h>

struct test_login login;

void login_start(enum signet_key_type type)
{
    test_mon_init(&login.mon, &login.fake, type, type, type);
    struct signet_client_options options = test_mon_options(&login.mon, LOGIN_WANT);
    assert_ok(signet_client_new(&login.client, &options));
}

void login_stop(void)
{
    signet_auth_result_clear(&login.result);
    signet_client_free(login.client);
    test_mon_free(&login.mon);
}

void login_converse(enum signet_con_mode mode)
{
    struct test_login *l = &login;
    assert_ok(signet_client_login(l->client, l->out, sizeof(l->out), &l->out_len));
    l->in_len = test_mon_start(&l->mon, l->out, l->out_len, l->in);
    assert_ok(signet_client_challenge(l->client, l->out, sizeof(l->out), &l->out_len, l->in,
                                      l->in_len, NULL));
    ck_assert_int_eq(test_mon_login(&l->mon, mode, l->out, l->out_len, l->in, &l->in_len), 0);
}

void login_ask_again(void)
{
    static const uint8_t challenge[9] = {1, 1};
    struct test_login *l = &login;
    assert_ok(signet_client_login(l->client, l->out, sizeof(l->out), &l->out_len));
    assert_ok(signet_client_challenge(l->client, l->out, sizeof(l->out), &l->out_len, challenge,
                                      sizeof(challenge), NULL));
}

int login_done(enum signet_con_mode mode)
{
    struct test_login *l = &login;
    memset(&l->fail, 0, sizeof(l->fail));
    int err =
        signet_client_done(l->client, &l->result, TEST_GLOBAL_ID, mode, l->in, l->in_len, &l->fail);
    ck_assert_int_eq(l->fail.err, err);
    ck_assert(err == 0 || (l->result.session_key == NULL && l->result.secret_len == 0));
    return err;
}

void login_ok(void)
{
    login_converse(SIGNET_MODE_SECURE);
    assert_ok(login_done(SIGNET_MODE_SECURE));
    signet_auth_result_clear(&login.result);
}
