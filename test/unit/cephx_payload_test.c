/* SPDX-License-Identifier: MIT */
/* Payloads and message fronts of real sessions, and what they lack. */
#include <signet/cephx.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_env.h"
#include "support/round.h"

ROUND(auth_start)
ROUND(auth_start_v1)
ROUND(authorizer_parts)
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
    Suite *suite = suite_create("cephx_payload");
    TCase *tc = tcase_create("payloads");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, real_payloads);
    tcase_add_test(tc, other_structures);
    tcase_add_test(tc, times);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
