/* SPDX-License-Identifier: MIT */
/* Reservations: messages sealed by other threads, in any order, written in theirs. */
#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/conn_peer.h"

static struct test_peer peer;
static struct test_log log_;

static struct signet_conn *ready(enum signet_con_mode mode)
{
    peer_init(&peer, SIGNET_MON, mode);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    ck_assert_str_eq(signet_conn_state(conn), "READY");
    return conn;
}

static void end(struct signet_conn *conn)
{
    signet_conn_free(conn);
    peer_free(&peer);
}

static int num_ready(struct signet_conn *conn)
{
    struct iovec iov[16];
    int num = 16;
    assert_ok(signet_conn_output(conn, iov, &num));
    return num;
}

static void any_order_one(int variant)
{
    struct signet_conn *conn = ready(variant != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    struct signet_reserved *r[4];
    struct signet_message m = {.type = 9};
    char text[] = "0";
    struct iovec data = {text, 1};
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(signet_conn_reserve(conn, &r[i], 0, 0, i == 3 ? 0 : 1));
        ck_assert_uint_eq(signet_reserved_seq(r[i]), i + 1);
    }
    assert_ok(signet_conn_keepalive(conn, 0)); /* goes behind them */
    ck_assert_uint_gt(signet_conn_queued(conn), 0);
    ck_assert_int_eq(num_ready(conn), 0);
    assert_ok(signet_conn_seal_reserved(r[3], &m, NULL, 0));
    assert_ok(signet_conn_seal_reserved(r[1], &m, &data, 1));
    ck_assert_int_eq(num_ready(conn), 0);
    assert_ok(signet_conn_seal_reserved(r[0], &m, &data, 1));
    ck_assert_int_eq(num_ready(conn), 2);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(peer.got.seq, 2);
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2], 0);
    assert_ok(signet_conn_seal_reserved(r[2], &m, &data, 1));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(peer.got.seq, 4);
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2], 1);
    end(conn);
}

START_TEST(any_order)
{
    for (int i = 0; i < 2; i++) {
        any_order_one(i);
    }
}
END_TEST

static void abandoned_one(int variant)
{
    struct signet_conn *conn = ready(variant != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    struct signet_reserved *a, *b;
    struct signet_message m = {.type = 9};
    struct iovec iov[4];
    int num = 4;
    assert_ok(signet_conn_reserve(conn, &a, 0, 0, 0));
    assert_ok(signet_conn_reserve(conn, &b, 0, 0, 0));
    assert_ok(signet_conn_seal_reserved(b, &m, NULL, 0));
    signet_conn_abandon(a);
    assert_err(signet_conn_output(conn, iov, &num), ABANDONED);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_ABANDONED);
    end(conn);
}

START_TEST(abandoned)
{
    for (int i = 0; i < 2; i++) {
        abandoned_one(i);
    }
}
END_TEST

START_TEST(other_lengths_than_reserved)
{
    static const uint32_t lens[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (size_t i = 0; i < 3; i++) {
        struct signet_conn *conn = ready(SIGNET_MODE_SECURE);
        struct signet_reserved *r;
        struct signet_message m = {.type = 9};
        struct iovec iov[4];
        int num = 4;
        assert_ok(signet_conn_reserve(conn, &r, lens[i][0], lens[i][1], lens[i][2]));
        assert_err(signet_conn_seal_reserved(r, &m, NULL, 0), LENGTH);
        assert_err(signet_conn_output(conn, iov, &num), ABANDONED);
        end(conn);
    }
}
END_TEST

START_TEST(too_long)
{
    struct signet_conn *conn = ready(SIGNET_MODE_SECURE);
    struct signet_reserved *r;
    const uint32_t small = 16 << 20, large = 64 << 20;
    struct signet_message m = {.type = 9};
    struct iovec data[2] = {{NULL, SIZE_MAX}, {NULL, SIZE_MAX}};
    assert_err(signet_conn_reserve(conn, &r, small + 1, 0, 0), LENGTH);
    assert_err(signet_conn_reserve(conn, &r, 0, small + 1, 0), LENGTH);
    assert_err(signet_conn_reserve(conn, &r, 0, 0, large + 1), LENGTH);
    assert_err(signet_conn_reserve(conn, &r, UINT32_MAX, UINT32_MAX, UINT32_MAX), LENGTH);
    assert_err(signet_conn_send(conn, &m, data, 2, NULL), LENGTH);
    m.front.len = SIZE_MAX;
    assert_err(signet_conn_send(conn, &m, NULL, 0, NULL), LENGTH);
    ck_assert_ptr_null(signet_conn_failure(conn)); /* nothing was taken */
    m.front.len = 0;
    assert_ok(signet_conn_send(conn, &m, NULL, 0, NULL));
    end(conn);
}
END_TEST

enum { THREADS = 4, ROUNDS = 50, BATCH = 32 };

static struct signet_reserved *batch[BATCH];
static atomic_uint next_slot, failed;

/* Takes slots from the back, so that the front ones are late. */
static void *seal_some(void *arg)
{
    (void)arg;
    for (;;) {
        unsigned i = atomic_fetch_add(&next_slot, 1);
        if (i >= BATCH) {
            return NULL;
        }
        struct signet_reserved *r = batch[BATCH - 1 - i];
        uint64_t seq = signet_reserved_seq(r);
        struct iovec data = {&seq, sizeof(seq)};
        struct signet_message m = {.type = 9, .tid = seq};
        if (signet_conn_seal_reserved(r, &m, &data, 1) != 0) {
            atomic_fetch_add(&failed, 1);
        }
    }
}

static void threads_one(int variant)
{
    struct signet_conn *conn = ready(variant != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_t thread[THREADS];
        for (unsigned i = 0; i < BATCH; i++) {
            assert_ok(signet_conn_reserve(conn, &batch[i], 0, 0, sizeof(uint64_t)));
        }
        atomic_store(&next_slot, 0);
        for (unsigned i = 0; i < THREADS; i++) {
            ck_assert_int_eq(pthread_create(&thread[i], NULL, seal_some, NULL), 0);
        }
        while (peer.num_got[SIGNET_TAG_MESSAGE] < (round + 1) * BATCH) {
            peer_run(&peer, conn, SIZE_MAX, &log_); /* writes while others seal */
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
        }
        ck_assert_uint_eq(peer.got.seq, (uint64_t)(round + 1) * BATCH);
        ck_assert_uint_eq(peer.got.tid, peer.got.seq);
    }
    ck_assert_uint_eq(atomic_load(&failed), 0);
    end(conn);
}

START_TEST(threads)
{
    for (int i = 0; i < 2; i++) {
        threads_one(i);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_reserve");
    TCase *t = suite_case(s, "reserve");
    tcase_add_test(t, any_order);
    tcase_add_test(t, abandoned);
    tcase_add_test(t, other_lengths_than_reserved);
    tcase_add_test(t, too_long);
    tcase_add_test(t, threads);
    return suite_run(s);
}
