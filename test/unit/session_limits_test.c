/* SPDX-License-Identifier: MIT */
/* Bounds, times and refusals of sessions. */
#include "support/lines.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "msg/session_internal.h"

START_TEST(queues_and_tables_are_bounded)
{
    struct signet_message m = {.type = 1};
    static char kib[1024];
    struct iovec data = {kib, sizeof(kib)};
    start_with(SIGNET_MODE_CRC, (struct signet_sessions_options){
                                    .max_queued = 8192, .max_total = 10000, .max_sessions = 1});
    struct signet_session *other = node_session(&a, &b, SIGNET_LOSSLESS_CLIENT);
    int err = 0;
    for (unsigned i = 0; i < 8 && err == 0; i++) {
        err = signet_session_send(s, &m, &data, 1, NULL);
    }
    ck_assert_int_eq(err, -SIGNET_E_SESSION_FULL); /* of this one */
    ck_assert_uint_ge(status(s).num_queued, 4);
    ck_assert_uint_le(status(s).queued, 8192);
    err = 0;
    for (unsigned i = 0; i < 8 && err == 0; i++) {
        err = signet_session_send(other, &m, &data, 1, NULL);
    }
    ck_assert_int_eq(err, -SIGNET_E_SESSION_FULL); /* of all */
    ck_assert_uint_le(signet_sessions_queued(a.table), 10000);
    signet_session_unref(other);
    m.front.len = (size_t)UINT32_MAX;
    assert_err(signet_session_send(s, &m, NULL, 0, NULL), LENGTH);
    struct line *l = dial(0);
    m.front.len = 0;
    ck_assert_uint_eq(status(s).num_queued, 0);
    assert_ok(signet_session_send(s, &m, &data, 1, NULL)); /* room again */
    /* A second session is one too many for the server. */
    run(l);
    struct signet_addr elsewhere = a.addr;
    elsewhere.nonce++;
    struct signet_session_options o = {.peer_type = SIGNET_OSD, .peer = b.addr, .own = elsewhere};
    assert_ok(signet_session_new(&other, a.table, &o));
    assert_ok(link_open(&lines[1].link, &a, &b, other));
    run(&lines[1]);
    ck_assert_int_eq(lines[1].seen[1].fail.err, -SIGNET_E_SESSION_LIMIT);
    link_close(&lines[1].link);
    signet_session_unref(other);
    stop();
}
END_TEST

static unsigned dropped;
static uint64_t dropped_messages;

static void on_drop(void *arg, const struct signet_session_status *session)
{
    (void)arg;
    dropped++;
    dropped_messages += session->num_queued;
}

START_TEST(sessions_that_nobody_takes_up_are_dropped)
{
    start_with(SIGNET_MODE_CRC,
               (struct signet_sessions_options){.standby_ns = 60 * SEC, .dropped = on_drop});
    struct line *l = dial(0);
    ck_assert_uint_eq(signet_sessions_expire(b.table, c.fake.mono_ns + 1000 * SEC), UINT64_MAX);
    cut(l);
    say(accepted(l), "x");
    uint64_t due = signet_sessions_expire(b.table, c.fake.mono_ns);
    ck_assert_uint_eq(due, c.fake.mono_ns + 60 * SEC);
    signet_sessions_expire(b.table, due - 1);
    ck_assert_uint_eq(signet_sessions_num(b.table), 1);
    ck_assert_uint_eq(signet_sessions_expire(b.table, due), UINT64_MAX);
    ck_assert_uint_eq(signet_sessions_num(b.table), 0);
    ck_assert_uint_eq(dropped, 1);
    ck_assert_uint_eq(dropped_messages, 1);
    check_state(accepted(l), SIGNET_SESSION_CLOSED);
    stop();
}
END_TEST

START_TEST(attempts_come_ever_later)
{
    uint64_t usual = SEC / 5;
    start();
    ck_assert_uint_eq(signet_session_dial_ns(s), UINT64_MAX); /* nothing to say */
    say(s, "1");
    ck_assert_uint_eq(signet_session_dial_ns(s), 0);
    for (unsigned i = 0; i < 12; i++) {
        struct line *l = &lines[0];
        assert_ok(link_open(&l->link, &a, &b, s));
        ck_assert_uint_eq(signet_session_dial_ns(s), UINT64_MAX);
        cut(l);
        link_close(&l->link);
        uint64_t wait = signet_session_dial_ns(s) - c.fake.mono_ns;
        ck_assert_uint_ge(wait, usual / 2);
        ck_assert_uint_le(wait, usual);
        usual = 2 * usual < 15 * SEC ? 2 * usual : 15 * SEC;
    }
    ck_assert_uint_eq(status(s).failures, 12);
    struct line *l = dial(1);
    c.fake.mono_ns += SEC;
    say(s, "2");
    link_take(&l->link, 0, SIZE_MAX);
    assert_ok(signet_conn_tick(l->link.end[0], c.fake.mono_ns));
    cut(l);
    ck_assert_uint_eq(signet_session_dial_ns(s), c.fake.mono_ns); /* it held: at once */
    ck_assert_uint_eq(status(s).failures, 0);
    stop();
}
END_TEST

static unsigned wakes;

static void on_wake(void *arg)
{
    (void)arg;
    wakes++;
}

START_TEST(other_threads_wake_the_connection)
{
    start();
    a.dial.wake = on_wake;
    struct line *l = dial(0);
    ck_assert_uint_eq(wakes, 0);
    say(s, "1");
    ck_assert_uint_eq(wakes, 1);
    run(l);
    ck_assert_str_eq(l->seen[1].text, "1");
    signet_session_close(s);
    ck_assert_uint_eq(wakes, 2);
    stop();
}
END_TEST

START_TEST(what_is_not_allowed_is_refused)
{
    struct signet_reserved *reserved;
    struct signet_sessions *table;
    struct signet_session *session;
    start();
    struct line *l = dial(0);
    assert_err(signet_conn_reserve(l->link.end[0], &reserved, 0, 0, 0), STATE);
    assert_err(link_open(&lines[1].link, &a, &b, s), STATE);           /* it is READY */
    assert_err(link_open(&lines[1].link, &a, &b, accepted(l)), INVAL); /* we never dial it */
    struct signet_sessions_options none = {0};
    assert_err(signet_sessions_new(&table, &none), INVAL);
    struct signet_session_options o = {.peer_type = SIGNET_OSD, .peer = b.addr};
    o.policy = SIGNET_STATEFUL_SERVER;
    assert_err(signet_session_new(&session, a.table, &o), INVAL);
    o.policy = SIGNET_LOSSLESS_PEER; /* without a name */
    assert_err(signet_session_new(&session, a.table, &o), INVAL);
    o.policy = SIGNET_LOSSLESS_CLIENT;
    o.peer.family = SIGNET_FAMILY_NONE;
    assert_err(signet_session_new(&session, a.table, &o), INVAL);
    stop();
}
END_TEST

/* A thread of the parent was in the middle of something; the child cleans up. */
START_TEST(a_forked_child_frees_what_it_has)
{
    struct signet_event event;
    start();
    struct line *l = dial(0);
    say(s, "1");
    link_take(&l->link, 0, SIZE_MAX);
    link_give(&l->link, 0, SIZE_MAX, c.fake.mono_ns);
    assert_ok(signet_conn_next(l->link.end[1], &event));
    ck_assert_int_eq(event.kind, SIGNET_EVENT_MESSAGE); /* and is not done with it */
    pthread_mutex_lock(&b.table->lock);
    pthread_mutex_lock(&s->lock);
    pid_t child = fork();
    if (child == 0) {
        suite_child_ends_within(20);
        stop();
        _exit(0);
    }
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&b.table->lock);
    int status_ = 1;
    ck_assert_int_eq(waitpid(child, &status_, 0), child);
    ck_assert(WIFEXITED(status_) && WEXITSTATUS(status_) == 0);
    run(l);
    ck_assert_uint_eq(l->seen[0].acked, 1);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("session_limits");
    TCase *t = suite_case(suite, "limits");
    tcase_add_test(t, queues_and_tables_are_bounded);
    tcase_add_test(t, sessions_that_nobody_takes_up_are_dropped);
    tcase_add_test(t, attempts_come_ever_later);
    tcase_add_test(t, other_threads_wake_the_connection);
    tcase_add_test(t, what_is_not_allowed_is_refused);
    tcase_add_test(t, a_forked_child_frees_what_it_has);
    return suite_run(suite);
}
