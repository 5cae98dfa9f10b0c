/* SPDX-License-Identifier: MIT */
/* Authorizers against a small daemon, good and bad. */
#include <signet/client.h>

#include <string.h>

#include "support/auth_server.h"

static struct fake_env fake;
static struct test_mon mon;
static struct test_osd osd;
static struct signet_client *client;
static struct signet_authorizer *authorizer;
static struct signet_auth_result result;
static struct signet_fail fail;
static uint8_t in[TEST_BUF], out[TEST_BUF];
static size_t in_len, out_len;

static void start(enum signet_key_type auth, enum signet_key_type service)
{
    test_mon_init(&mon, &fake, auth, auth, service);
    struct signet_client_options options = test_mon_options(&mon, SIGNET_OSD);
    assert_ok(signet_client_new(&client, &options));
    assert_err(signet_authorizer_new(&authorizer, client, SIGNET_OSD), NO_TICKET);
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_CRC, &result, &fail));
    signet_auth_result_clear(&result);
    osd = (struct test_osd){.secret = mon.secrets};
    assert_ok(signet_authorizer_new(&authorizer, client, SIGNET_OSD));
}

static void stop(void)
{
    signet_auth_result_clear(&result);
    signet_presented_clear(&osd.who);
    signet_authorizer_free(authorizer);
    signet_client_free(client);
    test_mon_free(&mon);
}

static void again(void)
{
    signet_authorizer_free(authorizer);
    assert_ok(signet_authorizer_new(&authorizer, client, SIGNET_OSD));
    osd.challenge = 0;
}

/* The first round; the challenge is left in `in`. */
static void first_round(void)
{
    assert_ok(signet_authorizer_request(authorizer, out, sizeof(out), &out_len));
    assert_ok(test_osd_round(&osd, SIGNET_MODE_CRC, out, out_len, in, &in_len));
    ck_assert_uint_eq(osd.who.authorize.have_challenge, 0);
}

static int challenge(void)
{
    memset(&fail, 0, sizeof(fail));
    int err =
        signet_authorizer_challenge(authorizer, out, sizeof(out), &out_len, in, in_len, &fail);
    ck_assert_int_eq(fail.err, err);
    ck_assert(err == 0 || out_len == 0);
    return err;
}

static int done(enum signet_con_mode mode)
{
    memset(&fail, 0, sizeof(fail));
    int err = signet_authorizer_done(authorizer, &result, TEST_GLOBAL_ID, mode, in, in_len, &fail);
    ck_assert_int_eq(fail.err, err);
    ck_assert(err == 0 || (result.session_key == NULL && result.secret_len == 0));
    return err;
}

/* Up to the daemon's last word, which is left in `in`. */
static void converse(enum signet_con_mode mode)
{
    first_round();
    assert_ok(challenge());
    assert_ok(test_osd_round(&osd, mode, out, out_len, in, &in_len));
}

static const struct {
    enum signet_key_type auth, service;
} mixes[] = {
    {SIGNET_KEY_AES, SIGNET_KEY_AES},
    {SIGNET_KEY_AES, SIGNET_KEY_AES256K},
    {SIGNET_KEY_AES256K, SIGNET_KEY_AES},
    {SIGNET_KEY_AES256K, SIGNET_KEY_AES256K},
};

START_TEST(whole)
{
    for (int mode = SIGNET_MODE_CRC; mode <= SIGNET_MODE_SECURE; mode++) {
        start(mixes[_i].auth, mixes[_i].service);
        converse((enum signet_con_mode)mode);
        assert_ok(done((enum signet_con_mode)mode));
        ck_assert(signet_key_equal(result.session_key, osd.who.session_key));
        ck_assert_int_eq(signet_key_type(result.session_key), mixes[_i].service);
        ck_assert_uint_eq(result.global_id, TEST_GLOBAL_ID);
        ck_assert_uint_eq(result.secret_len, mode == SIGNET_MODE_SECURE ? 64 : 0);
        if (mode == SIGNET_MODE_SECURE) {
            ck_assert_mem_eq(result.secret, osd.connection_secret, 64);
        }
        ck_assert_int_eq(osd.who.info.ticket.name.type, SIGNET_CLIENT);
        stop();
    }
}
END_TEST

/* Part A and the nonce stay; only the challenge is new. */
START_TEST(rounds)
{
    static uint8_t first[TEST_BUF];
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES);
    first_round();
    memcpy(first, out, out_len);
    size_t len = out_len;
    assert_ok(challenge());
    ck_assert_uint_eq(out_len, len);
    ck_assert_mem_eq(out, first, len - 16); /* type 1: but for the last block */
    ck_assert_int_ne(memcmp(out + len - 16, first + len - 16, 16), 0);
    uint64_t nonce = osd.who.authorize.nonce;
    assert_ok(test_osd_round(&osd, SIGNET_MODE_CRC, out, out_len, in, &in_len));
    ck_assert_uint_eq(osd.who.authorize.nonce, nonce);
    stop();
}
END_TEST

/* It needs nothing of the client once it is made. */
START_TEST(independent)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    signet_client_reset(client);
    signet_client_free(client);
    client = NULL;
    converse(SIGNET_MODE_SECURE);
    assert_ok(done(SIGNET_MODE_SECURE));
    stop();
}
END_TEST

START_TEST(no_ticket)
{
    struct signet_authorizer *other;
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    assert_err(signet_authorizer_new(&other, client, SIGNET_MDS), NO_TICKET);
    assert_err(signet_authorizer_new(&other, client, 0x40), NO_TICKET);
    ck_assert_ptr_null(other);
    fake_env_pass(&fake, 3600 * SEC);
    assert_err(signet_authorizer_new(&other, client, SIGNET_OSD), NO_TICKET);
    stop();
}
END_TEST

START_TEST(order)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    assert_err(done(SIGNET_MODE_CRC), STATE);
    again();
    assert_err(challenge(), STATE);
    again();
    assert_ok(signet_authorizer_request(authorizer, out, sizeof(out), &out_len));
    size_t len = 1;
    assert_err(signet_authorizer_request(authorizer, out, sizeof(out), &len), STATE);
    ck_assert_uint_eq(len, 0);
    again();
    converse(SIGNET_MODE_CRC);
    assert_ok(done(SIGNET_MODE_CRC));
    signet_auth_result_clear(&result);
    assert_err(done(SIGNET_MODE_CRC), STATE);
    again();
    assert_err(signet_authorizer_request(authorizer, out, 100, &len), SPACE);
    ck_assert_uint_eq(len, 0);
    assert_err(challenge(), STATE);
    again();
    fake.random_err = -SIGNET_E_RANDOM;
    assert_err(signet_authorizer_request(authorizer, out, sizeof(out), &len), RANDOM);
    stop();
}
END_TEST

START_TEST(second_challenge)
{
    static uint8_t copy[TEST_BUF];
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    first_round();
    size_t len = in_len;
    memcpy(copy, in, len);
    assert_ok(challenge());
    memcpy(in, copy, len);
    assert_err(challenge(), SECOND_CHALLENGE);
    assert_err(done(SIGNET_MODE_CRC), STATE); /* it is over */
    stop();
}
END_TEST

START_TEST(zero_challenge)
{
    struct signet_authorize_challenge zero = {.challenge = 0};
    for (int type = SIGNET_KEY_AES; type <= SIGNET_KEY_AES256K; type++) {
        start((enum signet_key_type)type, (enum signet_key_type)type);
        first_round();
        assert_ok(
            signet_authorize_challenge_seal(in, sizeof(in), &in_len, osd.who.session_key, &zero));
        assert_err(challenge(), CHALLENGE_ZERO);
        stop();
    }
}
END_TEST

START_TEST(bent_challenge)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    for (size_t i = 0; i < 58; i++) {
        again();
        first_round();
        ck_assert_uint_eq(in_len, 58);
        in[i] ^= 1;
        assert_err(challenge(), OPEN);
        again();
        first_round();
        in_len = i;
        assert_err(challenge(), OPEN);
    }
    stop();
}
END_TEST

START_TEST(frame_fields)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    converse(SIGNET_MODE_SECURE);
    assert_err(
        signet_authorizer_done(authorizer, &result, 0, SIGNET_MODE_SECURE, in, in_len, &fail),
        GLOBAL_ID_ZERO);
    again();
    converse(SIGNET_MODE_SECURE);
    assert_err(
        signet_authorizer_done(authorizer, &result, 5, SIGNET_MODE_SECURE, in, in_len, &fail),
        GLOBAL_ID_WRONG);
    again();
    converse(SIGNET_MODE_SECURE);
    assert_err(done((enum signet_con_mode)3), CON_MODE);
    again();
    converse(SIGNET_MODE_SECURE);
    assert_err(done((enum signet_con_mode)0), CON_MODE);
    stop();
}
END_TEST

/* The daemon's last word with this nonce and secret. */
static void reply(uint64_t nonce, size_t secret_len)
{
    static const uint8_t secret[65];
    again();
    converse(SIGNET_MODE_CRC);
    assert_ok(signet_authorizer_reply(in, sizeof(in), &in_len, osd.who.session_key,
                                      osd.who.authorize.nonce + nonce, secret, secret_len));
}

START_TEST(replies)
{
    for (int type = SIGNET_KEY_AES; type <= SIGNET_KEY_AES256K; type++) {
        start((enum signet_key_type)type, (enum signet_key_type)type);
        reply(1, 64);
        assert_err(done(SIGNET_MODE_SECURE), NONCE_WRONG);
        reply(UINT64_MAX, 64); /* the nonce itself comes back */
        assert_err(done(SIGNET_MODE_SECURE), NONCE_WRONG);
        reply(UINT64_C(1) << 63, 0);
        assert_err(done(SIGNET_MODE_CRC), NONCE_WRONG);
        reply(0, 0);
        assert_err(done(SIGNET_MODE_SECURE), SECRET_MISSING);
        reply(0, 63);
        assert_err(done(SIGNET_MODE_SECURE), SECRET_LENGTH);
        reply(0, 65);
        assert_err(done(SIGNET_MODE_SECURE), SECRET_LENGTH);
        reply(0, 40);
        assert_ok(done(SIGNET_MODE_CRC)); /* not looked at */
        ck_assert_uint_eq(result.secret_len, 0);
        signet_auth_result_clear(&result);
        reply(0, 64);
        assert_ok(done(SIGNET_MODE_SECURE));
        stop();
    }
}
END_TEST

/* Mutual authentication: no byte may be missing, added or changed. */
START_TEST(bent_reply)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    for (size_t i = 0; i < 130; i++) {
        reply(0, 64);
        ck_assert_uint_eq(in_len, 130);
        in[i] ^= 1;
        ck_assert_int_ne(done(SIGNET_MODE_SECURE), 0);
        reply(0, 64);
        in_len = i;
        ck_assert_int_ne(done(SIGNET_MODE_SECURE), 0);
    }
    reply(0, 64);
    in[in_len++] = 0;
    assert_err(done(SIGNET_MODE_SECURE), TRAILING);
    stop();
}
END_TEST

/* What the daemon must not take: the first authorizer again, another one's challenge. */
START_TEST(replayed)
{
    static uint8_t first[TEST_BUF];
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    first_round();
    size_t len = out_len;
    memcpy(first, out, len);
    assert_err(test_osd_round(&osd, SIGNET_MODE_CRC, first, len, in, &in_len), CHALLENGE_MISSING);
    again();
    converse(SIGNET_MODE_CRC);
    osd.challenge++;
    assert_err(test_osd_round(&osd, SIGNET_MODE_CRC, out, out_len, in, &in_len), CHALLENGE_WRONG);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("authorizer");
    TCase *tc = suite_case(suite, "client");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, whole, 0, sizeof(mixes) / sizeof(mixes[0]));
    tcase_add_test(tc, rounds);
    tcase_add_test(tc, independent);
    tcase_add_test(tc, no_ticket);
    tcase_add_test(tc, order);
    tcase_add_test(tc, second_challenge);
    tcase_add_test(tc, zero_challenge);
    tcase_add_test(tc, bent_challenge);
    tcase_add_test(tc, frame_fields);
    tcase_add_test(tc, replies);
    tcase_add_test(tc, bent_reply);
    tcase_add_test(tc, replayed);
    return suite_run(suite);
}
