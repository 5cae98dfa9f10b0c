/* SPDX-License-Identifier: MIT */
/* What a connection bounds: order, sizes, nonces, its end; and options that make none. */
#include "support/suite.h"

#include <string.h>

#include "msg/conn_internal.h"
#include "support/conn_peer.h"

static struct test_peer peer;
static struct test_log log_;

static void start(void)
{
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
}

static void end(struct signet_conn *conn)
{
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(message_order)
{
    start();
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    peer_send_message(&peer, 1, "a", 1);
    peer_send_message(&peer, 3, "c", 1);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_SEQ_GAP);
    end(conn);
    start();
    conn = peer_reach(&peer, PEER_ALL, &log_);
    uint8_t header[SIGNET_MESSAGE_HEADER_LEN];
    struct signet_message m = {.seq = 1, .ack_seq = 1};
    signet_message_header_encode(&m, header);
    struct signet_span segment = {header, sizeof(header)};
    peer_send(&peer, make_frame(SIGNET_TAG_MESSAGE, &segment, 1, peer.seal));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_ACK_RANGE);
    end(conn);
}
END_TEST

START_TEST(preauth_limits)
{
    start();
    struct signet_conn *conn = peer_reach(&peer, PEER_HELLO, &log_);
    static uint8_t payload[65536];
    struct signet_control c = {.tag = SIGNET_TAG_AUTH_REPLY_MORE};
    c.payload = (struct signet_span){payload, sizeof(payload) - 4}; /* the largest that is read */
    peer_send_control(&peer, &c);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_ne(log_.fail.err, -SIGNET_E_FRAME_LIMIT);
    end(conn);
    c.payload.len++;
    start();
    conn = peer_reach(&peer, PEER_HELLO, &log_);
    peer_send_control(&peer, &c);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_FRAME_LIMIT);
    end(conn);
}
END_TEST

START_TEST(preauth_frames)
{
    start();
    struct signet_conn *conn = peer_reach(&peer, PEER_REPLY_MORE, &log_);
    ck_assert_uint_eq(conn->frames, 2);
    conn->frames = CONN_PREAUTH_FRAMES;
    struct signet_control c;
    sample_control(&c, SIGNET_TAG_AUTH_BAD_METHOD);
    peer_send_control(&peer, &c);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_PREAUTH_LIMIT);
    end(conn);
}
END_TEST

START_TEST(preauth_bytes)
{
    static const uint8_t much[CONN_PREAUTH_BYTES];
    start();
    struct signet_conn *conn = peer_reach(&peer, PEER_REPLY_MORE, &log_);
    assert_ok(conn_transcribe(&conn->rx, much, sizeof(much) - conn->rx.len - 10));
    struct signet_control c;
    sample_control(&c, SIGNET_TAG_AUTH_BAD_METHOD);
    peer_send_control(&peer, &c);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_PREAUTH_LIMIT);
    ck_assert_ptr_nonnull(strstr(log_.fail.text, "bytes"));
    end(conn);
}
END_TEST

START_TEST(nonce_budget)
{
    start();
    struct signet_conn_options o = peer_options(&peer);
    struct signet_conn *conn;
    struct signet_message m = {.type = 1};
    o.max_nonces = 5; /* two for the signature and ident (1 + 2), two frames of one */
    assert_ok(signet_conn_new(&conn, &o, peer.fake.mono_ns));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_str_eq(signet_conn_state(conn), "READY");
    assert_ok(signet_conn_send(conn, &m, NULL, 0, NULL));
    assert_ok(signet_conn_send(conn, &m, NULL, 0, NULL));
    assert_err(signet_conn_send(conn, &m, NULL, 0, NULL), NONCES_SPENT);
    end(conn);
    start();
    o = peer_options(&peer);
    o.max_nonces = 5;
    assert_ok(signet_conn_new(&conn, &o, peer.fake.mono_ns));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    for (int i = 0; i < 3; i++) {
        peer_send_message(&peer, 0, "x", 1); /* two nonces each */
    }
    log_reset(&log_);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_NONCES_SPENT);
    end(conn);
}
END_TEST

/* Once its length is known, a large frame gets its buffer, is read to its place and not moved. */
START_TEST(large_frames_stay_where_they_are)
{
    static uint8_t big[3 << 20];
    struct signet_event event = {.kind = SIGNET_EVENT_NONE};
    const uint8_t *base = NULL;
    start();
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    peer_send_message(&peer, 0, big, sizeof(big));
    for (size_t at = 0; at < peer.out.len;) {
        uint8_t *p;
        size_t cap;
        assert_ok(signet_conn_recv_buffer(conn, &p, &cap));
        ck_assert(base == NULL || p == base + at);
        base = at > 0 ? p - at : NULL;
        ck_assert(at == 0 || cap >= peer.out.len - at);
        size_t n = at == 0 ? 100 : 20000;
        n = n < peer.out.len - at ? n : peer.out.len - at;
        memcpy(p, peer.out.p + at, n);
        at += n;
        assert_ok(signet_conn_received(conn, n, 0));
        assert_ok(signet_conn_next(conn, &event));
        ck_assert_int_eq(event.kind, at < peer.out.len ? SIGNET_EVENT_NONE : SIGNET_EVENT_MESSAGE);
    }
    ck_assert_uint_eq(event.message.data.len, sizeof(big));
    end(conn);
}
END_TEST

START_TEST(closed_streams)
{
    for (enum peer_step step = PEER_NOTHING; step <= PEER_ALL; step++) {
        struct signet_event event;
        start();
        struct signet_conn *conn = peer_reach(&peer, step, &log_);
        signet_conn_closed(conn, -SIGNET_E_PEER_CLOSED);
        signet_conn_closed(conn, -SIGNET_E_SOCKET); /* the first cause counts */
        assert_ok(signet_conn_next(conn, &event));
        ck_assert_int_eq(event.kind, SIGNET_EVENT_FAILED);
        ck_assert_int_eq(event.fail->err, -SIGNET_E_PEER_CLOSED);
        bool open = step >= PEER_IDENT;
        ck_assert((strstr(event.fail->text, "before the session") == NULL) == open);
        signet_conn_free(conn);
        peer_free(&peer);
    }
}
END_TEST

START_TEST(what_came_before_the_end_is_given_out)
{
    struct signet_event event;
    uint8_t *p;
    size_t cap;
    start();
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    peer_send_message(&peer, 0, "last words", 10);
    assert_ok(signet_conn_recv_buffer(conn, &p, &cap));
    memcpy(p, peer.out.p, peer.out.len);
    assert_ok(signet_conn_received(conn, peer.out.len, 0));
    signet_conn_closed(conn, -SIGNET_E_PEER_CLOSED);
    assert_ok(signet_conn_next(conn, &event));
    ck_assert_int_eq(event.kind, SIGNET_EVENT_MESSAGE);
    assert_ok(signet_conn_next(conn, &event));
    ck_assert_int_eq(event.kind, SIGNET_EVENT_FAILED);
    end(conn);
}
END_TEST

START_TEST(options_that_are_refused)
{
    struct signet_conn_options good, o;
    struct signet_conn *conn;
    start();
    good = peer_options(&peer);
    o = good;
    o.role = SIGNET_ROLE_SERVER;
    assert_err(signet_conn_new(&conn, &o, 0), INVAL);
    ck_assert_ptr_null(conn);
    o = good;
    o.client = NULL;
    assert_err(signet_conn_new(&conn, &o, 0), INVAL);
    o = good;
    o.num_modes = 3;
    assert_err(signet_conn_new(&conn, &o, 0), INVAL);
    o = good;
    o.modes[0] = 7;
    assert_err(signet_conn_new(&conn, &o, 0), INVAL);
    o = good;
    o.peer_type = 0;
    assert_err(signet_conn_new(&conn, &o, 0), INVAL);
    o = good;
    memset(&o.target, 0, sizeof(o.target));
    assert_err(signet_conn_new(&conn, &o, 0), INVAL);
    peer.fake.random_err = -SIGNET_E_RANDOM;
    assert_err(signet_conn_new(&conn, &good, 0), RANDOM);
    ck_assert_ptr_null(conn);
    peer_free(&peer);
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    o = good = peer_options(&peer); /* of another client */
    o.peer_type = SIGNET_OSD;       /* no ticket yet */
    peer.hello_type = SIGNET_OSD;
    assert_ok(signet_conn_new(&conn, &o, 0));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(signet_conn_failure(conn)->err, -SIGNET_E_NO_TICKET);
    uint8_t *p;
    size_t cap;
    signet_conn_free(conn);
    assert_ok(signet_conn_new(&conn, &o, 0));
    assert_err(signet_conn_received(conn, 1, 0), INVAL); /* no room was asked for */
    assert_ok(signet_conn_recv_buffer(conn, &p, &cap));
    assert_err(signet_conn_received(conn, cap + 1, 0), INVAL);
    end(conn);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_limits");
    TCase *t = suite_case(s, "conn");
    tcase_add_test(t, message_order);
    tcase_add_test(t, preauth_limits);
    tcase_add_test(t, preauth_frames);
    tcase_add_test(t, preauth_bytes);
    tcase_add_test(t, nonce_budget);
    tcase_add_test(t, large_frames_stay_where_they_are);
    tcase_add_test(t, closed_streams);
    tcase_add_test(t, what_came_before_the_end_is_given_out);
    tcase_add_test(t, options_that_are_refused);
    return suite_run(s);
}
