/* SPDX-License-Identifier: MIT */
#include "support/cluster.h"

#include <string.h>

#include "base/secret.h"

static void use(const char *handler)
{
    if (handler != NULL) {
        assert_ok(signet_handler_use(signet_handler_find(handler)));
    }
}

static void put(struct cluster *c, const char *text, struct signet_key *key,
                const struct signet_cap *caps, size_t num)
{
    struct signet_name name;
    assert_ok(signet_name_parse(&name, text));
    assert_ok(signet_keyserver_put(c->server, &name, key, caps, num));
}

void cluster_start(struct cluster *c, enum signet_key_type principal, enum signet_key_type service)
{
    static const struct signet_cap rw[] = {{"osd", "allow rw"}, {"mon", "allow r"}};
    fake_env_init(&c->fake);
    c->options.env = fake_env_make(&c->fake);
    c->options.service_cipher = service;
    c->options.allowed_ciphers = SIGNET_CIPHER(SIGNET_KEY_AES) | SIGNET_CIPHER(SIGNET_KEY_AES256K);
    struct signet_fail fail = {0};
    ck_assert_msg(signet_keyserver_open(&c->server, &c->options, &fail) == 0, "%s", fail.text);
    assert_ok(signet_key_generate(&c->key, principal, NULL));
    put(c, "client.a", c->key, rw, 2);
    put(c, "client.nocaps", c->key, NULL, 0);
    put(c, "osd.0", c->key, rw, 2);
}

static void forget(struct cluster *c)
{
    signet_auth_result_clear(&c->ours);
    signet_auth_result_clear(&c->theirs);
    signet_login_free(c->login);
    c->login = NULL;
}

void cluster_stop(struct cluster *c)
{
    forget(c);
    signet_keyserver_free(c->server);
    signet_key_unref(c->key);
}

struct signet_client *cluster_client(struct cluster *c, const char *name, struct signet_key *key)
{
    struct signet_client_options options = {
        .key = key,
        .want = SIGNET_MON | SIGNET_OSD | SIGNET_MGR,
        .env = fake_env_make(&c->fake),
    };
    struct signet_client *client;
    assert_ok(signet_name_parse(&options.name, name));
    assert_ok(signet_client_new(&client, &options));
    return client;
}

static void compare_results(struct cluster *c)
{
    ck_assert_uint_eq(c->ours.global_id, c->theirs.global_id);
    ck_assert_uint_eq(c->ours.secret_len, c->theirs.secret_len);
    ck_assert_mem_eq(c->ours.secret, c->theirs.secret, sizeof(c->ours.secret));
    ck_assert(signet_key_equal(c->ours.session_key, c->theirs.session_key));
}

static int step(struct cluster *c, enum signet_con_mode mode, uint8_t *out, size_t *out_len,
                const uint8_t *in, size_t len)
{
    struct signet_fail fail = {0};
    use(c->server_on);
    int err =
        signet_login_step(c->login, mode, out, CLUSTER_BUF, out_len, in, len, &c->verdict, &fail);
    use(c->client_on);
    ck_assert(err == 0 || *out_len == 0);
    return err;
}

int cluster_login(struct cluster *c, struct signet_client *client, enum signet_con_mode mode)
{
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    size_t a_len, b_len;
    forget(c);
    use(c->client_on);
    assert_ok(signet_login_new(&c->login, c->server, SIGNET_MON));
    assert_ok(signet_client_login(client, a, sizeof(a), &a_len));
    int err = step(c, mode, b, &b_len, a, a_len);
    if (err != 0) {
        return err;
    }
    ck_assert_int_eq(c->verdict, SIGNET_VERDICT_MORE);
    assert_ok(signet_client_challenge(client, a, sizeof(a), &a_len, b, b_len, NULL));
    err = step(c, mode, b, &b_len, a, a_len);
    if (err != 0) {
        return err;
    }
    ck_assert_int_eq(c->verdict, SIGNET_VERDICT_DONE);
    assert_ok(signet_login_take(c->login, &c->theirs));
    c->global_id = c->theirs.global_id;
    err = signet_client_done(client, &c->ours, c->global_id, mode, b, b_len, NULL);
    if (err == 0) {
        compare_results(c);
    }
    return err;
}

int cluster_renew(struct cluster *c, struct signet_client *client)
{
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    size_t a_len, b_len;
    use(c->client_on);
    assert_ok(signet_client_renew(client, a, sizeof(a), &a_len));
    ck_assert_uint_gt(a_len, 0);
    use(c->server_on);
    int err = signet_login_mauth(c->login, b, sizeof(b), &b_len, a, a_len, &c->verdict, NULL);
    use(c->client_on);
    int seen = signet_client_reply(client, b, b_len, NULL);
    return err != 0 ? err : seen;
}

int cluster_authorize(struct cluster *c, struct signet_client *client, enum signet_con_mode mode)
{
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    size_t a_len, b_len;
    struct signet_authorizer *authorizer;
    forget(c);
    use(c->client_on);
    assert_ok(signet_login_new(&c->login, c->server, SIGNET_OSD));
    assert_ok(signet_authorizer_new(&authorizer, client, SIGNET_OSD));
    assert_ok(signet_authorizer_request(authorizer, a, sizeof(a), &a_len));
    int err = step(c, mode, b, &b_len, a, a_len);
    if (err == 0) {
        ck_assert_int_eq(c->verdict, SIGNET_VERDICT_MORE);
        assert_ok(signet_authorizer_challenge(authorizer, a, sizeof(a), &a_len, b, b_len, NULL));
        err = step(c, mode, b, &b_len, a, a_len);
    }
    if (err == 0) {
        assert_ok(signet_login_take(c->login, &c->theirs));
        err =
            signet_authorizer_done(authorizer, &c->ours, c->theirs.global_id, mode, b, b_len, NULL);
    }
    if (err == 0) {
        compare_results(c);
    }
    signet_authorizer_free(authorizer);
    return err;
}

void cluster_pass(struct cluster *c, uint64_t seconds)
{
    c->fake.real_ns += seconds * SEC;
    c->fake.mono_ns += seconds * SEC;
}
