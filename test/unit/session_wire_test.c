/* SPDX-License-Identifier: MIT */
/* The accepting side against frames that a client of ours would not send, in crc mode. */
#include "support/link.h"

#include <stdlib.h>
#include <string.h>

#include "msg/session_internal.h"
#include "support/frames.h"

static struct cluster c;
static struct link_node a, b;
static struct link l;
static struct signet_session *s;
static struct signet_fail fail; /* of the accepting side */
static unsigned num_reset, num_ready;

static void start(struct signet_sessions_options table)
{
    memset(&c, 0, sizeof(c));
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    node_init(&a, &c, "client.a", "any:127.0.0.1:0/1", SIGNET_MODE_CRC, &table);
    node_init(&b, &c, "osd.0", "v2:127.0.0.1:6800/77", SIGNET_MODE_CRC, &table);
    s = node_session(&a, &b, SIGNET_LOSSLESS_CLIENT);
}

static void stop(void)
{
    link_close(&l);
    signet_session_unref(s);
    node_free(&a);
    node_free(&b);
    cluster_stop(&c);
}

static void drain(unsigned end)
{
    struct signet_event event = {.kind = SIGNET_EVENT_HELLO};
    while (event.kind != SIGNET_EVENT_NONE) {
        assert_ok(signet_conn_next(l.end[end], &event));
        if (end == LINK_ACCEPTOR && event.kind == SIGNET_EVENT_FAILED) {
            fail = *event.fail;
        }
        num_reset += end == LINK_ACCEPTOR && event.kind == SIGNET_EVENT_RESET ? 1 : 0;
        num_ready += end == LINK_ACCEPTOR && event.kind == SIGNET_EVENT_READY ? 1 : 0;
    }
}

/* Up to this accepting state; what the dialler says then never arrives. */
static void reach_state(struct signet_session *session, const char *state)
{
    const size_t signature = SIGNET_PREAMBLE_LEN + SIGNET_SIGNATURE_LEN + 4;
    link_close(&l);
    num_reset = num_ready = 0;
    memset(&fail, 0, sizeof(fail));
    assert_ok(link_open(&l, &a, &b, session));
    for (;;) {
        drain(0);
        drain(1);
        if (strcmp(signet_conn_state(l.end[1]), state) == 0) {
            break;
        }
        bool last = strncmp(signet_conn_state(l.end[0]), "SESSION", 7) == 0;
        while (link_take(&l, 0, SIZE_MAX) > 0 || link_take(&l, 1, SIZE_MAX) > 0) {
        }
        link_give(&l, 0, last ? signature : SIZE_MAX, c.fake.mono_ns);
        link_give(&l, 1, SIZE_MAX, c.fake.mono_ns);
    }
    l.len[0] = l.len[1] = 0;
}

static void reach(struct signet_session *session)
{
    reach_state(session, "SESSION_ACCEPTING");
}

static void inject_frame(struct test_frame frame)
{
    l.len[0] = 0;
    l.way[0] = realloc(l.way[0], frame.len);
    memcpy(l.way[0], frame.p, frame.len);
    l.len[0] = l.cap[0] = frame.len;
    free(frame.p);
    link_give(&l, 0, SIZE_MAX, c.fake.mono_ns);
    drain(1);
}

/* The first frame that the accepting side answers, tag 0: none. */
static struct signet_control inject(const struct signet_control *control)
{
    struct signet_control answer = {.tag = 0};
    struct lane lane = lane_new(false, strict_limits());
    struct signet_frame_view view = {.len = 0};
    inject_frame(make_control(control, NULL));
    l.len[1] = 0;
    while (link_take(&l, 1, SIZE_MAX) > 0) {
    }
    if (l.len[1] > 0) {
        assert_ok(lane_read(&lane, l.way[1], l.len[1], &view));
        assert_ok(
            signet_control_decode(&answer, view.tag, view.segment[0].p, view.segment[0].len, NULL));
    }
    lane_free(&lane);
    return answer;
}

static struct signet_control ident(uint64_t global_seq, uint64_t cookie)
{
    struct signet_control out = {.tag = SIGNET_TAG_CLIENT_IDENT};
    out.ident.addrs.num = 1;
    out.ident.addrs.addr[0] = a.addr;
    out.ident.target = b.addr;
    out.ident.gid = 4;
    out.ident.global_seq = global_seq;
    out.ident.supported = SIGNET_FEATURES_SUPPORTED;
    out.ident.cookie = cookie;
    return out;
}

static struct signet_control reconnect(uint64_t global_seq, uint64_t connect_seq, uint64_t msg_seq)
{
    struct signet_control out = {.tag = SIGNET_TAG_SESSION_RECONNECT};
    out.reconnect.addrs.num = 1;
    out.reconnect.addrs.addr[0] = a.addr;
    out.reconnect.global_seq = global_seq;
    out.reconnect.connect_seq = connect_seq;
    out.reconnect.msg_seq = msg_seq;
    return out;
}

/* A session with cookie 7 and global_seq 10 at the accepting side; its own cookie. */
static uint64_t establish(void)
{
    struct signet_control ask = ident(10, 7);
    reach(NULL);
    struct signet_control answer = inject(&ask);
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SERVER_IDENT);
    ck_assert_uint_eq(answer.ident.flags, 0);
    ck_assert_uint_ne(answer.ident.cookie, 0);
    ck_assert_uint_eq(num_ready, 1);
    return answer.ident.cookie;
}

START_TEST(tags_in_accepting_states)
{
    for (uint8_t tag = 1; tag < SIGNET_TAG_NUM; tag++) {
        static const char *const states[] = {"SESSION_ACCEPTING", "READY", "AUTH_ACCEPTING_SIGN"};
        bool taken = tag == SIGNET_TAG_CLIENT_IDENT || tag == SIGNET_TAG_SESSION_RECONNECT;
        if (_i == 1) {
            taken = tag >= SIGNET_TAG_MESSAGE && tag <= SIGNET_TAG_ACK;
        } else if (_i == 2) {
            taken = tag == SIGNET_TAG_AUTH_SIGNATURE;
        }
        struct signet_control sample;
        uint8_t header[SIGNET_MESSAGE_HEADER_LEN] = {1};
        struct signet_span segment = {header, sizeof(header)};
        start((struct signet_sessions_options){0});
        if (_i == 1) {
            establish();
        } else {
            reach_state(NULL, states[_i]);
        }
        ck_assert_str_eq(signet_conn_state(l.end[1]), states[_i]);
        if (tag == SIGNET_TAG_MESSAGE) {
            inject_frame(make_frame(tag, &segment, 1, NULL));
        } else {
            sample_control(&sample, tag);
            inject_frame(make_control(&sample, NULL));
        }
        ck_assert_msg((fail.err == -SIGNET_E_UNEXPECTED_TAG) != taken, "%s: %s",
                      signet_tag_name(tag), fail.text);
        stop();
    }
}
END_TEST

START_TEST(answers_to_idents)
{
    start((struct signet_sessions_options){0});
    uint64_t cookie = establish();
    struct signet_control ask = ident(9, 7);
    reach(NULL);
    ck_assert_int_eq(inject(&ask).tag, 0);
    ck_assert_int_eq(fail.err, -SIGNET_E_SESSION_STALE);
    ask = ident(10, 7); /* the same attempt over another connection */
    reach(NULL);
    struct signet_control answer = inject(&ask);
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SERVER_IDENT);
    ck_assert_uint_ne(answer.ident.cookie, cookie);
    ck_assert_uint_eq(num_reset, 0);
    ask = ident(11, 8);
    reach(NULL);
    ck_assert_int_eq(inject(&ask).tag, SIGNET_TAG_SERVER_IDENT);
    ck_assert_uint_eq(num_reset, 1);
    ck_assert_uint_eq(signet_sessions_num(b.table), 1);
    ask.ident.addrs.addr[0].nonce++;
    reach(NULL);
    ck_assert_int_eq(inject(&ask).tag, SIGNET_TAG_SERVER_IDENT);
    ck_assert_uint_eq(num_reset, 0);
    ck_assert_uint_eq(signet_sessions_num(b.table), 2);
    stop();
}
END_TEST

START_TEST(answers_to_reconnects)
{
    start((struct signet_sessions_options){0});
    uint64_t cookie = establish();
    struct signet_control ask = reconnect(11, 1, 0), answer;
    reach(NULL);
    answer = inject(&ask); /* no cookies */
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SESSION_RESET);
    ck_assert_uint_eq(answer.full, 1);
    ask.reconnect.client_cookie = 7;
    ask.reconnect.server_cookie = cookie + 1;
    answer = inject(&ask);
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SESSION_RESET);
    ask.reconnect.server_cookie = cookie;
    ask.reconnect.global_seq = 9;
    answer = inject(&ask);
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SESSION_RETRY_GLOBAL);
    ck_assert_uint_eq(answer.value, 10);
    ask.reconnect.global_seq = 11;
    ask.reconnect.addrs.addr[0].nonce++;
    answer = inject(&ask); /* nobody is known there */
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SESSION_RESET);
    inject(&ask);
    ck_assert_int_eq(fail.err, -SIGNET_E_SESSION_RETRIES);
    ask.reconnect.addrs.addr[0].nonce--;
    ask.reconnect.connect_seq = 5;
    reach(NULL);
    answer = inject(&ask);
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SESSION_RECONNECT_OK);
    ck_assert_uint_eq(answer.value, 0);
    ck_assert_uint_eq(num_ready, 1);
    ask.reconnect.connect_seq = 4;
    reach(NULL);
    answer = inject(&ask);
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SESSION_RETRY);
    ck_assert_uint_eq(answer.value, 5);
    ask.reconnect.addrs.num = 0;
    inject(&ask);
    ck_assert_int_eq(fail.err, -SIGNET_E_PEER_ADDR);
    stop();
}
END_TEST

/* client.b knows the cookies and the address of client.a. */
START_TEST(a_session_is_of_no_use_to_another_client)
{
    static const struct signet_cap caps[] = {{"osd", "allow rw"}, {"mon", "allow r"}};
    struct signet_name name;
    start((struct signet_sessions_options){0});
    assert_ok(signet_name_parse(&name, "client.b"));
    assert_ok(signet_keyserver_put(c.server, &name, c.key, caps, 2));
    uint64_t cookie = establish();
    struct signet_session *first = signet_session_ref(signet_conn_session(l.end[1]));
    struct link_node other;
    node_init(&other, &c, "client.b", "any:127.0.0.1:0/1", SIGNET_MODE_CRC, NULL);
    struct signet_client *own = a.dial.client;
    a.dial.client = other.client;
    reach(NULL);
    struct signet_control ask = reconnect(11, 1, 0), answer;
    ask.reconnect.client_cookie = 7;
    ask.reconnect.server_cookie = cookie;
    answer = inject(&ask);
    ck_assert_int_eq(answer.tag, SIGNET_TAG_SESSION_RESET);
    ck_assert_uint_eq(answer.full, 1);
    ask = ident(12, 7);
    ck_assert_int_eq(inject(&ask).tag, SIGNET_TAG_SERVER_IDENT);
    ck_assert_ptr_ne(signet_conn_session(l.end[1]), first);
    ck_assert_uint_eq(signet_sessions_num(b.table), 2);
    a.dial.client = own;
    signet_session_unref(first);
    node_free(&other);
    stop();
}
END_TEST

/* A server whose answers make no sense. _i: which */
START_TEST(absurd_answers_to_a_client)
{
    static const struct {
        uint8_t tag;
        uint64_t value;
        int err;
    } cases[] = {{SIGNET_TAG_SESSION_RETRY, UINT64_MAX, -SIGNET_E_VALUE},
                 {SIGNET_TAG_SESSION_RETRY_GLOBAL, UINT64_C(1) << 48, -SIGNET_E_VALUE},
                 {SIGNET_TAG_SESSION_RECONNECT_OK, 1, -SIGNET_E_ACK_RANGE},
                 {SIGNET_TAG_SESSION_RETRY, 1, -SIGNET_E_SESSION_RETRIES},
                 {SIGNET_TAG_SESSION_RETRY_GLOBAL, 1, -SIGNET_E_SESSION_RETRIES},
                 {SIGNET_TAG_WAIT, 0, -SIGNET_E_SESSION_WAIT}};
    start((struct signet_sessions_options){0});
    s->client_cookie = s->server_cookie = 7;
    reach(s);
    drain(0);
    while (link_take(&l, 1, SIZE_MAX) > 0) {
    }
    for (unsigned i = 0; i < 5; i++) {
        struct signet_control answer = {.tag = cases[_i].tag};
        answer.value = cases[_i].value;
        struct test_frame frame = make_control(&answer, NULL);
        uint8_t *room;
        size_t cap;
        if (signet_conn_recv_buffer(l.end[0], &room, &cap) == 0) {
            memcpy(room, frame.p, frame.len);
            assert_ok(signet_conn_received(l.end[0], frame.len, c.fake.mono_ns));
        }
        free(frame.p);
        drain(0);
    }
    ck_assert_ptr_nonnull(signet_conn_failure(l.end[0]));
    ck_assert_int_eq(signet_conn_failure(l.end[0])->err, cases[_i].err);
    ck_assert_uint_lt(s->global_seq, 10);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("session_wire");
    TCase *t = suite_case(suite, "wire");
    tcase_add_loop_test(t, tags_in_accepting_states, 0, 3);
    tcase_add_test(t, answers_to_idents);
    tcase_add_test(t, answers_to_reconnects);
    tcase_add_test(t, a_session_is_of_no_use_to_another_client);
    tcase_add_loop_test(t, absurd_answers_to_a_client, 0, 6);
    return suite_run(suite);
}
