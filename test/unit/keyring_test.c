/* SPDX-License-Identifier: MIT */
/* Reading keyrings: text, binary form, lookup. */
#include "support/suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <signet/keyring.h>
#include <signet/signet.h>

#define K1 "AQAQBwpZAAAAABAAAQIDBAUGBwgJCgsMDQ4PEA=="
#define K2 "AgAAAABgBAMCASAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define A  "[client.a]\n"

struct bad {
    const char *text;
    int err;
    unsigned line;
    const char *says; /* part of the sentence */
};

static const struct bad bad[] = {
    {A "\tkey = " K1, -SIGNET_E_KEYRING, 2, "found the end of the file"},
    {A "\tkey " K1 "\n", -SIGNET_E_KEYRING, 2, "an option that is not known"},
    {A K1 "\n", -SIGNET_E_KEYRING, 2, "an option that is not known"},
    {A "\n\n\tfoo = bar\n", -SIGNET_E_KEYRING, 4, "'foo'"},
    {A "\tkey = \"" K1 "\n", -SIGNET_E_KEYRING, 2, "closing quote"},
    {A "\tcaps mon = \"a # b\"\n", -SIGNET_E_KEYRING, 2, "found '#'"},
    {A "\tcaps mon\n", -SIGNET_E_KEYRING, 2, "expected '='"},
    {A "\tcaps mon = a\0b\n", -SIGNET_E_KEYRING, 2, "written back"},
    {A "\tcaps a__b = x\n", -SIGNET_E_KEYRING, 2, "written back"},
    {A "\tkey =\n", -SIGNET_E_KEYRING, 2, "empty"},
    {A "x", -SIGNET_E_KEYRING, 2, "end of the file"},
    {"[client.a", -SIGNET_E_KEYRING, 1, "']'"},
    {"[client.a\n", -SIGNET_E_KEYRING, 1, "end of the line"},
    {"[]\n", -SIGNET_E_KEYRING, 1, "entity name"},
    {" [client.a]\n", -SIGNET_E_KEYRING, 1, "found '['"},
    {"\r\n\r\n" A "\tx\r\n", -SIGNET_E_KEYRING, 4, "expected '='"},
    {"key = " K1 "\nkey = " K1 "\n", -SIGNET_E_KEYRING, 2, "above the options"},
    {"\xef\xbb\xbf" A, -SIGNET_E_KEYRING, 1, "byte order mark"},
    {"# caf\xe9\n", -SIGNET_E_KEYRING, 1, "UTF-8"},
    {"[admin]\n", -SIGNET_E_NAME, 1, "'admin'"},
    {"\n[client]\n", -SIGNET_E_NAME, 2, "TYPE.ID"},
    {"[" K1 "]\n", -SIGNET_E_NAME, 1, "the section's name is no entity name"},
    {A "\n\tkey = !!!!\n", -SIGNET_E_BASE64, 3, "client.a"},
    {A "\tkey = AQAQBwpZAAAAABAA\n", -SIGNET_E_LENGTH, 2, "client.a"},
    {A "\tkey = AQAQBwpZ\n", -SIGNET_E_SHORT, 2, "client.a"},
    {A "\tkey = BwAQBwpZAAAAABAAAQIDBAUGBwgJCgsMDQ4PEA==\n", -SIGNET_E_KEY_TYPE, 2, "client.a"},
    {A "\tkey = AQABAAAAAAAAAA8AAQIDBAUGBwgJCgsMDQ4P\n", -SIGNET_E_KEY_LENGTH, 2, "client.a"},
    {A "\tkey = AQABAAAAAAAAABAAAAECAwQFBgcICQoLDA0ODwA=\n", -SIGNET_E_KEY_TRAILING, 2, "client.a"},
};

static size_t text_len(const char *text)
{
    /* One of the texts has a NUL inside; all end with a line end or without NUL behind. */
    size_t len = strlen(text);
    return text[len + 1] == 'b' && text[len + 2] == '\n' ? len + 3 : len;
}

START_TEST(refuses_with_line_and_reason)
{
    const struct bad *row = &bad[_i];
    struct signet_fail fail = {0};
    struct signet_keyring *keyring = (void *)&fail;
    size_t len = _i == 7 ? text_len(row->text) : strlen(row->text);
    int err = signet_keyring_parse(&keyring, row->text, len, &fail);
    ck_assert_msg(err == row->err, "row %d: %s: %s", _i, signet_err_name(err), fail.text);
    ck_assert_ptr_null(keyring);
    ck_assert_int_eq(fail.err, err);
    ck_assert_uint_eq(fail.offset, row->line);
    ck_assert_msg(strstr(fail.text, row->says) != NULL, "row %d: %s", _i, fail.text);
    ck_assert_ptr_null(strstr(fail.text, "AQAQB")); /* no key in a message */
    ck_assert_int_eq(signet_keyring_parse(&keyring, row->text, len, NULL), err);
}
END_TEST

static struct signet_keyring *parse(const void *in, size_t len)
{
    struct signet_keyring *keyring;
    struct signet_fail fail;
    int err = signet_keyring_parse(&keyring, in, len, &fail);
    ck_assert_msg(err == 0, "%s: %s", signet_err_name(err), fail.text);
    return keyring;
}

static const char two[] =
    "[osd.3]\n\tkey = " K1 "\n\tcaps osd = \"allow *\"\n\tcaps mon = allow r\n"
    "[mon.]\n\tkey = " K2 "\n[client.none]\n\tcaps mon = x\n";

START_TEST(iterates_in_order)
{
    struct signet_keyring *keyring = parse(two, sizeof(two) - 1);
    static const char *const names[] = {"mon.", "osd.3", "client.none"};
    char text[SIGNET_NAME_TEXT_MAX];
    ck_assert_uint_eq(signet_keyring_num(keyring), 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(signet_name_print(signet_keyring_name(keyring, i), text), names[i]);
    }
    ck_assert_ptr_null(signet_keyring_name(keyring, 3));
    const char *service;
    ck_assert_uint_eq(signet_keyring_num_caps(keyring, 1), 2);
    ck_assert_str_eq(signet_keyring_cap(keyring, 1, 0, &service), "allow r");
    ck_assert_str_eq(service, "mon");
    ck_assert_str_eq(signet_keyring_cap(keyring, 1, 1, &service), "allow *");
    ck_assert_str_eq(service, "osd");
    ck_assert_ptr_null(signet_keyring_cap(keyring, 1, 2, &service));
    ck_assert_uint_eq(signet_keyring_num_caps(keyring, 3), 0);
    signet_keyring_free(keyring);
}
END_TEST

START_TEST(gives_keys)
{
    struct signet_keyring *keyring = parse(two, sizeof(two) - 1);
    struct signet_name name;
    struct signet_key *key = signet_keyring_get(keyring, "mon.");
    ck_assert_ptr_nonnull(key);
    ck_assert_int_eq(signet_key_type(key), SIGNET_KEY_AES256K);
    char text[SIGNET_KEY_TEXT_MAX];
    assert_ok(signet_key_print(key, text, sizeof(text)));
    ck_assert_str_eq(text, K2);
    signet_key_unref(key);
    ck_assert_ptr_null(signet_keyring_get(keyring, "client.none"));
    ck_assert_ptr_null(signet_keyring_get(keyring, "client.b"));
    ck_assert_ptr_null(signet_keyring_get(keyring, "no name"));
    assert_ok(signet_name_parse(&name, "client.none"));
    assert_err(signet_keyring_key(keyring, &name, NULL, &key), KEY_EMPTY);
    ck_assert_ptr_null(key);
    assert_ok(signet_name_parse(&name, "client.b"));
    assert_err(signet_keyring_key(keyring, &name, NULL, &key), NOT_FOUND);
    signet_keyring_free(keyring);
}
END_TEST

START_TEST(type_none_is_carried_not_used)
{
    static const char in[] = A "\tkey = AAAAAAAAAAAAABAAAAECAwQFBgcICQoLDA0ODw==\n";
    struct signet_keyring *keyring = parse(in, sizeof(in) - 1);
    struct signet_key *key;
    char text[64];
    assert_err(signet_keyring_key(keyring, signet_keyring_name(keyring, 0), NULL, &key), KEY_TYPE);
    assert_ok(signet_keyring_key_text(keyring, 0, text, 41));
    ck_assert_str_eq(text, "AAAAAAAAAAAAABAAAAECAwQFBgcICQoLDA0ODw==");
    assert_err(signet_keyring_key_text(keyring, 0, text, 40), SPACE);
    ck_assert_str_eq(text, "");
    assert_err(signet_keyring_key_text(keyring, 1, text, 41), NOT_FOUND);
    size_t len;
    ck_assert_ptr_null(signet_keyring_key_wire(keyring, 1, &len));
    ck_assert_uint_eq(len, 0);
    signet_keyring_free(keyring);
}
END_TEST

/* Base64 as Ceph reads it: url-safe letters, '=' inside, an end after the first padded group. */
START_TEST(takes_ceph_base64)
{
    static const char *const keys[][2] = {
        {K1 "====", K1},
        {K1 " junk", K1},
        {"AQAQBwpZAAAAABAA__79_Pv6-fj39vX08_LxAA==", "AQAQBwpZAAAAABAA//79/Pv6+fj39vX08/LxAA=="},
        {"AQAQBwpZAAA=ABAAAQIDBAUGBwgJCgsMDQ4PEA==", NULL},
        {"=QAQBwpZAAAAABAAAQIDBAUGBwgJCgsMDQ4PEA==", K1},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char in[128], text[64];
        struct signet_keyring *keyring;
        snprintf(in, sizeof(in), A "\tkey = %s\n", keys[i][0]);
        int err = signet_keyring_parse(&keyring, in, strlen(in), NULL);
        ck_assert_int_eq(err == 0, keys[i][1] != NULL);
        if (err == 0) {
            assert_ok(signet_keyring_key_text(keyring, 0, text, sizeof(text)));
            ck_assert_str_eq(text, keys[i][1]);
        }
        signet_keyring_free(keyring);
    }
}
END_TEST

START_TEST(too_much)
{
    struct signet_keyring *keyring;
    struct signet_fail fail;
    char *in = calloc(1, SIGNET_KEYRING_FILE_MAX + 1);
    memset(in, '\n', SIGNET_KEYRING_FILE_MAX + 1);
    assert_err(signet_keyring_parse(&keyring, in, SIGNET_KEYRING_FILE_MAX + 1, &fail),
               KEYRING_SIZE);
    keyring = parse(in, SIGNET_KEYRING_FILE_MAX);
    signet_keyring_free(keyring);
    size_t len = 0;
    for (unsigned i = SIGNET_KEYRING_ENTITY_MAX + 1; i > 0; i--) {
        len += (size_t)sprintf(in + len, "[osd.%u]\ncaps a = b\n", i);
    }
    assert_err(signet_keyring_parse(&keyring, in, len, &fail), COUNT);
    keyring = parse(in, len - strlen("[osd.1]\ncaps a = b\n"));
    ck_assert_uint_eq(signet_keyring_num(keyring), SIGNET_KEYRING_ENTITY_MAX);
    signet_keyring_free(keyring);
    len = (size_t)sprintf(in, A);
    for (unsigned i = 0; i < 257; i++) {
        len += (size_t)sprintf(in + len, "caps s%u = b\n", i);
    }
    assert_err(signet_keyring_parse(&keyring, in, len, &fail), COUNT);
    ck_assert_uint_eq(fail.offset, 258);
    free(in);
}
END_TEST

START_TEST(loads_files)
{
    struct signet_keyring *keyring;
    struct signet_fail fail;
    assert_ok(signet_keyring_load(&keyring, kat_path("keyring/valid/02_many.keyring"), &fail));
    ck_assert_uint_eq(signet_keyring_num(keyring), 9);
    signet_keyring_free(keyring);
    assert_err(signet_keyring_load(&keyring, "/nonexistent/x", &fail), FILE);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_ptr_nonnull(strstr(fail.text, "/nonexistent/x"));
    assert_err(signet_keyring_load(&keyring, "/", &fail), FILE);
    ck_assert_int_eq(errno, EISDIR);
    assert_err(signet_keyring_load(&keyring, "/dev/zero", &fail), KEYRING_SIZE);
    assert_ok(signet_keyring_load(&keyring, "/dev/null", &fail));
    ck_assert_uint_eq(signet_keyring_num(keyring), 0);
    signet_keyring_free(keyring);
}
END_TEST

/* --- binary form: entity client.a with parts that can be replaced ------------------------- */

#define KEY_HEX  "010010070a590000000010000102030405060708090a0b0c0d0e0f10"
#define NAME_HEX "080000000100000061"
#define AUID     "ffffffffffffffff"
#define CAP(hex) "030000006d6f6e" hex

struct wire {
    const char *hex;
    int err;
};

static const struct wire wires[] = {
    {"0101000000" NAME_HEX "02" AUID KEY_HEX "00000000", 0},
    {"ff01000000" NAME_HEX "02" AUID KEY_HEX "00000000ffff", 0},
    {"0101000000" NAME_HEX "01" KEY_HEX "00000000", 0},
    {"0101000000" NAME_HEX "03" AUID KEY_HEX "00000000000000000000000000000000", 0},
    {"0101000000" NAME_HEX "02" AUID KEY_HEX "01000000" CAP("080000000400000078797a7a"), 0},
    {"0101000000" NAME_HEX "03" AUID KEY_HEX "00000000", -SIGNET_E_SHORT},
    {"0101000000" NAME_HEX "04" AUID KEY_HEX "00000000", -SIGNET_E_VERSION},
    {"0102000000" NAME_HEX "02" AUID KEY_HEX "00000000", -SIGNET_E_SHORT},
    {"01ffffff7f" NAME_HEX "02" AUID KEY_HEX "00000000", -SIGNET_E_COUNT},
    {"010100000003000000010000006102" AUID KEY_HEX "00000000", -SIGNET_E_NAME},
    {"010100000008000000010000000a02" AUID KEY_HEX "00000000", -SIGNET_E_NAME},
    {"010100000008000000000100006102" AUID KEY_HEX "00000000", -SIGNET_E_LENGTH},
    {"0101000000" NAME_HEX "02" AUID KEY_HEX "01000000" CAP("0400000004000000"), -SIGNET_E_LENGTH},
    {"0101000000" NAME_HEX "02" AUID KEY_HEX "01000000" CAP("05000000010000000a"), -SIGNET_E_CAPS},
    {"0101000000" NAME_HEX "02" AUID KEY_HEX "01000000" CAP("050000000100000000"), -SIGNET_E_CAPS},
    {"0101000000" NAME_HEX "02" AUID "090010070a590000000004000102030400000000",
     -SIGNET_E_KEY_TYPE},
};

START_TEST(reads_the_binary_form)
{
    struct signet_keyring *keyring;
    struct signet_fail fail = {0};
    size_t len;
    uint8_t *in = unhex(wires[_i].hex, &len);
    int err = signet_keyring_parse(&keyring, in, len, &fail);
    ck_assert_msg(err == wires[_i].err, "row %d: %s: %s", _i, signet_err_name(err), fail.text);
    if (err == 0) {
        char text[64];
        assert_ok(signet_keyring_key_text(keyring, 0, text, sizeof(text)));
        ck_assert_str_eq(text, K1);
    } else {
        ck_assert_str_eq(fail.where, "binary keyring");
    }
    signet_keyring_free(keyring);
    free(in);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("keyring");
    TCase *t = suite_case(s, "keyring");
    tcase_add_loop_test(t, refuses_with_line_and_reason, 0, (int)(sizeof(bad) / sizeof(bad[0])));
    tcase_add_test(t, iterates_in_order);
    tcase_add_test(t, gives_keys);
    tcase_add_test(t, type_none_is_carried_not_used);
    tcase_add_test(t, takes_ceph_base64);
    tcase_add_test(t, too_much);
    tcase_add_test(t, loads_files);
    tcase_add_loop_test(t, reads_the_binary_form, 0, (int)(sizeof(wires) / sizeof(wires[0])));
    return suite_run(s);
}
