/* SPDX-License-Identifier: MIT */
/* No frame allocates once a connection is warm. This program's malloc stands in front of the C
 * library's for every library of the process. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "support/conn_peer.h"

extern void *__libc_malloc(size_t len);
extern void *__libc_calloc(size_t num, size_t len);
extern void *__libc_realloc(void *p, size_t len);

#define SEEN __attribute__((visibility("default")))

static bool counting; /* only the one thread of this program */
static unsigned calls;

SEEN void *malloc(size_t len)
{
    calls += counting ? 1 : 0;
    return __libc_malloc(len);
}

SEEN void *calloc(size_t num, size_t len)
{
    calls += counting ? 1 : 0;
    return __libc_calloc(num, len);
}

SEEN void *realloc(void *p, size_t len)
{
    calls += counting ? 1 : 0;
    return __libc_realloc(p, len);
}

static struct test_peer peer;
static struct test_log log_;
static uint8_t data[70000];

/* One message out and written; what was written is dropped. */
static int send_one(struct signet_conn *conn, size_t len)
{
    struct signet_message m = {.type = 1, .front = {data, 100}};
    struct iovec part = {data, len}, iov[4];
    int num = 4;
    int err = signet_conn_send(conn, &m, &part, 1, NULL);
    if (err == 0) {
        err = signet_conn_output(conn, iov, &num);
    }
    for (int i = 0; err == 0 && i < num; i++) {
        signet_conn_sent(conn, iov[i].iov_len);
    }
    return err;
}

static int receive_one(struct signet_conn *conn, const struct test_frame *frame)
{
    struct signet_event event = {.kind = SIGNET_EVENT_NONE};
    for (size_t at = 0; at < frame->len;) {
        uint8_t *p;
        size_t cap;
        int err = signet_conn_recv_buffer(conn, &p, &cap);
        if (err != 0) {
            return err;
        }
        size_t n = frame->len - at < cap ? frame->len - at : cap;
        memcpy(p, frame->p + at, n);
        at += n;
        err = signet_conn_received(conn, n, 0);
        if (err == 0) {
            err = signet_conn_next(conn, &event);
        }
        if (err != 0 || (at == frame->len) != (event.kind == SIGNET_EVENT_MESSAGE)) {
            return err != 0 ? err : -SIGNET_E_STATE;
        }
    }
    return signet_conn_next(conn, &event);
}

enum { WARM = 20, ROUNDS = 200 };

static const size_t sizes[] = {0, 1, 64, 4096, sizeof(data)};

static void sending_one(int variant)
{
    peer_init(&peer, SIGNET_MON, variant != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    int err = 0;
    for (unsigned i = 0; i < ROUNDS && err == 0; i++) {
        counting = i >= WARM;
        err = send_one(conn, sizes[i % 5]);
    }
    counting = false;
    assert_ok(err);
    ck_assert_uint_eq(calls, 0);
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(sending)
{
    for (int i = 0; i < 2; i++) {
        sending_one(i);
    }
}
END_TEST

static void receiving_one(int variant)
{
    static struct test_frame frames[ROUNDS];
    peer_init(&peer, SIGNET_MON, variant != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    for (unsigned i = 0; i < ROUNDS; i++) {
        peer.out.len = 0;
        peer_send_message(&peer, 0, data, sizes[i % 5]);
        frames[i] = (struct test_frame){malloc(peer.out.len), peer.out.len};
        memcpy(frames[i].p, peer.out.p, peer.out.len);
    }
    int err = 0;
    for (unsigned i = 0; i < ROUNDS && err == 0; i++) {
        counting = i >= WARM;
        err = receive_one(conn, &frames[i]);
    }
    counting = false;
    assert_ok(err);
    ck_assert_uint_eq(calls, 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        free(frames[i].p);
    }
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(receiving)
{
    for (int i = 0; i < 2; i++) {
        receiving_one(i);
    }
}
END_TEST

START_TEST(keepalives)
{
    struct signet_control c = {.tag = SIGNET_TAG_KEEPALIVE2};
    struct iovec iov[4];
    int err = 0;
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    for (unsigned i = 0; i < ROUNDS && err == 0; i++) {
        uint8_t *p;
        size_t cap;
        struct signet_event event;
        int num = 4;
        peer.out.len = 0;
        peer_send_control(&peer, &c);
        counting = i >= WARM;
        err = signet_conn_recv_buffer(conn, &p, &cap);
        memcpy(p, peer.out.p, err == 0 ? peer.out.len : 0);
        err = err != 0 ? err : signet_conn_received(conn, peer.out.len, 0);
        err = err != 0 ? err : signet_conn_next(conn, &event);
        err = err != 0 ? err : signet_conn_output(conn, iov, &num);
        signet_conn_sent(conn, num > 0 ? iov[0].iov_len : 0);
        counting = false;
    }
    assert_ok(err);
    ck_assert_uint_eq(calls, 0);
    signet_conn_free(conn);
    peer_free(&peer);
}
END_TEST

static int feed(struct signet_conn *conn)
{
    struct test_frame frame = {peer.out.p, peer.out.len};
    struct signet_event event = {.kind = SIGNET_EVENT_NONE};
    uint8_t *p;
    size_t cap;
    int err = signet_conn_recv_buffer(conn, &p, &cap);
    memcpy(p, frame.p, err == 0 && frame.len <= cap ? frame.len : 0);
    err = err != 0 ? err : signet_conn_received(conn, frame.len, 0);
    do {
        err = err != 0 ? err : signet_conn_next(conn, &event);
    } while (err == 0 && event.kind != SIGNET_EVENT_NONE);
    return err;
}

/* A session's copies, acknowledged one by one, and messages of the peer's. _i: mode - 1 */
START_TEST(lossless)
{
    struct signet_sessions *table;
    int err = 0;
    peer_init(&peer, SIGNET_MON, _i == 0 ? SIGNET_MODE_CRC : SIGNET_MODE_SECURE);
    struct signet_sessions_options o = {.env = fake_env_make(&peer.fake)};
    struct signet_session_options s = {.peer_type = SIGNET_MON, .peer = peer.ident.addrs.addr[0]};
    assert_ok(signet_sessions_new(&table, &o));
    assert_ok(signet_session_new(&peer.session, table, &s));
    peer.ident.flags = 0;
    peer.ident.cookie = 7;
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    ck_assert(!log_.last[SIGNET_EVENT_READY].ready.lossy);
    for (unsigned i = 0; i < ROUNDS && err == 0; i++) {
        struct signet_control ack = {.tag = SIGNET_TAG_ACK, .value = i + 1};
        counting = i >= WARM;
        err = send_one(conn, sizes[i % 4]);
        counting = false;
        peer.out.len = 0;
        peer_send_control(&peer, &ack);
        peer_send_message(&peer, 0, data, 64);
        counting = i >= WARM;
        err = err != 0 ? err : feed(conn);
        counting = false;
    }
    assert_ok(err);
    ck_assert_uint_eq(signet_sessions_queued(table), 0);
    ck_assert_uint_eq(calls, 0);
    signet_conn_free(conn);
    signet_session_unref(peer.session);
    signet_sessions_free(table);
    peer_free(&peer);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_alloc");
    TCase *t = suite_case(s, "alloc");
    tcase_add_test(t, sending);
    tcase_add_test(t, receiving);
    tcase_add_test(t, keepalives);
    tcase_add_loop_test(t, lossless, 0, 2);
    return suite_run(s);
}
