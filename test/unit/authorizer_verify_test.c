/* SPDX-License-Identifier: MIT */
/* Authorizers at the daemon: fixed ones, recorded ones, bent ones. */
#include <signet/ticket.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_env.h"

#define CHALLENGE UINT64_C(0x1122334455667788)

static uint8_t buf[1024];

/* Part A and B of the fixed exchange. */
static size_t fixed(const json_t *vectors, const char *part_b)
{
    size_t a_len, b_len;
    uint8_t *a = unhex(json_hex(vectors, "authorizer part A"), &a_len);
    uint8_t *b = unhex(json_hex(vectors, part_b), &b_len);
    memcpy(buf, a, a_len);
    memcpy(buf + a_len, b, b_len);
    free(a);
    free(b);
    return a_len + b_len;
}

START_TEST(whole)
{
    json_t *e2e = kat_json("cephx/e2e.json");
    const json_t *vectors = json_array_get(e2e, (size_t)_i);
    struct signet_key *service = key_of_byte(_i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K, 0x77);
    struct signet_authorizer_parts parts;
    struct signet_presented who;
    size_t len = fixed(vectors, "authorizer part B without challenge");
    assert_ok(signet_authorizer_parts_decode(&parts, buf, len, NULL));
    assert_ok(signet_authorizer_open(&who, &parts, service, NULL, NULL));
    ck_assert_uint_eq(who.info.ticket.global_id, 4242);
    ck_assert_str_eq(who.info.ticket.name.id, "admin");
    assert_err(signet_authorizer_check(&who.authorize, CHALLENGE), CHALLENGE_MISSING);
    signet_presented_clear(&who);
    len = fixed(vectors, "authorizer part B with challenge");
    assert_ok(signet_authorizer_parts_decode(&parts, buf, len, NULL));
    assert_ok(signet_authorizer_open(&who, &parts, service, NULL, NULL));
    assert_ok(signet_authorizer_check(&who.authorize, CHALLENGE));
    assert_err(signet_authorizer_check(&who.authorize, CHALLENGE + 1), CHALLENGE_WRONG);
    who.authorize.challenge_plus_one = 0;
    assert_ok(signet_authorizer_check(&who.authorize, UINT64_MAX));
    signet_presented_clear(&who);
    signet_presented_clear(&who);
    signet_key_unref(service);
    json_decref(e2e);
}
END_TEST

START_TEST(refused)
{
    json_t *e2e = kat_json("cephx/e2e.json");
    const json_t *vectors = json_array_get(e2e, (size_t)_i);
    enum signet_key_type type = _i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K;
    struct signet_key *service = key_of_byte(type, 0x77), *other = key_of_byte(type, 0x78);
    struct signet_authorizer_parts parts;
    struct signet_presented who;
    struct signet_fail fail = {.err = 0};
    size_t len = fixed(vectors, "authorizer part B without challenge");
    assert_ok(signet_authorizer_parts_decode(&parts, buf, len, NULL));
    assert_err(signet_authorizer_open(&who, &parts, other, NULL, &fail), OPEN);
    parts.global_id++;
    assert_err(signet_authorizer_open(&who, &parts, service, NULL, &fail), TICKET_GLOBAL_ID);
    ck_assert_ptr_null(who.session_key);
    ck_assert_ptr_null(who.plain.p);
    parts.global_id--;
    struct signet_ticket_limits limits = {.now_ns = 0, .span_ns = 3600 * SEC, .allow_weak = true};
    assert_err(signet_authorizer_open(&who, &parts, service, &limits, &fail), TICKET_FUTURE);
    limits.now_ns = (0x65000000 + UINT64_C(3600)) * SEC;
    assert_err(signet_authorizer_open(&who, &parts, service, &limits, &fail), TICKET_EXPIRED);
    limits.now_ns--;
    assert_ok(signet_authorizer_open(&who, &parts, service, &limits, &fail));
    signet_presented_clear(&who);
    buf[len - 1] ^= 1;
    assert_err(signet_authorizer_open(&who, &parts, service, &limits, &fail), OPEN);
    signet_key_unref(service);
    signet_key_unref(other);
    json_decref(e2e);
}
END_TEST

/* Every byte of a type 2 authorizer counts; of type 1, bytes are caught where they change the
 * structure: none may crash or be taken with another global_id. */
START_TEST(flipped)
{
    json_t *e2e = kat_json("cephx/e2e.json");
    const json_t *vectors = json_array_get(e2e, (size_t)_i);
    struct signet_key *service = key_of_byte(_i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K, 0x77);
    size_t len = fixed(vectors, "authorizer part B without challenge");
    for (size_t i = 0; i < len; i++) {
        struct signet_authorizer_parts parts;
        struct signet_presented who;
        buf[i] ^= 0x20;
        int err = signet_authorizer_parts_decode(&parts, buf, len, NULL);
        bool named = i >= 9 && i < 22; /* service and secret_id: they choose the secret */
        if (err == 0) {
            err = signet_authorizer_open(&who, &parts, service, NULL, NULL);
        }
        ck_assert(err != 0 || _i == 0 || named);
        if (err == 0) {
            ck_assert_uint_eq(who.info.ticket.global_id, 4242);
            signet_presented_clear(&who);
        }
        buf[i] ^= 0x20;
    }
    signet_key_unref(service);
    json_decref(e2e);
}
END_TEST

/* Clients of real Ceph at a real OSD: both rounds, the challenge, the answer. */
static void check_session(const json_t *session)
{
    const json_t *steps = json_object_get(session, "steps");
    struct signet_key *service = key_of_wire(json_hex(session, "service_secret"));
    struct signet_key *key = key_of_wire(json_hex(session, "session_key"));
    struct signet_authorizer_parts parts;
    struct signet_presented who;
    struct signet_authorize_challenge challenge;
    struct signet_sealed outer;
    struct signet_authorize_reply reply;
    struct signet_plain plain = {.p = NULL};
    size_t len;
    uint8_t *p = unhex(json_hex(json_array_get(steps, 1), "hex"), &len);
    assert_ok(signet_authorize_challenge_open(&challenge, &plain, key, (struct signet_span){p, len},
                                              NULL));
    free(p);
    p = unhex(json_hex(json_array_get(steps, 2), "hex"), &len);
    assert_ok(signet_authorizer_parts_decode(&parts, p, len, NULL));
    assert_ok(signet_authorizer_open(&who, &parts, service, NULL, NULL));
    ck_assert(signet_key_equal(key, who.session_key));
    assert_ok(signet_authorizer_check(&who.authorize, challenge.challenge));
    free(p);
    p = unhex(json_hex(json_array_get(steps, 3), "hex"), &len);
    assert_ok(signet_sealed_decode(&outer, p, len, NULL));
    assert_ok(signet_authorize_reply_open(&reply, &plain, key, outer.sealed, NULL));
    ck_assert_uint_eq(reply.nonce_plus_one, who.authorize.nonce + 1);
    uint8_t made[256];
    size_t made_len;
    assert_ok(signet_authorizer_reply(made, sizeof(made), &made_len, key, who.authorize.nonce,
                                      reply.secret.p, reply.secret.len));
    ck_assert_uint_eq(made_len, len);
    ck_assert(signet_key_type(key) != SIGNET_KEY_AES || memcmp(made, p, len) == 0);
    free(p);
    signet_plain_free(&plain);
    signet_presented_clear(&who);
    signet_key_unref(service);
    signet_key_unref(key);
}

START_TEST(recorded)
{
    json_t *sessions = kat_json("cephx/sessions.json");
    size_t i, num = 0;
    const json_t *session;
    json_array_foreach(sessions, i, session)
    {
        if (json_object_get(session, "service") != NULL) {
            check_session(session);
            num++;
        }
    }
    ck_assert_uint_gt(num, 3);
    json_decref(sessions);
}
END_TEST

START_TEST(reply_lengths)
{
    struct signet_key *key = key_of_byte(_i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K, 0x5e);
    uint8_t secret[64] = {0};
    size_t len;
    assert_ok(signet_authorizer_reply(NULL, 0, &len, key, 1, NULL, 0));
    ck_assert_uint_eq(len, _i == 0 ? 36 : 62);
    assert_ok(signet_authorizer_reply(NULL, 0, &len, key, 1, secret, 64));
    ck_assert_uint_eq(len, _i == 0 ? 100 : 130);
    assert_err(signet_authorizer_reply(buf, len - 1, &len, key, 1, secret, 64), SPACE);
    ck_assert_uint_eq(len, 0);
    signet_key_unref(key);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("authorizer_verify");
    TCase *tc = suite_case(suite, "daemon");
    tcase_add_loop_test(tc, whole, 0, 2);
    tcase_add_loop_test(tc, refused, 0, 2);
    tcase_add_loop_test(tc, flipped, 0, 2);
    tcase_add_loop_test(tc, reply_lengths, 0, 2);
    tcase_add_test(tc, recorded);
    return suite_run(suite);
}
