/* SPDX-License-Identifier: MIT */
/* Sessions over connections that break: what arrives, what is told. */
#include "support/lines.h"

#include <stdlib.h>
#include <string.h>

/* --- both sides ------------------------------------------------------------------------------ */

/* _i: bit 0 mode, bit 1: what was sent had arrived, but not its acknowledgement */
START_TEST(what_was_not_acknowledged_is_sent_again)
{
    start_with((_i & 1) != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC,
               (struct signet_sessions_options){0});
    say(s, "1"); /* before there is a connection */
    check_state(s, SIGNET_SESSION_BACKOFF);
    struct line *l = dial(0);
    ck_assert_msg(l->seen[0].num[SIGNET_EVENT_READY] == 1, "%s", l->seen[0].fail.text);
    ck_assert(!l->seen[0].ready.lossy && !l->seen[0].ready.resumed);
    ck_assert_str_eq(l->seen[1].text, "1");
    ck_assert_uint_eq(l->seen[0].acked, 1);
    ck_assert_uint_eq(status(s).queued, 0);
    say(s, "2");
    say(accepted(l), "x");
    link_take(&l->link, 0, SIZE_MAX);
    link_take(&l->link, 1, SIZE_MAX);
    if ((_i & 2) != 0) {
        link_give(&l->link, 0, SIZE_MAX, c.fake.mono_ns);
        link_give(&l->link, 1, SIZE_MAX, c.fake.mono_ns);
        drain(l, 0);
        drain(l, 1);
    }
    cut(l);
    ck_assert_uint_eq(status(s).num_queued, 1);
    check_state(s, SIGNET_SESSION_BACKOFF);
    check_state(accepted(l), SIGNET_SESSION_STANDBY);
    say(s, "3");
    struct line *next = dial(1);
    ck_assert_msg(next->seen[0].num[SIGNET_EVENT_READY] == 1, "%s", next->seen[0].fail.text);
    ck_assert(next->seen[0].ready.resumed && next->seen[1].ready.resumed);
    ck_assert_uint_eq(next->seen[0].num[SIGNET_EVENT_RESET], 0);
    ck_assert_str_eq(next->seen[1].text, (_i & 2) != 0 ? "3" : "23");
    ck_assert_str_eq(next->seen[0].text, (_i & 2) != 0 ? "" : "x");
    ck_assert_uint_eq(status(s).num_queued, 0);
    ck_assert_uint_eq(status(accepted(next)).num_queued, 0);
    ck_assert_uint_eq(signet_sessions_queued(a.table), 0);
    ck_assert_uint_eq(status(s).acked, 3);
    stop();
}
END_TEST

START_TEST(both_sides_agree_on_the_session)
{
    start();
    struct line *l = dial(0);
    struct signet_session_status ours = status(s), theirs = status(accepted(l));
    ck_assert_uint_ne(ours.client_cookie, 0);
    ck_assert_uint_ne(ours.server_cookie, 0);
    ck_assert_uint_eq(ours.client_cookie, theirs.client_cookie);
    ck_assert_uint_eq(ours.server_cookie, theirs.server_cookie);
    ck_assert_uint_eq(theirs.peer_global_seq, ours.global_seq);
    ck_assert_int_eq(theirs.policy, SIGNET_STATEFUL_SERVER);
    ck_assert_int_eq(theirs.name.type, SIGNET_CLIENT);
    ck_assert_str_eq(theirs.name.id, "a");
    ck_assert_uint_eq(theirs.global_id, signet_client_global_id(a.client));
    ck_assert_uint_eq(signet_session_dial_ns(accepted(l)), UINT64_MAX);
    for (unsigned i = 1; i < 4; i++) {
        cut(l);
        l = dial(i);
        ck_assert_uint_eq(status(s).connect_seq, i);
        ck_assert_uint_eq(status(accepted(l)).connect_seq, i);
        ck_assert_uint_eq(status(s).global_seq, ours.global_seq + i);
        ck_assert_uint_eq(status(s).client_cookie, ours.client_cookie);
    }
    ck_assert_uint_eq(signet_sessions_num(b.table), 1);
    stop();
}
END_TEST

/* Nobody said which: the first HELLO teaches the ip, chance gives the nonce. */
START_TEST(an_address_that_was_learned_is_kept)
{
    struct signet_session_options o = {.peer_type = SIGNET_OSD};
    start();
    o.peer = b.addr;
    signet_session_unref(s);
    assert_ok(signet_session_new(&s, a.table, &o));
    memset(&a.dial.own, 0, sizeof(a.dial.own));
    struct line *l = dial(0);
    struct signet_addr own = *l->seen[0].ready.own;
    ck_assert_uint_eq(own.family, SIGNET_FAMILY_IPV4);
    ck_assert_uint_ne(own.nonce, 0);
    cut(l);
    struct line *next = dial(1);
    ck_assert(next->seen[0].ready.resumed);
    ck_assert(signet_addr_equal(next->seen[0].ready.own, &own));
    stop();
}
END_TEST

/* SERVER_IDENT is lost: the server counts the session as open, the client does not. */
START_TEST(an_establishment_that_was_interrupted_is_made_again)
{
    start();
    struct line *l = &lines[0];
    say(s, "1");
    assert_ok(link_open(&l->link, &a, &b, s));
    while (l->seen[1].num[SIGNET_EVENT_READY] == 0) {
        for (unsigned i = 0; i < 2; i++) {
            drain(l, i);
            link_take(&l->link, i, SIZE_MAX);
            link_give(&l->link, i,
                      i == 0 || l->seen[1].num[SIGNET_EVENT_AUTHENTICATED] == 0 ? 64 : 0,
                      c.fake.mono_ns);
        }
        drain(l, 1);
    }
    say(accepted(l), "x");
    struct signet_session *first = signet_session_ref(accepted(l));
    cut(l);
    ck_assert_uint_eq(l->seen[0].num[SIGNET_EVENT_READY], 0);
    struct line *next = dial(1);
    ck_assert_ptr_eq(accepted(next), first);
    ck_assert(!next->seen[0].ready.resumed);
    ck_assert_uint_eq(next->seen[1].num[SIGNET_EVENT_RESET], 0);
    ck_assert_str_eq(next->seen[1].text, "1");
    ck_assert_str_eq(next->seen[0].text, "x");
    signet_session_unref(first);
    stop();
}
END_TEST

/* The server has not noticed that the first connection is gone. */
START_TEST(a_newer_connection_takes_the_session)
{
    struct iovec iov;
    int num = 1;
    start();
    struct line *l = dial(0);
    say(accepted(l), "x");
    link_take(&l->link, 1, SIZE_MAX); /* sent, lost */
    signet_conn_closed(l->link.end[0], -SIGNET_E_PEER_CLOSED);
    drain(l, 0);
    struct line *next = dial(1);
    ck_assert(next->seen[1].ready.resumed);
    ck_assert_str_eq(next->seen[0].text, "x");
    struct signet_message m = {.type = 1};
    ck_assert_uint_eq(signet_conn_deadline_ns(l->link.end[1]), 0);
    switch (_i) { /* whatever it does next */
    case 0:
        break;
    case 1:
        assert_err(signet_conn_output(l->link.end[1], &iov, &num), SESSION_REPLACED);
        break;
    case 2:
        assert_err(signet_conn_tick(l->link.end[1], c.fake.mono_ns), SESSION_REPLACED);
        break;
    default:
        assert_err(signet_conn_send(l->link.end[1], &m, NULL, 0, NULL), SESSION_REPLACED);
    }
    drain(l, 1);
    ck_assert_int_eq(l->seen[1].fail.err, -SIGNET_E_SESSION_REPLACED);
    say(s, "1");
    run(next);
    ck_assert_str_eq(next->seen[1].text, "1");
    stop();
}
END_TEST

/* While its caller still works on a message, the next connection gives none out. */
START_TEST(messages_stay_in_order_across_threads)
{
    struct signet_event event;
    start();
    struct line *l = dial(0);
    say(s, "1");
    say(s, "2");
    link_take(&l->link, 0, SIZE_MAX);
    link_take(&l->link, 0, SIZE_MAX);
    link_give(&l->link, 0, SIZE_MAX, c.fake.mono_ns);
    assert_ok(signet_conn_next(l->link.end[1], &event));
    ck_assert_int_eq(event.kind, SIGNET_EVENT_MESSAGE); /* busy with it from here on */
    signet_conn_closed(l->link.end[0], -SIGNET_E_PEER_CLOSED);
    drain(l, 0);
    struct line *next = dial(1);
    ck_assert_uint_eq(next->seen[1].num[SIGNET_EVENT_READY], 1);
    ck_assert_uint_eq(next->seen[1].num[SIGNET_EVENT_MESSAGE], 0);
    ck_assert(!signet_conn_wants_input(next->link.end[1]));
    /* A third one meanwhile is told to come again later. */
    signet_conn_closed(next->link.end[0], -SIGNET_E_PEER_CLOSED);
    drain(next, 0);
    struct line *third = dial(2);
    ck_assert_int_eq(third->seen[1].fail.err, -SIGNET_E_SESSION_RETRIES);
    ck_assert_uint_eq(third->seen[1].num[SIGNET_EVENT_READY], 0);
    drain(l, 1);
    ck_assert_int_eq(l->seen[1].fail.err, -SIGNET_E_SESSION_REPLACED);
    ck_assert_str_eq(l->seen[1].text, ""); /* 2 was not given out there */
    link_close(&next->link);
    next = dial(3);
    ck_assert_str_eq(next->seen[1].text, "2");
    ck_assert(signet_conn_wants_input(next->link.end[1]));
    stop();
}
END_TEST

/* --- what ends a session --------------------------------------------------------------------- */

START_TEST(a_server_that_has_forgotten_resets)
{
    start();
    struct line *l = dial(0);
    say(s, "1");
    run(l);
    cut(l);
    say(s, "2");
    say(s, "3");
    signet_session_close(accepted(l));
    struct line *next = dial(1);
    ck_assert_uint_eq(next->seen[0].num[SIGNET_EVENT_RESET], 1);
    ck_assert(next->seen[0].reset.full);
    ck_assert_uint_eq(next->seen[0].reset.lost, 2);
    ck_assert_uint_eq(next->seen[0].num[SIGNET_EVENT_READY], 1);
    ck_assert(!next->seen[0].ready.resumed);
    say(s, "4");
    run(next);
    ck_assert_str_eq(next->seen[1].text, "4");
    ck_assert_uint_eq(next->seen[0].acked, 4); /* as the caller counts */
    stop();
}
END_TEST

/* The client has forgotten: another cookie from the same process. _i: keep_on_restart */
START_TEST(a_client_that_has_forgotten_is_noticed)
{
    start_with(SIGNET_MODE_CRC, (struct signet_sessions_options){.keep_on_restart = _i != 0});
    struct line *l = dial(0);
    cut(l);
    say(accepted(l), "x");
    signet_session_close(s);
    signet_session_unref(s);
    s = node_session(&a, &b, SIGNET_LOSSLESS_CLIENT);
    struct line *next = dial(1);
    ck_assert_ptr_eq(accepted(next), accepted(l));
    ck_assert_uint_eq(next->seen[1].num[SIGNET_EVENT_RESET], 1);
    ck_assert_uint_eq(next->seen[1].num[SIGNET_EVENT_READY], 1);
    ck_assert_uint_eq(next->seen[1].reset.lost, _i != 0 ? 0 : 1);
    ck_assert_str_eq(next->seen[0].text, _i != 0 ? "x" : "");
    stop();
}
END_TEST

START_TEST(a_server_without_sessions_makes_it_lossy)
{
    start();
    b.accept.sessions = NULL;
    say(s, "1");
    struct line *l = dial(0);
    ck_assert(l->seen[0].ready.lossy && l->seen[1].ready.lossy);
    ck_assert_str_eq(l->seen[1].text, "1");
    ck_assert_uint_eq(status(s).queued, 0);
    cut(l);
    check_state(s, SIGNET_SESSION_CLOSED);
    struct signet_message m = {.type = 1};
    assert_err(signet_session_send(s, &m, NULL, 0, NULL), SESSION_CLOSED);
    stop();
}
END_TEST

/* Who wants no session, or is of a type that gets none. */
START_TEST(lossy_clients_of_a_lossless_server)
{
    start_with(SIGNET_MODE_CRC,
               (struct signet_sessions_options){.lossless = _i != 0 ? SIGNET_OSD : 0});
    struct line *l = &lines[0];
    assert_ok(link_open(&l->link, &a, &b, _i != 0 ? s : NULL));
    run(l);
    ck_assert(l->seen[0].ready.lossy && l->seen[1].ready.lossy);
    ck_assert_ptr_null(accepted(l));
    ck_assert_uint_eq(signet_sessions_num(b.table), 0);
    stop();
}
END_TEST

START_TEST(a_closed_session_ends_its_connections)
{
    start();
    struct line *l = dial(0);
    signet_session_close(s);
    signet_session_close(accepted(l));
    drain(l, 0);
    drain(l, 1);
    ck_assert_int_eq(l->seen[0].fail.err, -SIGNET_E_SESSION_CLOSED);
    ck_assert_int_eq(l->seen[1].fail.err, -SIGNET_E_SESSION_CLOSED);
    assert_err(link_open(&lines[1].link, &a, &b, s), SESSION_CLOSED);
    ck_assert_uint_eq(signet_sessions_num(b.table), 0);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("session");
    TCase *t = suite_case(suite, "sessions");
    tcase_add_loop_test(t, what_was_not_acknowledged_is_sent_again, 0, 4);
    tcase_add_test(t, both_sides_agree_on_the_session);
    tcase_add_test(t, an_address_that_was_learned_is_kept);
    tcase_add_test(t, an_establishment_that_was_interrupted_is_made_again);
    tcase_add_loop_test(t, a_newer_connection_takes_the_session, 0, 4);
    tcase_add_test(t, messages_stay_in_order_across_threads);
    t = suite_case(suite, "ends");
    tcase_add_test(t, a_server_that_has_forgotten_resets);
    tcase_add_loop_test(t, a_client_that_has_forgotten_is_noticed, 0, 2);
    tcase_add_test(t, a_server_without_sessions_makes_it_lossy);
    tcase_add_loop_test(t, lossy_clients_of_a_lossless_server, 0, 2);
    tcase_add_test(t, a_closed_session_ends_its_connections);
    return suite_run(suite);
}
