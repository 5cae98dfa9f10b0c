/* SPDX-License-Identifier: MIT */
/* Connections that go well: handshake, messages, acks, keepalives. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "support/conn_peer.h"

static struct test_peer peer;
static struct test_log log_;

static void assert_kinds(const struct test_log *log, const enum signet_event_kind *want,
                         unsigned num)
{
    ck_assert_msg(log->num == num, "%u events, %s", log->num, log->fail.text);
    for (unsigned i = 0; i < num; i++) {
        ck_assert_int_eq(log->kind[i], want[i]);
    }
}

static const enum signet_event_kind whole[] = {SIGNET_EVENT_BANNER, SIGNET_EVENT_HELLO,
                                               SIGNET_EVENT_AUTHENTICATED, SIGNET_EVENT_READY};

/* variant: bit 0 mode, bit 1 daemon, bit 2 byte by byte */
static void pick(int i, uint32_t *type, enum signet_con_mode *mode, size_t *chunk)
{
    *mode = (i & 1) != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
    *type = (i & 2) != 0 ? SIGNET_OSD : SIGNET_MON;
    *chunk = (i & 4) != 0 ? 1 : SIZE_MAX;
}

static void handshake_one(int variant)
{
    uint32_t type;
    enum signet_con_mode mode;
    size_t chunk;
    pick(variant, &type, &mode, &chunk);
    peer_init(&peer, type, mode);
    struct signet_conn *conn = peer_dial(&peer);
    ck_assert_str_eq(signet_conn_state(conn), "BANNER_CONNECTING");
    log_reset(&log_);
    peer_run(&peer, conn, chunk, &log_);
    assert_kinds(&log_, whole, 4);
    ck_assert_str_eq(signet_conn_state(conn), "READY");
    ck_assert_ptr_null(signet_conn_failure(conn));
    const struct signet_event_auth *auth = &log_.last[SIGNET_EVENT_AUTHENTICATED].auth;
    ck_assert_uint_eq(auth->global_id, TEST_GLOBAL_ID);
    ck_assert_int_eq(auth->mode, mode);
    ck_assert_uint_eq(auth->sent, peer.rx.len);
    ck_assert_uint_eq(auth->received, peer.tx.len);
    const struct signet_event_ready *ready = &log_.last[SIGNET_EVENT_READY].ready;
    ck_assert(ready->lossy);
    ck_assert_uint_eq(ready->features, SIGNET_FEATURES_SUPPORTED);
    ck_assert(signet_addr_equal(&ready->peer->addrs.addr[0], &peer.ident.addrs.addr[0]));
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_AUTH_SIGNATURE], 1);
    ck_assert_uint_eq(signet_conn_queued(conn), 0);
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(handshake)
{
    for (int i = 0; i < 8; i++) {
        handshake_one(i);
    }
}
END_TEST

static void what_the_ident_says_one(int variant)
{
    uint32_t type = variant != 0 ? SIGNET_OSD : SIGNET_MON;
    peer_init(&peer, type, SIGNET_MODE_SECURE);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    const struct signet_ident *i = &peer.client_ident;
    ck_assert_uint_eq(i->addrs.num, 1);
    ck_assert_uint_eq(i->addrs.addr[0].type, SIGNET_ADDR_ANY);
    ck_assert_uint_ne(i->addrs.addr[0].nonce, 0);
    ck_assert_uint_eq(i->addrs.addr[0].port, 0);
    ck_assert_mem_eq(i->addrs.addr[0].ip, "\x7f\0\0\1", 4); /* learned from HELLO */
    ck_assert(signet_addr_equal(&i->target, &peer.ident.addrs.addr[0]));
    ck_assert_int_eq(i->gid, type == SIGNET_MON ? -1 : TEST_GLOBAL_ID);
    ck_assert_uint_eq(i->global_seq, 1);
    ck_assert_uint_eq(i->supported, SIGNET_FEATURES_SUPPORTED);
    ck_assert_uint_eq(i->required, SIGNET_FEATURES_REQUIRED);
    ck_assert_uint_eq(i->flags, SIGNET_IDENT_LOSSY);
    ck_assert_uint_eq(i->cookie, 0);
    ck_assert_uint_eq(peer.request.method, SIGNET_AUTH_CEPHX);
    ck_assert_uint_eq(peer.request.modes.num, 1);
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(what_the_ident_says)
{
    for (int i = 0; i < 2; i++) {
        what_the_ident_says_one(i);
    }
}
END_TEST

START_TEST(own_options)
{
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_conn_options o = peer_options(&peer);
    struct signet_conn *conn;
    o.modes[1] = SIGNET_MODE_CRC;
    o.num_modes = 2;
    o.global_seq = 9;
    o.supported = UINT64_C(0x0c01020042041000);
    o.required = UINT64_C(0x0800000000000000);
    assert_ok(signet_addr_parse(&o.own, "any:10.0.0.7:0/77"));
    assert_ok(signet_conn_new(&conn, &o, peer.fake.mono_ns));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_str_eq(signet_conn_state(conn), "READY");
    ck_assert(signet_addr_equal(&peer.client_ident.addrs.addr[0], &o.own));
    ck_assert_uint_eq(peer.client_ident.global_seq, 9);
    ck_assert_uint_eq(peer.request.modes.v[0], SIGNET_MODE_SECURE);
    ck_assert_uint_eq(peer.request.modes.v[1], SIGNET_MODE_CRC);
    ck_assert_uint_eq(log_.last[SIGNET_EVENT_READY].ready.features, o.supported);
    signet_conn_free(conn);
    peer_free(&peer);
}
END_TEST

START_TEST(default_is_secure_alone)
{
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_conn_options o = peer_options(&peer);
    struct signet_conn *conn;
    o.num_modes = 0;
    assert_ok(signet_conn_new(&conn, &o, peer.fake.mono_ns));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(peer.request.modes.num, 1);
    ck_assert_uint_eq(peer.request.modes.v[0], SIGNET_MODE_SECURE);
    signet_conn_free(conn);
    peer_free(&peer);
}
END_TEST

static void messages_one(int variant)
{
    uint32_t type;
    enum signet_con_mode mode;
    size_t chunk;
    pick(variant, &type, &mode, &chunk);
    peer_init(&peer, type, mode);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    uint8_t parts[2][3000];
    memset(parts, 7, sizeof(parts));
    parts[1][2999] = 9;
    struct iovec data[3] = {{parts[0], 3000}, {NULL, 0}, {parts[1], 3000}};
    struct signet_message m = {.tid = 5,
                               .type = 9,
                               .priority = 127,
                               .version = 2,
                               .compat_version = 1,
                               .front = {(const uint8_t *)"abc", 3}};
    uint64_t seq;
    assert_ok(signet_conn_send(conn, &m, data, 3, &seq));
    ck_assert_uint_eq(seq, 1);
    peer_run(&peer, conn, chunk, &log_);
    ck_assert_uint_eq(peer.got.seq, 1);
    ck_assert_uint_eq(peer.got.ack_seq, 0);
    ck_assert_uint_eq(peer.got.tid, 5);
    ck_assert_uint_eq(peer.got_data.len, 6000);
    ck_assert_mem_eq(peer.got_data.p, parts, 6000);

    peer_send_message(&peer, 0, "one", 3);
    peer_send_message(&peer, 0, "two!", 4);
    log_.num = 0;
    peer_run(&peer, conn, chunk, &log_);
    ck_assert_uint_eq(log_.num, 2);
    ck_assert_int_eq(log_.kind[1], SIGNET_EVENT_MESSAGE);
    ck_assert_uint_eq(log_.last[SIGNET_EVENT_MESSAGE].message.seq, 2);
    ck_assert_mem_eq(log_.data.p, "two!", 4);
    assert_ok(signet_conn_send(conn, &m, NULL, 0, NULL)); /* tells what it got */
    peer_run(&peer, conn, chunk, &log_);
    ck_assert_uint_eq(peer.got.seq, 2);
    ck_assert_uint_eq(peer.got.ack_seq, 2);
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_ACK], 0); /* a lossy session needs none */
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(messages)
{
    for (int i = 0; i < 8; i++) {
        messages_one(i);
    }
}
END_TEST

static void large_message_one(int variant)
{
    peer_init(&peer, SIGNET_MON, variant != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    size_t len = 1 << 20;
    uint8_t *big = malloc(len);
    for (size_t i = 0; i < len; i++) {
        big[i] = (uint8_t)(i * 7 + (i >> 9));
    }
    peer_send_message(&peer, 0, big, len);
    peer_send_message(&peer, 0, "x", 1);
    log_.num = 0;
    peer_run(&peer, conn, 9999, &log_);
    ck_assert_uint_eq(log_.num, 2);
    peer_send_message(&peer, 0, big, len);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(log_.data.len, len);
    ck_assert_mem_eq(log_.data.p, big, len);
    struct iovec data = {big, len};
    struct signet_message m = {.type = 1};
    assert_ok(signet_conn_send(conn, &m, &data, 1, NULL));
    ck_assert_uint_gt(signet_conn_queued(conn), len);
    peer_run(&peer, conn, 77777, &log_);
    ck_assert_uint_eq(peer.got_data.len, len);
    ck_assert_mem_eq(peer.got_data.p, big, len);
    free(big);
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(large_message)
{
    for (int i = 0; i < 2; i++) {
        large_message_one(i);
    }
}
END_TEST

START_TEST(acks)
{
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    peer.ident.flags = 0; /* the server wants the session kept: acks are due */
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    ck_assert(!log_.last[SIGNET_EVENT_READY].ready.lossy);
    peer_send_message(&peer, 0, "a", 1);
    peer_send_message(&peer, 0, "b", 1);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(peer.acked, 2);
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_ACK], 1); /* one for both */
    struct signet_message m = {.type = 1};
    struct signet_control ack = {.tag = SIGNET_TAG_ACK, .value = 2};
    assert_ok(signet_conn_send(conn, &m, NULL, 0, NULL));
    assert_ok(signet_conn_send(conn, &m, NULL, 0, NULL));
    peer_send_control(&peer, &ack);
    peer_send_control(&peer, &ack); /* no news */
    log_.num = 0;
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(log_.num, 1);
    ck_assert_uint_eq(log_.last[SIGNET_EVENT_ACK].acked, 2);
    assert_ok(signet_conn_ack(conn));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_ACK], 2);
    signet_conn_free(conn);
    peer_free(&peer);
}
END_TEST

static void duplicates_are_dropped_one(int variant)
{
    peer_init(&peer, SIGNET_MON, variant != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    peer_send_message(&peer, 0, "a", 1);
    peer_send_message(&peer, 1, "b", 1); /* its nonces are used all the same */
    peer_send_message(&peer, 0, "c", 1);
    log_.num = 0;
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(log_.num, 2);
    ck_assert_mem_eq(log_.data.p, "c", 1);
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(duplicates_are_dropped)
{
    for (int i = 0; i < 2; i++) {
        duplicates_are_dropped_one(i);
    }
}
END_TEST

static void aborted_message_one(int variant)
{
    peer_init(&peer, SIGNET_MON, variant != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    uint8_t header[SIGNET_MESSAGE_HEADER_LEN] = {1};
    const struct signet_span segment[2] = {{header, sizeof(header)}, {(const uint8_t *)"x", 1}};
    peer_send(&peer, make_aborted(SIGNET_TAG_MESSAGE, segment, 2, peer.seal));
    peer_send_message(&peer, 0, "a", 1);
    log_.num = 0;
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(log_.num, 2);
    ck_assert_int_eq(log_.kind[0], SIGNET_EVENT_ABORTED);
    ck_assert_int_eq(log_.kind[1], SIGNET_EVENT_MESSAGE);
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(aborted_message)
{
    for (int i = 0; i < 2; i++) {
        aborted_message_one(i);
    }
}
END_TEST

START_TEST(keepalives)
{
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    struct signet_control c = {.tag = SIGNET_TAG_KEEPALIVE2, .stamp = {5, 6}};
    peer_send_control(&peer, &c);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(log_.last[SIGNET_EVENT_KEEPALIVE].stamp.nsec, 6);
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_KEEPALIVE2_ACK], 1);

    assert_ok(signet_conn_keepalive(conn, peer.fake.mono_ns));
    fake_env_pass(&peer.fake, 1234);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(log_.last[SIGNET_EVENT_KEEPALIVE_ACK].pong.rtt_ns, 1234);
    struct signet_utime first = peer.stamp;
    assert_ok(signet_conn_keepalive(conn, peer.fake.mono_ns));
    assert_ok(signet_conn_keepalive(conn, peer.fake.mono_ns)); /* same clock, another stamp */
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert(first.nsec != peer.stamp.nsec || first.sec != peer.stamp.sec);
    c = (struct signet_control){.tag = SIGNET_TAG_KEEPALIVE2_ACK, .stamp = {1, 2}};
    peer_send_control(&peer, &c);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(log_.last[SIGNET_EVENT_KEEPALIVE_ACK].pong.rtt_ns, UINT64_MAX);
    signet_conn_free(conn);
    peer_free(&peer);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn");
    TCase *t = suite_case(s, "conn");
    tcase_add_test(t, handshake);
    tcase_add_test(t, what_the_ident_says);
    tcase_add_test(t, own_options);
    tcase_add_test(t, default_is_secure_alone);
    tcase_add_test(t, messages);
    tcase_add_test(t, large_message);
    tcase_add_test(t, acks);
    tcase_add_test(t, duplicates_are_dropped);
    tcase_add_test(t, aborted_message);
    tcase_add_test(t, keepalives);
    return suite_run(s);
}
