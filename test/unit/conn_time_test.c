/* SPDX-License-Identifier: MIT */
/* Deadlines of a connection, on a clock that the test moves. */
#include "support/suite.h"

#include <string.h>

#include "support/conn_peer.h"

static struct test_peer peer;
static struct test_log log_;

static struct signet_conn *dial(uint64_t interval_ns, uint64_t timeout_ns)
{
    struct signet_conn *conn;
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_conn_options o = peer_options(&peer);
    o.keepalive_interval_ns = interval_ns;
    o.keepalive_timeout_ns = timeout_ns;
    assert_ok(signet_conn_new(&conn, &o, peer.fake.mono_ns));
    return conn;
}

static void end(struct signet_conn *conn)
{
    signet_conn_free(conn);
    peer_free(&peer);
}

static int pass(struct signet_conn *conn, uint64_t ns)
{
    fake_env_pass(&peer.fake, ns);
    int err = signet_conn_tick(conn, peer.fake.mono_ns);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    return err;
}

START_TEST(handshake_timeout)
{
    for (enum peer_step step = PEER_NOTHING; step <= PEER_SIGNATURE; step++) {
        struct signet_conn *conn = dial(0, 0);
        uint64_t start = peer.fake.mono_ns;
        peer.stop = step;
        log_reset(&log_);
        peer_run(&peer, conn, SIZE_MAX, &log_);
        ck_assert_uint_eq(signet_conn_deadline_ns(conn), start + 10 * SEC);
        assert_ok(pass(conn, 10 * SEC - 1));
        ck_assert_ptr_null(signet_conn_failure(conn));
        assert_err(pass(conn, 1), HANDSHAKE_TIMEOUT);
        ck_assert_int_eq(log_.fail.err, -SIGNET_E_HANDSHAKE_TIMEOUT);
        ck_assert_ptr_nonnull(strstr(log_.fail.text, "10000 ms"));
        end(conn);
    }
}
END_TEST

START_TEST(no_deadline_when_open)
{
    struct signet_conn *conn = dial(0, 0);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(signet_conn_deadline_ns(conn), UINT64_MAX);
    assert_ok(pass(conn, 1000 * SEC));
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2], 0);
    end(conn);
}
END_TEST

START_TEST(keepalive_interval)
{
    struct signet_conn *conn = dial(5 * SEC, 0);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(signet_conn_deadline_ns(conn), peer.fake.mono_ns + 5 * SEC);
    for (unsigned i = 1; i <= 40; i++) {
        assert_ok(pass(conn, 5 * SEC - 1));
        ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2], i - 1);
        assert_ok(pass(conn, 1));
        ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2], i);
        assert_ok(signet_conn_tick(conn, peer.fake.mono_ns)); /* early: nothing */
        log_.num = 0;
    }
    end(conn);
}
END_TEST

/* Two that come while the answer waits: the later one is answered, once. */
START_TEST(answer_held_back)
{
    const uint64_t hold = 1000000;
    struct signet_conn *conn;
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_conn_options o = peer_options(&peer);
    o.keepalive_answer_ns = hold;
    assert_ok(signet_conn_new(&conn, &o, peer.fake.mono_ns));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    for (uint32_t i = 1; i <= 3; i++) {
        struct signet_control c = {.tag = SIGNET_TAG_KEEPALIVE2, .stamp = {5, i * 10}};
        const uint32_t nsec = c.stamp.nsec;
        uint64_t due = peer.fake.mono_ns + hold;
        peer_send_control(&peer, &c);
        peer_run(&peer, conn, SIZE_MAX, &log_);
        ck_assert_uint_eq(log_.last[SIGNET_EVENT_KEEPALIVE].stamp.nsec, nsec);
        ck_assert_uint_eq(signet_conn_deadline_ns(conn), due);
        fake_env_pass(&peer.fake, hold / 2);
        c.stamp.nsec++;
        peer_send_control(&peer, &c);
        peer_run(&peer, conn, SIZE_MAX, &log_);
        ck_assert_uint_eq(signet_conn_deadline_ns(conn), due);
        assert_ok(pass(conn, hold / 2 - 1));
        ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2_ACK], i - 1);
        assert_ok(pass(conn, 1));
        ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2_ACK], i);
        ck_assert_uint_eq(peer.answer.nsec, c.stamp.nsec);
        ck_assert_uint_eq(signet_conn_deadline_ns(conn), UINT64_MAX);
        assert_ok(pass(conn, 10 * hold));
        ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2_ACK], i);
    }
    end(conn);
}
END_TEST

START_TEST(keepalive_timeout)
{
    struct signet_conn *conn = dial(5 * SEC, 12 * SEC);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    peer.silent = true;
    assert_ok(pass(conn, 5 * SEC));
    uint64_t first = peer.fake.mono_ns;
    assert_ok(pass(conn, 5 * SEC));
    assert_ok(pass(conn, 5 * SEC));
    ck_assert_uint_eq(signet_conn_deadline_ns(conn), first + 12 * SEC);
    assert_ok(pass(conn, 2 * SEC - 1));
    assert_err(pass(conn, 1), KEEPALIVE_TIMEOUT);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_KEEPALIVE_TIMEOUT);
    end(conn);
}
END_TEST

START_TEST(an_answer_of_another_stamp_is_none)
{
    struct signet_conn *conn = dial(0, 12 * SEC);
    struct signet_control c = {.tag = SIGNET_TAG_KEEPALIVE2_ACK, .stamp = {1, 1}};
    peer_run(&peer, conn, SIZE_MAX, &log_);
    peer.silent = true;
    assert_ok(signet_conn_keepalive(conn, peer.fake.mono_ns));
    assert_ok(pass(conn, 11 * SEC));
    peer_send_control(&peer, &c);
    assert_ok(pass(conn, 1));
    assert_err(pass(conn, SEC), KEEPALIVE_TIMEOUT);
    end(conn);
}
END_TEST

START_TEST(unanswered_keepalives_are_bounded)
{
    struct signet_conn *conn = dial(0, 0);
    int sent = 0;
    peer_run(&peer, conn, SIZE_MAX, &log_);
    peer.silent = true;
    while (sent < 100 && signet_conn_keepalive(conn, peer.fake.mono_ns) == 0) {
        sent++;
    }
    ck_assert_int_eq(sent, 16);
    assert_err(signet_conn_keepalive(conn, peer.fake.mono_ns), STATE);
    ck_assert_ptr_null(signet_conn_failure(conn));
    end(conn);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_time");
    TCase *t = suite_case(s, "time");
    tcase_add_test(t, handshake_timeout);
    tcase_add_test(t, no_deadline_when_open);
    tcase_add_test(t, keepalive_interval);
    tcase_add_test(t, answer_held_back);
    tcase_add_test(t, keepalive_timeout);
    tcase_add_test(t, an_answer_of_another_stamp_is_none);
    tcase_add_test(t, unanswered_keepalives_are_bounded);
    return suite_run(s);
}
