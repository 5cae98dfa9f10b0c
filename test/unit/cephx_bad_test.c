/* SPDX-License-Identifier: MIT */
/* Structures that no honest sender makes, each refused with its own error. */
#include <signet/cephx.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_env.h"

#define BAD(x, text, name)                                                                         \
    do {                                                                                           \
        struct signet_##x v_;                                                                      \
        struct signet_fail fail_ = {.err = 0};                                                     \
        size_t len_;                                                                               \
        uint8_t *p_ = unhex(text, &len_);                                                          \
        assert_err(signet_##x##_decode(&v_, p_, len_, &fail_), name);                              \
        ck_assert_int_eq(fail_.err, -SIGNET_E_##name);                                             \
        ck_assert_uint_le(fail_.offset, len_);                                                     \
        ck_assert_uint_gt(strlen(fail_.where), 0);                                                 \
        free(p_);                                                                                  \
    } while (0)

#define U32_0     "00000000"
#define U64_0     "0000000000000000"
#define NO_TICKET "01" U64_0 U32_0
#define TIME      "0000006500000000"
#define KEY1                                                                                       \
    "0100" TIME "1000"                                                                             \
    "000102030405060708090a0b0c0d0e0f"

START_TEST(versions)
{
    BAD(server_challenge, "00" U64_0, VERSION);
    BAD(server_challenge, "02" U64_0, VERSION);
    BAD(ticket_blob, "00" U64_0 U32_0, VERSION);
    BAD(ticket_blob, "02" U64_0 U32_0, VERSION);
    BAD(authenticate, "00" U64_0 U64_0 NO_TICKET U32_0, VERSION);
    BAD(authenticate, "04" U64_0 U64_0 NO_TICKET U32_0, VERSION);
    BAD(service_ticket, "02" KEY1 TIME, VERSION);
    BAD(authorize, "03" U64_0 "00" U64_0, VERSION);
    BAD(authorize_challenge, "02" U64_0, VERSION);
    BAD(authorize_reply, "03" U64_0, VERSION);
    BAD(service_ticket_request, "00" U32_0, VERSION);
    BAD(authorizer_parts, "02" U64_0 "04000000" NO_TICKET U32_0, VERSION);
    BAD(auth_caps, "0200" U32_0, VERSION);
    BAD(auth_ticket, "01", VERSION);
    BAD(service_ticket_info, "02", VERSION);
    BAD(expiring_key, "02" KEY1 TIME, VERSION);
    BAD(rotating_secrets, "02" U32_0 U64_0, VERSION);
    BAD(ticket_reply, "02" U32_0, VERSION);
    BAD(ticket_reply,
        "0101000000"
        "20000000"
        "02" U32_0 "00" U32_0,
        VERSION);
    BAD(auth_start_v1, "02" U32_0, VERSION);
}
END_TEST

/* CVE-2023-44466 and its like: lengths that are negative as a signed integer, or one too many. */
START_TEST(lengths)
{
    static const char *const lens[] = {"ffffff7f", "00000080", "ffffffff", "01000000"};
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "01" U64_0 "%s", lens[i]);
        BAD(ticket_blob, text, LENGTH);
        snprintf(text, sizeof(text),
                 "01000000"
                 "00000000" U64_0 "%s",
                 lens[i]);
        BAD(mauth_reply, text, LENGTH);
        snprintf(text, sizeof(text),
                 "01000000"
                 "00000000" U64_0 "00000000%s",
                 lens[i]);
        BAD(mauth_reply, text, LENGTH);
        snprintf(text, sizeof(text), U64_0 "ffff" U64_0 "02000000%s", lens[i]);
        BAD(mauth, text, LENGTH);
        snprintf(text, sizeof(text), "%s", lens[i]);
        BAD(sealed, text, LENGTH);
        BAD(connection_secret, text, LENGTH);
        BAD(wrapped_blob, text, LENGTH);
        snprintf(text, sizeof(text), "0001" U32_0 "01" U32_0 "%s", lens[i]);
        BAD(session_reply, text, LENGTH);
        snprintf(text, sizeof(text), "0001" U32_0 "01" U32_0 U32_0 "%s", lens[i]);
        BAD(session_reply, text, LENGTH);
        snprintf(text, sizeof(text), "0100%s", lens[i]);
        BAD(auth_caps, text, LENGTH);
        snprintf(text, sizeof(text), "0a08000000%s", lens[i]);
        BAD(auth_start, text, LENGTH);
        snprintf(text, sizeof(text), "02" U64_0 "%s", lens[i]);
        BAD(authorize_reply, text, LENGTH);
    }
}
END_TEST

START_TEST(inner_lengths)
{
    BAD(wrapped_blob, "0e000000" NO_TICKET "00", TRAILING);
    BAD(wrapped_blob,
        "0c000000"
        "01" U64_0 "000000",
        SHORT);
    BAD(session_reply,
        "0001" U32_0 "01" U32_0 "05000000"
        "0000000000" U32_0,
        TRAILING);
    BAD(session_reply,
        "0001" U32_0 "01" U32_0 "03000000"
        "000000" U32_0,
        SHORT);
    BAD(session_reply,
        "0001" U32_0 "01" U32_0 "04000000"
        "01000000" U32_0,
        LENGTH);
    BAD(auth_caps,
        "0100"
        "03000000"
        "000000",
        SHORT);
    BAD(auth_caps,
        "0100"
        "04000000"
        "01000000",
        LENGTH);
    BAD(auth_caps,
        "0100"
        "05000000"
        "0000000000",
        TRAILING);
}
END_TEST

START_TEST(counts)
{
    static const char *const nums[] = {"ffffff7f", "00000080", "ffffffff", "21000000", "01000000"};
    for (size_t i = 0; i < sizeof(nums) / sizeof(nums[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "01%s", nums[i]);
        BAD(ticket_reply, text, COUNT);
        BAD(auth_start_v1, text, COUNT);
        snprintf(text, sizeof(text), "01%s" U64_0, nums[i]);
        BAD(rotating_secrets, text, COUNT);
    }
}
END_TEST

START_TEST(too_many)
{
    uint8_t many[5 + 33 * 14] = {1, 33};
    struct signet_ticket_reply reply;
    for (size_t i = 0; i < 33; i++) {
        many[5 + 14 * i + 4] = 1;
    }
    assert_err(signet_ticket_reply_decode(&reply, many, sizeof(many), NULL), COUNT);
    many[1] = 32;
    assert_ok(signet_ticket_reply_decode(&reply, many, sizeof(many) - 14, NULL));
}
END_TEST

/* Security.md 3: ticket blobs have a cap, and it is the same in both directions. */
START_TEST(blob_cap)
{
    static uint8_t big[SIGNET_TICKET_BLOB_MAX + 64];
    struct signet_ticket_blob blob = {.sealed = {.p = big, .len = SIGNET_TICKET_BLOB_MAX}};
    static uint8_t buf[sizeof(big) + 64];
    size_t len;
    assert_ok(signet_ticket_blob_encode(buf, sizeof(buf), &len, &blob));
    assert_ok(signet_ticket_blob_decode(&blob, buf, len, NULL));
    buf[9]++;
    assert_err(signet_ticket_blob_decode(&blob, buf, len + 1, NULL), LENGTH);
    blob.sealed = (struct signet_span){.p = big, .len = SIGNET_TICKET_BLOB_MAX + 1};
    assert_err(signet_ticket_blob_encode(buf, sizeof(buf), &len, &blob), LENGTH);
    ck_assert_uint_eq(len, 0);
}
END_TEST

START_TEST(values)
{
    BAD(authorize, "02" U64_0 "02" U64_0, VALUE);
    BAD(ticket_reply,
        "0101000000"
        "20000000"
        "01" U32_0 "02" U32_0,
        VALUE);
    BAD(auth_request, "0003", VALUE);
    BAD(auth_request, "0101", VALUE);
    BAD(auth_request, "0000", VALUE);
    BAD(auth_start,
        "0b"
        "08000000" U32_0 U64_0,
        VALUE);
    BAD(auth_start,
        "00"
        "08000000" U32_0 U64_0,
        VALUE);
    BAD(service_ticket,
        "01" KEY1 "00000000"
        "00ca9a3b",
        VALUE);
}
END_TEST

START_TEST(keys)
{
    BAD(key_view, "0100" TIME "0000", KEY_EMPTY);
    BAD(key_view, "0300" TIME "0000", KEY_EMPTY);
    BAD(key_view,
        "0300" TIME "0100"
        "00",
        KEY_TYPE);
    BAD(key_view,
        "0000" TIME "0100"
        "00",
        KEY_TYPE);
    BAD(key_view,
        "0100" TIME "0100"
        "00",
        KEY_LENGTH);
    BAD(key_view,
        "0200" TIME "1000"
        "000102030405060708090a0b0c0d0e0f",
        KEY_LENGTH);
    BAD(key_view,
        "0100" TIME "1100"
        "000102030405060708090a0b0c0d0e0f10",
        KEY_LENGTH);
    BAD(key_view,
        "0100" TIME "ffff"
        "000102030405060708090a0b0c0d0e0f",
        LENGTH);
    BAD(key_view,
        "0100" TIME "1100"
        "000102030405060708090a0b0c0d0e0f",
        LENGTH);
}
END_TEST

START_TEST(refused_replies_have_no_rest)
{
    BAD(session_reply,
        "0001"
        "f3ffffff"
        "01" U32_0,
        TRAILING);
    BAD(principal_reply,
        "0002"
        "f3ffffff"
        "01" U32_0,
        TRAILING);
    BAD(rotating_reply,
        "0004"
        "f3ffffff" U32_0,
        TRAILING);
    BAD(auth_request, "000400", TRAILING);
}
END_TEST

START_TEST(unencodable)
{
    size_t len = 1;
    struct signet_ticket_reply reply = {.num = SIGNET_TICKETS_MAX + 1};
    struct signet_rotating_secrets secrets = {.num = SIGNET_ROTATING_MAX + 1};
    struct signet_auth_start_v1 start = {.num_methods = SIGNET_AUTH_METHODS_MAX + 1};
    struct signet_key_view key = {.type = 1, .secret = {.p = (const uint8_t *)"", .len = 33}};
    struct signet_auth_caps caps = {.present = true, .text = {.p = NULL, .len = 16385}};
    assert_err(signet_ticket_reply_encode(NULL, 0, &len, &reply), LENGTH);
    assert_err(signet_rotating_secrets_encode(NULL, 0, &len, &secrets), LENGTH);
    assert_err(signet_auth_start_v1_encode(NULL, 0, &len, &start), LENGTH);
    assert_err(signet_key_view_encode(NULL, 0, &len, &key), LENGTH);
    assert_err(signet_auth_caps_encode(NULL, 0, &len, &caps), LENGTH);
    ck_assert_uint_eq(len, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cephx_bad");
    TCase *tc = tcase_create("structures");
    tcase_add_test(tc, versions);
    tcase_add_test(tc, lengths);
    tcase_add_test(tc, inner_lengths);
    tcase_add_test(tc, counts);
    tcase_add_test(tc, too_many);
    tcase_add_test(tc, blob_cap);
    tcase_add_test(tc, values);
    tcase_add_test(tc, keys);
    tcase_add_test(tc, refused_replies_have_no_rest);
    tcase_add_test(tc, unencodable);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
