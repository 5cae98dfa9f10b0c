/* SPDX-License-Identifier: MIT */
/* The messenger loop: accepting, dialling, messages, sending from everywhere, closing, draining. */
#include "support/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/rig.h"

static struct rig rig;

/* Messages there and back, some larger than any buffer at first. */
static void talk_one(enum signet_con_mode mode, const char *listen, unsigned threads)
{
    static const size_t sizes[] = {0, 1, 100, 5000, 70000, 1 << 20};
    rig_init(&rig);
    rig.listen = listen;
    rig.server_options.threads = threads;
    rig.conn.modes[0] = mode;
    rig.conn.num_modes = 1;
    rig_start(&rig);
    struct signet_client *client = rig_new_client(&rig);
    struct signet_peer *peer = rig_dial(&rig, client, true);
    uint64_t sum = 0;
    for (unsigned i = 0; i < 60; i++) {
        assert_ok(rig_send(peer, sizes[i % 6], i));
        sum += sizes[i % 6];
    }
    rig_wait(&rig.at_client.messages, 60);
    ck_assert_uint_eq(atomic_load(&rig.at_server.messages), 60);
    ck_assert_uint_eq(atomic_load(&rig.at_client.bytes), sum);
    ck_assert_uint_gt(atomic_load(&rig.at_client.events), 2);
    ck_assert_uint_eq(signet_peer_id(peer), 1);
    ck_assert(signet_addr_same_endpoint(signet_peer_addr(peer), &rig.addr));
    ck_assert_ptr_nonnull(signet_peer_conn(peer));
    signet_peer_close(peer, -SIGNET_E_SHUTDOWN);
    rig_wait(&rig.at_server.closed, 1);
    rig_wait(&rig.at_client.closed, 1);
    ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_SHUTDOWN], 1);
    ck_assert_uint_eq(rig.at_server.cause[SIGNET_E_PEER_CLOSED], 1);
    assert_err(rig_send(peer, 1, 1), STATE);
    signet_peer_unref(peer);
    rig_stop(&rig);
    signet_client_free(client);
}

START_TEST(messages_there_and_back)
{
    talk_one(SIGNET_MODE_SECURE, "v2:127.0.0.1:0/0", 1);
    talk_one(SIGNET_MODE_CRC, "v2:127.0.0.1:0/0", 3);
    talk_one(SIGNET_MODE_SECURE, "v2:[::1]:0/0", 2);
    talk_one(SIGNET_MODE_SECURE, "v2:127.0.0.1:0/7", 1); /* daemons have a nonce */
}
END_TEST

/* The client's streams on one handler, the server's on any that works. */
START_TEST(handler_pairs)
{
    unsigned pairs = 0;
    for (size_t i = 0; signet_handler_at(i) != NULL; i++) {
        if (signet_handler_probe(signet_handler_at(i)) != 0) {
            continue;
        }
        pairs++;
        rig_init(&rig);
        rig.client_pin = signet_handler_current();
        rig.server_pin = signet_handler_at(i);
        rig_start(&rig);
        struct signet_client *client = rig_new_client(&rig);
        struct signet_peer *peer = rig_dial(&rig, client, true);
        for (unsigned n = 0; n < 100; n++) {
            assert_ok(rig_send(peer, n * 300, n));
        }
        rig_wait(&rig.at_client.messages, 100);
        signet_peer_unref(peer);
        struct signet_messenger_stats stats;
        signet_messenger_stats(rig.server, &stats);
        ck_assert_ptr_eq(stats.by_handler[0].handler, rig.server_pin);
        ck_assert_ptr_null(stats.by_handler[1].handler);
        rig_stop(&rig);
        signet_client_free(client);
    }
    ck_assert_uint_ge(pairs, 2);
}
END_TEST

START_TEST(figures)
{
    struct signet_messenger_stats stats;
    rig_init(&rig);
    rig_start(&rig);
    struct signet_client *client = rig_new_client(&rig);
    struct signet_peer *peer = rig_dial(&rig, client, true);
    rig_wait(&rig.at_server.ready, 1);
    signet_messenger_stats(rig.server, &stats);
    uint64_t sealed = stats.by_handler[0].sealed;
    ck_assert_uint_eq(stats.accepted, 1);
    ck_assert_uint_eq(stats.ready, 1);
    ck_assert_uint_eq(stats.peers, 1);
    ck_assert_uint_eq(stats.half_open, 0);
    ck_assert_uint_eq(stats.dialled, 0);
    assert_ok(rig_send(peer, 1000, 1));
    rig_wait(&rig.at_client.messages, 1);
    signet_peer_close(peer, -SIGNET_E_TIMEOUT);
    rig_wait(&rig.at_server.closed, 1);
    signet_messenger_stats(rig.server, &stats);
    ck_assert_uint_eq(stats.messages_in, 1);
    ck_assert_uint_eq(stats.messages_out, 1);
    ck_assert_uint_eq(stats.by_handler[0].sealed, sealed + 1041);
    ck_assert_ptr_eq(stats.by_handler[0].handler, signet_handler_current());
    ck_assert_uint_eq(stats.closed[SIGNET_E_PEER_CLOSED], 1);
    ck_assert_uint_gt(stats.received, 1041);
    ck_assert_uint_gt(stats.sent, 1041);
    ck_assert_uint_eq(stats.peers, 0);
    rig_wait(&rig.at_client.closed, 1);
    signet_messenger_stats(rig.client, &stats);
    ck_assert_uint_eq(stats.dialled, 1);
    ck_assert_uint_eq(stats.closed[SIGNET_E_TIMEOUT], 1);
    signet_peer_unref(peer);
    rig_stop(&rig);
    signet_client_free(client);
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        int ready_err, message_err;
    } cases[] = {{-SIGNET_E_PEER_TYPE, 0}, {0, -SIGNET_E_VALUE}};
    for (unsigned i = 0; i < 2; i++) {
        rig_init(&rig);
        rig.at_server.ready_err = cases[i].ready_err;
        rig.at_server.message_err = cases[i].message_err;
        rig_start(&rig);
        struct signet_client *client = rig_new_client(&rig);
        struct signet_peer *peer = rig_dial(&rig, client, true);
        int err = rig_send(peer, 10, 1); /* too late in the first case */
        ck_assert(err == 0 || err == -SIGNET_E_STATE);
        rig_wait(&rig.at_server.closed, 1);
        rig_wait(&rig.at_client.closed, 1);
        /* The answer that was given before is still delivered. */
        ck_assert_uint_eq(atomic_load(&rig.at_client.messages), i);
        ck_assert_uint_eq(rig.at_server.cause[-(cases[i].ready_err + cases[i].message_err)], 1);
        signet_peer_unref(peer);
        rig_stop(&rig);
        signet_client_free(client);
    }
}
END_TEST

START_TEST(wrong_key)
{
    rig_init(&rig);
    rig_start(&rig);
    struct signet_key *right = rig.key;
    assert_ok(signet_key_generate(&rig.key, SIGNET_KEY_AES256K, NULL));
    struct signet_client *client = rig_new_client(&rig);
    signet_peer_unref(rig_dial(&rig, client, false));
    rig_wait(&rig.at_client.closed, 1);
    rig_wait(&rig.at_server.closed, 1);
    ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_AUTH_DENIED], 1); /* it was told */
    ck_assert_uint_eq(rig.at_server.cause[SIGNET_E_PROOF_WRONG], 1);
    signet_key_unref(rig.key);
    rig.key = right;
    rig_stop(&rig);
    signet_client_free(client);
}
END_TEST

START_TEST(nobody_listens)
{
    rig_init(&rig);
    rig_start(&rig);
    struct signet_client *client = rig_new_client(&rig);
    assert_ok(signet_messenger_drain(rig.server, 0));
    signet_peer_unref(rig_dial(&rig, client, false));
    rig_wait(&rig.at_client.closed, 1);
    ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_CONNECT_REFUSED], 1);
    rig_stop(&rig);
    signet_client_free(client);
}
END_TEST

START_TEST(address_in_use)
{
    struct signet_fail fail = {0};
    struct signet_messenger *other;
    struct signet_messenger_options options = {.threads = 2};
    rig_init(&rig);
    rig_start(&rig);
    struct signet_listener_options o = {.addr = rig.addr, .service = SIGNET_MON, .keys = rig.keys};
    assert_ok(signet_messenger_new(&other, &options));
    assert_err(signet_messenger_listen(other, &o, NULL, &fail), ADDR_IN_USE);
    ck_assert_ptr_nonnull(strstr(fail.text, "another program"));
    o.keys = NULL;
    assert_err(signet_messenger_listen(other, &o, NULL, &fail), INVAL);
    o.keys = rig.keys;
    assert_ok(signet_addr_parse(&o.addr, "v2:192.0.2.1:3300/0"));
    assert_err(signet_messenger_listen(other, &o, NULL, &fail), SOCKET);
    assert_ok(signet_messenger_drain(other, 0));
    assert_err(signet_messenger_listen(other, &o, NULL, &fail), STATE);
    signet_messenger_free(other);
    rig_stop(&rig);
}
END_TEST

static void set_flag(void *arg)
{
    atomic_store((atomic_uint *)arg, 1);
}

static void begin(void *arg, unsigned index)
{
    atomic_fetch_add((atomic_uint *)arg, 1U << index);
}

START_TEST(posting)
{
    static atomic_uint flag, begun;
    struct signet_messenger *m;
    struct signet_messenger_options options = {
        .threads = 2, .worker_begin = begin, .worker_end = begin, .arg = &begun};
    assert_ok(signet_messenger_new(&m, &options));
    for (unsigned i = 0; i < 2; i++) {
        atomic_store(&flag, 0);
        assert_ok(signet_messenger_post(m, i, set_flag, &flag));
        rig_wait(&flag, 1);
    }
    assert_err(signet_messenger_post(m, 2, set_flag, &flag), INVAL);
    assert_ok(signet_messenger_drain(m, 0));
    assert_err(signet_messenger_drain(m, 0), STATE);
    assert_err(signet_messenger_post(m, 0, set_flag, &flag), STATE);
    signet_messenger_free(m);
    ck_assert_uint_eq(atomic_load(&begun), 6); /* once each at both ends */
    options.threads = 5000;
    assert_err(signet_messenger_new(&m, &options), INVAL);
    signet_messenger_free(NULL);
}
END_TEST

/* What is queued is written before the end; references stay good for nothing but memory. */
START_TEST(drain_writes_the_rest)
{
    struct signet_messenger_stats stats;
    rig_init(&rig);
    rig_start(&rig);
    struct signet_client *client = rig_new_client(&rig);
    struct signet_peer *peer = rig_dial(&rig, client, true);
    for (unsigned i = 0; i < 14; i++) {
        assert_ok(rig_send(peer, 1 << 20, i));
    }
    assert_ok(signet_messenger_drain(rig.client, UINT64_C(20000000000)));
    ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_SHUTDOWN], 1);
    rig_wait(&rig.at_server.messages, 14);
    signet_messenger_stats(rig.client, &stats);
    ck_assert_uint_eq(stats.messages_out, 14);
    signet_messenger_free(rig.client);
    rig.client = NULL;
    assert_err(rig_send(peer, 1, 1), STATE);
    signet_peer_close(peer, -SIGNET_E_SHUTDOWN);
    ck_assert_uint_eq(signet_peer_worker(peer), 0);
    signet_peer_unref(peer);
    rig_stop(&rig);
    signet_client_free(client);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger");
    TCase *t = suite_case(s, "messenger");
    tcase_add_test(t, messages_there_and_back);
    tcase_add_test(t, handler_pairs);
    tcase_add_test(t, figures);
    tcase_add_test(t, refusals);
    tcase_add_test(t, wrong_key);
    tcase_add_test(t, nobody_listens);
    tcase_add_test(t, address_in_use);
    tcase_add_test(t, posting);
    tcase_add_test(t, drain_writes_the_rest);
    return suite_run(s);
}
