/* SPDX-License-Identifier: MIT */
/* Authentication none, both sides over buffers. The payloads are those of a recorded session. */
#include "support/cluster.h"

#include <errno.h>
#include <string.h>

static const uint8_t start_wire[] = "\x0a\x08\0\0\0\x05\0\0\0admin\0\0\0\0\0\0\0\0";
static const uint8_t authorizer_wire[] = "\x01\x08\0\0\0\x05\0\0\0admin\x1d\x10\0\0\0\0\0\0";
enum { WIRE_LEN = sizeof(start_wire) - 1, CAPTURED_ID = 0x101d };

static struct cluster c;
static struct signet_client *client;
static uint8_t in[CLUSTER_BUF], out[CLUSTER_BUF];
static size_t in_len, out_len;
static struct signet_fail fail;

static struct signet_client *none_client(const char *name)
{
    struct signet_client_options options = {
        .want = SIGNET_OSD, .method = SIGNET_AUTH_NONE, .env = fake_env_make(&c.fake)};
    struct signet_client *made;
    assert_ok(signet_name_parse(&options.name, name));
    assert_ok(signet_client_new(&made, &options));
    return made;
}

static void start(void)
{
    memset(&c, 0, sizeof(c));
    c.options.auth_none = true;
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    client = none_client("client.admin");
}

static void stop(void)
{
    signet_client_free(client);
    cluster_stop(&c);
}

static void server_new(uint32_t service)
{
    signet_login_free(c.login);
    assert_ok(signet_login_new(&c.login, c.server, service));
}

static int server_step(const void *payload, size_t len, enum signet_con_mode mode)
{
    int err = signet_login_step(c.login, mode, out, sizeof(out), &out_len, payload, len, &c.verdict,
                                &fail);
    ck_assert_uint_eq(out_len, 0);
    ck_assert_int_eq(c.verdict, err == 0 ? SIGNET_VERDICT_DONE : SIGNET_VERDICT_REFUSED);
    return err;
}

/* A whole login; the number that the client has then. */
static uint64_t log_in(void)
{
    struct signet_auth_result ours, theirs;
    server_new(SIGNET_MON);
    assert_ok(signet_client_login(client, in, sizeof(in), &in_len));
    assert_ok(server_step(in, in_len, SIGNET_MODE_CRC));
    assert_ok(signet_login_take(c.login, &theirs));
    assert_ok(signet_client_done(client, &ours, theirs.global_id, SIGNET_MODE_CRC, NULL, 0, &fail));
    ck_assert_ptr_null(ours.session_key);
    ck_assert_ptr_null(theirs.session_key);
    ck_assert_uint_eq(ours.secret_len + theirs.secret_len, 0);
    ck_assert_uint_eq(ours.global_id, theirs.global_id);
    return signet_client_global_id(client);
}

START_TEST(a_login_has_one_step)
{
    start();
    uint64_t id = log_in();
    ck_assert_uint_eq(signet_login_method(c.login), SIGNET_AUTH_NONE);
    ck_assert_uint_eq(signet_client_method(client), SIGNET_AUTH_NONE);
    ck_assert_uint_eq(in_len, WIRE_LEN);
    ck_assert_mem_eq(in, start_wire, WIRE_LEN);
    const struct signet_identity *who = signet_login_identity(c.login);
    ck_assert_uint_eq(who->global_id, id);
    ck_assert_str_eq(who->name.id, "admin");
    ck_assert_str_eq(who->caps, "allow *");
    ck_assert_uint_eq(who->expires_real_ns, UINT64_MAX);
    stop();
}
END_TEST

START_TEST(an_authorizer_has_one_step)
{
    struct signet_authorizer *auth;
    struct signet_auth_result result;
    start();
    assert_ok(signet_client_login(client, in, sizeof(in), &in_len));
    assert_ok(signet_client_done(client, &result, CAPTURED_ID, SIGNET_MODE_CRC, NULL, 0, &fail));
    assert_ok(signet_authorizer_new(&auth, client, SIGNET_OSD));
    assert_ok(signet_authorizer_request(auth, in, sizeof(in), &in_len));
    ck_assert_uint_eq(in_len, WIRE_LEN);
    ck_assert_mem_eq(in, authorizer_wire, WIRE_LEN);
    server_new(SIGNET_OSD);
    assert_ok(server_step(in, in_len, SIGNET_MODE_CRC));
    ck_assert_uint_eq(signet_login_identity(c.login)->global_id, CAPTURED_ID);
    ck_assert_str_eq(signet_login_identity(c.login)->caps, "allow *");
    assert_ok(signet_authorizer_done(auth, &result, CAPTURED_ID, SIGNET_MODE_CRC, NULL, 0, &fail));
    ck_assert_ptr_null(result.session_key);
    signet_authorizer_free(auth);
    stop();
}
END_TEST

START_TEST(who_comes_again_keeps_its_number)
{
    start();
    uint64_t id = log_in();
    ck_assert_uint_eq(log_in(), id);
    signet_client_reset(client);
    uint64_t other = log_in();
    ck_assert_uint_ne(other, id);
    /* one that is not given out yet would be somebody else's later */
    struct signet_auth_start far = {.mode = SIGNET_AUTH_MODE_MON, .global_id = other + 1};
    assert_ok(signet_name_parse(&far.name, "client.admin"));
    assert_ok(signet_auth_start_encode(in, sizeof(in), &in_len, &far));
    for (int i = 0; i < 2; i++) {
        server_new(SIGNET_MON);
        assert_ok(server_step(in, in_len, SIGNET_MODE_CRC));
        ck_assert_uint_ne(signet_login_identity(c.login)->global_id, other);
        other = signet_login_identity(c.login)->global_id;
        far.global_id = UINT64_MAX;
        assert_ok(signet_auth_start_encode(in, sizeof(in), &in_len, &far));
    }
    stop();
}
END_TEST

START_TEST(there_is_nothing_to_renew)
{
    struct signet_client *osd;
    start();
    log_in();
    ck_assert_uint_eq(signet_client_need(client), 0);
    ck_assert_uint_eq(signet_client_deadline_ns(client), UINT64_MAX);
    assert_ok(signet_client_renew(client, in, sizeof(in), &in_len));
    ck_assert_uint_eq(in_len, 0);
    osd = none_client("osd.0");
    assert_err(signet_client_rotating(osd, in, sizeof(in), &in_len), INVAL);
    signet_client_free(osd);
    /* and one that asks all the same is told so */
    struct signet_mauth mauth = {.session_mon = UINT16_MAX,
                                 .protocol = SIGNET_AUTH_NONE,
                                 .payload = {(const uint8_t *)"\0\2\1\0\0\0\0", 7}};
    struct signet_mauth_reply reply;
    assert_ok(signet_mauth_encode(in, sizeof(in), &in_len, &mauth));
    assert_err(
        signet_login_mauth(c.login, out, sizeof(out), &out_len, in, in_len, &c.verdict, &fail),
        PROTOCOL_MISMATCH);
    assert_ok(signet_mauth_reply_decode(&reply, out, out_len, &fail));
    ck_assert_int_eq(reply.result, -EINVAL);
    ck_assert_uint_eq(reply.protocol, SIGNET_AUTH_NONE);
    stop();
}
END_TEST

START_TEST(the_client_takes_nothing_else)
{
    struct signet_auth_result r;
    start();
    assert_err(signet_client_done(client, &r, 7, SIGNET_MODE_CRC, NULL, 0, &fail), STATE);
#define AFTER_REQUEST(call, err)                                                                   \
    do {                                                                                           \
        assert_ok(signet_client_login(client, in, sizeof(in), &in_len));                           \
        assert_err(call, err);                                                                     \
        ck_assert_uint_eq(signet_client_global_id(client), 0);                                     \
        assert_err(signet_client_done(client, &r, 7, SIGNET_MODE_CRC, NULL, 0, &fail), STATE);     \
    } while (0)
    AFTER_REQUEST(signet_client_done(client, &r, 7, SIGNET_MODE_SECURE, NULL, 0, &fail),
                  NONE_SECURE);
    AFTER_REQUEST(signet_client_done(client, &r, 7, (enum signet_con_mode)3, NULL, 0, &fail),
                  CON_MODE);
    AFTER_REQUEST(signet_client_done(client, &r, 0, SIGNET_MODE_CRC, NULL, 0, &fail),
                  GLOBAL_ID_ZERO);
    AFTER_REQUEST(signet_client_done(client, &r, 7, SIGNET_MODE_CRC, in, 1, &fail),
                  PROTOCOL_MISMATCH);
    AFTER_REQUEST(signet_client_challenge(client, out, sizeof(out), &out_len,
                                          (const uint8_t *)"\1\1\1\1\1\1\1\1\1", 9, &fail),
                  PROTOCOL_MISMATCH);
    stop();
}
END_TEST

static struct signet_authorizer *requested(void)
{
    struct signet_authorizer *auth;
    assert_ok(signet_authorizer_new(&auth, client, SIGNET_OSD));
    assert_ok(signet_authorizer_request(auth, in, sizeof(in), &in_len));
    return auth;
}

START_TEST(the_authorizer_takes_nothing_else)
{
    struct signet_auth_result r;
    struct signet_authorizer *auth;
    start();
    assert_err(signet_authorizer_new(&auth, client, SIGNET_OSD), STATE);
    uint64_t id = log_in();
    static const struct {
        uint64_t more;
        enum signet_con_mode mode;
        size_t len;
        int err;
    } rows[] = {{1, SIGNET_MODE_CRC, 0, -SIGNET_E_GLOBAL_ID_WRONG},
                {0, SIGNET_MODE_SECURE, 0, -SIGNET_E_NONE_SECURE},
                {0, SIGNET_MODE_CRC, 4, -SIGNET_E_PROTOCOL_MISMATCH}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        auth = requested();
        ck_assert_int_eq(signet_authorizer_done(auth, &r, id + rows[i].more, rows[i].mode, in,
                                                rows[i].len, &fail),
                         rows[i].err);
        assert_err(signet_authorizer_done(auth, &r, id, SIGNET_MODE_CRC, NULL, 0, &fail), STATE);
        signet_authorizer_free(auth);
    }
    auth = requested();
    assert_err(signet_authorizer_challenge(auth, out, sizeof(out), &out_len, in, in_len, &fail),
               PROTOCOL_MISMATCH);
    assert_err(signet_authorizer_request(auth, in, sizeof(in), &in_len), STATE);
    signet_authorizer_free(auth);
    auth = requested();
    signet_authorizer_free(auth);
    assert_ok(signet_authorizer_new(&auth, client, SIGNET_OSD));
    assert_err(signet_authorizer_request(auth, in, WIRE_LEN - 1, &in_len), SPACE);
    signet_authorizer_free(auth);
    stop();
}
END_TEST

START_TEST(the_server_takes_nothing_else)
{
    static const struct {
        uint32_t service;
        uint8_t at, value; /* of the payload, changed */
        enum signet_con_mode mode;
        int err;
    } rows[] = {
        {SIGNET_MON, 0, 10, SIGNET_MODE_SECURE, -SIGNET_E_NONE_SECURE},
        {SIGNET_MON, 0, 1, SIGNET_MODE_CRC, -SIGNET_E_LOGIN_STEP},
        {SIGNET_MON, 0, 2, SIGNET_MODE_CRC, -SIGNET_E_VALUE},
        {SIGNET_MON, 1, 3, SIGNET_MODE_CRC, -SIGNET_E_VALUE},
        {SIGNET_MON, 1, 0, SIGNET_MODE_CRC, -SIGNET_E_VALUE},
        {SIGNET_MON, 5, 4, SIGNET_MODE_CRC, -SIGNET_E_TRAILING},
        {SIGNET_MON, 5, 6, SIGNET_MODE_CRC, -SIGNET_E_SHORT},
        {SIGNET_MON, 8, 0xff, SIGNET_MODE_CRC, -SIGNET_E_LENGTH},
        {SIGNET_OSD, 0, 10, SIGNET_MODE_CRC, -SIGNET_E_LOGIN_STEP},
        {SIGNET_OSD, 0, 1, SIGNET_MODE_SECURE, -SIGNET_E_NONE_SECURE},
        {SIGNET_OSD, 0, 1, SIGNET_MODE_CRC, -SIGNET_E_GLOBAL_ID_ZERO},
    };
    start();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t payload[WIRE_LEN];
        memcpy(payload, start_wire, WIRE_LEN);
        payload[rows[i].at] = rows[i].value;
        server_new(rows[i].service);
        int err = server_step(payload, WIRE_LEN, rows[i].mode);
        ck_assert_msg(err == rows[i].err, "row %zu: %s", i, signet_err_name(err));
        ck_assert_ptr_null(signet_login_identity(c.login));
    }
    for (size_t len = 0; len < WIRE_LEN; len++) {
        server_new(SIGNET_MON);
        ck_assert_int_lt(server_step(start_wire, len, SIGNET_MODE_CRC), 0);
    }
    log_in();
    assert_err(server_step(start_wire, WIRE_LEN, SIGNET_MODE_CRC), LOGIN_STEP);
    stop();
}
END_TEST

/* Neither side falls back: without the policy the same bytes never end a login. */
START_TEST(nobody_gets_it_unasked)
{
    struct signet_client_options options = {.env = fake_env_make(&c.fake)};
    struct signet_client *other;
    assert_ok(signet_name_parse(&options.name, "client.a"));
    assert_err(signet_client_new(&other, &options), INVAL); /* no key */
    options.method = 3;
    assert_err(signet_client_new(&other, &options), INVAL);
    memset(&c, 0, sizeof(c));
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    server_new(SIGNET_MON);
    ck_assert_uint_eq(signet_login_method(c.login), SIGNET_AUTH_CEPHX);
    assert_ok(signet_login_step(c.login, SIGNET_MODE_CRC, out, sizeof(out), &out_len, start_wire,
                                WIRE_LEN, &c.verdict, &fail));
    ck_assert_int_eq(c.verdict, SIGNET_VERDICT_MORE);
    server_new(SIGNET_OSD);
    ck_assert_int_lt(server_step(authorizer_wire, WIRE_LEN, SIGNET_MODE_CRC), 0);
    /* a server that ends a cephx login at once, or sends its client no key */
    other = cluster_client(&c, "client.a", c.key);
    struct signet_auth_result r;
    ck_assert_uint_eq(signet_client_method(other), SIGNET_AUTH_CEPHX);
    assert_ok(signet_client_login(other, in, sizeof(in), &in_len));
    assert_err(signet_client_done(other, &r, 7, SIGNET_MODE_CRC, NULL, 0, &fail), STATE);
    signet_client_free(other);
    cluster_stop(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("none");
    TCase *t = suite_case(s, "none");
    tcase_add_test(t, a_login_has_one_step);
    tcase_add_test(t, an_authorizer_has_one_step);
    tcase_add_test(t, who_comes_again_keeps_its_number);
    tcase_add_test(t, there_is_nothing_to_renew);
    tcase_add_test(t, the_client_takes_nothing_else);
    tcase_add_test(t, the_authorizer_takes_nothing_else);
    tcase_add_test(t, the_server_takes_nothing_else);
    tcase_add_test(t, nobody_gets_it_unasked);
    return suite_run(s);
}
