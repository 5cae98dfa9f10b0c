/* SPDX-License-Identifier: MIT */
/* Renewals inside a monitor session, through its messages. */
#include "mon_tools.h"

#include <string.h>

enum { HOUR = 3600, PROOF_AT = 18 + 4 + 4 + 2 + 1 + 8 };

static struct bench b;
static struct signet_client *client;
static uint8_t buf[CLUSTER_BUF];
static size_t len;

static void start(void)
{
    suite_start();
    bench_start(&b, "");
    client = cluster_client(&b.c, "client.a", b.c.key);
    assert_ok(cluster_login(&b.c, client, SIGNET_MODE_SECURE));
    assert_ok(signet_mon_session_init(&b.session, b.c.login));
}

static void stop(void)
{
    signet_client_free(client);
    bench_stop(&b);
    suite_stop();
}

static void ask(void)
{
    assert_ok(signet_client_renew(client, buf, sizeof(buf), &len));
    ck_assert_uint_gt(len, 0);
}

static void assert_reply(void)
{
    ck_assert_int_eq(b.num, 1);
    ck_assert_uint_eq(b.answer[0].message.type, 18);
    ck_assert_uint_eq(b.answer[0].message.version, 1);
}

static int take(void)
{
    assert_reply();
    return signet_client_reply(client, b.answer[0].front, b.answer[0].message.front.len, NULL);
}

START_TEST(who_is_there)
{
    struct signet_login *fresh;
    char text[SIGNET_NAME_TEXT_MAX];
    ck_assert_str_eq(signet_name_print(&b.session.name, text), "client.a");
    ck_assert_uint_eq(b.session.global_id, b.c.global_id);
    ck_assert_str_eq(b.session.caps, "allow r");
    assert_ok(signet_login_new(&fresh, b.c.server, SIGNET_MON));
    assert_err(signet_mon_session_init(&b.session, fresh), STATE);
    signet_login_free(fresh);
}
END_TEST

/* The caps of the login decide: client.a has "allow r". */
START_TEST(caps_of_the_login)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"fsid\"}", NULL), 0);
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"auth ls\"}", NULL), -13);
    ck_assert_int_eq(bench_auth(&b, "auth del", "osd.0", ""), -13);
}
END_TEST

START_TEST(service_tickets)
{
    cluster_pass(&b.c, HOUR * 4 / 5);
    ask();
    assert_ok(bench_feed(&b, 17, 1, buf, len));
    assert_ok(take());
    ck_assert_uint_eq(signet_client_need(client), 0);
}
END_TEST

START_TEST(auth_ticket)
{
    cluster_pass(&b.c, 60 * HOUR);
    assert_ok(signet_keyserver_tick(b.c.server));
    ask();
    assert_ok(bench_feed(&b, 17, 1, buf, len));
    assert_ok(take());
    ck_assert_uint_eq(signet_client_need(client) & SIGNET_AUTH, 0);
}
END_TEST

/* Renewals of the AUTH ticket leave the caps of the login alone, and where they are. */
START_TEST(caps_outlive_a_renewal)
{
    static char wide[4096];
    struct signet_name name;
    memset(wide, ' ', sizeof(wide) - 1);
    memcpy(wide, "allow *", 7);
    struct signet_cap cap = {"mon", wide};
    assert_ok(signet_name_parse(&name, "client.a"));
    assert_ok(signet_keyserver_put(b.c.server, &name, NULL, &cap, 1));
    cluster_pass(&b.c, 60 * HOUR);
    assert_ok(signet_keyserver_tick(b.c.server));
    ask();
    assert_ok(bench_feed(&b, 17, 1, buf, len));
    assert_ok(take());
    ck_assert_ptr_eq(signet_login_identity(b.c.login)->caps, b.session.caps);
    ck_assert_str_eq(b.session.caps, "allow r");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"auth ls\"}", NULL), -13);
}
END_TEST

/* A wrong proof is answered, then the session ends. */
START_TEST(wrong_proof)
{
    cluster_pass(&b.c, 60 * HOUR);
    assert_ok(signet_keyserver_tick(b.c.server));
    ask();
    buf[PROOF_AT] ^= 1;
    assert_err(bench_feed(&b, 17, 1, buf, len), PROOF_WRONG);
    assert_err(take(), RESULT);
}
END_TEST

/* Other requests that are refused leave it open. */
START_TEST(refused_request)
{
    cluster_pass(&b.c, HOUR * 4 / 5);
    ask();
    for (size_t cut = 0; cut < len; cut += 7) {
        assert_ok(bench_feed(&b, 17, 1, buf, cut));
        assert_reply();
    }
    assert_ok(bench_run(&b, "{\"prefix\": \"fsid\"}", NULL));
}
END_TEST

START_TEST(reply_that_is_not_taken)
{
    cluster_pass(&b.c, HOUR * 4 / 5);
    ask();
    b.send_err = -SIGNET_E_NOMEM;
    assert_err(bench_feed(&b, 17, 1, buf, len), NOMEM);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mon_renew");
    TCase *t = tcase_create("renew");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, who_is_there);
    tcase_add_test(t, caps_of_the_login);
    tcase_add_test(t, service_tickets);
    tcase_add_test(t, auth_ticket);
    tcase_add_test(t, caps_outlive_a_renewal);
    tcase_add_test(t, wrong_proof);
    tcase_add_test(t, refused_request);
    tcase_add_test(t, reply_that_is_not_taken);
    suite_add_tcase(s, t);
    return suite_run(s);
}
