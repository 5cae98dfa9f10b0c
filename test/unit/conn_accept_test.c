/* SPDX-License-Identifier: MIT */
/* The accepting side against the connecting one, and against peers that misbehave. */
#include "support/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/frames.h"

static struct pair p;
static struct cluster c;
static struct signet_client *client;

static void start(enum signet_key_type type, uint32_t service, enum signet_con_mode mode)
{
    memset(&c, 0, sizeof(c));
    cluster_start(&c, type, type);
    client = cluster_client(&c, "client.a", c.key);
    if (service != SIGNET_MON) {
        assert_ok(cluster_login(&c, client, mode)); /* for the ticket */
    }
    pair_init(&p, &c, client, service, mode);
}

static void stop(void)
{
    pair_close(&p);
    signet_client_free(client);
    cluster_stop(&c);
}

/* _i: bit 0 mode, 1 service, 2 key type, 3 byte by byte, 4 and 5 the handlers */
START_TEST(both_sides_in_every_combination)
{
    static const char *const handlers[2] = {"nss", "openssl"};
    enum signet_con_mode mode = (_i & 1) != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
    start((_i & 4) != 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K,
          (_i & 2) != 0 ? SIGNET_OSD : SIGNET_MON, mode);
    p.client_on = handlers[_i >> 4 & 1];
    p.server_on = handlers[_i >> 5 & 1];
    size_t chunk = (_i & 8) != 0 ? 1 : SIZE_MAX;
    pair_open(&p);
    ck_assert_str_eq(signet_conn_state(p.server), "BANNER_ACCEPTING");
    pair_run(&p, chunk);
    ck_assert_msg(pair_saw(&p.at_client, SIGNET_EVENT_READY), "%s", p.at_client.fail.text);
    ck_assert_msg(pair_saw(&p.at_server, SIGNET_EVENT_READY), "%s", p.at_server.fail.text);
    const struct signet_identity *who = signet_login_identity(p.login);
    ck_assert_uint_eq(who->global_id, signet_client_global_id(client));
    ck_assert_str_eq(who->caps, (_i & 2) != 0 ? "allow rw" : "allow r");
    pair_say(p.client, "question");
    pair_say(p.server, "answer");
    pair_run(&p, chunk);
    ck_assert_str_eq(p.at_server.text, "question");
    ck_assert_str_eq(p.at_client.text, "answer");
    assert_ok(signet_conn_keepalive(p.client, c.fake.mono_ns));
    pair_run(&p, chunk);
    ck_assert(pair_saw(&p.at_client, SIGNET_EVENT_KEEPALIVE_ACK));
    stop();
}
END_TEST

static void refused(int client_err, int server_err, int32_t on_wire)
{
    pair_open(&p);
    pair_run(&p, SIZE_MAX);
    ck_assert_int_eq(p.at_server.fail.err, server_err);
    ck_assert_int_eq(p.at_client.fail.err, client_err);
    ck_assert(pair_saw(&p.at_client, SIGNET_EVENT_REFUSED));
    ck_assert_int_eq(p.at_client.refused.result, on_wire);
    ck_assert_uint_eq(p.at_client.refused.methods.num, 1);
    ck_assert_uint_eq(p.at_client.refused.methods.v[0], SIGNET_AUTH_CEPHX);
}

START_TEST(a_wrong_key_hears_no_cause)
{
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_key *other;
    assert_ok(signet_key_generate(&other, SIGNET_KEY_AES256K, NULL));
    signet_client_free(client);
    client = cluster_client(&c, _i != 0 ? "client.nobody" : "client.a", other);
    p.client_options.client = client;
    refused(-SIGNET_E_AUTH_DENIED, _i != 0 ? -SIGNET_E_UNKNOWN_ENTITY : -SIGNET_E_PROOF_WRONG,
            -EACCES);
    ck_assert_str_eq(signet_conn_state(p.server), "FAILED");
    signet_key_unref(other);
    stop();
}
END_TEST

START_TEST(without_a_common_mode_the_client_hears_which_there_are)
{
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    p.client_options.modes[0] = SIGNET_MODE_CRC;
    pair_open(&p);
    pair_run(&p, SIZE_MAX);
    ck_assert_int_eq(p.at_client.fail.err, -SIGNET_E_AUTH_MODE);
    ck_assert_int_eq(p.at_client.refused.result, -EOPNOTSUPP);
    ck_assert_uint_eq(p.at_client.refused.modes.v[0], SIGNET_MODE_SECURE);
    ck_assert_str_eq(signet_conn_state(p.server), "AUTH_ACCEPTING"); /* it may ask again */
    stop();
}
END_TEST

START_TEST(the_first_of_the_clients_modes_is_taken)
{
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    p.server_options.modes[1] = SIGNET_MODE_CRC;
    p.server_options.num_modes = 2;
    p.client_options.modes[0] = SIGNET_MODE_CRC;
    p.client_options.modes[1] = SIGNET_MODE_SECURE;
    p.client_options.num_modes = 2;
    pair_open(&p);
    pair_run(&p, SIZE_MAX);
    ck_assert(pair_saw(&p.at_client, SIGNET_EVENT_READY));
    stop();
}
END_TEST

START_TEST(idents_that_do_not_fit_are_refused)
{
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    int want_client = -SIGNET_E_MISSING_FEATURES, want_server = 0;
    switch (_i) {
    case 0: /* the server wants what the client lacks */
        p.server_options.required = SIGNET_FEATURES_REQUIRED_SERVER | 1U << 17;
        break;
    case 1: /* the client dialled another address */
        p.client_options.target.port++;
        want_client = 0;
        want_server = -SIGNET_E_PEER_ADDR;
        break;
    default: /* the client wants what the server lacks */
        p.client_options.required |= 1U << 17;
        p.client_options.supported = SIGNET_FEATURES_SUPPORTED | 1U << 17;
        want_client = 0;
        want_server = -SIGNET_E_PEER_FEATURES;
    }
    pair_open(&p);
    pair_run(&p, SIZE_MAX);
    ck_assert_int_eq(p.at_client.fail.err, want_client);
    ck_assert_int_eq(p.at_server.fail.err, want_server);
    ck_assert(!pair_saw(&p.at_server, SIGNET_EVENT_READY));
    stop();
}
END_TEST

START_TEST(a_peer_that_is_slow_is_dropped)
{
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    pair_open(&p);
    ck_assert_uint_eq(signet_conn_deadline_ns(p.server), c.fake.mono_ns + 10 * SEC);
    assert_err(signet_conn_tick(p.server, c.fake.mono_ns + 10 * SEC), HANDSHAKE_TIMEOUT);
    stop();
}
END_TEST

START_TEST(options_that_make_no_server_are_refused)
{
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    struct signet_conn *conn;
    p.server_options.login = NULL;
    assert_err(signet_conn_new(&conn, &p.server_options, 0), INVAL);
    pair_open(&p);
    p.server_options.own_type = 0;
    assert_err(signet_conn_new(&conn, &p.server_options, 0), INVAL);
    stop();
}
END_TEST

/* --- a server alone, against frames ----------------------------------------------------------- */

/* Feeds bytes; the server's events go to at_server. */
static void feed(const void *bytes, size_t len)
{
    uint8_t *room;
    size_t cap;
    struct signet_event event;
    while (len > 0 && signet_conn_recv_buffer(p.server, &room, &cap) == 0) {
        size_t n = len < cap ? len : cap;
        memcpy(room, bytes, n);
        assert_ok(signet_conn_received(p.server, n, c.fake.mono_ns));
        bytes = (const uint8_t *)bytes + n;
        len -= n;
        do {
            assert_ok(signet_conn_next(p.server, &event));
            if (event.kind == SIGNET_EVENT_FAILED) {
                p.at_server.fail = *event.fail;
            }
        } while (event.kind != SIGNET_EVENT_NONE);
    }
}

static void feed_control(const struct signet_control *control)
{
    uint8_t payload[SIGNET_CONTROL_MAX + 1024], out[SIGNET_CONTROL_MAX + 2048];
    size_t len, out_len;
    assert_ok(signet_control_encode(control, payload, sizeof(payload), &len));
    struct iovec part = {.iov_base = payload, .iov_len = len};
    struct signet_frame frame = {.tag = control->tag, .segment = {{&part, 1}}};
    assert_ok(signet_frame_build(out, sizeof(out), &out_len, &frame, NULL, 0));
    feed(out, out_len);
}

static void feed_banner(void)
{
    uint8_t banner[SIGNET_BANNER_LEN];
    struct signet_banner mine = {1, 0};
    signet_banner_encode(&mine, banner);
    feed(banner, sizeof(banner));
}

static const struct signet_control hello = {.tag = SIGNET_TAG_HELLO,
                                            .hello = {.entity_type = SIGNET_CLIENT}};

static struct signet_control auth_request(const char *payload, size_t len)
{
    struct signet_control r = {.tag = SIGNET_TAG_AUTH_REQUEST};
    r.auth_request.method = SIGNET_AUTH_CEPHX;
    r.auth_request.modes.num = 1;
    r.auth_request.modes.v[0] = SIGNET_MODE_SECURE;
    r.auth_request.payload = (struct signet_span){(const uint8_t *)payload, len};
    return r;
}

static const char first[] = "\x0a\x08\0\0\0\x01\0\0\0a\0\0\0\0\0\0\0\0";

/* The accepting states that a stranger can reach, and the tag that each takes. */
START_TEST(every_other_tag_is_a_fault)
{
    static const char *const names[] = {"HELLO_ACCEPTING", "AUTH_ACCEPTING", "AUTH_ACCEPTING_MORE"};
    static const uint8_t takes[] = {SIGNET_TAG_HELLO, SIGNET_TAG_AUTH_REQUEST,
                                    SIGNET_TAG_AUTH_REQUEST_MORE};
    struct signet_control request = auth_request(first, sizeof(first) - 1), sample;
    for (uint8_t tag = 1; tag < SIGNET_TAG_NUM; tag++) {
        if (tag == takes[_i] || tag == SIGNET_TAG_MESSAGE) {
            continue;
        }
        start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
        pair_open(&p);
        feed_banner();
        if (_i > 0) {
            feed_control(&hello);
        }
        if (_i > 1) {
            feed_control(&request);
        }
        ck_assert_str_eq(signet_conn_state(p.server), names[_i]);
        sample_control(&sample, tag);
        feed_control(&sample);
        ck_assert_msg(p.at_server.fail.err == -SIGNET_E_UNEXPECTED_TAG, "%s in %s: %s",
                      signet_tag_name(tag), names[_i], p.at_server.fail.text);
        stop();
    }
}
END_TEST

START_TEST(asking_again_and_again_for_what_is_not_allowed_ends)
{
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    pair_open(&p);
    feed_banner();
    feed_control(&hello);
    struct signet_control none = auth_request(first, sizeof(first) - 1);
    none.auth_request.method = SIGNET_AUTH_NONE;
    for (int i = 0; i < 4; i++) {
        feed_control(&none);
        ck_assert_str_eq(signet_conn_state(p.server), "AUTH_ACCEPTING");
    }
    feed_control(&none);
    ck_assert_int_eq(p.at_server.fail.err, -SIGNET_E_AUTH_METHOD);
    stop();
}
END_TEST

START_TEST(garbage_is_dropped_at_once)
{
    static const struct {
        const char *bytes;
        size_t len;
        int err;
    } cases[] = {
        {"GET / HTTP/1.1\r\n", 16, -SIGNET_E_NOT_CEPH},
        {"ceph v027", 9, -SIGNET_E_MSGR1_PEER},
        {"ceph v2\n\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 26, -SIGNET_E_MSGR20_PEER},
    };
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    pair_open(&p);
    feed(cases[_i].bytes, cases[_i].len);
    ck_assert_int_eq(p.at_server.fail.err, cases[_i].err);
    stop();
}
END_TEST

START_TEST(a_payload_that_is_none_is_refused)
{
    start(SIGNET_KEY_AES256K, SIGNET_MON, SIGNET_MODE_SECURE);
    for (size_t len = 0; len < sizeof(first) - 1; len++) {
        pair_open(&p);
        feed_banner();
        feed_control(&hello);
        struct signet_control cut = auth_request(first, len);
        feed_control(&cut);
        ck_assert_int_ne(p.at_server.fail.err, 0);
        struct iovec iov[8];
        int num = 8;
        assert_ok(signet_conn_output(p.server, iov, &num)); /* BAD_METHOD is still to be sent */
        ck_assert_int_gt(num, 0);
        pair_close(&p);
        memset(&p.at_server, 0, sizeof(p.at_server));
    }
    pair_open(&p);
    stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_accept");
    TCase *t = suite_case(s, "pairs");
    tcase_add_loop_test(t, both_sides_in_every_combination, 0, 64);
    tcase_add_loop_test(t, a_wrong_key_hears_no_cause, 0, 2);
    tcase_add_test(t, without_a_common_mode_the_client_hears_which_there_are);
    tcase_add_test(t, the_first_of_the_clients_modes_is_taken);
    tcase_add_loop_test(t, idents_that_do_not_fit_are_refused, 0, 3);
    tcase_add_test(t, a_peer_that_is_slow_is_dropped);
    tcase_add_test(t, options_that_make_no_server_are_refused);
    t = suite_case(s, "strangers");
    tcase_add_loop_test(t, every_other_tag_is_a_fault, 0, 3);
    tcase_add_test(t, asking_again_and_again_for_what_is_not_allowed_ends);
    tcase_add_loop_test(t, garbage_is_dropped_at_once, 0, 3);
    tcase_add_test(t, a_payload_that_is_none_is_refused);
    return suite_run(s);
}
