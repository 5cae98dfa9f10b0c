/* SPDX-License-Identifier: MIT */
/* Connections with authentication none; and who has it with who has not. */
#include "support/pair.h"

#include <errno.h>
#include <string.h>

static struct pair p;
static struct cluster c;
static struct signet_client *client;

static struct signet_client *client_by(uint32_t method)
{
    struct signet_client_options options = {
        .method = method, .key = c.key, .env = fake_env_make(&c.fake)};
    struct signet_client *made;
    assert_ok(signet_name_parse(&options.name, "client.a"));
    assert_ok(signet_client_new(&made, &options));
    return made;
}

static void start(uint32_t server, uint32_t client_method, uint32_t service)
{
    memset(&c, 0, sizeof(c));
    c.options.auth_none = server == SIGNET_AUTH_NONE;
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    client = client_by(client_method);
    pair_init(&p, &c, client, service, SIGNET_MODE_CRC);
}

static void stop(void)
{
    pair_close(&p);
    signet_client_free(client);
    cluster_stop(&c);
}

static void run(size_t chunk)
{
    pair_open(&p);
    pair_run(&p, chunk);
}

/* _i: bit 0 an OSD behind the monitor, bit 1 byte by byte */
START_TEST(a_session_opens)
{
    size_t chunk = (_i & 2) != 0 ? 1 : SIZE_MAX;
    start(SIGNET_AUTH_NONE, SIGNET_AUTH_NONE, SIGNET_MON);
    if ((_i & 1) != 0) { /* the number is the monitor's */
        run(chunk);
        pair_close(&p);
        pair_init(&p, &c, client, SIGNET_OSD, SIGNET_MODE_CRC);
    }
    run(chunk);
    ck_assert_msg(pair_saw(&p.at_client, SIGNET_EVENT_READY), "%s", p.at_client.fail.text);
    ck_assert_msg(pair_saw(&p.at_server, SIGNET_EVENT_READY), "%s", p.at_server.fail.text);
    const struct signet_identity *who = signet_login_identity(p.login);
    ck_assert_uint_eq(who->global_id, signet_client_global_id(client));
    ck_assert_str_eq(who->caps, "allow *");
    pair_say(p.client, "question");
    pair_say(p.server, "answer");
    pair_run(&p, chunk);
    ck_assert_str_eq(p.at_server.text, "question");
    ck_assert_str_eq(p.at_client.text, "answer");
    stop();
}
END_TEST

/* _i: 0 the client alone has it, 1 the server alone */
START_TEST(who_has_another_method_is_refused_by_name)
{
    static const uint32_t methods[2] = {SIGNET_AUTH_NONE, SIGNET_AUTH_CEPHX};
    uint32_t server = methods[1 - _i];
    start(server, methods[_i], SIGNET_MON);
    run(SIZE_MAX);
    ck_assert_int_eq(p.at_client.fail.err, -SIGNET_E_AUTH_METHOD);
    ck_assert_ptr_nonnull(strstr(p.at_client.fail.text,
                                 _i == 0 ? "method none, only cephx" : "method cephx, only none"));
    ck_assert_int_eq(p.at_client.refused.result, -EOPNOTSUPP);
    ck_assert_uint_eq(p.at_client.refused.methods.num, 1);
    ck_assert_uint_eq(p.at_client.refused.methods.v[0], server);
    ck_assert_str_eq(signet_conn_state(p.server), "AUTH_ACCEPTING"); /* it may ask again */
    signet_conn_closed(p.server, -SIGNET_E_PEER_CLOSED);
    pair_run(&p, SIZE_MAX);
    ck_assert_int_eq(p.at_server.fail.err, -SIGNET_E_AUTH_METHOD);
    ck_assert_ptr_nonnull(strstr(p.at_server.fail.text, _i == 0 ? "cephx alone" : "none alone"));
    stop();
}
END_TEST

START_TEST(a_client_without_a_common_mode_is_told_of_in_the_log)
{
    memset(&c, 0, sizeof(c));
    start(SIGNET_AUTH_CEPHX, SIGNET_AUTH_CEPHX, SIGNET_MON);
    p.server_options.modes[0] = SIGNET_MODE_SECURE;
    run(SIZE_MAX);
    ck_assert_int_eq(p.at_client.fail.err, -SIGNET_E_AUTH_MODE);
    signet_conn_closed(p.server, -SIGNET_E_PEER_CLOSED);
    pair_run(&p, SIZE_MAX);
    ck_assert_int_eq(p.at_server.fail.err, -SIGNET_E_AUTH_MODE);
    ck_assert_ptr_nonnull(strstr(p.at_server.fail.text, "secure mode alone"));
    stop();
}
END_TEST

/* _i: 0 the default, 1 secure, 2 both modes */
START_TEST(secure_mode_has_no_key)
{
    struct signet_conn *conn = NULL;
    start(SIGNET_AUTH_NONE, SIGNET_AUTH_NONE, SIGNET_MON);
    pair_open(&p); /* for the login */
    struct signet_conn_options *sides[2] = {&p.client_options, &p.server_options};
    for (int i = 0; i < 2; i++) {
        sides[i]->num_modes = (unsigned)_i;
        sides[i]->modes[0] = _i == 1 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
        sides[i]->modes[1] = SIGNET_MODE_SECURE;
        assert_err(signet_conn_new(&conn, sides[i], 0), NONE_SECURE);
        ck_assert_ptr_null(conn);
    }
    stop();
}
END_TEST

/* Moves all that one side has to send; bend: with another AUTH_SIGNATURE, which is last. */
static void move_all(struct signet_conn *from, struct signet_conn *to, bool bend)
{
    static const uint8_t zeros[SIGNET_SIGNATURE_LEN], other[SIGNET_SIGNATURE_LEN] = {[31] = 1};
    uint8_t bytes[4096], *room;
    struct signet_event event;
    struct iovec iov, part = {(void *)(uintptr_t)other, sizeof(other)};
    struct signet_frame frame = {.tag = SIGNET_TAG_AUTH_SIGNATURE, .segment = {{&part, 1}}};
    size_t cap, len = 0;
    for (int num = 1; signet_conn_output(from, &iov, &num) == 0 && num > 0; num = 1) {
        ck_assert_uint_le(len + iov.iov_len, sizeof(bytes));
        memcpy(bytes + len, iov.iov_base, iov.iov_len);
        len += iov.iov_len;
        signet_conn_sent(from, iov.iov_len);
    }
    if (bend) { /* the last frame: preamble 32, signature 32, crc 4 */
        ck_assert_uint_gt(len, 68);
        ck_assert_mem_eq(bytes + len - 36, zeros, sizeof(zeros));
        assert_ok(signet_frame_build(bytes + len - 68, 68, &cap, &frame, NULL, 0));
        ck_assert_uint_eq(cap, 68);
    }
    for (size_t done = 0; done < len;) {
        assert_ok(signet_conn_recv_buffer(to, &room, &cap));
        cap = cap < len - done ? cap : len - done;
        memcpy(room, bytes + done, cap);
        assert_ok(signet_conn_received(to, cap, c.fake.mono_ns));
        done += cap;
        do {
            assert_ok(signet_conn_next(to, &event));
        } while (event.kind != SIGNET_EVENT_NONE && event.kind != SIGNET_EVENT_FAILED);
    }
}

/* The signature is 32 zero bytes, and nothing else is taken for it. _i: 0 at the client */
START_TEST(a_signature_that_is_not_zero_is_wrong)
{
    start(SIGNET_AUTH_NONE, SIGNET_AUTH_NONE, SIGNET_MON);
    pair_open(&p);
    struct signet_conn *to = _i == 0 ? p.client : p.server;
    while (strcmp(signet_conn_state(p.server), "AUTH_ACCEPTING_SIGN") != 0) {
        move_all(p.client, p.server, false);
        if (strcmp(signet_conn_state(p.server), "AUTH_ACCEPTING_SIGN") != 0) {
            move_all(p.server, p.client, false);
        }
    }
    move_all(p.server, p.client, _i == 0);
    if (_i != 0) { /* of the client, with CLIENT_IDENT behind it: left out */
        static const uint8_t other[SIGNET_SIGNATURE_LEN] = {1};
        uint8_t bytes[68], *room;
        struct iovec part = {(void *)(uintptr_t)other, sizeof(other)};
        struct signet_frame frame = {.tag = SIGNET_TAG_AUTH_SIGNATURE, .segment = {{&part, 1}}};
        struct signet_event event;
        size_t len;
        assert_ok(signet_frame_build(bytes, sizeof(bytes), &len, &frame, NULL, 0));
        assert_ok(signet_conn_recv_buffer(to, &room, &len));
        ck_assert_uint_ge(len, sizeof(bytes));
        memcpy(room, bytes, sizeof(bytes));
        assert_ok(signet_conn_received(to, sizeof(bytes), c.fake.mono_ns));
        assert_ok(signet_conn_next(to, &event));
    }
    ck_assert_ptr_nonnull(signet_conn_failure(to));
    ck_assert_int_eq(signet_conn_failure(to)->err, -SIGNET_E_AUTH_SIGNATURE);
    stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_none");
    TCase *t = suite_case(s, "none");
    tcase_add_loop_test(t, a_session_opens, 0, 4);
    tcase_add_loop_test(t, who_has_another_method_is_refused_by_name, 0, 2);
    tcase_add_test(t, a_client_without_a_common_mode_is_told_of_in_the_log);
    tcase_add_loop_test(t, secure_mode_has_no_key, 0, 3);
    tcase_add_loop_test(t, a_signature_that_is_not_zero_is_wrong, 0, 2);
    return suite_run(s);
}
