/* SPDX-License-Identifier: MIT */
/* Connections that other threads send on, what buffers they keep, and their figures. */
#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "support/pair.h"

enum { THREADS = 3, EACH = 400, TOTAL = 1200, LARGE = 200000 };

static struct cluster cluster;
static struct signet_client *client;
static struct pair pair;
static atomic_uint failed, sent;
static uint64_t got, last_of[THREADS];
static uint8_t large[LARGE];

static void join_pair(enum signet_con_mode mode, bool senders)
{
    memset(&cluster, 0, sizeof(cluster));
    cluster_start(&cluster, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    client = cluster_client(&cluster, "client.a", cluster.key);
    pair_init(&pair, &cluster, client, SIGNET_MON, mode);
    pair.client_options.senders = pair.server_options.senders = senders;
    pair_open(&pair);
    struct iovec data = {large, 1};
    struct signet_message m = {.type = 9};
    assert_err(signet_conn_send(pair.client, &m, &data, 1, NULL), STATE); /* not READY */
    pair_run(&pair, SIZE_MAX);
    ck_assert_str_eq(signet_conn_state(pair.server), "READY");
    got = 0;
    atomic_store(&failed, 0);
    atomic_store(&sent, 0);
    memset(last_of, 0, sizeof(last_of));
}

static void part(void)
{
    pair_close(&pair);
    signet_client_free(client);
    cluster_stop(&cluster);
}

/* Each thread's messages come in its order, numbered from 1 in tid; type is the thread. */
static void take_messages(struct signet_conn *conn)
{
    struct signet_event event;
    do {
        assert_ok(signet_conn_next(conn, &event));
        ck_assert_int_ne(event.kind, SIGNET_EVENT_FAILED);
        if (event.kind == SIGNET_EVENT_MESSAGE && event.message.type < THREADS) {
            ck_assert_uint_eq(event.message.tid, ++last_of[event.message.type]);
            got++;
        }
    } while (event.kind != SIGNET_EVENT_NONE);
}

/* Moves what is sealed to the server. */
static void move(void)
{
    struct iovec iov[8];
    int num = 8;
    assert_ok(signet_conn_output(pair.client, iov, &num));
    size_t moved = 0;
    for (int i = 0; i < num; i++) {
        for (size_t at = 0; at < iov[i].iov_len;) {
            uint8_t *p;
            size_t cap, left = iov[i].iov_len - at;
            assert_ok(signet_conn_recv_buffer(pair.server, &p, &cap));
            size_t n = left < cap ? left : cap;
            memcpy(p, (uint8_t *)iov[i].iov_base + at, n);
            assert_ok(signet_conn_received(pair.server, n, 0));
            take_messages(pair.server);
            at += n;
        }
        moved += iov[i].iov_len;
    }
    signet_conn_sent(pair.client, moved);
}

static void *send_some(void *arg)
{
    unsigned me = *(unsigned *)arg;
    for (unsigned i = 1; i <= EACH; i++) {
        struct signet_message m = {.type = (uint16_t)me, .tid = i};
        struct iovec data = {large, i % 7 == 0 ? 70000 : i};
        uint64_t seq;
        if (signet_conn_send(pair.client, &m, &data, 1, &seq) != 0 || seq == 0) {
            atomic_fetch_add(&failed, 1);
        }
        atomic_fetch_add(&sent, 1);
    }
    return NULL;
}

static void threads_one(enum signet_con_mode mode)
{
    pthread_t thread[THREADS];
    unsigned id[THREADS];
    join_pair(mode, true);
    for (unsigned i = 0; i < THREADS; i++) {
        id[i] = i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, send_some, &id[i]), 0);
    }
    for (unsigned i = 0; atomic_load(&sent) < TOTAL; i++) {
        move();
        if (i % 50 == 0) {
            assert_ok(signet_conn_ack(pair.client)); /* the driving thread sends, too */
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    while (signet_conn_queued(pair.client) > 0) {
        move();
    }
    ck_assert_uint_eq(atomic_load(&failed), 0);
    ck_assert_uint_eq(got, TOTAL);
    part();
}

START_TEST(many_threads_send)
{
    threads_one(SIGNET_MODE_SECURE);
    threads_one(SIGNET_MODE_CRC);
}
END_TEST

/* What a sender runs into is the end, told to the driving thread. */
START_TEST(spent_nonces_are_noticed)
{
    struct signet_message m = {.type = 1};
    struct signet_event event;
    struct iovec iov[4];
    int num = 4, err = 0;
    join_pair(SIGNET_MODE_SECURE, true);
    part();
    cluster_start(&cluster, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    client = cluster_client(&cluster, "client.a", cluster.key);
    pair_init(&pair, &cluster, client, SIGNET_MON, SIGNET_MODE_SECURE);
    pair.client_options.senders = true;
    pair.client_options.max_nonces = 50;
    pair_open(&pair);
    pair_run(&pair, SIZE_MAX);
    for (unsigned i = 0; i < 50 && err == 0; i++) {
        err = signet_conn_send(pair.client, &m, NULL, 0, NULL);
    }
    ck_assert_int_eq(err, -SIGNET_E_NONCES_SPENT);
    ck_assert_ptr_null(signet_conn_failure(pair.client));
    assert_err(signet_conn_send(pair.client, &m, NULL, 0, NULL), NONCES_SPENT);
    assert_err(signet_conn_output(pair.client, iov, &num), NONCES_SPENT);
    assert_ok(signet_conn_next(pair.client, &event));
    ck_assert_int_eq(event.kind, SIGNET_EVENT_FAILED);
    ck_assert_int_eq(event.fail->err, -SIGNET_E_NONCES_SPENT);
    part();
}
END_TEST

static void say(size_t len)
{
    struct signet_message m = {.type = 0, .tid = ++got};
    struct iovec data = {large, len};
    got--;
    assert_ok(signet_conn_send(pair.client, &m, &data, 1, NULL));
    while (signet_conn_queued(pair.client) > 0) {
        move();
    }
}

static size_t room(void)
{
    uint8_t *p;
    size_t cap;
    assert_ok(signet_conn_recv_buffer(pair.server, &p, &cap));
    return cap;
}

START_TEST(idle_buffers_are_let_go)
{
    join_pair(SIGNET_MODE_SECURE, false);
    say(LARGE);
    ck_assert_uint_gt(room(), LARGE);
    signet_conn_trim(pair.server); /* it was used */
    signet_conn_trim(pair.client);
    ck_assert_uint_gt(room(), LARGE);
    for (unsigned i = 0; i < 3; i++) {
        say(10);
        signet_conn_trim(pair.server);
        signet_conn_trim(pair.client);
    }
    ck_assert_uint_lt(room(), LARGE / 2);
    say(LARGE); /* in the midst of a frame nothing is dropped */
    struct signet_message m = {.type = 0, .tid = got + 1};
    struct iovec data = {large, 1000}, iov[4];
    int num = 4;
    uint8_t *p;
    size_t cap;
    assert_ok(signet_conn_send(pair.client, &m, &data, 1, NULL));
    assert_ok(signet_conn_output(pair.client, iov, &num));
    assert_ok(signet_conn_recv_buffer(pair.server, &p, &cap));
    memcpy(p, iov[0].iov_base, 500);
    assert_ok(signet_conn_received(pair.server, 500, 0));
    signet_conn_sent(pair.client, 500);
    for (unsigned i = 0; i < 3; i++) {
        signet_conn_trim(pair.server);
        signet_conn_trim(pair.client);
    }
    move();
    ck_assert_uint_eq(got, 6);
    part();
}
END_TEST

START_TEST(figures)
{
    struct signet_conn_figures f;
    const struct signet_handler *other =
        signet_handler_find(strcmp(suite_handler(), "nss") == 0 ? "openssl" : "nss");
    const struct signet_handler *mine = signet_handler_current();
    join_pair(SIGNET_MODE_SECURE, false);
    signet_conn_take_figures(pair.client, &f);
    signet_conn_take_figures(pair.server, &f);
    say(1000);
    uint64_t left;
    signet_conn_take_figures(pair.client, &f);
    left = f.nonces_left;
    ck_assert_uint_eq(f.messages_out, 1);
    ck_assert_ptr_eq(f.by_handler[0].handler, mine);
    ck_assert_uint_eq(f.by_handler[0].sealed, 1041);
    ck_assert_uint_eq(f.by_handler[0].opened, 0);
    assert_ok(signet_handler_use(other));
    say(2000);
    say(0);
    signet_conn_take_figures(pair.client, &f);
    ck_assert_uint_eq(f.messages_out, 2);
    ck_assert_ptr_eq(f.by_handler[0].handler, other);
    ck_assert_uint_eq(f.by_handler[0].sealed, 2082);
    ck_assert_uint_eq(f.nonces_left, left - 3); /* two parts, and one */
    signet_conn_take_figures(pair.server, &f);
    ck_assert_uint_eq(f.messages_in, 3);
    ck_assert_uint_eq(f.by_handler[0].opened, 1041);
    ck_assert_uint_eq(f.by_handler[1].opened, 2082);
    signet_conn_take_figures(pair.server, &f);
    ck_assert_uint_eq(f.messages_in, 0);
    ck_assert_ptr_null(f.by_handler[0].handler);
    part();
    join_pair(SIGNET_MODE_CRC, false);
    say(10);
    signet_conn_take_figures(pair.client, &f);
    ck_assert_uint_eq(f.nonces_left, UINT64_MAX);
    ck_assert_ptr_null(f.by_handler[0].handler);
    part();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_senders");
    TCase *t = suite_case(s, "senders");
    tcase_add_test(t, many_threads_send);
    tcase_add_test(t, spent_nonces_are_noticed);
    tcase_add_test(t, idle_buffers_are_let_go);
    tcase_add_test(t, figures);
    return suite_run(s);
}
