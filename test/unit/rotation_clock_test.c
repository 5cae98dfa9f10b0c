/* SPDX-License-Identifier: MIT */
/* A monitor, a daemon that fetches its secrets now and then, and a client, each with a clock of its
 * own: tickets over rotations, clocks that are off or jump. */
#include "support/cluster.h"

#include <string.h>

#include <signet/ticket.h>

enum { HOUR = 3600 };

/* The monitor with the client's session there, with the daemon's, and the daemon. */
static struct cluster c, fetching, osd0;
static struct fake_env daemon_clock;
static struct signet_client *osd, *client;

static void start(void)
{
    struct signet_keyserver_options d = {.daemon = true};
    memset(&c, 0, sizeof(c));
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    memset(&fetching, 0, sizeof(fetching));
    memset(&osd0, 0, sizeof(osd0));
    daemon_clock = c.fake;
    d.env = fake_env_make(&daemon_clock);
    fetching.server = c.server;
    assert_ok(signet_keyserver_open(&osd0.server, &d, NULL));
    osd = cluster_client(&c, "osd.0", c.key);
    client = cluster_client(&c, "client.a", c.key);
}

static void stop(void)
{
    signet_client_free(osd);
    signet_client_free(client);
    fetching.server = NULL;
    cluster_stop(&fetching);
    cluster_stop(&osd0);
    cluster_stop(&c);
}

/* Seconds for all clocks; the monitor rotates when it is due. */
static void pass(uint64_t seconds)
{
    cluster_pass(&c, seconds);
    fake_env_pass(&daemon_clock, seconds * SEC);
    assert_ok(signet_keyserver_tick(c.server));
}

static void fetch(void)
{
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    struct signet_mauth_reply reply;
    struct signet_rotating_reply sealed;
    struct signet_rotating_secrets secrets;
    struct signet_plain plain = {.p = NULL};
    size_t len, out_len;
    assert_ok(cluster_login(&fetching, osd, SIGNET_MODE_SECURE));
    assert_ok(signet_client_rotating(osd, a, sizeof(a), &len));
    assert_ok(signet_login_mauth(fetching.login, b, sizeof(b), &out_len, a, len, &fetching.verdict,
                                 NULL));
    assert_ok(signet_mauth_reply_decode(&reply, b, out_len, NULL));
    assert_ok(signet_rotating_reply_decode(&sealed, reply.payload.p, reply.payload.len, NULL));
    assert_ok(signet_rotating_secrets_open(&secrets, &plain, c.key, sealed.sealed, NULL));
    assert_ok(signet_keyserver_set_rotating(osd0.server, SIGNET_OSD, &secrets));
    signet_plain_free(&plain);
}

/* The client at the daemon. */
static int authorize(void)
{
    return cluster_authorize(&osd0, client, SIGNET_MODE_SECURE);
}

static void log_in(void)
{
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
}

/* A daemon that fetched before a rotation has what was next then, and no more. */
START_TEST(a_daemon_may_be_one_rotation_behind)
{
    start();
    fetch();
    log_in(); /* sealed with the current one */
    assert_ok(authorize());
    pass(2 * HOUR - 60);
    log_in();
    pass(60); /* the monitor rotates: the ticket's secret is the previous one now */
    assert_ok(authorize());
    log_in(); /* sealed with what the daemon has as next */
    assert_ok(authorize());
    pass(HOUR);
    log_in(); /* with one that it has never seen */
    assert_err(authorize(), SECRET_ID);
    fetch();
    assert_ok(authorize());
    stop();
}
END_TEST

START_TEST(a_daemon_that_fetches_in_time_knows_every_ticket)
{
    start();
    fetch();
    log_in();
    for (unsigned minute = 0; minute < 24 * 60; minute += 5) {
        if (minute % 45 == 0) { /* three quarters of a secret's life */
            fetch();
        }
        if (minute % 55 == 0) {
            log_in();
        }
        assert_ok(authorize());
        pass(300);
    }
    stop();
}
END_TEST

/* _i: seconds that the daemon's clock is off. It refuses, but the client has no reason to renew. */
START_TEST(a_daemon_whose_clock_is_off)
{
    static const struct {
        int64_t off;
        int err;
    } cases[] = {{299, 0},
                 {-299, 0},
                 {10 * HOUR, -SIGNET_E_TICKET_EXPIRED},
                 {-10 * HOUR, -SIGNET_E_TICKET_FUTURE}};
    start();
    fetch();
    log_in();
    daemon_clock.real_ns = (uint64_t)((int64_t)c.fake.real_ns + cases[_i].off * (int64_t)SEC);
    for (unsigned i = 0; i < 10; i++) {
        ck_assert_int_eq(authorize(), cases[_i].err);
        ck_assert_uint_eq(signet_client_need(client), 0);
        pass(60);
    }
    daemon_clock.real_ns = c.fake.real_ns;
    assert_ok(authorize());
    stop();
}
END_TEST

/* All wall clocks jump by ten hours at noon. _i: back, forth. A client that is told so by a refused
 * authorizer renews once for it; else it goes on as before. */
START_TEST(clocks_that_jump_make_no_storm)
{
    unsigned renewals = 0, refused = 0;
    start();
    fetch();
    log_in();
    for (unsigned minute = 0; minute < 24 * 60; minute++) {
        if (minute == 12 * 60) {
            uint64_t jump = UINT64_C(10) * HOUR * SEC;
            c.fake.real_ns = _i == 0 ? c.fake.real_ns - jump : c.fake.real_ns + jump;
            daemon_clock.real_ns = c.fake.real_ns;
            assert_ok(signet_keyserver_tick(c.server));
            fetch();
        }
        if (signet_client_need(client) != 0) {
            int err = cluster_renew(&c, client);
            ck_assert_msg(err == 0, "minute %u: %s", minute, signet_err_name(err));
            renewals++;
        }
        if (minute % 30 == 0) {
            fetch();
            int err = authorize();
            refused += err != 0 ? 1 : 0;
            if (err != 0) {
                signet_client_invalidate(client, SIGNET_OSD);
            }
        }
        pass(60);
    }
    ck_assert_uint_le(renewals, 24 * 60 / 45 + 2);
    ck_assert_uint_ge(renewals, 24);
    ck_assert_uint_le(refused, 1);
    stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rotation_clock");
    TCase *t = suite_case(s, "clocks");
    tcase_add_test(t, a_daemon_may_be_one_rotation_behind);
    tcase_add_test(t, a_daemon_that_fetches_in_time_knows_every_ticket);
    tcase_add_loop_test(t, a_daemon_whose_clock_is_off, 0, 4);
    tcase_add_loop_test(t, clocks_that_jump_make_no_storm, 0, 2);
    return suite_run(s);
}
