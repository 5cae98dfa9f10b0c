/* SPDX-License-Identifier: MIT */
/* Renewals and rotating secrets inside a session, good and bad. */
#include <signet/client.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "support/auth_server.h"

#define WANT (SIGNET_MON | SIGNET_OSD | SIGNET_MGR)

static struct fake_env fake;
static struct test_mon mon;
static struct signet_client *client;
static struct signet_auth_result result;
static struct signet_fail fail;
static uint8_t in[TEST_BUF], out[TEST_BUF];
static size_t in_len, out_len;

static void start_as(uint32_t entity, enum signet_key_type type)
{
    test_mon_init(&mon, &fake, type, type, type);
    mon.name.type = entity;
    struct signet_client_options options = test_mon_options(&mon, WANT);
    assert_ok(signet_client_new(&client, &options));
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_SECURE, &result, &fail));
}

static void start(void)
{
    start_as(SIGNET_CLIENT, SIGNET_KEY_AES256K);
}

static void stop(void)
{
    signet_auth_result_clear(&result);
    signet_client_free(client);
    test_mon_free(&mon);
}

/* Asks for the service tickets; the answer is left in `in`. */
static void ask(void)
{
    if (signet_client_need(client) == 0) {
        fake_env_pass(&fake, 3600 * SEC);
    }
    assert_ok(signet_client_renew(client, out, sizeof(out), &out_len));
    ck_assert_uint_gt(out_len, 0);
    in_len = test_mon_mauth(&mon, out, out_len, in);
}

static int answer(void)
{
    memset(&fail, 0, sizeof(fail));
    int err = signet_client_reply(client, in, in_len, &fail);
    ck_assert_int_eq(fail.err, err);
    return err;
}

static uint64_t expiry(size_t index)
{
    struct signet_ticket_info info;
    assert_ok(signet_client_ticket(client, index, &info));
    return info.expires_mono_ns;
}

START_TEST(services)
{
    start_as(SIGNET_CLIENT, _i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K);
    fake_env_pass(&fake, 2699 * SEC);
    assert_ok(signet_client_renew(client, out, sizeof(out), &out_len));
    ck_assert_uint_eq(out_len, 0);
    fake_env_pass(&fake, SEC);
    assert_ok(test_mon_renew(&mon, client, &fail));
    ck_assert_uint_eq(mon.type, SIGNET_GET_PRINCIPAL_SESSION_KEY);
    ck_assert_uint_eq(mon.keys, WANT);
    ck_assert_uint_eq(signet_client_need(client), 0);
    ck_assert_uint_eq(expiry(1), fake.mono_ns + 3600 * SEC);
    stop();
}
END_TEST

/* The AUTH ticket is renewed with itself, and services that are due come along. */
START_TEST(auth)
{
    start_as(SIGNET_CLIENT, _i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K);
    mon.auth_ttl = 100;
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_CRC, &result, &fail));
    fake_env_pass(&fake, 80 * SEC);
    assert_ok(test_mon_renew(&mon, client, &fail));
    ck_assert_uint_eq(mon.type, SIGNET_GET_AUTH_SESSION_KEY);
    ck_assert_uint_eq(mon.keys, SIGNET_AUTH);
    ck_assert(mon.reclaimed);
    ck_assert_uint_eq(expiry(0), fake.mono_ns + 100 * SEC);
    fake_env_pass(&fake, 3600 * SEC);
    assert_ok(test_mon_renew(&mon, client, &fail));
    ck_assert_uint_eq(mon.keys, SIGNET_AUTH | WANT);
    ck_assert_uint_eq(signet_client_need(client), 0);
    ck_assert_uint_eq(expiry(3), fake.mono_ns + 3600 * SEC);
    stop();
}
END_TEST

/* One request at a time; what came in vain is left alone for a while. */
START_TEST(back_off)
{
    size_t len = 1;
    start();
    ask();
    assert_ok(signet_client_renew(client, out, sizeof(out), &len));
    ck_assert_uint_eq(len, 0);
    mon.missing = SIGNET_MGR;
    in_len = test_mon_mauth(&mon, out, out_len, in);
    assert_ok(answer());
    ck_assert_uint_eq(signet_client_need(client), 0);
    ck_assert_uint_eq(signet_client_deadline_ns(client), fake.mono_ns + SIGNET_AUTH_RETRY_NS);
    fake_env_pass(&fake, SIGNET_AUTH_RETRY_NS);
    ck_assert_uint_eq(signet_client_need(client), SIGNET_MGR);
    mon.missing = 0;
    assert_ok(test_mon_renew(&mon, client, &fail));
    ck_assert_uint_eq(mon.keys, SIGNET_MGR);
    ck_assert_uint_eq(signet_client_need(client), 0);
    stop();
}
END_TEST

/* Without a usable AUTH ticket nothing else can be asked for. */
START_TEST(blocked)
{
    start();
    fake_env_pass(&fake, 80 * 3600 * SEC);
    ask();
    in_len = 0;
    assert_err(answer(), SHORT);
    ck_assert_uint_eq(signet_client_need(client), 0);
    ck_assert_uint_eq(signet_client_deadline_ns(client), fake.mono_ns + SIGNET_AUTH_RETRY_NS);
    fake_env_pass(&fake, SIGNET_AUTH_RETRY_NS);
    ck_assert_uint_eq(signet_client_need(client), WANT | SIGNET_AUTH);
    stop();
}
END_TEST

START_TEST(states)
{
    size_t len = 1;
    start();
    assert_err(answer(), STATE); /* nothing was asked */
    assert_ok(signet_client_login(client, out, sizeof(out), &out_len));
    assert_err(signet_client_renew(client, out, sizeof(out), &len), STATE);
    ck_assert_uint_eq(len, 0);
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_CRC, &result, &fail));
    fake_env_pass(&fake, 3600 * SEC);
    assert_err(signet_client_renew(client, out, 40, &len), SPACE);
    ck_assert_uint_eq(len, 0);
    fake.random_err = -SIGNET_E_RANDOM;
    assert_err(signet_client_renew(client, out, sizeof(out), &len), RANDOM);
    fake.random_err = 0;
    ask(); /* the failures left nothing pending */
    assert_ok(answer());
    ask();
    assert_ok(signet_client_login(client, out, sizeof(out), &out_len));
    assert_err(answer(), STATE); /* the answer of a connection that is gone */
    stop();
}
END_TEST

/* Changes the front in its decoded form. */
static void front(uint32_t protocol, int32_t res, uint64_t global_id)
{
    static uint8_t copy[TEST_BUF];
    struct signet_mauth_reply reply;
    ask();
    memcpy(copy, in, in_len);
    assert_ok(signet_mauth_reply_decode(&reply, copy, in_len, NULL));
    reply.protocol = protocol;
    reply.result = res;
    reply.global_id = global_id;
    assert_ok(signet_mauth_reply_encode(in, sizeof(in), &in_len, &reply));
    fake_env_pass(&fake, SIGNET_AUTH_RETRY_NS);
}

START_TEST(fronts)
{
    start();
    uint64_t before = expiry(1);
    front(0, 0, TEST_GLOBAL_ID); /* CVE-2026-46024 */
    assert_err(answer(), PROTOCOL_MISMATCH);
    front(1, 0, TEST_GLOBAL_ID);
    assert_err(answer(), PROTOCOL_MISMATCH);
    front(77, 0, TEST_GLOBAL_ID); /* CVE-2013-1059 */
    assert_err(answer(), PROTOCOL_MISMATCH);
    front(2, 1, TEST_GLOBAL_ID); /* CVE-2026-46119 */
    assert_err(answer(), RESULT_POSITIVE);
    front(2, INT_MAX, TEST_GLOBAL_ID);
    assert_err(answer(), RESULT_POSITIVE);
    front(2, -EACCES, TEST_GLOBAL_ID);
    assert_err(answer(), RESULT);
    ck_assert_ptr_nonnull(strstr(fail.text, "EACCES"));
    front(2, INT_MIN, TEST_GLOBAL_ID);
    assert_err(answer(), RESULT);
    front(2, 0, 0);
    assert_err(answer(), GLOBAL_ID_ZERO);
    ck_assert_uint_eq(expiry(1), before);
    ck_assert_uint_eq(signet_client_global_id(client), TEST_GLOBAL_ID);
    front(2, 0, 78);
    assert_ok(answer());
    ck_assert_uint_eq(signet_client_global_id(client), 78);
    stop();
}
END_TEST

/* CVE-2026-43407: the lengths of the payload and of the message. */
START_TEST(front_lengths)
{
    static const uint32_t lens[] = {0x7fffffff, 0x80000000, 0xffffffff};
    start();
    for (size_t i = 0; i < 6; i++) {
        ask();
        size_t at = i < 3 ? 16 : in_len - 4;
        uint32_t len = lens[i % 3];
        for (unsigned b = 0; b < 4; b++) {
            in[at + b] = (uint8_t)(len >> (8 * b));
        }
        assert_err(answer(), LENGTH);
        fake_env_pass(&fake, SIGNET_AUTH_RETRY_NS);
    }
    stop();
}
END_TEST

START_TEST(payload_headers)
{
    start();
    ask();
    in[20] ^= 1; /* low byte of the request type */
    assert_err(answer(), REPLY_TYPE);
    fake_env_pass(&fake, SIGNET_AUTH_RETRY_NS);
    ask();
    in[21] = 4; /* answers a request for rotating secrets */
    assert_err(answer(), REPLY_TYPE);
    stop();
}
END_TEST

/* All of the tickets or none, wherever the reply is cut or bent. */
START_TEST(mutilated)
{
    start();
    fake_env_pass(&fake, 2800 * SEC);
    uint64_t before[4];
    for (size_t i = 0; i < 4; i++) {
        before[i] = expiry(i);
    }
    for (size_t cut = 0;; cut++) {
        ask();
        if (cut == in_len) {
            break;
        }
        in_len = cut;
        ck_assert_int_ne(answer(), 0);
        for (size_t i = 0; i < 4; i++) {
            ck_assert_uint_eq(expiry(i), before[i]);
        }
        signet_client_invalidate(client, SIGNET_OSD); /* may be asked for at once */
    }
    assert_ok(answer());
    stop();
}
END_TEST

/* The last ticket of three is bad: the first two are not taken either. */
START_TEST(all_or_nothing)
{
    start();
    ask();
    in[in_len - 6] ^= 1; /* near the end: inside the last blob's bytes, which nobody checks */
    assert_ok(answer());
    uint64_t before[4];
    for (size_t i = 0; i < 4; i++) {
        before[i] = expiry(i);
    }
    ask();
    struct signet_mauth_reply reply;
    struct signet_principal_reply tickets;
    assert_ok(signet_mauth_reply_decode(&reply, in, in_len, NULL));
    assert_ok(signet_principal_reply_decode(&tickets, reply.payload.p, reply.payload.len, NULL));
    in[tickets.tickets.entry[2].sealed.p - in] ^= 1;
    assert_err(answer(), OPEN);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(expiry(i), before[i]);
    }
    stop();
}
END_TEST

START_TEST(rotating)
{
    struct signet_rotating_info info;
    start_as(SIGNET_OSD, _i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K);
    assert_err(signet_client_secret(client, 0, &info), NOT_FOUND);
    for (int round = 0; round < 2; round++) { /* the second replaces the first */
        assert_ok(signet_client_rotating(client, out, sizeof(out), &out_len));
        ck_assert_uint_eq(out_len, 32);
        size_t len = 1;
        assert_ok(signet_client_rotating(client, out, sizeof(out), &len));
        ck_assert_uint_eq(len, 0);
        in_len = test_mon_mauth(&mon, out, out_len, in);
        assert_ok(answer());
        for (size_t i = 0; i < 3; i++) {
            assert_ok(signet_client_secret(client, i, &info));
            ck_assert_uint_eq(info.id, i + 1);
            ck_assert_uint_eq(info.expires_ns, 1000 * (i + 1) * SEC);
            ck_assert(signet_key_equal(info.key, mon.secrets));
        }
        assert_err(signet_client_secret(client, 3, &info), NOT_FOUND);
    }
    assert_ok(signet_client_rotating(client, out, sizeof(out), &out_len));
    in_len = test_mon_mauth(&mon, out, out_len, in);
    in[40] ^= 1;
    assert_err(answer(), OPEN);
    assert_ok(signet_client_secret(client, 2, &info)); /* kept */
    stop();
}
END_TEST

START_TEST(rotating_refused)
{
    size_t len;
    start();
    assert_err(signet_client_rotating(client, out, sizeof(out), &len), INVAL);
    stop();
    start_as(SIGNET_MGR, SIGNET_KEY_AES256K);
    assert_ok(signet_client_login(client, out, sizeof(out), &len));
    assert_err(signet_client_rotating(client, out, sizeof(out), &len), STATE);
    ck_assert_uint_eq(len, 0);
    stop();
}
END_TEST

START_TEST(rotating_twice)
{
    uint8_t wire[SIGNET_KEY_WIRE_MAX], sealed[512];
    struct signet_rotating_secrets secrets = {.num = 2};
    struct signet_rotating_reply reply = {.header = {.type = SIGNET_GET_ROTATING_KEY}};
    struct signet_mauth_reply outer = {.protocol = 2, .global_id = TEST_GLOBAL_ID};
    uint8_t payload[1024];
    size_t len;
    start_as(SIGNET_OSD, SIGNET_KEY_AES256K);
    for (uint32_t i = 0; i < 2; i++) {
        secrets.entry[i].id = 5;
        assert_ok(signet_key_to_view(&secrets.entry[i].secret.key, wire, mon.secrets));
    }
    assert_ok(signet_rotating_secrets_seal(sealed, sizeof(sealed), &len, mon.principal, &secrets));
    reply.sealed = (struct signet_span){sealed, len};
    assert_ok(signet_rotating_reply_encode(payload, sizeof(payload), &len, &reply));
    outer.payload = (struct signet_span){payload, len};
    assert_ok(signet_mauth_reply_encode(in, sizeof(in), &in_len, &outer));
    assert_ok(signet_client_rotating(client, out, sizeof(out), &out_len));
    assert_err(answer(), VALUE);
    assert_err(signet_client_secret(client, 0, &(struct signet_rotating_info){0}), NOT_FOUND);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_renew");
    TCase *tc = suite_case(suite, "session");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, services, 0, 2);
    tcase_add_loop_test(tc, auth, 0, 2);
    tcase_add_test(tc, back_off);
    tcase_add_test(tc, blocked);
    tcase_add_test(tc, states);
    tcase_add_test(tc, fronts);
    tcase_add_test(tc, front_lengths);
    tcase_add_test(tc, payload_headers);
    tcase_add_test(tc, mutilated);
    tcase_add_test(tc, all_or_nothing);
    tcase_add_loop_test(tc, rotating, 0, 2);
    tcase_add_test(tc, rotating_refused);
    tcase_add_test(tc, rotating_twice);
    return suite_run(suite);
}
