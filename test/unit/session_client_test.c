/* SPDX-License-Identifier: MIT */
/* How much of a table one client may have, whatever addresses it claims. */
#include "support/lines.h"

#include <stdlib.h>
#include <string.h>

#include "msg/session_internal.h"

static unsigned dropped;
static struct signet_addr last_dropped;

static void on_drop(void *arg, const struct signet_session_status *session)
{
    (void)arg;
    dropped++;
    last_dropped = session->peer;
}

static void start_small(uint32_t max_per_client)
{
    dropped = 0;
    start_with(SIGNET_MODE_CRC, (struct signet_sessions_options){.max_per_client = max_per_client,
                                                                 .dropped = on_drop});
}

/* Line i anew, as if from another place: a nonce of its own each time. */
static struct line *dial_as(struct link_node *node, unsigned i, uint32_t nonce)
{
    struct signet_session_options o = {.peer_type = SIGNET_OSD, .peer = b.addr, .own = node->addr};
    struct signet_session *session;
    struct line *l = &lines[i];
    o.own.nonce = nonce;
    link_close(&l->link);
    memset(l, 0, sizeof(*l));
    assert_ok(signet_session_new(&session, node->table, &o));
    assert_ok(link_open(&l->link, node, &b, session));
    signet_session_unref(session); /* the connection has it */
    run(l);
    return l;
}

START_TEST(one_too_many_is_refused)
{
    start_small(2);
    dial_as(&a, 0, 100);
    dial_as(&a, 1, 101);
    struct line *third = dial_as(&a, 2, 102);
    ck_assert_int_eq(third->seen[1].fail.err, -SIGNET_E_SESSION_CLIENT_LIMIT);
    ck_assert_ptr_nonnull(strstr(third->seen[1].fail.text, "has 2 sessions already"));
    ck_assert_uint_eq(third->seen[0].num[SIGNET_EVENT_READY], 0);
    ck_assert_uint_eq(signet_sessions_num(b.table), 2);
    ck_assert_uint_eq(dropped, 0);
    /* The two go on. */
    say(accepted(&lines[0]), "still here");
    run(&lines[0]);
    ck_assert_str_eq(lines[0].seen[0].text, "still here");
    /* Its own former session is not one more. */
    ck_assert_uint_eq(dial_as(&a, 1, 101)->seen[0].num[SIGNET_EVENT_READY], 1);
    ck_assert_uint_eq(signet_sessions_num(b.table), 2);
    stop();
}
END_TEST

START_TEST(the_one_without_connection_for_longest_gives_way)
{
    start_small(3);
    for (unsigned i = 0; i < 3; i++) {
        dial_as(&a, i, 100 + i);
    }
    c.fake.mono_ns += 1000;
    cut(&lines[2]);
    c.fake.mono_ns += 1000;
    cut(&lines[1]);
    for (unsigned i = 0; i < 3; i++) { /* whose time was set when */
        ck_assert_uint_eq(signet_sessions_num(b.table), 3);
        struct line *l = dial_as(&a, 3, 200 + i);
        cut(l);
        if (i == 0) {
            ck_assert_uint_eq(last_dropped.nonce, 102);
        }
    }
    ck_assert_uint_eq(signet_sessions_num(b.table), 3);
    ck_assert_uint_eq(dropped, 3);
    check_state(accepted(&lines[0]), SIGNET_SESSION_READY); /* it has a connection */
    stop();
}
END_TEST

START_TEST(other_clients_have_places_of_their_own)
{
    struct link_node other;
    start_small(1);
    node_init(&other, &c, "client.a", "any:127.0.0.1:0/9", SIGNET_MODE_CRC,
              &(struct signet_sessions_options){0}); /* another login, another global_id */
    dial_as(&a, 0, 100);
    ck_assert_uint_eq(dial_as(&other, 1, 101)->seen[0].num[SIGNET_EVENT_READY], 1);
    ck_assert_int_eq(dial_as(&other, 2, 102)->seen[1].fail.err, -SIGNET_E_SESSION_CLIENT_LIMIT);
    ck_assert_int_eq(dial_as(&a, 2, 103)->seen[1].fail.err, -SIGNET_E_SESSION_CLIENT_LIMIT);
    ck_assert_uint_eq(signet_sessions_num(b.table), 2);
    for (unsigned i = 0; i < 3; i++) {
        link_close(&lines[i].link);
    }
    node_free(&other);
    stop();
}
END_TEST

/* The default bound, and a table that stays of one size under any number of nonces. */
START_TEST(ever_new_nonces)
{
    start_small(0);
    for (uint32_t i = 0; i < 300; i++) {
        cut(dial_as(&a, i % 4, 1000 + i));
        ck_assert_uint_le(signet_sessions_num(b.table), 32);
    }
    ck_assert_uint_eq(signet_sessions_num(b.table), 32);
    ck_assert_uint_eq(dropped, 300 - 32);
    stop();
}
END_TEST

/* A process that starts again at its address has another global_id; its session moves along. */
START_TEST(a_session_that_goes_to_a_new_global_id)
{
    struct link_node osd, again;
    struct signet_sessions_options table = {.max_per_client = 1, .peers = SIGNET_OSD};
    start_with(SIGNET_MODE_CRC, table);
    node_init(&osd, &c, "osd.0", "v2:127.0.0.1:6900/5", SIGNET_MODE_CRC, &table);
    node_init(&again, &c, "osd.0", "v2:127.0.0.1:6900/5", SIGNET_MODE_CRC, &table);
    dial_as(&osd, 0, 5);
    cut(&lines[0]);
    ck_assert_uint_eq(signet_sessions_num(b.table), 1);
    struct line *l = dial_as(&again, 1, 5);
    ck_assert_uint_eq(l->seen[1].num[SIGNET_EVENT_RESET], 1);
    ck_assert_uint_eq(signet_sessions_num(b.table), 1);
    /* The former one has a place again, the new one has none. */
    ck_assert_int_eq(dial_as(&again, 2, 6)->seen[1].fail.err, -SIGNET_E_SESSION_CLIENT_LIMIT);
    ck_assert_uint_eq(dial_as(&osd, 2, 7)->seen[0].num[SIGNET_EVENT_READY], 1);
    for (unsigned i = 0; i < 3; i++) {
        link_close(&lines[i].link);
    }
    node_free(&osd);
    node_free(&again);
    stop();
}
END_TEST

START_TEST(places_are_not_those_of_another_table)
{
    start_small(0);
    ck_assert(a.table->key[0] != b.table->key[0] && a.table->key[1] != b.table->key[1]);
    ck_assert(b.table->key[0] != 0 && b.table->key[1] != 0);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("session_client");
    TCase *t = suite_case(suite, "client");
    tcase_add_test(t, one_too_many_is_refused);
    tcase_add_test(t, the_one_without_connection_for_longest_gives_way);
    tcase_add_test(t, other_clients_have_places_of_their_own);
    tcase_add_test(t, ever_new_nonces);
    tcase_add_test(t, a_session_that_goes_to_a_new_global_id);
    tcase_add_test(t, places_are_not_those_of_another_table);
    return suite_run(suite);
}
