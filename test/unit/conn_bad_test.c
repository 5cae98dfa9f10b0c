/* SPDX-License-Identifier: MIT */
/* Servers that lie, refuse or attack: each failure of a connection by name. */
#include "support/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/conn_peer.h"

static struct test_peer peer;
static struct test_log log_;

/* Runs a prepared peer; the connection must fail with err. */
static void assert_fails(int err)
{
    struct signet_conn *conn = peer_dial(&peer);
    log_reset(&log_);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_msg(log_.fail.err == err, "%s: %s", signet_err_name(log_.fail.err), log_.fail.text);
    ck_assert_int_eq(log_.kind[log_.num - 1], SIGNET_EVENT_FAILED);
    ck_assert_uint_gt(strlen(log_.fail.text), 0);
    signet_conn_free(conn);
    peer_free(&peer);
}

static void start(void)
{
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
}

START_TEST(banners)
{
    start();
    peer.banner.supported = 0;
    assert_fails(-SIGNET_E_MSGR20_PEER);
    start();
    peer.banner.required = SIGNET_MSGR2_COMPRESSION;
    assert_fails(-SIGNET_E_BANNER_FEATURES);
    start();
    peer.stop = PEER_NOTHING;
    peer_send_raw(&peer, "ceph v027\0\0\0\0", 13);
    assert_fails(-SIGNET_E_MSGR1_PEER);
    start();
    peer.stop = PEER_NOTHING;
    peer_send_raw(&peer, "HTTP/1.1 400 Bad Request", 24);
    assert_fails(-SIGNET_E_NOT_CEPH);
    start();
    peer.stop = PEER_NOTHING;
    peer_send_raw(&peer, "ceph v2\n\x01\x00\x01", 11);
    assert_fails(-SIGNET_E_BANNER);
}
END_TEST

START_TEST(wrong_kind_of_peer)
{
    start();
    peer.hello_type = SIGNET_OSD;
    assert_fails(-SIGNET_E_PEER_TYPE);
    ck_assert_ptr_nonnull(strstr(log_.fail.text, "osd"));
    ck_assert_ptr_nonnull(strstr(log_.fail.text, "mon"));
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        struct signet_auth_bad_method refusal;
        int err;
    } rows[] = {
        {{1, -EOPNOTSUPP, {1, {1}}, {1, {2}}}, -SIGNET_E_AUTH_METHOD},
        {{2, -EOPNOTSUPP, {1, {2}}, {1, {1}}}, -SIGNET_E_AUTH_MODE},
        {{2, -EOPNOTSUPP, {1, {2}}, {0, {0}}}, -SIGNET_E_AUTH_MODE},
        {{2, -EACCES, {1, {2}}, {2, {2, 1}}}, -SIGNET_E_AUTH_DENIED},
        {{2, -EPERM, {1, {2}}, {1, {2}}}, -SIGNET_E_AUTH_DENIED},
        {{2, 0, {1, {2}}, {1, {2}}}, -SIGNET_E_AUTH_DENIED},
        {{2, INT32_MAX, {0, {0}}, {0, {0}}}, -SIGNET_E_AUTH_DENIED},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        start();
        peer.refuse = true;
        peer.refusal = rows[i].refusal;
        assert_fails(rows[i].err);
        ck_assert_int_eq(log_.kind[log_.num - 2], SIGNET_EVENT_REFUSED);
        ck_assert_int_eq(log_.last[SIGNET_EVENT_REFUSED].refused.result, rows[i].refusal.result);
    }
}
END_TEST

START_TEST(wrong_key)
{
    start();
    signet_key_unref(peer.mon.principal);
    assert_ok(signet_key_generate(&peer.mon.principal, SIGNET_KEY_AES256K, NULL));
    assert_fails(-SIGNET_E_AUTH_DENIED);
}
END_TEST

START_TEST(modes_that_were_not_offered)
{
    static const uint32_t modes[] = {SIGNET_MODE_CRC, 3, 0xffffffff};
    for (size_t i = 0; i < 3; i++) {
        start();
        peer.con_mode = modes[i];
        assert_fails(-SIGNET_E_MODE_NOT_OFFERED);
    }
}
END_TEST

static void drop_secret(struct signet_session_grant *grant)
{
    grant->secret_len = 0;
}

START_TEST(connection_secret)
{
    start();
    peer.mon.bend = drop_secret; /* SECURE without a secret */
    struct signet_conn *conn = peer_dial(&peer);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_ptr_nonnull(signet_conn_failure(conn));
    ck_assert_uint_eq(peer.num_got[SIGNET_TAG_AUTH_SIGNATURE], 0);
    signet_conn_free(conn);
    peer_free(&peer);
    start(); /* both directions with one fixed part */
    memcpy(peer.mon.secret + 28, peer.mon.secret + 16, 4);
    peer.no_streams = true;
    assert_fails(-SIGNET_E_NONCE_CLASH);
}
END_TEST

/* A daemon that cannot open the ticket has no answer to the nonce: none at all, or its own words
 * of an earlier connection. _i: mode - 1 */
START_TEST(unanswered_nonce)
{
    static const uint8_t words[130] = {1};
    enum signet_con_mode mode = _i == 0 ? SIGNET_MODE_CRC : SIGNET_MODE_SECURE;
    for (size_t i = 0; i < 2; i++) {
        struct signet_control c = {.tag = SIGNET_TAG_AUTH_DONE};
        peer_init(&peer, SIGNET_OSD, mode);
        struct signet_conn *conn = peer_reach(&peer, PEER_REPLY_MORE, &log_);
        c.done.global_id = peer.mon.global_id;
        c.done.con_mode = mode;
        c.done.payload = (struct signet_span){words, i == 0 ? 0 : sizeof(words)};
        peer_send_control(&peer, &c);
        peer_run(&peer, conn, SIZE_MAX, &log_);
        ck_assert_ptr_nonnull(signet_conn_failure(conn));
        ck_assert_uint_eq(peer.num_got[SIGNET_TAG_AUTH_SIGNATURE], 0);
        signet_conn_free(conn);
        peer_free(&peer);
    }
}
END_TEST

START_TEST(bad_signature)
{
    for (int i = 0; i < 4; i++) {
        peer_init(&peer, (i & 1) != 0 ? SIGNET_OSD : SIGNET_MON,
                  (i & 2) != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
        peer.bad_signature = true;
        assert_fails(-SIGNET_E_AUTH_SIGNATURE);
        ck_assert_uint_eq(peer.num_got[SIGNET_TAG_CLIENT_IDENT], 0);
    }
}
END_TEST

/* A man in the middle of the plain part changes what the other side takes for the truth: the
 * server's signature is then over other bytes than the client sent. */
START_TEST(tampered_handshake)
{
    static const size_t places[] = {10, 27, 80, 150}; /* banner, HELLO, AUTH_REQUEST and _MORE */
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        start();
        peer.tampered = places[i];
        assert_fails(-SIGNET_E_AUTH_SIGNATURE);
    }
}
END_TEST

START_TEST(idents)
{
    start();
    peer.ident.required |= UINT64_C(1) << 62;
    assert_fails(-SIGNET_E_PEER_FEATURES);
    start();
    peer.ident.supported = UINT64_C(0x1000);
    assert_fails(-SIGNET_E_PEER_FEATURES);
    start();
    struct signet_conn *conn = peer_reach(&peer, PEER_SIGNATURE, &log_);
    struct signet_control c = {.tag = SIGNET_TAG_SERVER_IDENT};
    c.ident = peer.ident;
    c.ident.addrs.addr[0].port++;
    peer_send_control(&peer, &c);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(log_.fail.err, -SIGNET_E_PEER_ADDR);
    ck_assert_ptr_nonnull(strstr(log_.fail.text, "3301"));
    signet_conn_free(conn);
    peer_free(&peer);
}
END_TEST

static void assert_after(enum peer_step step, const struct signet_control *c, int err)
{
    start();
    struct signet_conn *conn = peer_reach(&peer, step, &log_);
    peer_send_control(&peer, c);
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_msg(log_.fail.err == err, "%s: %s", signet_err_name(log_.fail.err), log_.fail.text);
    signet_conn_free(conn);
    peer_free(&peer);
}

START_TEST(session_answers)
{
    struct signet_control c = {.tag = SIGNET_TAG_IDENT_MISSING_FEATURES, .value = 0x40000};
    assert_after(PEER_SIGNATURE, &c, -SIGNET_E_MISSING_FEATURES);
    ck_assert_ptr_nonnull(strstr(log_.fail.text, "0x40000"));
    c = (struct signet_control){.tag = SIGNET_TAG_WAIT};
    assert_after(PEER_SIGNATURE, &c, -SIGNET_E_SESSION_WAIT);
    c = (struct signet_control){.tag = SIGNET_TAG_ACK, .value = 1};
    assert_after(PEER_ALL, &c, -SIGNET_E_ACK_RANGE);
}
END_TEST

START_TEST(target_nonce)
{
    start();
    assert_ok(signet_addr_parse(&peer.ident.addrs.addr[0], "v2:127.0.0.1:6800/77"));
    struct signet_conn *conn = peer_reach(&peer, PEER_ALL, &log_);
    ck_assert_str_eq(signet_conn_state(conn), "READY");
    ck_assert_uint_eq(peer.client_ident.target.nonce, 77);
    signet_conn_free(conn);
    peer_free(&peer);
    start();
    struct signet_conn_options o = peer_options(&peer);
    o.target.nonce = 78; /* another instance at the same port */
    assert_ok(signet_conn_new(&conn, &o, peer.fake.mono_ns));
    peer_run(&peer, conn, SIZE_MAX, &log_);
    ck_assert_int_eq(signet_conn_failure(conn)->err, -SIGNET_E_PEER_ADDR);
    signet_conn_free(conn);
    peer_free(&peer);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conn_bad");
    TCase *t = suite_case(s, "conn");
    tcase_add_test(t, banners);
    tcase_add_test(t, wrong_kind_of_peer);
    tcase_add_test(t, refusals);
    tcase_add_test(t, wrong_key);
    tcase_add_test(t, modes_that_were_not_offered);
    tcase_add_test(t, connection_secret);
    tcase_add_loop_test(t, unanswered_nonce, 0, 2);
    tcase_add_test(t, bad_signature);
    tcase_add_test(t, tampered_handshake);
    tcase_add_test(t, idents);
    tcase_add_test(t, session_answers);
    tcase_add_test(t, target_nonce);
    return suite_run(s);
}
