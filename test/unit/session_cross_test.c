/* SPDX-License-Identifier: MIT */
/* Peers that dial each other: who gives way, and attempts that cross in the worst way. */
#include "support/link.h"

#include <stdlib.h>
#include <string.h>

static struct cluster c;
static struct link_node n[2]; /* osd.0 has the smaller address */
static struct signet_session *s[2];
static struct link l[4];
static unsigned got[2], resets, lost;

static void start(void)
{
    static const struct signet_cap caps[] = {{"osd", "allow *"}, {"mon", "allow r"}};
    struct signet_sessions_options table = {.peers = SIGNET_OSD};
    struct signet_name name;
    memset(&c, 0, sizeof(c));
    got[0] = got[1] = resets = lost = 0;
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    c.fake.mix = 1; /* cookies that differ */
    assert_ok(signet_name_parse(&name, "osd.1"));
    assert_ok(signet_keyserver_put(c.server, &name, c.key, caps, 2));
    node_init(&n[0], &c, "osd.0", "v2:127.0.0.1:6800/10", SIGNET_MODE_CRC, &table);
    node_init(&n[1], &c, "osd.1", "v2:127.0.0.1:6801/11", SIGNET_MODE_CRC, &table);
    s[0] = node_session(&n[0], &n[1], SIGNET_LOSSLESS_PEER);
    s[1] = node_session(&n[1], &n[0], SIGNET_LOSSLESS_PEER);
}

static void stop(void)
{
    for (unsigned i = 0; i < 4; i++) {
        link_close(&l[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        signet_session_unref(s[i]);
        node_free(&n[i]);
    }
    cluster_stop(&c);
}

static void drain(struct link *link, unsigned end, unsigned node)
{
    struct signet_event event = {.kind = SIGNET_EVENT_HELLO};
    while (link->end[end] != NULL && event.kind != SIGNET_EVENT_NONE) {
        assert_ok(signet_conn_next(link->end[end], &event));
        if (event.kind == SIGNET_EVENT_MESSAGE) {
            ck_assert_uint_eq(event.message.tid, ++got[node]);
        } else if (event.kind == SIGNET_EVENT_RESET) {
            resets++;
            lost += (unsigned)event.reset.lost + (event.reset.full ? 1 : 0);
        }
    }
}

/* Until the dialler has sent its CLIENT_IDENT, which stays under way, or with all until nothing
 * moves. */
static void run(struct link *link, unsigned from, bool all)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (unsigned end = 0; end < 2; end++) {
            drain(link, end, end == LINK_DIALLER ? from : 1 - from);
            while (link_take(link, end, SIZE_MAX) > 0) {
            }
            bool asked =
                link->end[0] == NULL || strncmp(signet_conn_state(link->end[0]), "SESSION", 7) == 0;
            if (!asked || all) {
                moved = link_give(link, end, SIZE_MAX, c.fake.mono_ns) > 0 || moved;
            }
        }
    }
}

static void open_link(unsigned i, unsigned from)
{
    link_close(&l[i]);
    assert_ok(link_open(&l[i], &n[from], &n[1 - from], s[from]));
}

static void cut(unsigned i, unsigned from)
{
    link_cut(&l[i]);
    drain(&l[i], 0, from);
    drain(&l[i], 1, 1 - from);
    link_close(&l[i]);
}

static void say(unsigned node, uint64_t tid)
{
    struct signet_message m = {.type = 1, .tid = tid};
    assert_ok(signet_session_send(s[node], &m, NULL, 0, NULL));
}

static struct signet_session_status status(unsigned node)
{
    struct signet_session_status out;
    signet_session_status(s[node], &out);
    return out;
}

static void check_all_there(void)
{
    struct signet_session_status a = status(0), b = status(1);
    ck_assert_uint_eq(got[0], 1);
    ck_assert_uint_eq(got[1], 1);
    ck_assert_uint_eq(lost, 0);
    ck_assert_uint_eq(a.num_queued + b.num_queued, 0);
    ck_assert_uint_eq(a.client_cookie, b.client_cookie);
    ck_assert_uint_eq(a.server_cookie, b.server_cookie);
}

/* _i: whose ident arrives first */
START_TEST(the_smaller_address_wins)
{
    unsigned first = (unsigned)_i;
    start();
    say(0, 1);
    say(1, 1);
    open_link(0, 0);
    open_link(1, 1);
    run(&l[0], 0, false);
    run(&l[1], 1, false);
    run(&l[first], first, true);
    run(&l[1 - first], 1 - first, true);
    run(&l[0], 0, true);
    ck_assert_ptr_nonnull(l[0].end[0]);
    ck_assert_str_eq(signet_conn_state(l[0].end[0]), "READY");
    ck_assert_str_eq(signet_conn_state(l[1].end[0]), "FAILED");
    check_all_there();
    ck_assert_uint_eq(resets, 0);
    stop();
}
END_TEST

/* osd.0 gives up an attempt whose ident is still under way and takes the one of osd.1, which takes
 * the ident that has come at last. _i: who then dials */
START_TEST(each_takes_what_the_other_has_given_up)
{
    unsigned next = (unsigned)_i;
    start();
    open_link(0, 0);
    run(&l[0], 0, false);
    signet_conn_free(l[0].end[LINK_DIALLER]);
    l[0].end[LINK_DIALLER] = NULL;
    open_link(1, 1);
    run(&l[1], 1, false);
    while (strcmp(signet_conn_state(l[1].end[LINK_ACCEPTOR]), "READY") != 0) {
        ck_assert_uint_gt(link_give(&l[1], LINK_DIALLER, SIZE_MAX, c.fake.mono_ns), 0);
        drain(&l[1], LINK_ACCEPTOR, 0);
    }
    run(&l[0], 0, true); /* the old ident */
    ck_assert_str_eq(signet_conn_state(l[0].end[LINK_ACCEPTOR]), "READY");
    ck_assert_uint_ne(status(0).client_cookie, status(1).client_cookie);
    say(0, 1);
    say(1, 1);
    cut(0, 0);
    cut(1, 1);
    open_link(2, next);
    run(&l[2], next, true);
    check_all_there();
    ck_assert_uint_eq(resets, 1);
    ck_assert_int_eq(status(0).state, SIGNET_SESSION_READY);
    stop();
}
END_TEST

/* The one that accepted first dials now: the same cookies, no new ones. */
START_TEST(roles_may_change)
{
    start();
    say(0, 1);
    open_link(0, 0);
    run(&l[0], 0, true);
    struct signet_session_status before = status(1);
    cut(0, 0);
    say(1, 1);
    ck_assert_uint_ne(signet_session_dial_ns(s[1]), UINT64_MAX);
    open_link(1, 1);
    run(&l[1], 1, true);
    check_all_there();
    ck_assert_uint_eq(resets, 0);
    ck_assert_uint_eq(status(0).client_cookie, before.client_cookie);
    ck_assert_uint_eq(status(0).server_cookie, before.server_cookie);
    ck_assert_uint_eq(status(0).connect_seq, 1);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("session_cross");
    TCase *t = suite_case(suite, "peers");
    tcase_add_loop_test(t, the_smaller_address_wins, 0, 2);
    tcase_add_loop_test(t, each_takes_what_the_other_has_given_up, 0, 2);
    tcase_add_test(t, roles_may_change);
    return suite_run(suite);
}
