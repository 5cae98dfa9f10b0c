/* SPDX-License-Identifier: MIT */
/* Client and server against each other: logins, renewals, authorizers, and what is refused. */
#include "support/cluster.h"

#include <errno.h>
#include <string.h>

#include <signet/ticket.h>

static const enum signet_key_type types[2] = {SIGNET_KEY_AES, SIGNET_KEY_AES256K};

static struct signet_key *fresh_key(enum signet_key_type type)
{
    struct signet_key *key;
    assert_ok(signet_key_generate(&key, type, NULL));
    return key;
}

/* Everything once: login, daemon, renewals of both kinds, reclaim. */
static void tour(struct cluster *c, enum signet_con_mode mode)
{
    struct signet_client *client = cluster_client(c, "client.a", c->key);
    assert_ok(cluster_login(c, client, mode));
    const struct signet_identity *who = signet_login_identity(c->login);
    ck_assert_str_eq(who->caps, "allow r");
    ck_assert_uint_eq(signet_client_need(client), 0);
    assert_ok(cluster_authorize(c, client, mode));
    ck_assert_str_eq(signet_login_identity(c->login)->caps, "allow rw");
    uint64_t id = c->global_id;

    assert_ok(cluster_login(c, client, mode)); /* a reclaim: same number */
    ck_assert_uint_eq(c->global_id, id);
    cluster_pass(c, 2800);
    ck_assert_uint_eq(signet_client_need(client), SIGNET_MON | SIGNET_OSD | SIGNET_MGR);
    assert_ok(cluster_renew(c, client));
    ck_assert_uint_eq(signet_client_need(client), 0);
    cluster_pass(c, 55 * 3600);
    assert_ok(signet_keyserver_tick(c->server));
    ck_assert(signet_client_need(client) & SIGNET_AUTH);
    assert_ok(cluster_renew(c, client));
    while (signet_client_need(client) != 0) {
        assert_ok(cluster_renew(c, client));
    }
    assert_ok(cluster_authorize(c, client, mode));
    signet_client_free(client);
}

/* _i: bit 0 mode, bit 1 principal's type, bit 2 service cipher, bits 3 and 4 the handlers. */
START_TEST(all_of_it_in_every_combination)
{
    static const char *const handlers[2] = {"nss", "openssl"};
    struct cluster c = {.client_on = handlers[_i >> 3 & 1], .server_on = handlers[_i >> 4 & 1]};
    cluster_start(&c, types[_i >> 1 & 1], types[_i >> 2 & 1]);
    tour(&c, (_i & 1) != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    cluster_stop(&c);
}
END_TEST

START_TEST(session_keys_have_the_types_of_real_monitors)
{
    struct cluster c = {0};
    cluster_start(&c, types[_i >> 1 & 1], types[_i & 1]);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    struct signet_ticket_info info;
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    for (size_t i = 0; signet_client_ticket(client, i, &info) == 0; i++) {
        bool strong = info.service == SIGNET_AUTH ? (_i & 2) != 0 : _i == 3;
        ck_assert_int_eq(info.session_type, types[strong]);
    }
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

static void refused(struct cluster *c, const char *name, struct signet_key *key, int err,
                    int32_t on_wire)
{
    struct signet_client *client = cluster_client(c, name, key);
    struct signet_keyserver_stats before, after;
    signet_keyserver_stats(c->server, &before);
    ck_assert_int_eq(cluster_login(c, client, SIGNET_MODE_SECURE), err);
    ck_assert_int_eq(c->verdict, SIGNET_VERDICT_REFUSED);
    ck_assert_int_eq(signet_login_errno(c->login), on_wire);
    ck_assert_ptr_null(signet_login_identity(c->login));
    char claimed[SIGNET_NAME_TEXT_MAX];
    ck_assert_str_eq(signet_name_print(signet_login_claimed(c->login), claimed), name);
    signet_keyserver_stats(c->server, &after);
    ck_assert_uint_eq(after.refused[-err], before.refused[-err] + 1);
    signet_client_free(client);
}

/* Each number is the next one, however many were refused before; more than one batch of them. */
START_TEST(only_a_right_proof_takes_a_number)
{
    struct cluster c = {0};
    uint64_t last = 0;
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_key *other = fresh_key(SIGNET_KEY_AES256K);
    for (int i = 0; i < 5000; i++) {
        struct signet_client *client = cluster_client(&c, "client.a", c.key);
        assert_ok(cluster_login(&c, client, SIGNET_MODE_CRC));
        if (last != 0 && c.global_id != last + 1) {
            ck_abort_msg("%llu follows %llu", (unsigned long long)c.global_id,
                         (unsigned long long)last);
        }
        last = c.global_id;
        signet_client_free(client);
        if (i % 1000 == 0) {
            refused(&c, "client.a", other, -SIGNET_E_PROOF_WRONG, -EACCES);
            refused(&c, "client.nobody", other, -SIGNET_E_UNKNOWN_ENTITY, -EACCES);
        }
    }
    signet_key_unref(other);
    cluster_stop(&c);
}
END_TEST

START_TEST(credentials_that_are_refused_look_alike_on_the_wire)
{
    struct cluster c = {0};
    cluster_start(&c, types[_i], SIGNET_KEY_AES256K);
    struct signet_key *other = fresh_key(types[_i]), *mixed = fresh_key(types[!_i]);
    refused(&c, "client.a", other, -SIGNET_E_PROOF_WRONG, -EACCES);
    refused(&c, "client.a", mixed, -SIGNET_E_PROOF_WRONG, -EACCES);
    refused(&c, "client.nobody", c.key, -SIGNET_E_UNKNOWN_ENTITY, -EACCES);
    refused(&c, "client.nocaps", c.key, -SIGNET_E_NO_MON_CAPS, -EACCES);
    signet_key_unref(other);
    signet_key_unref(mixed);
    cluster_stop(&c);
}
END_TEST

START_TEST(a_key_type_that_is_no_longer_allowed_is_refused)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES, SIGNET_KEY_AES256K);
    ((struct signet_keyserver_options *)(void *)c.server)->allowed_ciphers =
        SIGNET_CIPHER(SIGNET_KEY_AES256K);
    refused(&c, "client.a", c.key, -SIGNET_E_CIPHER, -EACCES);
    cluster_stop(&c);
}
END_TEST

START_TEST(without_a_living_secret_there_are_no_tickets)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    cluster_pass(&c, 4 * 72 * 3600); /* and nobody rotates */
    refused(&c, "client.a", c.key, -SIGNET_E_NO_SERVICE_SECRET, -EIO);
    cluster_stop(&c);
}
END_TEST

static int stuck(void *arg, uint8_t *out, size_t len)
{
    memset(out, *(uint8_t *)arg, len);
    return 0;
}

static uint64_t fixed(void *arg)
{
    (void)arg;
    return 1780000000 * SEC;
}

/* 0: no challenge can be drawn; 7: the nonces of both directions would meet. */
START_TEST(a_stuck_random_source_is_noticed)
{
    struct cluster c = {0};
    uint8_t byte = _i == 0 ? 0 : 7;
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    struct signet_env *env = &((struct signet_keyserver_options *)(void *)c.server)->env;
    *env = (struct signet_env){fixed, fixed, stuck, &byte};
    assert_err(cluster_login(&c, client, SIGNET_MODE_SECURE), RANDOM);
    ck_assert_int_eq(c.verdict, SIGNET_VERDICT_BUSY);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

START_TEST(a_refused_login_stays_refused)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    refused(&c, "client.nobody", c.key, -SIGNET_E_UNKNOWN_ENTITY, -EACCES);
    static uint8_t out[CLUSTER_BUF];
    size_t len;
    uint8_t in[1] = {10};
    assert_err(signet_login_step(c.login, SIGNET_MODE_CRC, out, sizeof(out), &len, in, 1,
                                 &c.verdict, NULL),
               LOGIN_STEP);
    assert_err(signet_login_mauth(c.login, out, sizeof(out), &len, in, 1, &c.verdict, NULL), STATE);
    struct signet_auth_result result;
    assert_err(signet_login_take(c.login, &result), STATE);
    struct signet_login *silent;
    assert_ok(signet_login_new(&silent, c.server, SIGNET_MON));
    ck_assert_ptr_null(signet_login_claimed(silent));
    signet_login_free(silent);
    cluster_stop(&c);
}
END_TEST

START_TEST(either_key_logs_in_until_the_new_one_was_used)
{
    struct cluster c = {0};
    struct signet_name name;
    cluster_start(&c, SIGNET_KEY_AES, SIGNET_KEY_AES256K);
    struct signet_key *fresh = fresh_key(SIGNET_KEY_AES256K);
    assert_ok(signet_name_parse(&name, "client.a"));
    assert_ok(signet_keyserver_rotate_key(c.server, &name, fresh));
    for (int i = 0; i < 3; i++) {
        bool old = i != 1;
        struct signet_client *client = cluster_client(&c, "client.a", old ? c.key : fresh);
        int err = cluster_login(&c, client, SIGNET_MODE_SECURE);
        ck_assert_int_eq(err, i == 2 ? -SIGNET_E_PROOF_WRONG : 0);
        signet_client_free(client);
    }
    signet_key_unref(fresh);
    cluster_stop(&c);
}
END_TEST

START_TEST(a_replaced_key_ends_with_its_grace_time)
{
    struct cluster c = {.options = {.grace_ns = 60 * SEC}};
    struct signet_name name;
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_key *fresh = fresh_key(SIGNET_KEY_AES256K);
    assert_ok(signet_name_parse(&name, "client.a"));
    assert_ok(signet_keyserver_rotate_key(c.server, &name, fresh));
    ck_assert_uint_eq(signet_keyserver_deadline_ns(c.server), c.fake.real_ns + 60 * SEC);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    cluster_pass(&c, 60);
    assert_ok(signet_keyserver_tick(c.server));
    assert_err(cluster_login(&c, client, SIGNET_MODE_SECURE), PROOF_WRONG);
    signet_client_free(client);
    signet_key_unref(fresh);
    cluster_stop(&c);
}
END_TEST

START_TEST(a_login_needs_a_service_that_has_tickets)
{
    struct cluster c = {0};
    struct signet_login *login;
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    assert_err(signet_login_new(&login, c.server, SIGNET_CLIENT), INVAL);
    assert_err(signet_login_new(&login, c.server, SIGNET_AUTH), INVAL);
    cluster_stop(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("login");
    TCase *t = suite_case(s, "logins");
    tcase_add_loop_test(t, all_of_it_in_every_combination, 0, 32);
    tcase_add_loop_test(t, session_keys_have_the_types_of_real_monitors, 0, 4);
    tcase_add_test(t, only_a_right_proof_takes_a_number);
    tcase_add_loop_test(t, credentials_that_are_refused_look_alike_on_the_wire, 0, 2);
    tcase_add_test(t, a_key_type_that_is_no_longer_allowed_is_refused);
    tcase_add_test(t, without_a_living_secret_there_are_no_tickets);
    tcase_add_loop_test(t, a_stuck_random_source_is_noticed, 0, 2);
    tcase_add_test(t, a_refused_login_stays_refused);
    tcase_add_test(t, either_key_logs_in_until_the_new_one_was_used);
    tcase_add_test(t, a_replaced_key_ends_with_its_grace_time);
    tcase_add_test(t, a_login_needs_a_service_that_has_tickets);
    return suite_run(s);
}
