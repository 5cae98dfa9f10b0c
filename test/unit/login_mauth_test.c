/* SPDX-License-Identifier: MIT */
/* What goes on inside a session at a monitor: renewals and secrets of daemons, and what is refused.
 */
#include "support/cluster.h"

#include <errno.h>

#include <signet/ticket.h>

START_TEST(a_wrong_proof_in_a_renewal_asks_for_closing)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    size_t len, out_len;
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    signet_client_invalidate(client, SIGNET_OSD); /* AUTH, too: the proof is made anew */
    assert_ok(signet_client_renew(client, a, sizeof(a), &len));
    a[18 + 4 + 4 + 2 + 1 + 8] ^= 1; /* the proof: behind header, protocol, length, type, version,
                                     * client challenge */
    assert_err(signet_login_mauth(c.login, b, sizeof(b), &out_len, a, len, &c.verdict, NULL),
               PROOF_WRONG);
    ck_assert_int_eq(c.verdict, SIGNET_VERDICT_REFUSED);
    struct signet_mauth_reply reply;
    assert_ok(signet_mauth_reply_decode(&reply, b, out_len, NULL));
    ck_assert_int_eq(reply.result, -EACCES);
    ck_assert_uint_eq(reply.payload.len, 0);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

static int32_t mauth(struct cluster *c, const struct signet_mauth *in, int err)
{
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    size_t len, out_len;
    struct signet_mauth_reply reply;
    assert_ok(signet_mauth_encode(a, sizeof(a), &len, in));
    ck_assert_int_eq(
        signet_login_mauth(c->login, b, sizeof(b), &out_len, a, len, &c->verdict, NULL), err);
    assert_ok(signet_mauth_reply_decode(&reply, b, out_len, NULL));
    return reply.result;
}

START_TEST(bad_requests_in_a_session_get_the_errno_of_ceph)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    uint8_t unknown[2] = {0, 8}, rotating[2] = {0, 4}, cut[3] = {0, 2, 1};
    struct signet_mauth m = {.session_mon = 0xffff, .protocol = 2, .payload = {unknown, 2}};
    ck_assert_int_eq(mauth(&c, &m, -SIGNET_E_REQUEST_TYPE), -EINVAL);
    m.payload = (struct signet_span){rotating, 2};
    ck_assert_int_eq(mauth(&c, &m, -SIGNET_E_NOT_A_DAEMON), -EACCES);
    m.payload = (struct signet_span){cut, 3};
    ck_assert_int_eq(mauth(&c, &m, -SIGNET_E_SHORT), -EPERM);
    m.protocol = 1;
    ck_assert_int_eq(mauth(&c, &m, -SIGNET_E_PROTOCOL_MISMATCH), -EINVAL);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

START_TEST(a_ticket_of_another_session_is_refused)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_client *one = cluster_client(&c, "client.a", c.key);
    struct signet_client *two = cluster_client(&c, "osd.0", c.key);
    assert_ok(cluster_login(&c, one, SIGNET_MODE_SECURE));
    assert_ok(cluster_login(&c, two, SIGNET_MODE_SECURE));
    cluster_pass(&c, 2800);
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    size_t len, out_len;
    assert_ok(signet_client_renew(one, a, sizeof(a), &len)); /* into the session of two */
    assert_err(signet_login_mauth(c.login, b, sizeof(b), &out_len, a, len, &c.verdict, NULL),
               TICKET_NAME);
    signet_client_free(one);
    signet_client_free(two);
    cluster_stop(&c);
}
END_TEST

START_TEST(daemons_get_the_secrets_of_their_own_service)
{
    struct cluster c = {0}, d = {.options = {.daemon = true}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_client *osd = cluster_client(&c, "osd.0", c.key);
    assert_ok(cluster_login(&c, osd, SIGNET_MODE_SECURE));
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    size_t len, out_len;
    assert_ok(signet_client_rotating(osd, a, sizeof(a), &len));
    assert_ok(signet_login_mauth(c.login, b, sizeof(b), &out_len, a, len, &c.verdict, NULL));
    struct signet_mauth_reply reply;
    struct signet_rotating_reply sealed;
    struct signet_rotating_secrets secrets;
    struct signet_plain plain = {.p = NULL};
    assert_ok(signet_mauth_reply_decode(&reply, b, out_len, NULL));
    assert_ok(signet_rotating_reply_decode(&sealed, reply.payload.p, reply.payload.len, NULL));
    assert_ok(signet_rotating_secrets_open(&secrets, &plain, c.key, sealed.sealed, NULL));
    ck_assert_uint_eq(secrets.num, 3);

    /* A daemon that knows nothing else verifies authorizers with them. */
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    struct signet_keyserver *monitor = c.server, *daemon;
    d.options.env = fake_env_make(&c.fake);
    assert_ok(signet_keyserver_open(&daemon, &d.options, NULL));
    c.server = daemon;
    assert_err(cluster_authorize(&c, client, SIGNET_MODE_SECURE), SECRET_ID);
    assert_ok(signet_keyserver_set_rotating(daemon, SIGNET_OSD, &secrets));
    assert_ok(cluster_authorize(&c, client, SIGNET_MODE_SECURE));
    ck_assert_uint_eq(signet_keyserver_deadline_ns(daemon), UINT64_MAX);
    signet_plain_free(&plain);
    signet_client_free(client);
    signet_client_free(osd);
    c.server = monitor;
    signet_login_free(c.login);
    c.login = NULL;
    signet_keyserver_free(daemon);
    cluster_stop(&c);
}
END_TEST

/* A client whose wall clock is hours off lives by durations: one renewal when it is due. */
START_TEST(a_clock_that_is_off_makes_no_storm_of_renewals)
{
    static const int64_t skew_s[2] = {36000, -36000};
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct fake_env off = c.fake;
    off.real_ns = (uint64_t)((int64_t)off.real_ns + skew_s[_i] * (int64_t)SEC);
    struct signet_client_options options = {
        .key = c.key, .want = SIGNET_OSD, .env = fake_env_make(&off)};
    struct signet_client *client;
    assert_ok(signet_name_parse(&options.name, "client.a"));
    assert_ok(signet_client_new(&client, &options));
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    int renewals = 0;
    for (int minute = 0; minute < 120; minute++) {
        cluster_pass(&c, 60);
        off.real_ns += 60 * SEC;
        off.mono_ns += 60 * SEC;
        assert_ok(signet_keyserver_tick(c.server));
        if (signet_client_need(client) != 0) {
            assert_ok(cluster_renew(&c, client));
            renewals++;
        }
    }
    ck_assert_int_eq(renewals, 2);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("login_mauth");
    TCase *t = suite_case(s, "sessions");
    tcase_add_test(t, a_wrong_proof_in_a_renewal_asks_for_closing);
    tcase_add_test(t, bad_requests_in_a_session_get_the_errno_of_ceph);
    tcase_add_test(t, a_ticket_of_another_session_is_refused);
    tcase_add_test(t, daemons_get_the_secrets_of_their_own_service);
    tcase_add_loop_test(t, a_clock_that_is_off_makes_no_storm_of_renewals, 0, 2);
    return suite_run(s);
}
