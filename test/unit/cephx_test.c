/* SPDX-License-Identifier: MIT */
/* Every structure against real bytes: decode, encode to the same, cut off, lengthened. */
#include <signet/cephx.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_env.h"

static uint8_t out[1 << 17];

/* A copy of exactly len bytes, so that sanitizers see a read past it. */
static uint8_t *exact(const uint8_t *p, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, p, len);
    return copy;
}

static bool all_zero(const void *p, size_t len)
{
    const uint8_t *b = p;
    for (size_t i = 0; i < len; i++) {
        if (b[i] != 0) {
            return false;
        }
    }
    return true;
}

/* holes: how many cut off forms are structures themselves. */
#define ROUND(x)                                                                                   \
    static void round_##x(const uint8_t *p, size_t len, unsigned holes)                            \
    {                                                                                              \
        struct signet_##x v;                                                                       \
        struct signet_fail fail = {.err = 0};                                                      \
        size_t n;                                                                                  \
        unsigned good = 0;                                                                         \
        assert_ok(signet_##x##_decode(&v, p, len, NULL));                                          \
        assert_ok(signet_##x##_encode(NULL, 0, &n, &v));                                           \
        ck_assert_uint_eq(n, len);                                                                 \
        assert_ok(signet_##x##_encode(out, len, &n, &v));                                          \
        ck_assert_uint_eq(n, len);                                                                 \
        ck_assert_mem_eq(out, p, len);                                                             \
        assert_err(signet_##x##_encode(out, len - 1, &n, &v), SPACE);                              \
        ck_assert_uint_eq(n, 0);                                                                   \
        for (size_t cut = 0; cut < len; cut++) {                                                   \
            uint8_t *copy = exact(p, cut);                                                         \
            int err = signet_##x##_decode(&v, copy, cut, &fail);                                   \
            good += err == 0;                                                                      \
            ck_assert_int_eq(err, err == 0 ? 0 : fail.err);                                        \
            ck_assert(err == 0 || all_zero(&v, sizeof(v)));                                        \
            free(copy);                                                                            \
        }                                                                                          \
        ck_assert_uint_eq(good, holes);                                                            \
        uint8_t *longer = malloc(len + 1);                                                         \
        memcpy(longer, p, len);                                                                    \
        longer[len] = 0;                                                                           \
        assert_err(signet_##x##_decode(&v, longer, len + 1, NULL), TRAILING);                      \
        free(longer);                                                                              \
    }

ROUND(key_view)
ROUND(server_challenge)
ROUND(response_header)
ROUND(ticket_blob)
ROUND(service_ticket)
ROUND(auth_ticket)
ROUND(service_ticket_info)
ROUND(expiring_key)
ROUND(rotating_secrets)
ROUND(authorize)
ROUND(authorize_challenge)
ROUND(authorize_reply)
ROUND(auth_start)
ROUND(auth_start_v1)
ROUND(authorizer_parts)
ROUND(authenticate)
ROUND(service_ticket_request)
ROUND(auth_request)
ROUND(ticket_reply)
ROUND(session_reply)
ROUND(principal_reply)
ROUND(rotating_reply)
ROUND(sealed)
ROUND(mauth)
ROUND(mauth_reply)
ROUND(wrapped_blob)
ROUND(connection_secret)

static uint64_t number(const json_t *fields, const char *name)
{
    const json_t *v = json_object_get(fields, name);
    if (json_is_string(v)) { /* beyond what jansson reads */
        return strtoull(json_string_value(v), NULL, 10);
    }
    ck_assert_msg(json_is_integer(v), "no %s", name);
    return (uint64_t)json_integer_value(v);
}

static void same_span(struct signet_span got, const json_t *fields, const char *name)
{
    assert_hex(got.p, got.len, json_hex(fields, name));
}

static void same_time(struct signet_utime got, const json_t *fields, const char *name)
{
    const json_t *v = json_object_get(fields, name);
    ck_assert_int_eq(got.sec, json_integer_value(json_array_get(v, 0)));
    ck_assert_int_eq(got.nsec, json_integer_value(json_array_get(v, 1)));
}

static void same_key(const struct signet_key_view *got, const json_t *fields)
{
    ck_assert_uint_eq(got->type, number(fields, "type"));
    same_time(got->created, fields, "created");
    same_span(got->secret, fields, "secret");
}

static void check_key(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_key_view v;
    round_key_view(p, len, 0);
    assert_ok(signet_key_view_decode(&v, p, len, NULL));
    same_key(&v, f);
}

static void check_challenge(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_server_challenge v;
    round_server_challenge(p, len, 0);
    assert_ok(signet_server_challenge_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.challenge, number(f, "server_challenge"));
}

static void check_header(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_response_header v;
    round_response_header(p, len, 0);
    assert_ok(signet_response_header_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.type, number(f, "request_type"));
    ck_assert_int_eq(v.status, (int32_t)number(f, "status"));
}

static void check_blob(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_ticket_blob v;
    round_ticket_blob(p, len, 0);
    assert_ok(signet_ticket_blob_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.secret_id, number(f, "secret_id"));
    same_span(v.sealed, f, "blob");
}

static void check_service_ticket(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_service_ticket v;
    round_service_ticket(p, len, 0);
    assert_ok(signet_service_ticket_decode(&v, p, len, NULL));
    same_key(&v.session_key, json_object_get(f, "session_key"));
    same_time(v.validity, f, "validity");
}

static void same_ticket(const struct signet_auth_ticket *v, const json_t *f)
{
    const json_t *caps = json_object_get(f, "caps");
    const char *hex = json_hex(caps, "caps");
    ck_assert_uint_eq(v->name.type, number(f, "name_type"));
    ck_assert_str_eq(v->name.id, json_string_value(json_object_get(f, "name_id")));
    ck_assert_uint_eq(v->global_id, number(f, "global_id"));
    ck_assert_uint_eq(v->auid, UINT64_MAX);
    same_time(v->created, f, "created");
    same_time(v->expires, f, "expires");
    ck_assert_uint_eq(v->caps.allow_all, number(caps, "allow_all"));
    ck_assert_uint_eq(v->flags, number(f, "flags"));
    ck_assert(v->caps.present == (strlen(hex) > 0));
    if (v->caps.present) {
        assert_hex(v->caps.text.p, v->caps.text.len, hex + 8);
    }
}

static void check_ticket(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_auth_ticket v;
    round_auth_ticket(p, len, 0);
    assert_ok(signet_auth_ticket_decode(&v, p, len, NULL));
    same_ticket(&v, f);
}

static void check_info(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_service_ticket_info v;
    round_service_ticket_info(p, len, 0);
    assert_ok(signet_service_ticket_info_decode(&v, p, len, NULL));
    same_ticket(&v.ticket, json_object_get(f, "ticket"));
    same_key(&v.session_key, json_object_get(f, "session_key"));
}

static void check_authenticate(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_authenticate v;
    round_authenticate(p, len, 0);
    assert_ok(signet_authenticate_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.version, number(f, "struct_v"));
    ck_assert_uint_eq(v.other_keys, number(f, "other_keys"));
    ck_assert_uint_eq(v.old_ticket.secret_id,
                      number(json_object_get(f, "old_ticket"), "secret_id"));
}

static void check_authorize(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_authorize v;
    round_authorize(p, len, 0);
    assert_ok(signet_authorize_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.version, number(f, "struct_v"));
    ck_assert_uint_eq(v.have_challenge, number(f, "have_challenge"));
}

static void check_authorizer_a(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_authorizer_parts v;
    uint8_t *whole = calloc(1, len + 4);
    memcpy(whole, p, len); /* part B of no bytes */
    round_authorizer_parts(whole, len + 4, 0);
    assert_ok(signet_authorizer_parts_decode(&v, whole, len + 4, NULL));
    ck_assert_uint_eq(v.global_id, number(f, "global_id"));
    ck_assert_uint_eq(v.service, number(f, "service_id"));
    same_span(v.ticket.sealed, json_object_get(f, "ticket"), "blob");
    free(whole);
}

static void check_authorize_challenge(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_authorize_challenge v;
    round_authorize_challenge(p, len, 0);
    assert_ok(signet_authorize_challenge_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.challenge, number(f, "server_challenge"));
}

static void check_authorize_reply(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_authorize_reply v;
    round_authorize_reply(p, len, 0);
    assert_ok(signet_authorize_reply_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.version, number(f, "struct_v"));
    if (v.version == 2) {
        same_span(v.secret, f, "connection_secret");
    }
}

static void check_request(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_service_ticket_request v;
    round_service_ticket_request(p, len, 0);
    assert_ok(signet_service_ticket_request_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.keys, number(f, "keys"));
}

static void check_expiring(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_expiring_key v;
    round_expiring_key(p, len, 0);
    assert_ok(signet_expiring_key_decode(&v, p, len, NULL));
    same_key(&v.key, json_object_get(f, "key"));
    same_time(v.expiration, f, "expiration");
}

static void check_rotating(const uint8_t *p, size_t len, const json_t *f)
{
    struct signet_rotating_secrets v;
    round_rotating_secrets(p, len, 0);
    assert_ok(signet_rotating_secrets_decode(&v, p, len, NULL));
    ck_assert_uint_eq(v.num, 3);
    ck_assert_uint_eq(v.max_ver, 3);
    const json_t *second = json_object_get(json_object_get(f, "secrets"), "2");
    ck_assert_uint_eq(v.entry[1].id, 2);
    if (second != NULL) {
        same_key(&v.entry[1].secret.key, json_object_get(second, "key"));
    }
}

static const struct {
    const char *type;
    void (*check)(const uint8_t *p, size_t len, const json_t *fields);
} checks[] = {
    {"CryptoKey", check_key},
    {"CephXServerChallenge", check_challenge},
    {"CephXResponseHeader", check_header},
    {"CephXTicketBlob", check_blob},
    {"CephXServiceTicket", check_service_ticket},
    {"AuthTicket", check_ticket},
    {"CephXServiceTicketInfo", check_info},
    {"CephXAuthenticate", check_authenticate},
    {"CephXAuthorize", check_authorize},
    {"CephXAuthorizeA", check_authorizer_a},
    {"CephXAuthorizeChallenge", check_authorize_challenge},
    {"CephXAuthorizeReply", check_authorize_reply},
    {"CephXServiceTicketRequest", check_request},
    {"ExpiringCryptoKey", check_expiring},
    {"RotatingSecrets", check_rotating},
};

static void check_one(const json_t *row)
{
    const char *type = json_string_value(json_object_get(row, "type"));
    size_t len;
    uint8_t *p = unhex(json_hex(row, "hex"), &len);
    size_t i = 0;
    while (strcmp(checks[i].type, type) != 0) {
        i++;
        ck_assert_msg(i < sizeof(checks) / sizeof(checks[0]), "no check for %s", type);
    }
    checks[i].check(p, len, json_object_get(row, "fields"));
    free(p);
}

START_TEST(real_structures)
{
    json_t *rows = kat_json("cephx/wire.json");
    size_t i;
    const json_t *row;
    ck_assert_uint_gt(json_array_size(rows), 60);
    json_array_foreach(rows, i, row) check_one(row);
    json_decref(rows);
}
END_TEST

/* Payloads by their place in a recorded session. */
static void check_step(const json_t *step, bool daemon)
{
    size_t len;
    const char *kind = json_string_value(json_object_get(step, "kind"));
    uint8_t *p = unhex(json_hex(step, "hex"), &len);
    if (daemon && (strcmp(kind, "request") == 0 || strcmp(kind, "proof") == 0)) {
        round_authorizer_parts(p, len, 0);
    } else if (daemon && strcmp(kind, "done") == 0) {
        round_sealed(p, len, 0);
    } else if (!daemon && strcmp(kind, "request") == 0) {
        round_auth_start(p, len, 0);
    } else if (!daemon && strcmp(kind, "proof") == 0) {
        round_auth_request(p, len, 0);
    } else if (!daemon && strcmp(kind, "done") == 0) {
        round_session_reply(p, len, 1); /* without the last two members */
    }
    free(p);
}

static void check_fronts(const json_t *session)
{
    size_t i, len;
    const json_t *front;
    json_array_foreach(json_object_get(session, "mauth"), i, front)
    {
        struct signet_mauth mauth;
        uint8_t *p = unhex(json_string_value(front), &len);
        round_mauth(p, len, 1); /* without the epoch */
        assert_ok(signet_mauth_decode(&mauth, p, len, NULL));
        ck_assert_uint_eq(mauth.session_mon, 0xffff);
        ck_assert_uint_eq(mauth.protocol, 2);
        round_auth_request(mauth.payload.p, mauth.payload.len, 0);
        free(p);
    }
    json_array_foreach(json_object_get(session, "mauth_reply"), i, front)
    {
        struct signet_mauth_reply reply;
        uint8_t *p = unhex(json_string_value(front), &len);
        round_mauth_reply(p, len, 0);
        assert_ok(signet_mauth_reply_decode(&reply, p, len, NULL));
        ck_assert_int_eq(reply.result, 0);
        uint8_t type = reply.payload.p[1];
        type == 1   ? round_session_reply(reply.payload.p, reply.payload.len, 1)
        : type == 2 ? round_principal_reply(reply.payload.p, reply.payload.len, 0)
                    : round_rotating_reply(reply.payload.p, reply.payload.len, 0);
        free(p);
    }
}

START_TEST(real_payloads)
{
    json_t *sessions = kat_json("cephx/sessions.json");
    size_t i, j;
    const json_t *session, *step;
    json_array_foreach(sessions, i, session)
    {
        bool daemon = json_object_get(session, "service") != NULL;
        json_array_foreach(json_object_get(session, "steps"), j, step)
        {
            check_step(step, daemon);
        }
        check_fronts(session);
    }
    json_decref(sessions);
}
END_TEST

START_TEST(other_structures)
{
    struct signet_auth_start_v1 v1 = {
        .num_methods = 2, .methods = {2, 1}, .name = {.type = 8, .id_len = 1, .id = "a"}};
    size_t len;
    uint8_t buf[128];
    assert_ok(signet_auth_start_v1_encode(buf, sizeof(buf), &len, &v1));
    assert_hex(buf, len,
               "01020000000200000001000000080000000100000061"
               "0000000000000000");
    round_auth_start_v1(buf, len, 0);
    static const uint8_t blob[] = {18, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0,
                                   0,  0, 5, 0, 0, 0, 1, 2, 3, 4, 5};
    round_wrapped_blob(blob, sizeof(blob), 0);
    static const uint8_t string[] = {3, 0, 0, 0, 1, 2, 3};
    round_connection_secret(string, sizeof(string), 0);
    static const uint8_t none[] = {1, 0, 0, 0, 0};
    round_ticket_reply(none, sizeof(none), 0);
    static const uint8_t refused[] = {0, 2, 0xf3, 0xff, 0xff, 0xff};
    round_principal_reply(refused, sizeof(refused), 0);
    round_rotating_reply((const uint8_t[]){0, 4, 0xf3, 0xff, 0xff, 0xff}, 6, 0);
    round_session_reply((const uint8_t[]){0, 1, 0xf3, 0xff, 0xff, 0xff}, 6, 0);
}
END_TEST

START_TEST(times)
{
    struct signet_utime t = signet_utime_from_ns(5 * SEC + 7);
    ck_assert_uint_eq(t.sec, 5);
    ck_assert_uint_eq(t.nsec, 7);
    ck_assert_uint_eq(signet_utime_ns(t), 5 * SEC + 7);
    ck_assert_uint_eq(signet_utime_from_ns(UINT64_MAX).sec, UINT32_MAX);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cephx");
    TCase *tc = tcase_create("structures");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, real_structures);
    tcase_add_test(tc, real_payloads);
    tcase_add_test(tc, other_structures);
    tcase_add_test(tc, times);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
