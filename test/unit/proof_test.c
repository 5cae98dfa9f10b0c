/* SPDX-License-Identifier: MIT */
#include <signet/ticket.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_env.h"

#define SERVER UINT64_C(0x1122334455667788)
#define CLIENT UINT64_C(0x99aabbccddeeff00)

static struct signet_key *key_of_secret(enum signet_key_type type, const char *hex)
{
    size_t len;
    struct signet_key *key;
    uint8_t *secret = unhex(hex, &len);
    assert_ok(signet_key_import(&key, type, secret, len, 0, NULL));
    free(secret);
    return key;
}

static uint64_t proof_of(const struct signet_key *key, uint64_t server, uint64_t client)
{
    uint64_t proof;
    assert_ok(signet_proof(&proof, key, server, client));
    return proof;
}

START_TEST(specification)
{
    struct signet_key *one = key_of_secret(SIGNET_KEY_AES, "000102030405060708090a0b0c0d0e0f");
    struct signet_key *two = key_of_secret(
        SIGNET_KEY_AES256K, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    ck_assert_uint_eq(proof_of(one, SERVER, CLIENT), UINT64_C(0x4fadd85010bcad18));
    ck_assert_uint_eq(proof_of(two, SERVER, CLIENT), UINT64_C(0x52460fb091ff144a));
    signet_key_unref(one);
    signet_key_unref(two);
}
END_TEST

static uint64_t hex_u64(const json_t *row, const char *name)
{
    return strtoull(json_hex(row, name), NULL, 16);
}

/* Answers of the code inside Ceph's own library. */
START_TEST(oracle)
{
    json_t *rows = kat_json("cephx/oracle.json");
    size_t i, num = 0;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "t")), "challenge") != 0) {
            continue;
        }
        struct signet_key *key = key_of_secret(SIGNET_KEY_AES, json_hex(row, "key"));
        ck_assert_uint_eq(
            proof_of(key, hex_u64(row, "server_challenge"), hex_u64(row, "client_challenge")),
            hex_u64(row, "result"));
        signet_key_unref(key);
        num++;
    }
    ck_assert_uint_eq(num, 8);
    json_decref(rows);
}
END_TEST

/* Logins of real clients, both key types. */
START_TEST(recorded)
{
    json_t *sessions = kat_json("cephx/sessions.json");
    size_t i, len, num = 0;
    const json_t *session;
    json_array_foreach(sessions, i, session)
    {
        const json_t *steps = json_object_get(session, "steps");
        if (json_object_get(session, "entity") == NULL) {
            continue;
        }
        struct signet_key *key = key_of_text(json_hex(session, "key"));
        struct signet_server_challenge challenge;
        struct signet_auth_request request;
        uint8_t *p = unhex(json_hex(json_array_get(steps, 1), "hex"), &len);
        assert_ok(signet_server_challenge_decode(&challenge, p, len, NULL));
        free(p);
        p = unhex(json_hex(json_array_get(steps, 2), "hex"), &len);
        assert_ok(signet_auth_request_decode(&request, p, len, NULL));
        assert_ok(signet_proof_check(key, challenge.challenge, &request.authenticate));
        request.authenticate.client_challenge ^= 1;
        assert_err(signet_proof_check(key, challenge.challenge, &request.authenticate),
                   PROOF_WRONG);
        free(p);
        signet_key_unref(key);
        num++;
    }
    ck_assert_uint_gt(num, 8);
    json_decref(sessions);
}
END_TEST

START_TEST(no_challenge)
{
    struct signet_key *key = key_of_byte(SIGNET_KEY_AES256K, 1);
    struct signet_authenticate request = {.version = 3, .client_challenge = CLIENT};
    request.key = proof_of(key, 0, CLIENT);
    assert_err(signet_proof_check(key, 0, &request), CHALLENGE_ZERO);
    signet_key_unref(key);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("proof");
    TCase *tc = suite_case(suite, "proof");
    tcase_add_test(tc, specification);
    tcase_add_test(tc, oracle);
    tcase_add_test(tc, recorded);
    tcase_add_test(tc, no_challenge);
    return suite_run(suite);
}
