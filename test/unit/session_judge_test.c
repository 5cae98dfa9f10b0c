/* SPDX-License-Identifier: MIT */
/* The rules for incoming connections, row by row, and that the first one that applies counts. */
#include "support/suite.h"

#include <string.h>

#include "msg/session_internal.h"

static struct signet_sessions table;
static struct signet_session e;
static struct session_claim claim;
static struct signet_addrvec theirs;
static struct signet_addr ours;
static struct signet_name name;
/* Only their addresses matter. */
#define A_CONN     ((struct signet_conn *)&theirs)
#define OTHER_CONN ((struct signet_conn *)&ours)

/* A session that both sides know, whose peer dials from the smaller address. */
static void set(enum signet_session_policy policy, bool reconnect)
{
    memset(&e, 0, sizeof(e));
    memset(&claim, 0, sizeof(claim));
    theirs.num = 1;
    assert_ok(signet_addr_parse(&theirs.addr[0], "v2:10.0.0.1:6800/1"));
    assert_ok(signet_addr_parse(&ours, "v2:10.0.0.2:6800/1"));
    assert_ok(signet_name_parse(&name, "osd.1"));
    e.table = &table;
    e.policy = policy;
    e.bound = true;
    e.global_id = 4;
    e.client_cookie = 11;
    e.server_cookie = 12;
    e.peer_global_seq = 5;
    e.connect_seq = 3;
    e.in_seq = 9;
    e.base = 100;
    e.acked = 110;
    e.sent = 115;
    claim = (struct session_claim){.reconnect = reconnect,
                                   .name = &name,
                                   .global_id = 4,
                                   .addrs = &theirs,
                                   .own = &ours,
                                   .client_cookie = 11,
                                   .server_cookie = 12,
                                   .global_seq = 6,
                                   .connect_seq = 4,
                                   .msg_seq = 12};
}

static void they_are_larger(void)
{
    assert_ok(signet_addr_parse(&theirs.addr[0], "v2:10.0.0.3:6800/1"));
}

#define expect(answer) ck_assert_int_eq(session_judge(&e, &claim, resetcheck), SESSION_##answer)

START_TEST(nothing_there)
{
    bool resetcheck = true;
    set(SIGNET_STATEFUL_SERVER, false);
    ck_assert_int_eq(session_judge(NULL, &claim, true), SESSION_NEW);
    e.closed = true;
    expect(NEW);
    claim.reconnect = true;
    ck_assert_int_eq(session_judge(NULL, &claim, true), SESSION_RESET_FULL);
    expect(RESET_FULL);
}
END_TEST

START_TEST(idents)
{
    bool resetcheck = true;
    set(SIGNET_LOSSLESS_PEER, false);
    expect(REUSE); /* the same cookie */
    claim.client_cookie = 99;
    expect(RESTARTED); /* another one, and both of ours are set */
    e.server_cookie = 0;
    expect(REUSE); /* STANDBY */
    e.holder = A_CONN;
    expect(REUSE); /* both dial, theirs is the smaller address */
    they_are_larger();
    expect(WAIT);
    e.ready = true;
    expect(REUSE);
    e.ready = false;
    e.policy = SIGNET_STATEFUL_SERVER;
    expect(REUSE);
    e.lossy = true;
    expect(RENEW);
    claim.global_seq = 5;
    expect(RENEW); /* not stale */
    claim.global_seq = 4;
    expect(STALE);
    claim.global_id = 5; /* another process under that name, its counters begin anew */
    expect(RESTARTED);
    e.shower = A_CONN;
    expect(RESTARTED); /* its own caller is busy: nothing to wait for */
    e.shower = OTHER_CONN;
    expect(WAIT);
}
END_TEST

/* Without a connection, but with something to say and a time for it. */
START_TEST(idents_while_we_wait_to_dial)
{
    bool resetcheck = true;
    set(SIGNET_LOSSLESS_PEER, false);
    e.server_cookie = e.client_cookie = 0;
    they_are_larger();
    expect(REUSE);
    e.queue.num = 1;
    expect(WAIT);
    e.queue.num = 0;
    e.waits = true;
    expect(WAIT);
}
END_TEST

START_TEST(reconnects)
{
    bool resetcheck = true;
    set(SIGNET_LOSSLESS_PEER, true);
    expect(RESUME);
    claim.connect_seq = 3; /* at the same time */
    expect(RESUME);
    they_are_larger();
    expect(WAIT);
    e.policy = SIGNET_STATEFUL_SERVER;
    expect(RESUME);
    claim.connect_seq = 2;
    expect(RETRY);
    claim.global_seq = 4;
    expect(RETRY_GLOBAL);
    claim.server_cookie = 99;
    expect(RESET_FULL);
    e.server_cookie = 0;
    expect(RESET_PART);
    claim.client_cookie = 99;
    expect(RESET_FULL);
    resetcheck = false;
    expect(RESET_PART);
    claim.global_id = 5; /* somebody else with the right cookies gets nothing */
    expect(RESET_FULL);
    e.holder = A_CONN;
    e.shower = OTHER_CONN;
    expect(RETRY_GLOBAL);
}
END_TEST

START_TEST(a_captured_cookie_is_of_no_use)
{
    bool resetcheck = true;
    set(SIGNET_STATEFUL_SERVER, true);
    claim.global_id = 5;
    expect(RESET_FULL);
    set(SIGNET_STATEFUL_SERVER, true);
    e.lossy = true;
    expect(RESET_FULL);
}
END_TEST

/* Each side took the other's attempt. */
START_TEST(crossed_attempts_lose_nothing)
{
    bool resetcheck = true;
    set(SIGNET_LOSSLESS_PEER, true);
    e.in_seq = claim.msg_seq = 0;
    e.acked = e.sent = e.base;
    claim.server_cookie = 99;
    expect(RESET_PART);
    claim.client_cookie = e.dial_cookie = 7;
    expect(RESET_PART);
    claim.msg_seq = 1; /* it has had a message */
    expect(RESET_FULL);
    claim.msg_seq = 0;
    e.in_seq = 1; /* we have */
    expect(RESET_FULL);
    e.in_seq = 0;
    e.acked = e.base + 1; /* it has for sure */
    expect(RESET_FULL);
    claim.reconnect = false;
    expect(RESTARTED);
    e.acked = e.base;
    expect(REUSE);
    e.dial_cookie = 8;
    expect(RESTARTED);
}
END_TEST

START_TEST(what_the_peer_has_must_fit)
{
    bool resetcheck = true;
    static const struct {
        uint64_t has;
        enum session_answer want;
    } cases[] = {{9, SESSION_RESET_FULL},
                 {10, SESSION_RESUME},
                 {15, SESSION_RESUME},
                 {16, SESSION_RESET_FULL},
                 {0, SESSION_RESET_FULL},
                 {UINT64_MAX, SESSION_RESET_FULL},
                 {UINT64_MAX - 90, SESSION_RESET_FULL}};
    set(SIGNET_STATEFUL_SERVER, true);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        claim.msg_seq = cases[i].has;
        ck_assert_int_eq(session_judge(&e, &claim, resetcheck), cases[i].want);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("session_judge");
    TCase *t = tcase_create("rules");
    suite_add_tcase(s, t);
    tcase_add_test(t, nothing_there);
    tcase_add_test(t, idents);
    tcase_add_test(t, idents_while_we_wait_to_dial);
    tcase_add_test(t, reconnects);
    tcase_add_test(t, a_captured_cookie_is_of_no_use);
    tcase_add_test(t, crossed_attempts_lose_nothing);
    tcase_add_test(t, what_the_peer_has_must_fit);
    return suite_run(s);
}
