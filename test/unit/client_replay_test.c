/* SPDX-License-Identifier: MIT */
/*
 * Recorded sessions of real Ceph, our client in the place of theirs: given the same random
 * numbers at the same times it must say the same and end with the same keys. Sealed parts of
 * type 2 have a random confounder, so there only their lengths can be equal.
 */
#include <signet/client.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_server.h"

static struct fake_env fake;
static struct signet_auth_result result;
static struct signet_fail fail;
static uint8_t out[TEST_BUF];
static size_t out_len;

struct bytes {
    uint8_t *p;
    size_t len;
};

static struct bytes bytes_of(const char *hex)
{
    struct bytes b;
    b.p = unhex(hex, &b.len);
    return b;
}

static struct bytes step_of(const json_t *session, size_t index)
{
    return bytes_of(json_hex(json_array_get(json_object_get(session, "steps"), index), "hex"));
}

static void same(const struct bytes *want)
{
    ck_assert_uint_eq(out_len, want->len);
    ck_assert_mem_eq(out, want->p, want->len);
}

static struct signet_client *client_of(const char *entity, struct signet_key *key, uint32_t want)
{
    struct signet_client *client;
    struct signet_client_options options = {.want = want, .env = fake_env_make(&fake)};
    assert_ok(signet_name_parse(&options.name, entity));
    options.key = key;
    assert_ok(signet_client_new(&client, &options));
    return client;
}

static void check_done(struct signet_client *client, const json_t *session)
{
    const json_t *step = json_array_get(json_object_get(session, "steps"), 3);
    struct bytes done = step_of(session, 3);
    struct signet_key *key = key_of_wire(json_hex(session, "session_key"));
    uint64_t global_id = (uint64_t)json_integer_value(json_object_get(step, "global_id"));
    enum signet_con_mode mode =
        (enum signet_con_mode)json_integer_value(json_object_get(step, "mode"));
    int err = signet_client_done(client, &result, global_id, mode, done.p, done.len, &fail);
    ck_assert_msg(err == 0, "%s: %s", fail.where, fail.text);
    ck_assert(signet_key_equal(key, result.session_key));
    assert_hex(result.secret, result.secret_len,
               mode == SIGNET_MODE_SECURE ? json_hex(session, "secret") : "");
    ck_assert_uint_eq(signet_client_global_id(client), global_id);
    signet_key_unref(key);
    free(done.p);
}

/* The login at the monitor. */
static struct signet_client *log_in(const json_t *session)
{
    struct signet_auth_request request;
    struct bytes start = step_of(session, 0), challenge = step_of(session, 1),
                 proof = step_of(session, 2);
    struct signet_key *key = key_of_text(json_hex(session, "key"));
    assert_ok(signet_auth_request_decode(&request, proof.p, proof.len, NULL));
    struct signet_client *client =
        client_of(json_hex(session, "entity"), key, request.authenticate.other_keys);
    signet_key_unref(key);
    assert_ok(signet_client_login(client, out, sizeof(out), &out_len));
    same(&start);
    fake_env_script(&fake, proof.p + 3, 8); /* the client challenge */
    assert_ok(signet_client_challenge(client, out, sizeof(out), &out_len, challenge.p,
                                      challenge.len, &fail));
    same(&proof);
    check_done(client, session);
    free(start.p);
    free(challenge.p);
    free(proof.p);
    return client;
}

/* The nonce of an authorizer, which only the session key shows. */
static void script_nonce(const struct signet_authorizer_parts *parts, const struct signet_key *key)
{
    struct signet_authorize authorize;
    struct signet_plain plain = {.p = NULL};
    uint8_t nonce[8];
    assert_ok(signet_authorize_open(&authorize, &plain, key, parts->sealed, NULL));
    for (unsigned i = 0; i < 8; i++) {
        nonce[i] = (uint8_t)(authorize.nonce >> (8 * i));
    }
    fake_env_script(&fake, nonce, sizeof(nonce));
    signet_plain_free(&plain);
}

/* Part A and the length of B always; B too where sealing is deterministic. */
static void same_authorizer(const struct bytes *want, const struct signet_key *key)
{
    struct signet_authorizer_parts parts;
    assert_ok(signet_authorizer_parts_decode(&parts, want->p, want->len, NULL));
    ck_assert_uint_eq(out_len, want->len);
    size_t len = signet_key_type(key) == SIGNET_KEY_AES ? want->len : want->len - parts.sealed.len;
    ck_assert_mem_eq(out, want->p, len);
}

/* The daemon that the client went to next. */
static void authorize(const struct signet_client *client, const json_t *session)
{
    struct bytes first = step_of(session, 0), challenge = step_of(session, 1),
                 second = step_of(session, 2), done = step_of(session, 3);
    const json_t *step = json_array_get(json_object_get(session, "steps"), 3);
    struct signet_key *key = key_of_wire(json_hex(session, "session_key"));
    struct signet_authorizer_parts parts;
    struct signet_authorizer *authorizer;
    assert_ok(signet_authorizer_parts_decode(&parts, first.p, first.len, NULL));
    script_nonce(&parts, key);
    assert_ok(signet_authorizer_new(&authorizer, client, parts.service));
    assert_ok(signet_authorizer_request(authorizer, out, sizeof(out), &out_len));
    same_authorizer(&first, key);
    assert_ok(signet_authorizer_challenge(authorizer, out, sizeof(out), &out_len, challenge.p,
                                          challenge.len, &fail));
    same_authorizer(&second, key);
    assert_ok(signet_authorizer_done(
        authorizer, &result, (uint64_t)json_integer_value(json_object_get(step, "global_id")),
        (enum signet_con_mode)json_integer_value(json_object_get(step, "mode")), done.p, done.len,
        &fail));
    ck_assert(signet_key_equal(key, result.session_key));
    assert_hex(result.secret, result.secret_len, json_hex(session, "secret"));
    signet_auth_result_clear(&result);
    signet_authorizer_free(authorizer);
    signet_key_unref(key);
    free(first.p);
    free(challenge.p);
    free(second.p);
    free(done.p);
}

START_TEST(sessions)
{
    json_t *all = kat_json("cephx/sessions.json");
    size_t i, logins = 0, daemons = 0;
    const json_t *session;
    struct signet_client *client = NULL;
    json_array_foreach(all, i, session)
    {
        fake_env_init(&fake);
        if (json_object_get(session, "service") != NULL) {
            authorize(client, session); /* with the tickets of the session before */
            daemons++;
            continue;
        }
        signet_client_free(client);
        client = log_in(session);
        signet_auth_result_clear(&result);
        logins++;
    }
    signet_client_free(client);
    ck_assert_uint_eq(logins, 11);
    ck_assert_uint_eq(daemons, 4);
    json_decref(all);
}
END_TEST

static const json_t *find(const json_t *all, const char *name)
{
    size_t i;
    const json_t *session;
    json_array_foreach(all, i, session)
    {
        if (strcmp(json_hex(session, "name"), name) == 0) {
            return session;
        }
    }
    ck_abort_msg("no session %s", name);
    return NULL;
}

/* An OSD fetches its secrets; both key types. */
START_TEST(rotating)
{
    json_t *all = kat_json("cephx/sessions.json");
    const json_t *session =
        find(all, _i == 0 ? "ceph16/g_osd_boot.v2sec/conn01" : "ceph20/g-osd-boot-rotating/conn03");
    struct bytes request =
        bytes_of(json_string_value(json_array_get(json_object_get(session, "mauth"), 0)));
    struct bytes reply =
        bytes_of(json_string_value(json_array_get(json_object_get(session, "mauth_reply"), 0)));
    struct signet_rotating_info info;
    fake_env_init(&fake);
    struct signet_client *client = log_in(session);
    assert_ok(signet_client_rotating(client, out, sizeof(out), &out_len));
    same(&request);
    assert_ok(signet_client_reply(client, reply.p, reply.len, &fail));
    for (size_t i = 0; i < 3; i++) {
        assert_ok(signet_client_secret(client, i, &info));
        ck_assert_uint_eq(info.id, i + 1);
        ck_assert_int_eq(signet_key_type(info.key), _i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K);
    }
    free(request.p);
    free(reply.p);
    signet_auth_result_clear(&result);
    signet_client_free(client);
    json_decref(all);
}
END_TEST

/* The session key with which the client made its authorizers. */
static struct signet_key *auth_key(const struct bytes *reply, const struct signet_key *secret,
                                   struct signet_key *held)
{
    struct signet_mauth_reply outer;
    struct signet_session_reply session;
    struct signet_service_ticket half;
    struct signet_plain plain = {.p = NULL};
    struct signet_key *key;
    assert_ok(signet_mauth_reply_decode(&outer, reply->p, reply->len, NULL));
    if (outer.payload.p[1] != 1) {
        return held;
    }
    assert_ok(signet_session_reply_decode(&session, outer.payload.p, outer.payload.len, NULL));
    assert_ok(
        signet_service_ticket_open(&half, &plain, secret, session.tickets.entry[0].sealed, NULL));
    assert_ok(signet_key_from_view(&key, &half.session_key));
    signet_plain_free(&plain);
    signet_key_unref(held);
    return key;
}

/* A client whose tickets live for 8 and 12 seconds, through six renewals: what is asked for, and
 * when, follows from the clock alone. */
START_TEST(renewals)
{
    static const unsigned at_ms[] = {6028, 9061, 12050, 16054, 19058, 22063};
    json_t *all = kat_json("cephx/sessions.json");
    const json_t *session = find(all, "ceph16/h_renew.v2sec/conn01");
    const json_t *requests = json_object_get(session, "mauth");
    const json_t *replies = json_object_get(session, "mauth_reply");
    struct signet_key *secret = key_of_text(json_hex(session, "key"));
    struct signet_key *held = key_of_wire(json_hex(session, "session_key"));
    fake_env_init(&fake);
    uint64_t t0 = fake.mono_ns;
    struct signet_client *client = log_in(session);
    for (size_t i = 0; i < json_array_size(requests); i++) {
        struct bytes request = bytes_of(json_string_value(json_array_get(requests, i)));
        struct bytes reply = bytes_of(json_string_value(json_array_get(replies, i)));
        struct signet_mauth mauth;
        struct signet_auth_request inner;
        assert_ok(signet_mauth_decode(&mauth, request.p, request.len, NULL));
        assert_ok(signet_auth_request_decode(&inner, mauth.payload.p, mauth.payload.len, NULL));
        if (inner.type == SIGNET_GET_PRINCIPAL_SESSION_KEY) {
            script_nonce(&inner.authorizer, held);
        } else {
            fake_env_script(&fake, mauth.payload.p + 3, 8);
        }
        fake.mono_ns = t0 + at_ms[i] * (SEC / 1000);
        assert_ok(signet_client_renew(client, out, sizeof(out), &out_len));
        same(&request);
        assert_ok(signet_client_reply(client, reply.p, reply.len, &fail));
        held = auth_key(&reply, secret, held);
        free(request.p);
        free(reply.p);
    }
    signet_key_unref(held);
    signet_key_unref(secret);
    signet_auth_result_clear(&result);
    signet_client_free(client);
    json_decref(all);
}
END_TEST

static struct signet_key *raw_key(const char *hex)
{
    size_t len;
    struct signet_key *key;
    uint8_t *p = unhex(hex, &len);
    assert_ok(signet_key_import(&key, SIGNET_KEY_AES256K, p, len, 0, NULL));
    free(p);
    return key;
}

/* Puts the client where the recorded one was: global_id, AUTH ticket and its session key. */
static void instate(struct signet_client *client, const struct signet_key *key,
                    const struct signet_key *old, const struct signet_ticket_blob *blob,
                    uint64_t global_id)
{
    static const uint8_t challenge[9] = {1, 1};
    uint8_t wire[SIGNET_KEY_WIRE_MAX], sealed[256], ticket[512], reply[1024];
    struct signet_service_ticket half = {.validity = {.sec = 3600}};
    struct signet_session_reply session = {
        .header = {.type = SIGNET_GET_AUTH_SESSION_KEY},
        .tickets = {.num = 1, .entry = {{.service = SIGNET_AUTH}}},
    };
    struct signet_ticket_entry *entry = &session.tickets.entry[0];
    size_t len;
    assert_ok(signet_key_to_view(&half.session_key, wire, old));
    assert_ok(signet_service_ticket_seal(sealed, sizeof(sealed), &entry->sealed.len, key, &half));
    assert_ok(signet_ticket_blob_encode(ticket, sizeof(ticket), &entry->ticket.len, blob));
    entry->sealed.p = sealed;
    entry->ticket.p = ticket;
    assert_ok(signet_session_reply_encode(reply, sizeof(reply), &len, &session));
    assert_ok(signet_client_login(client, out, sizeof(out), &out_len));
    assert_ok(signet_client_challenge(client, out, sizeof(out), &out_len, challenge, 9, &fail));
    assert_ok(signet_client_done(client, &result, global_id, SIGNET_MODE_CRC, reply, len, &fail));
    signet_auth_result_clear(&result);
}

/* A reconnect to Ceph 20.2.4 that reclaims its global_id. The recording lacks the server's
 * challenge, so the proof (8 bytes) is not compared. */
START_TEST(reclaim)
{
    static const uint8_t challenge[9] = {1, 1};
    json_t *v = kat_json("cephx/reclaim.json");
    struct bytes request = bytes_of(json_hex(v, "request")), proof = bytes_of(json_hex(v, "proof")),
                 done = bytes_of(json_hex(v, "done"));
    struct signet_key *key = raw_key(json_hex(v, "key")),
                      *old = raw_key(json_hex(v, "old_session_key")),
                      *fresh = raw_key(json_hex(v, "session_key"));
    struct signet_auth_request inner;
    assert_ok(signet_auth_request_decode(&inner, proof.p + 4, proof.len - 4, NULL));
    fake_env_init(&fake);
    struct signet_client *client = client_of("client.k256", key, 0);
    instate(client, key, old, &inner.authenticate.old_ticket, 0x853b);
    assert_ok(signet_client_login(client, out, sizeof(out), &out_len));
    ck_assert_uint_eq(out_len, request.len - 16); /* method, one mode, length */
    ck_assert_mem_eq(out, request.p + 16, out_len);
    fake_env_script(&fake, proof.p + 7, 8);
    assert_ok(signet_client_challenge(client, out, sizeof(out), &out_len, challenge, 9, &fail));
    ck_assert_uint_eq(out_len, proof.len - 4);
    ck_assert_mem_eq(out, proof.p + 4, 11);
    ck_assert_mem_eq(out + 19, proof.p + 23, out_len - 19);
    assert_ok(signet_client_done(client, &result, 0x853b, SIGNET_MODE_SECURE, done.p + 16,
                                 done.len - 16, &fail));
    ck_assert(signet_key_equal(result.session_key, fresh));
    ck_assert_uint_eq(result.secret_len, 64);
    ck_assert_uint_eq(signet_client_need(client), 0);
    signet_auth_result_clear(&result);
    signet_client_free(client);
    signet_key_unref(key);
    signet_key_unref(old);
    signet_key_unref(fresh);
    free(request.p);
    free(proof.p);
    free(done.p);
    json_decref(v);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_replay");
    TCase *tc = suite_case(suite, "recorded");
    tcase_add_test(tc, sessions);
    tcase_add_loop_test(tc, rotating, 0, 2);
    tcase_add_test(tc, renewals);
    tcase_add_test(tc, reclaim);
    return suite_run(suite);
}
