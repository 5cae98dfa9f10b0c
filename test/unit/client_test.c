/* SPDX-License-Identifier: MIT */
/* The client against a small monitor: key types, modes, what is held and when it is due. */
#include <signet/client.h>

#include <string.h>

#include "support/auth_server.h"

#define WANT (SIGNET_MON | SIGNET_OSD | SIGNET_MGR)

static struct fake_env fake;
static struct test_mon mon;
static struct signet_client *client;
static struct signet_auth_result result;
static struct signet_fail fail;

static void start(enum signet_key_type principal, enum signet_key_type auth,
                  enum signet_key_type service, uint32_t want)
{
    test_mon_init(&mon, &fake, principal, auth, service);
    struct signet_client_options options = test_mon_options(&mon, want);
    assert_ok(signet_client_new(&client, &options));
}

static void stop(void)
{
    signet_auth_result_clear(&result);
    signet_client_free(client);
    test_mon_free(&mon);
}

static struct signet_ticket_info ticket_of(uint32_t service)
{
    struct signet_ticket_info info;
    for (size_t i = 0; signet_client_ticket(client, i, &info) == 0; i++) {
        if (info.service == service) {
            return info;
        }
    }
    ck_abort_msg("no ticket for %s", signet_service_name(service));
    return info;
}

static const struct {
    enum signet_key_type principal, auth, service;
} mixes[] = {
    {SIGNET_KEY_AES, SIGNET_KEY_AES, SIGNET_KEY_AES},
    {SIGNET_KEY_AES, SIGNET_KEY_AES, SIGNET_KEY_AES256K},
    {SIGNET_KEY_AES, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K},
    {SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, SIGNET_KEY_AES},
    {SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K},
};
enum { NUM_MIXES = sizeof(mixes) / sizeof(mixes[0]) };

static void check_result(enum signet_con_mode mode)
{
    ck_assert(signet_key_equal(result.session_key, mon.sessions[0]));
    ck_assert_uint_eq(result.global_id, TEST_GLOBAL_ID);
    ck_assert_uint_eq(result.secret_len, mode == SIGNET_MODE_SECURE ? 64 : 0);
    if (mode == SIGNET_MODE_SECURE) {
        ck_assert_mem_eq(result.secret, mon.secret, 64);
    }
}

START_TEST(login)
{
    for (int mode = SIGNET_MODE_CRC; mode <= SIGNET_MODE_SECURE; mode++) {
        start(mixes[_i].principal, mixes[_i].auth, mixes[_i].service, WANT);
        ck_assert_uint_eq(signet_client_need(client), WANT | SIGNET_AUTH);
        ck_assert_uint_eq(signet_client_deadline_ns(client), 0);
        assert_ok(test_mon_connect(&mon, client, (enum signet_con_mode)mode, &result, &fail));
        check_result((enum signet_con_mode)mode);
        ck_assert(!mon.reclaimed);
        ck_assert_uint_eq(mon.keys, WANT | SIGNET_AUTH);
        ck_assert_uint_eq(signet_client_global_id(client), TEST_GLOBAL_ID);
        ck_assert_uint_eq(signet_client_need(client), 0);
        ck_assert_int_eq(ticket_of(SIGNET_AUTH).session_type, mixes[_i].auth);
        ck_assert_int_eq(ticket_of(SIGNET_OSD).session_type, mixes[_i].service);
        ck_assert(ticket_of(SIGNET_OSD).usable);
        stop();
    }
}
END_TEST

/* Reconnect: the old ticket goes along, the new one comes wrapped, the instance stays. */
START_TEST(reclaim)
{
    start(mixes[_i].principal, mixes[_i].auth, mixes[_i].service, WANT);
    for (int round = 0; round < 3; round++) {
        assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_SECURE, &result, &fail));
        check_result(SIGNET_MODE_SECURE);
        ck_assert(mon.reclaimed == (round > 0));
        ck_assert_uint_eq(mon.keys, round == 0 ? WANT | SIGNET_AUTH : SIGNET_AUTH);
        signet_auth_result_clear(&result);
    }
    fake_env_pass(&fake, 100 * 3600 * SEC); /* long expired, still good for the reclaim */
    ck_assert(!ticket_of(SIGNET_AUTH).usable);
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_SECURE, &result, &fail));
    ck_assert(mon.reclaimed);
    ck_assert_uint_eq(mon.keys, WANT | SIGNET_AUTH);
    signet_client_reset(client);
    ck_assert_uint_eq(signet_client_global_id(client), 0);
    assert_err(signet_client_ticket(client, 0, &(struct signet_ticket_info){0}), NOT_FOUND);
    signet_auth_result_clear(&result);
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_SECURE, &result, &fail));
    ck_assert(!mon.reclaimed);
    stop();
}
END_TEST

START_TEST(weak_auth_session)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES, SIGNET_KEY_AES, WANT);
    assert_err(test_mon_connect(&mon, client, SIGNET_MODE_SECURE, &result, &fail),
               WEAK_SESSION_KEY);
    ck_assert_ptr_null(result.session_key);
    ck_assert_uint_eq(signet_client_global_id(client), 0);
    signet_client_free(client);
    struct signet_client_options options = test_mon_options(&mon, WANT);
    options.allow_weak_auth_session = true;
    assert_ok(signet_client_new(&client, &options));
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_SECURE, &result, &fail));
    stop();
}
END_TEST

START_TEST(weak_service_session)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, SIGNET_KEY_AES, WANT);
    signet_client_free(client);
    struct signet_client_options options = test_mon_options(&mon, WANT);
    options.refuse_weak_service_session = true;
    assert_ok(signet_client_new(&client, &options));
    assert_err(test_mon_connect(&mon, client, SIGNET_MODE_SECURE, &result, &fail),
               WEAK_SESSION_KEY);
    ck_assert_ptr_nonnull(strstr(fail.text, "mon ticket"));
    stop();
}
END_TEST

/* cephx.md 10, to the nanosecond: three quarters of the whole seconds. */
START_TEST(lifetimes)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, SIGNET_OSD);
    mon.service_ttl = 11;
    mon.auth_ttl = 100;
    uint64_t t0 = fake.mono_ns;
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_CRC, &result, &fail));
    struct signet_ticket_info osd = ticket_of(SIGNET_OSD);
    ck_assert_uint_eq(osd.validity_ns, 11 * SEC);
    ck_assert_uint_eq(osd.expires_mono_ns, t0 + 11 * SEC);
    ck_assert_uint_eq(osd.renew_mono_ns, t0 + 11 * SEC - 2750000000U);
    ck_assert_uint_eq(osd.received_ns, fake.real_ns);
    ck_assert_uint_eq(osd.secret_id, 2);
    ck_assert_uint_eq(signet_client_deadline_ns(client), osd.renew_mono_ns);
    fake.mono_ns = osd.renew_mono_ns - 1;
    ck_assert_uint_eq(signet_client_need(client), 0);
    fake.mono_ns++;
    ck_assert_uint_eq(signet_client_need(client), SIGNET_OSD);
    ck_assert_uint_eq(signet_client_deadline_ns(client), 0);
    ck_assert(ticket_of(SIGNET_OSD).usable);
    fake.mono_ns = osd.expires_mono_ns;
    ck_assert(!ticket_of(SIGNET_OSD).usable);
    fake.mono_ns = t0 + 75 * SEC;
    ck_assert_uint_eq(signet_client_need(client), SIGNET_OSD | SIGNET_AUTH);
    stop();
}
END_TEST

START_TEST(invalidate)
{
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, WANT);
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_CRC, &result, &fail));
    signet_client_invalidate(client, 0x40);
    ck_assert_uint_eq(signet_client_need(client), 0);
    signet_client_invalidate(client, SIGNET_OSD);
    ck_assert_uint_eq(signet_client_need(client), SIGNET_OSD | SIGNET_AUTH);
    ck_assert(!ticket_of(SIGNET_OSD).usable && !ticket_of(SIGNET_AUTH).usable);
    ck_assert(ticket_of(SIGNET_MON).usable);
    struct signet_authorizer *authorizer;
    assert_err(signet_authorizer_new(&authorizer, client, SIGNET_OSD), NO_TICKET);
    assert_ok(test_mon_renew(&mon, client, &fail));
    ck_assert(mon.reclaimed); /* kept for that */
    ck_assert(ticket_of(SIGNET_OSD).usable && ticket_of(SIGNET_AUTH).usable);
    stop();
}
END_TEST

START_TEST(arguments)
{
    test_mon_init(&mon, &fake, SIGNET_KEY_AES, SIGNET_KEY_AES, SIGNET_KEY_AES);
    struct signet_client_options options = test_mon_options(&mon, 0x40);
    assert_err(signet_client_new(&client, &options), INVAL);
    ck_assert_ptr_null(client);
    options = test_mon_options(&mon, 0);
    options.key = NULL;
    assert_err(signet_client_new(&client, &options), INVAL);
    options = test_mon_options(&mon, 0);
    options.name.id_len = SIGNET_NAME_ID_MAX + 1;
    assert_err(signet_client_new(&client, &options), INVAL);
    signet_client_free(NULL);
    signet_authorizer_free(NULL);
    options = test_mon_options(&mon, 0);
    assert_ok(signet_client_new(&client, &options));
    ck_assert_uint_eq(signet_client_need(client), SIGNET_AUTH);
    assert_ok(test_mon_connect(&mon, client, SIGNET_MODE_CRC, &result, &fail));
    assert_err(signet_client_ticket(client, 1, &(struct signet_ticket_info){0}), NOT_FOUND);
    stop();
}
END_TEST

/* What a login writes fits exactly or not at all. */
START_TEST(small_buffers)
{
    static uint8_t a[TEST_BUF], b[TEST_BUF];
    size_t a_len, b_len, len;
    start(SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K, WANT);
    assert_ok(signet_client_login(client, a, sizeof(a), &a_len));
    assert_err(signet_client_login(client, a, a_len - 1, &len), SPACE);
    ck_assert_uint_eq(len, 0);
    assert_ok(signet_client_login(client, a, a_len, &a_len));
    b_len = test_mon_start(&mon, a, a_len, b);
    assert_err(signet_client_challenge(client, a, 35, &len, b, b_len, &fail), SPACE);
    ck_assert_uint_eq(len, 0);
    assert_err(signet_client_challenge(client, a, 36, &len, b, b_len, &fail), STATE);
    assert_ok(signet_client_login(client, a, a_len, &a_len));
    assert_ok(signet_client_challenge(client, a, 36, &len, b, b_len, &fail));
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client");
    TCase *tc = suite_case(suite, "login");
    tcase_add_loop_test(tc, login, 0, NUM_MIXES);
    tcase_add_loop_test(tc, reclaim, 0, NUM_MIXES);
    tcase_add_test(tc, weak_auth_session);
    tcase_add_test(tc, weak_service_session);
    tcase_add_test(tc, lifetimes);
    tcase_add_test(tc, invalidate);
    tcase_add_test(tc, arguments);
    tcase_add_test(tc, small_buffers);
    return suite_run(suite);
}
