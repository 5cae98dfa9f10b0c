/* SPDX-License-Identifier: MIT */
/* Ends: drained, lingered and cut; silent peers; descriptors that a child still has. */
#include "support/suite.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/rig.h"

#define MS UINT64_C(1000000)

static struct rig rig;
static struct signet_client *client;
static atomic_uint go;

static struct signet_peer *start_and_dial(void)
{
    atomic_store(&go, 0);
    rig_start(&rig);
    client = rig_new_client(&rig);
    return rig_dial(&rig, client, true);
}

static void stop(struct signet_peer *peer)
{
    signet_peer_unref(peer);
    rig_stop(&rig);
    signet_client_free(client);
}

/* The server stops reading, and so much is queued for it that the system does not take it all. */
static void stuff(struct signet_peer *peer)
{
    int err = 0;
    rig_wait(&rig.at_server.ready, 1);
    assert_ok(signet_messenger_post(rig.server, 0, rig_hold, &go));
    while (err == 0) {
        err = rig_send(peer, 1 << 20, 1);
    }
    ck_assert_int_eq(err, -SIGNET_E_BUSY);
}

START_TEST(drain_cuts)
{
    rig_init(&rig);
    struct signet_peer *peer = start_and_dial();
    stuff(peer);
    uint64_t before = rig_now_ms();
    assert_err(signet_messenger_drain(rig.client, 300 * MS), TIMEOUT);
    ck_assert_uint_ge(rig_now_ms() - before, 290);
    ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_SHUTDOWN], 1);
    atomic_store(&go, 1);
    rig_wait(&rig.at_server.closed, 1);
    stop(peer);
}
END_TEST

START_TEST(drain_in_a_callback)
{
    rig_init(&rig);
    struct signet_peer *peer = start_and_dial();
    assert_ok(signet_messenger_post(rig.client, 0, rig_drain_here, rig.client));
    assert_ok(rig_send(peer, 1, 1)); /* it is as before */
    rig_wait(&rig.at_client.messages, 1);
    stop(peer);
}
END_TEST

START_TEST(linger_ends)
{
    rig_init(&rig);
    rig.client_options.linger_ns = 200 * MS;
    struct signet_peer *peer = start_and_dial();
    stuff(peer);
    signet_peer_close(peer, -SIGNET_E_VALUE);
    signet_peer_close(peer, -SIGNET_E_TIMEOUT); /* the first cause counts */
    rig_wait(&rig.at_client.closed, 1);
    ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_VALUE], 1);
    uint64_t until = rig_now_ms() + 30000;
    while (signet_peer_queued(peer) > 0 && rig_now_ms() < until) {
        rig_sleep_ms(1);
    }
    ck_assert_uint_eq(signet_peer_queued(peer), 0); /* its memory is given back at once */
    atomic_store(&go, 1);
    rig_wait(&rig.at_server.closed, 1);
    stop(peer);
}
END_TEST

START_TEST(causes_that_are_none)
{
    static const int bad[] = {0, 5, -100000};
    for (unsigned i = 0; i < 3; i++) {
        rig_init(&rig);
        struct signet_peer *peer = start_and_dial();
        signet_peer_close(peer, bad[i]);
        rig_wait(&rig.at_client.closed, 1);
        ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_INVAL], 1);
        stop(peer);
    }
}
END_TEST

/* The client's worker is held up: it neither answers keepalives nor sends its own. */
START_TEST(keepalives)
{
    rig_init(&rig);
    rig.conn.keepalive_interval_ns = 20 * MS;
    rig.conn.keepalive_timeout_ns = 1000 * MS;
    struct signet_peer *peer = start_and_dial();
    unsigned before = atomic_load(&rig.at_server.events);
    rig_wait(&rig.at_server.events, before + 10); /* answered ones */
    ck_assert_uint_eq(atomic_load(&rig.at_server.closed), 0);
    assert_ok(signet_messenger_post(rig.client, 0, rig_hold, &go));
    rig_wait(&rig.at_server.closed, 1);
    ck_assert_uint_eq(rig.at_server.cause[SIGNET_E_KEEPALIVE_TIMEOUT], 1);
    atomic_store(&go, 1);
    rig_wait(&rig.at_client.closed, 1);
    stop(peer);
}
END_TEST

/* A listener on all addresses: each connection knows the one that was dialled. */
START_TEST(any_address)
{
    static const char *const listen[] = {"v2:0.0.0.0:0/0", "v2:[::]:0/5"};
    static const char *const dial[] = {"v2:127.0.0.1:1/0", "v2:[::1]:1/5"};
    for (unsigned i = 0; i < 2; i++) {
        struct signet_addr to;
        rig_init(&rig);
        rig.listen = listen[i];
        rig_start(&rig);
        assert_ok(signet_addr_parse(&to, dial[i]));
        to.port = rig.addr.port;
        rig.addr = to;
        client = rig_new_client(&rig);
        struct signet_peer *peer = rig_dial(&rig, client, true);
        assert_ok(rig_send(peer, 10, 1));
        rig_wait(&rig.at_client.messages, 1);
        stop(peer);
    }
}
END_TEST

/* A child that has copies of all descriptors keeps no connection open, nor the port. */
START_TEST(a_child_keeps_nothing_open)
{
    rig_init(&rig);
    struct signet_peer *peer = start_and_dial();
    struct signet_client *other = rig_new_client(&rig);
    struct signet_peer *stays = rig_dial(&rig, other, true);
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    signet_peer_close(peer, -SIGNET_E_TIMEOUT);
    rig_wait(&rig.at_server.closed, 1);
    rig_wait(&rig.at_client.closed, 1);
    for (unsigned i = 1; i <= 20; i++) { /* epoll tells nothing of those that are gone */
        assert_ok(rig_send(stays, 10, i));
        rig_wait(&rig.at_client.messages, i);
    }
    assert_ok(signet_messenger_drain(rig.server, 0));
    rig_wait(&rig.at_client.closed, 2);
    struct signet_messenger *again;
    struct signet_messenger_options o = {.threads = 1};
    struct signet_listener_options l = {.addr = rig.addr, .keys = rig.keys, .service = SIGNET_MON};
    assert_ok(signet_messenger_new(&again, &o));
    struct signet_fail fail = {0};
    int err = signet_messenger_listen(again, &l, NULL, &fail);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ck_assert_msg(err == 0, "%s", fail.text);
    signet_messenger_free(again);
    signet_peer_unref(stays);
    stop(peer);
    signet_client_free(other);
}
END_TEST

START_TEST(nonces_left)
{
    struct signet_messenger_stats stats;
    rig_init(&rig);
    rig.conn.max_nonces = 10000;
    struct signet_peer *peer = start_and_dial();
    signet_messenger_stats(rig.server, &stats);
    ck_assert_uint_eq(stats.nonces_left, UINT64_MAX); /* not looked at yet */
    for (unsigned i = 0; i < 100; i++) {
        assert_ok(rig_send(peer, 10, i));
    }
    rig_wait(&rig.at_client.messages, 100);
    uint64_t until = rig_now_ms() + 30000;
    do {
        rig_sleep_ms(10);
        signet_messenger_stats(rig.server, &stats);
    } while (stats.nonces_left == UINT64_MAX && rig_now_ms() < until);
    ck_assert_uint_le(stats.nonces_left, 10000 - 200);
    ck_assert_uint_gt(stats.nonces_left, 10000 - 300);
    stop(peer);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_end");
    TCase *t = suite_case(s, "end");
    tcase_add_test(t, drain_cuts);
    tcase_add_test(t, drain_in_a_callback);
    tcase_add_test(t, linger_ends);
    tcase_add_test(t, causes_that_are_none);
    tcase_add_test(t, keepalives);
    tcase_add_test(t, any_address);
    tcase_add_test(t, a_child_keeps_nothing_open);
    tcase_add_test(t, nonces_left);
    return suite_run(s);
}
