/* SPDX-License-Identifier: MIT */
/* Every structure against real bytes: decode, encode to the same, cut off, lengthened. */
#include <signet/cephx.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_env.h"
#include "support/round.h"

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
ROUND(authorizer_parts)
ROUND(authenticate)
ROUND(service_ticket_request)

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

int main(void)
{
    Suite *suite = suite_create("cephx");
    TCase *tc = tcase_create("structures");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, real_structures);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
