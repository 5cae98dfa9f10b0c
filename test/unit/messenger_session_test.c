/* SPDX-License-Identifier: MIT */
/* Lossless sessions over the messenger: connections break, messages do not get lost. */
#include "support/suite.h"

#include <signet/session.h>

#include "support/rig.h"

enum { MESSAGES = 400 };

static struct rig rig;
static struct signet_sessions *at_client, *at_server;
static _Atomic uint64_t last;
static atomic_uint wrong;
static struct signet_peer *kept[MESSAGES / 50 + 1]; /* closed, but still known to somebody */
static unsigned num_kept;

/* Numbered from 1 without gaps, whatever happens to connections: at each 50th this one is closed.
 */
static int take(struct rig_side *side, struct signet_peer *peer, const struct signet_message *m)
{
    if (m->tid != atomic_load(&last) + 1) {
        atomic_fetch_add(&wrong, 1);
    }
    atomic_store(&last, m->tid);
    atomic_fetch_add(&side->messages, 1);
    if (m->tid % 50 != 0) {
        return 0;
    }
    kept[num_kept++] = signet_peer_ref(peer);
    return -SIGNET_E_TIMEOUT;
}

static atomic_uint dropped;

static void on_drop(void *arg, const struct signet_session_status *session)
{
    (void)arg;
    (void)session;
    atomic_fetch_add(&dropped, 1);
}

static struct signet_session *start(uint64_t standby_ns)
{
    struct signet_sessions_options o = {.env = signet_env_system(),
                                        .backoff_ns = 1000000,
                                        .max_backoff_ns = 5000000,
                                        .standby_ns = standby_ns,
                                        .dropped = on_drop};
    struct signet_session_options s = {.policy = SIGNET_LOSSLESS_CLIENT, .peer_type = SIGNET_MON};
    struct signet_session *session;
    rig_init(&rig);
    assert_ok(signet_sessions_new(&at_client, &o));
    assert_ok(signet_sessions_new(&at_server, &o));
    rig.conn.sessions = at_server; /* of the accepting side alone */
    rig.at_server.on_message = take;
    rig_start(&rig);
    rig.conn.sessions = NULL;
    s.peer = rig.addr;
    assert_ok(signet_session_new(&session, at_client, &s));
    rig.conn.session = session;
    return session;
}

static int say(struct signet_session *session, struct signet_peer *peer, uint64_t tid)
{
    struct signet_message m = {.type = 1, .tid = tid};
    struct iovec data = {&tid, sizeof(tid)};
    int err = tid % 2 == 0 ? signet_session_send(session, &m, &data, 1, NULL)
                           : signet_peer_send(peer, &m, &data, 1, NULL);
    /* The connection may be over already. */
    return err == -SIGNET_E_STATE || err == -SIGNET_E_SESSION_REPLACED
               ? signet_session_send(session, &m, &data, 1, NULL)
               : err;
}

START_TEST(connections_break)
{
    struct signet_session *session = start(0);
    struct signet_client *client = rig_new_client(&rig);
    struct signet_peer *peer = rig_dial(&rig, client, true);
    unsigned dialled = 1;
    uint64_t until = rig_now_ms() + 60000;
    for (uint64_t tid = 1; atomic_load(&last) < MESSAGES;) {
        if (tid <= MESSAGES) {
            assert_ok(say(session, peer, tid++));
        }
        if (signet_session_dial_ns(session) <= rig_now_ms() * 1000000 &&
            atomic_load(&rig.at_client.closed) == dialled) {
            signet_peer_unref(peer);
            peer = rig_dial(&rig, client, false);
            dialled++;
        }
        ck_assert_uint_lt(rig_now_ms(), until);
    }
    ck_assert_uint_eq(atomic_load(&wrong), 0);
    ck_assert_uint_eq(atomic_load(&rig.at_server.messages), MESSAGES);
    ck_assert_uint_ge(dialled, MESSAGES / 50);
    signet_peer_unref(peer);
    signet_messenger_free(rig.client);
    rig.client = NULL;
    signet_session_close(session);
    signet_session_unref(session);
    rig_stop(&rig);
    while (num_kept > 0) {
        signet_peer_unref(kept[--num_kept]);
    }
    signet_sessions_free(at_client);
    signet_sessions_free(at_server);
    signet_client_free(client);
}
END_TEST

/* Nobody asks for another session, and still the table forgets the one that is not taken up. */
START_TEST(what_is_not_taken_up_is_dropped)
{
    struct signet_session *session = start(300000000);
    struct signet_client *client = rig_new_client(&rig);
    struct signet_peer *peer = rig_dial(&rig, client, true);
    atomic_store(&dropped, 0);
    rig_sleep_ms(700); /* it stays as long as it has a connection */
    ck_assert_uint_eq(signet_sessions_num(at_server), 1);
    signet_peer_close(peer, -SIGNET_E_TIMEOUT);
    rig_wait(&rig.at_server.closed, 1);
    uint64_t from = rig_now_ms();
    rig_wait(&dropped, 1);
    ck_assert_uint_ge(rig_now_ms() - from, 250);
    ck_assert_uint_eq(signet_sessions_num(at_server), 0);
    signet_peer_unref(peer);
    signet_sessions_free(at_server); /* its listener is still there */
    signet_messenger_free(rig.client);
    rig.client = NULL;
    signet_session_unref(session);
    rig_stop(&rig);
    signet_sessions_free(at_client);
    signet_client_free(client);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_session");
    TCase *t = suite_case(s, "session");
    tcase_add_test(t, connections_break);
    tcase_add_test(t, what_is_not_taken_up_is_dropped);
    return suite_run(s);
}
