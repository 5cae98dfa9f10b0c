/* SPDX-License-Identifier: MIT */
/* Every tag in every state: what is not in the table of the specification is a fault. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "msg/session_internal.h"
#include "support/conn_peer.h"

static struct test_peer peer;
static struct test_log log_;

/* Each state of the client, the server's step that leaves it there, and the tags it takes. */
static const struct {
    const char *name;
    enum peer_step step;
    uint8_t tags[6];
} states[] = {
    {"HELLO_CONNECTING", PEER_BANNER, {SIGNET_TAG_HELLO}},
    {"AUTH_CONNECTING",
     PEER_HELLO,
     {SIGNET_TAG_AUTH_BAD_METHOD, SIGNET_TAG_AUTH_REPLY_MORE, SIGNET_TAG_AUTH_DONE}},
    {"AUTH_CONNECTING", /* after the challenge */
     PEER_REPLY_MORE,
     {SIGNET_TAG_AUTH_BAD_METHOD, SIGNET_TAG_AUTH_REPLY_MORE, SIGNET_TAG_AUTH_DONE}},
    {"AUTH_CONNECTING_SIGN", PEER_DONE, {SIGNET_TAG_AUTH_SIGNATURE}},
    {"SESSION_CONNECTING",
     PEER_SIGNATURE,
     {SIGNET_TAG_SERVER_IDENT, SIGNET_TAG_IDENT_MISSING_FEATURES, SIGNET_TAG_WAIT}},
    {"SESSION_RECONNECTING",
     PEER_SIGNATURE,
     {SIGNET_TAG_SESSION_RECONNECT_OK, SIGNET_TAG_SESSION_RESET, SIGNET_TAG_SESSION_RETRY,
      SIGNET_TAG_SESSION_RETRY_GLOBAL, SIGNET_TAG_WAIT}},
    {"READY",
     PEER_ALL,
     {SIGNET_TAG_MESSAGE, SIGNET_TAG_ACK, SIGNET_TAG_KEEPALIVE2, SIGNET_TAG_KEEPALIVE2_ACK}},
};
enum { STATES = sizeof(states) / sizeof(states[0]) };

static bool taken(unsigned state, uint8_t tag)
{
    return memchr(states[state].tags, tag, sizeof(states[state].tags)) != NULL;
}

/* The smallest frame of a tag that is well-formed. */
static void send_sample(uint8_t tag)
{
    struct signet_control c;
    uint8_t header[SIGNET_MESSAGE_HEADER_LEN] = {1};
    struct signet_span segment = {header, sizeof(header)};
    if (tag == SIGNET_TAG_MESSAGE) {
        peer_send(&peer, make_frame(tag, &segment, 1, peer.seal));
        return;
    }
    sample_control(&c, tag);
    if (tag == SIGNET_TAG_ACK) {
        c.value = 0;
    }
    peer_send_control(&peer, &c);
}

static struct signet_sessions *table;

static void begin(unsigned state, enum signet_con_mode mode)
{
    peer_init(&peer, SIGNET_MON, mode);
    if (strcmp(states[state].name, "SESSION_RECONNECTING") == 0) { /* it had one before */
        struct signet_sessions_options o = {.env = fake_env_make(&peer.fake)};
        struct signet_session_options s = {.peer_type = SIGNET_MON,
                                           .peer = peer.ident.addrs.addr[0]};
        assert_ok(signet_sessions_new(&table, &o));
        assert_ok(signet_session_new(&peer.session, table, &s));
        peer.session->client_cookie = 7;
        peer.session->server_cookie = 8;
    }
}

static void end(struct signet_conn *conn)
{
    signet_conn_free(conn);
    signet_session_unref(peer.session);
    signet_sessions_free(table);
    table = NULL;
    peer_free(&peer);
}

static void check_pair(unsigned state, uint8_t tag, enum signet_con_mode mode)
{
    const char *name = signet_tag_name(tag);
    begin(state, mode);
    struct signet_conn *conn = peer_reach(&peer, states[state].step, &log_);
    ck_assert_str_eq(signet_conn_state(conn), states[state].name);
    send_sample(tag);
    log_.num = 0;
    peer_run(&peer, conn, SIZE_MAX, &log_);
    const struct signet_fail *fail = signet_conn_failure(conn);
    if (taken(state, tag)) {
        ck_assert_msg(fail == NULL || fail->err != -SIGNET_E_UNEXPECTED_TAG, "%s in %s", name,
                      states[state].name);
    } else {
        ck_assert_msg(fail != NULL && fail->err == -SIGNET_E_UNEXPECTED_TAG, "%s in %s: %s", name,
                      states[state].name, fail != NULL ? fail->text : "taken");
        ck_assert_uint_eq(log_.num, 1);
        ck_assert_int_eq(log_.kind[0], SIGNET_EVENT_FAILED);
        ck_assert_str_eq(log_.fail.where, states[state].name);
        ck_assert_ptr_nonnull(strstr(log_.fail.text, name));
    }
    end(conn);
}

/* variant: state and mode */
static void each_pair_one(int variant)
{
    unsigned state = (unsigned)variant / 2;
    for (uint8_t tag = 1; tag < SIGNET_TAG_NUM; tag++) {
        check_pair(state, tag, (variant & 1) != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    }
}

START_TEST(each_pair)
{
    for (int i = 0; i < 2 * STATES; i++) {
        each_pair_one(i);
    }
}
END_TEST

/* After a failure nothing is taken, given out or said twice. */
START_TEST(dead_stays_dead)
{
    struct signet_event event;
    uint8_t *p;
    size_t cap;
    struct iovec iov[1];
    struct signet_reserved *reserved;
    struct signet_message m = {.type = 1};
    int num = 1;
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    send_sample(SIGNET_TAG_HELLO);
    send_sample(SIGNET_TAG_MESSAGE);
    log_.num = 0;
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_uint_eq(log_.num, 1);
    ck_assert_str_eq(signet_conn_state(conn), "FAILED");
    assert_ok(signet_conn_next(conn, &event));
    ck_assert_int_eq(event.kind, SIGNET_EVENT_NONE);
    assert_err(signet_conn_recv_buffer(conn, &p, &cap), UNEXPECTED_TAG);
    assert_err(signet_conn_output(conn, iov, &num), UNEXPECTED_TAG);
    ck_assert_int_eq(num, 0);
    assert_err(signet_conn_send(conn, &m, NULL, 0, NULL), UNEXPECTED_TAG);
    assert_err(signet_conn_reserve(conn, &reserved, 0, 0, 0), UNEXPECTED_TAG);
    assert_err(signet_conn_keepalive(conn, 0), UNEXPECTED_TAG);
    assert_err(signet_conn_ack(conn), UNEXPECTED_TAG);
    assert_err(signet_conn_tick(conn, UINT64_MAX), UNEXPECTED_TAG);
    ck_assert_uint_eq(signet_conn_deadline_ns(conn), UINT64_MAX);
    signet_conn_free(conn);
    peer_free(&peer);
}
END_TEST

START_TEST(sending_needs_a_session)
{
    for (unsigned state = 0; state + 1 < STATES; state++) {
        struct signet_reserved *reserved;
        struct signet_message m = {.type = 1};
        begin(state, SIGNET_MODE_SECURE);
        struct signet_conn *conn = peer_reach(&peer, states[state].step, &log_);
        assert_err(signet_conn_send(conn, &m, NULL, 0, NULL), STATE);
        assert_err(signet_conn_reserve(conn, &reserved, 0, 0, 0), STATE);
        assert_err(signet_conn_keepalive(conn, 0), STATE);
        assert_err(signet_conn_ack(conn), STATE);
        end(conn);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_table");
    TCase *t = suite_case(s, "table");
    tcase_add_test(t, each_pair);
    tcase_add_test(t, dead_stays_dead);
    tcase_add_test(t, sending_needs_a_session);
    return suite_run(s);
}
