/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/signet.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "crypto/kdf.h"

#define AES_WIRE "010000000060040302011000000102030405060708090a0b0c0d0e0f"
#define AES_TEXT "AQAAAABgBAMCARAAAAECAwQFBgcICQoLDA0ODw=="
#define AES256_WIRE                                                                                \
    "020000000060040302012000000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define AES256_TEXT "AgAAAABgBAMCASAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define CREATED_NS  (UINT64_C(0x60000000) * 1000000000 + 0x01020304)

static int decode_hex(struct signet_key **key, const char *hex)
{
    size_t len;
    uint8_t *wire = unhex(hex, &len);
    int err = signet_key_decode(key, wire, len, NULL);
    free(wire);
    return err;
}

static int parse(struct signet_key **key, const char *text, struct signet_fail *why)
{
    return signet_key_parse(key, text, strlen(text), NULL, why);
}

static const struct {
    enum signet_key_type type;
    const char *wire, *text;
} forms[] = {{SIGNET_KEY_AES, AES_WIRE, AES_TEXT}, {SIGNET_KEY_AES256K, AES256_WIRE, AES256_TEXT}};

START_TEST(wire_and_text_agree)
{
    struct signet_key *a, *b;
    assert_ok(decode_hex(&a, forms[_i].wire));
    assert_ok(parse(&b, forms[_i].text, NULL));
    ck_assert_int_eq(signet_key_type(a), forms[_i].type);
    ck_assert_uint_eq(signet_key_created_ns(a), CREATED_NS);
    ck_assert(signet_key_equal(a, b));
    uint8_t wire[SIGNET_KEY_WIRE_MAX];
    size_t len;
    assert_ok(signet_key_encode(b, wire, sizeof(wire), &len));
    assert_hex(wire, len, forms[_i].wire);
    char text[SIGNET_KEY_TEXT_MAX];
    assert_ok(signet_key_print(a, text, strlen(forms[_i].text) + 1));
    ck_assert_str_eq(text, forms[_i].text);
    signet_key_unref(a);
    signet_key_unref(b);
}
END_TEST

START_TEST(any_creation_time_survives)
{
    static const char wire_hex[] = "0100ffffffffffffffff1000000102030405060708090a0b0c0d0e0f";
    struct signet_key *key;
    uint8_t wire[SIGNET_KEY_WIRE_MAX];
    size_t len;
    assert_ok(decode_hex(&key, wire_hex));
    assert_ok(signet_key_encode(key, wire, sizeof(wire), &len));
    assert_hex(wire, len, wire_hex);
    signet_key_unref(key);
}
END_TEST

START_TEST(each_bad_wire_form_has_its_error)
{
    struct signet_key *key = NULL;
    char cut[sizeof(AES_WIRE)] = AES_WIRE;
    for (size_t len = 0; len < 12; len++) {
        cut[2 * len] = 0;
        assert_err(decode_hex(&key, cut), SHORT);
        cut[2 * len] = AES_WIRE[2 * len];
    }
    for (size_t len = 12; len < 28; len++) {
        cut[2 * len] = 0;
        assert_err(decode_hex(&key, cut), LENGTH);
        cut[2 * len] = AES_WIRE[2 * len];
    }
    assert_err(decode_hex(&key, AES_WIRE "00"), KEY_TRAILING);
    assert_err(decode_hex(&key, "010000000000000000000000"), KEY_EMPTY);
    assert_err(decode_hex(&key, "070000000000000000000000"), KEY_EMPTY);
    assert_err(decode_hex(&key, "0700000000000000000002000102"), KEY_TYPE);
    assert_err(decode_hex(&key, "0000000000000000000002000102"), KEY_TYPE);
    assert_err(decode_hex(&key, "0101000000000000000002000102"), KEY_TYPE);
    assert_err(decode_hex(&key, "0100000000000000000002000102"), KEY_LENGTH);
    assert_err(decode_hex(&key, "0200000000000000000002000102"), KEY_LENGTH);
    assert_err(decode_hex(&key, "01000000000000000000ffff0102"), LENGTH);
    ck_assert_ptr_null(key);
}
END_TEST

START_TEST(secrets_have_one_length)
{
    uint8_t secret[64] = {0};
    struct signet_key *key;
    for (size_t len = 0; len <= sizeof(secret); len++) {
        int want = len == 16 ? 0 : -SIGNET_E_KEY_LENGTH;
        ck_assert_int_eq(signet_key_import(&key, SIGNET_KEY_AES, secret, len, 0, NULL), want);
        signet_key_unref(key);
        want = len == 32 ? 0 : -SIGNET_E_KEY_LENGTH;
        ck_assert_int_eq(signet_key_import(&key, SIGNET_KEY_AES256K, secret, len, 0, NULL), want);
        signet_key_unref(key);
    }
    assert_err(signet_key_import(&key, SIGNET_KEY_NONE, secret, 16, 0, NULL), KEY_TYPE);
    assert_err(signet_key_import(&key, (enum signet_key_type)3, secret, 16, 0, NULL), KEY_TYPE);
    assert_err(signet_key_generate(&key, SIGNET_KEY_NONE, NULL), KEY_TYPE);
}
END_TEST

START_TEST(text_is_strict)
{
    static const struct {
        const char *text;
        size_t at;
    } bad[] = {
        {"AQAAAABgBAMCARAAAAECAwQFBgcICQoLDA0ODw=", 39},
        {"AQAAAABgBAMCARAAAAECAwQFBgcICQoLDA0ODw", 38},
        {"AQAAAABgBAMCARAAAAECAwQFBgcICQoLDA0ODx==", 37}, /* unused bits */
        {"AQAAAABgBAMCARAAAAECAwQFBgcICQoLDA0ODw==\n", 38},
        {" QAAAABgBAMCARAAAAECAwQFBgcICQoLDA0ODw==", 0},
        {"AQAA-ABgBAMCARAAAAECAwQFBgcICQoLDA0ODw==", 4},
        {"AQ==AABgBAMCARAAAAECAwQFBgcICQoLDA0ODw==", 2},
        {"====", 0},
        {"A===", 1},
    };
    struct signet_key *key;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct signet_fail why = {0};
        assert_err(parse(&key, bad[i].text, &why), BASE64);
        ck_assert_int_eq(why.err, -SIGNET_E_BASE64);
        ck_assert_msg(why.offset == bad[i].at, "%s: %u", bad[i].text, (unsigned)why.offset);
        ck_assert_ptr_null(key);
    }
    struct signet_fail why = {0};
    assert_err(parse(&key, "", &why), SHORT);
    ck_assert_str_eq(why.where, "CryptoKey");
    char endless[2001];
    memset(endless, 'A', 2000);
    endless[2000] = 0;
    assert_err(parse(&key, endless, NULL), KEY_LENGTH);
}
END_TEST

START_TEST(type_names)
{
    enum signet_key_type type;
    ck_assert_str_eq(signet_key_type_name(SIGNET_KEY_AES), "aes");
    ck_assert_str_eq(signet_key_type_name(SIGNET_KEY_AES256K), "aes256k");
    ck_assert_str_eq(signet_key_type_name(SIGNET_KEY_NONE), "none");
    ck_assert_ptr_null(signet_key_type_name((enum signet_key_type)3));
    assert_ok(signet_key_type_parse(&type, "AES256k"));
    ck_assert_int_eq(type, SIGNET_KEY_AES256K);
    assert_ok(signet_key_type_parse(&type, "Recommended"));
    ck_assert_int_eq(type, SIGNET_KEY_AES256K);
    assert_ok(signet_key_type_parse(&type, "aes"));
    ck_assert_int_eq(type, SIGNET_KEY_AES);
    assert_err(signet_key_type_parse(&type, "aes128"), KEY_TYPE);
    ck_assert_uint_eq(signet_key_type_len(SIGNET_KEY_AES), 16);
    ck_assert_uint_eq(signet_key_type_len(SIGNET_KEY_AES256K), 32);
    ck_assert_uint_eq(signet_key_type_len(SIGNET_KEY_NONE), 0);
}
END_TEST

START_TEST(generated_keys_differ)
{
    struct signet_key *a, *b;
    assert_ok(signet_key_generate(&a, forms[_i].type, NULL));
    assert_ok(signet_key_generate(&b, forms[_i].type, signet_handler_current()));
    ck_assert(!signet_key_equal(a, b));
    ck_assert(signet_key_equal(a, a));
    ck_assert_uint_gt(signet_key_created_ns(a), UINT64_C(1600000000000000000));
    ck_assert_ptr_eq(signet_key_ref(a), a);
    signet_key_unref(a);
    signet_key_unref(a);
    signet_key_unref(b);
    signet_key_unref(NULL);
}
END_TEST

START_TEST(types_are_never_equal)
{
    uint8_t secret[32] = {0};
    struct signet_key *a, *b;
    assert_ok(signet_key_import(&a, SIGNET_KEY_AES, secret, 16, 5, NULL));
    assert_ok(signet_key_import(&b, SIGNET_KEY_AES256K, secret, 32, 5, NULL));
    ck_assert(!signet_key_equal(a, b));
    signet_key_unref(a);
    signet_key_unref(b);
}
END_TEST

START_TEST(output_space_is_checked)
{
    struct signet_key *key;
    uint8_t wire[SIGNET_KEY_WIRE_MAX];
    char text[SIGNET_KEY_TEXT_MAX];
    size_t len = 7;
    assert_ok(decode_hex(&key, AES256_WIRE));
    assert_err(signet_key_encode(key, wire, 43, &len), SPACE);
    ck_assert_uint_eq(len, 0);
    assert_err(signet_key_print(key, text, 60), SPACE);
    ck_assert_str_eq(text, "");
    assert_ok(signet_key_print(key, text, 61));
    signet_key_unref(key);
}
END_TEST

START_TEST(hmac_uses_the_raw_secret)
{
    /* RFC 4231 has no key of 16 or 32 bytes; these are from Python's hmac. */
    static const char *const want[] = {
        "fe9d6e289a20c9e55620b30c512076e46ab185f0b4eece2257111e16326d5ba7",
        "c67a4c9061294841cc41b392c6bc79523e92523ccf82fa4c392f7e4b49972a52",
    };
    struct signet_key *key;
    uint8_t mac[SIGNET_HMAC_LEN];
    assert_ok(decode_hex(&key, forms[_i].wire));
    assert_ok(signet_key_hmac(key, mac, (const uint8_t *)"signet", 6));
    assert_hex(mac, sizeof(mac), want[_i]);
    signet_key_unref(key);
}
END_TEST

START_TEST(derived_keys)
{
    static const struct {
        unsigned usage;
        const char *ke, *ki;
    } want[] = {
        {0x00, "35c0724a850dc60727852e5a6351306b02ea85e2b8b52e80fef0c23f1d307344",
         "592ad2a70e25f8d545eb692f389ec855ac7e291f25c559b1"},
        {0x03, "985b5b365a844e7809a67722f1cb494e629e2adba63530a402581fc4c1fd362e",
         "6c743c95a6e97f3e688a1616a0589d754d072e614d493556"},
        {0x04, "d5dd0fc4ecb5792572994ff047adbc347c1abfec2eceec74fc4e69be182d2bed",
         "fbbcdfc9ff76a05446ef4806231051b25535ed240b91066a"},
        {0x05, "be3f39a8fc25c7f40a409c597688b0892ae8d23f0f311c5989b7b332b29c2acc",
         "b3d29dcc398d14b95e22bd3d95e724f177e8a27093ad5cc1"},
        {0x10, "186828cb2b1f2a6f6bfe848ba158c0742a8b1b7249addd061aa9c1db989f341b",
         "39ed5fc5d6966921cc90085beb9d4531e43c8488eb7b38c7"},
        {0x11, "953238a9d46b6b7cce60af869418bed14bb46a0bf9e55558fbcdacdb2f56f937",
         "442ca5f8be9cdf2b640af38d98f93e351431c58a76cadf95"},
        {0x12, "f3f3588de4d226be22c2cf32883e1f523d71540942e342a944ac3e03840e9de0",
         "69fee35450efbeedeee38dcdf46bafbf2c94ed1739a20d0e"},
        {0x20, "cda1f1d34010a664acfd84a07457cc789a9ef5a0e807ab95a9e66e69a6ef94df",
         "4adaa3ac0eb7dc2f78c55017ffb0c4496bd8223f69d799aa"},
        {0x30, "9e1852932c0390794293d997cb57fb5a6815c6bd4c27d8277bbb24b544483317",
         "f7285ea9ca38bfbcd86737805e5a37a9d0e6ee93a6ca6601"},
    };
    uint8_t secret[32], ke[SIGNET_KE_LEN], ki[SIGNET_KI_LEN];
    for (uint8_t i = 0; i < 32; i++) {
        secret[i] = i;
    }
    const struct signet_handler *h = signet_handler_current();
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        assert_ok(signet_kdf(h, ke, ki, secret, want[i].usage));
        assert_hex(ke, sizeof(ke), want[i].ke);
        assert_hex(ki, sizeof(ki), want[i].ki);
    }
    unhex_to(secret, 32, "6d404d37faf79f9df0d33568d320669800eb4836472ea8a026d16b7182460c52");
    assert_ok(signet_kdf(h, ke, ki, secret, 2)); /* RFC 8009, appendix A */
    assert_hex(ke, 32, "56ab22bee63d82d7bc5227f6773f8ea7a5eb1c825160c38312980c442e5c7e49");
    assert_hex(ki, 24, "69b16514e3cd8e56b82010d5c73012b622c4d00ffc23ed1f");
}
END_TEST

START_TEST(keys_need_an_initialised_library)
{
    signet_shutdown();
    struct signet_key *key = NULL;
    uint8_t secret[16] = {0};
    assert_err(signet_key_import(&key, SIGNET_KEY_AES, secret, 16, 0, NULL), STATE);
    assert_err(signet_key_generate(&key, SIGNET_KEY_AES, NULL), STATE);
    suite_start();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("key");
    TCase *t = suite_case(s, "forms");
    tcase_add_loop_test(t, wire_and_text_agree, 0, 2);
    tcase_add_test(t, any_creation_time_survives);
    tcase_add_test(t, each_bad_wire_form_has_its_error);
    tcase_add_test(t, secrets_have_one_length);
    tcase_add_test(t, text_is_strict);
    tcase_add_test(t, type_names);
    tcase_add_test(t, output_space_is_checked);
    t = suite_case(s, "objects");
    tcase_add_loop_test(t, generated_keys_differ, 0, 2);
    tcase_add_test(t, types_are_never_equal);
    tcase_add_loop_test(t, hmac_uses_the_raw_secret, 0, 2);
    tcase_add_test(t, derived_keys);
    tcase_add_test(t, keys_need_an_initialised_library);
    return suite_run(s);
}
