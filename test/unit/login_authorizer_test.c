/* SPDX-License-Identifier: MIT */
/* Authorizers at a daemon: what is replayed, altered, for others or too old is refused. */
#include "support/cluster.h"

#include <errno.h>
#include <string.h>

static const enum signet_key_type types[2] = {SIGNET_KEY_AES, SIGNET_KEY_AES256K};

struct exchange {
    uint8_t first[CLUSTER_BUF], challenge[CLUSTER_BUF], second[CLUSTER_BUF], done[CLUSTER_BUF];
    size_t first_len, challenge_len, second_len, done_len;
};

static struct exchange x;

static int present(struct cluster *c, const uint8_t *in, size_t len, uint8_t *out, size_t *out_len)
{
    return signet_login_step(c->login, SIGNET_MODE_SECURE, out, CLUSTER_BUF, out_len, in, len,
                             &c->verdict, NULL);
}

static void osd_login(struct cluster *c)
{
    signet_login_free(c->login);
    assert_ok(signet_login_new(&c->login, c->server, SIGNET_OSD));
}

START_TEST(authorizers_that_are_replayed_or_unanswered_are_refused)
{
    struct cluster c = {0};
    cluster_start(&c, types[_i], types[_i]);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    struct signet_authorizer *auth;
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    assert_ok(signet_authorizer_new(&auth, client, SIGNET_OSD));
    assert_ok(signet_authorizer_request(auth, x.first, CLUSTER_BUF, &x.first_len));
    osd_login(&c);
    assert_ok(present(&c, x.first, x.first_len, x.challenge, &x.challenge_len));
    assert_ok(signet_authorizer_challenge(auth, x.second, CLUSTER_BUF, &x.second_len, x.challenge,
                                          x.challenge_len, NULL));
    assert_ok(present(&c, x.second, x.second_len, x.done, &x.done_len));
    assert_err(present(&c, x.second, x.second_len, x.done, &x.done_len), LOGIN_STEP);

    osd_login(&c); /* the challenge is left out the second time */
    assert_ok(present(&c, x.first, x.first_len, x.challenge, &x.challenge_len));
    assert_err(present(&c, x.first, x.first_len, x.done, &x.done_len), CHALLENGE_MISSING);
    osd_login(&c); /* the answer to another connection's challenge */
    assert_ok(present(&c, x.first, x.first_len, x.challenge, &x.challenge_len));
    assert_err(present(&c, x.second, x.second_len, x.done, &x.done_len), CHALLENGE_WRONG);
    ck_assert_int_eq(signet_login_errno(c.login), -EACCES);
    osd_login(&c); /* an answer where no challenge was sent */
    assert_err(present(&c, x.second, x.second_len, x.done, &x.done_len), CHALLENGE_WRONG);
    signet_authorizer_free(auth);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

START_TEST(authorizers_for_others_or_of_lost_secrets_are_refused)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    struct signet_authorizer *auth;
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    assert_ok(signet_authorizer_new(&auth, client, SIGNET_MGR));
    assert_ok(signet_authorizer_request(auth, x.first, CLUSTER_BUF, &x.first_len));
    osd_login(&c);
    assert_err(present(&c, x.first, x.first_len, x.done, &x.done_len), SERVICE_WRONG);
    signet_authorizer_free(auth);
    assert_ok(signet_authorizer_new(&auth, client, SIGNET_OSD));
    assert_ok(signet_authorizer_request(auth, x.first, CLUSTER_BUF, &x.first_len));
    assert_ok(signet_keyserver_wipe_rotating(c.server));
    osd_login(&c);
    assert_err(present(&c, x.first, x.first_len, x.done, &x.done_len), SECRET_ID);
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE)); /* AUTH's secrets are kept */
    signet_authorizer_free(auth);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

START_TEST(tickets_live_through_rotations_and_then_no_more)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    struct signet_authorizer *auth;
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    assert_ok(signet_authorizer_new(&auth, client, SIGNET_OSD));
    assert_ok(signet_authorizer_request(auth, x.first, CLUSTER_BUF, &x.first_len));
    for (int seconds = 0; seconds < 3600; seconds += 600) {
        osd_login(&c);
        assert_ok(present(&c, x.first, x.first_len, x.done, &x.done_len));
        cluster_pass(&c, 600);
        assert_ok(signet_keyserver_tick(c.server));
    }
    cluster_pass(&c, 301); /* beyond its end and the skew */
    assert_ok(signet_keyserver_tick(c.server));
    osd_login(&c);
    assert_err(present(&c, x.first, x.first_len, x.done, &x.done_len), TICKET_EXPIRED);
    signet_authorizer_free(auth);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

START_TEST(truncated_and_altered_payloads_never_get_through)
{
    struct cluster c = {0};
    cluster_start(&c, types[_i], types[_i]);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    struct signet_authorizer *auth;
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    assert_ok(signet_authorizer_new(&auth, client, SIGNET_OSD));
    assert_ok(signet_authorizer_request(auth, x.first, CLUSTER_BUF, &x.first_len));
    for (size_t len = 0; len < x.first_len; len++) {
        osd_login(&c);
        ck_assert_int_ne(present(&c, x.first, len, x.done, &x.done_len), 0);
        memcpy(x.second, x.first, x.first_len);
        x.second[len] ^= 0x80;
        osd_login(&c);
        ck_assert_int_ne(present(&c, x.second, x.first_len, x.done, &x.done_len), 0);
        ck_assert_uint_eq(x.done_len, 0);
    }
    signet_authorizer_free(auth);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("login_authorizer");
    TCase *t = suite_case(s, "authorizers");
    tcase_add_loop_test(t, authorizers_that_are_replayed_or_unanswered_are_refused, 0, 2);
    tcase_add_test(t, authorizers_for_others_or_of_lost_secrets_are_refused);
    tcase_add_test(t, tickets_live_through_rotations_and_then_no_more);
    tcase_add_loop_test(t, truncated_and_altered_payloads_never_get_through, 0, 2);
    return suite_run(s);
}
