/* SPDX-License-Identifier: MIT */
/* Keys files of signet decode: both forms, and what is wrong in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/suite.h"

#include "keys.h"

#define AES_KEY  "AQACEF5fAAAAABAAsLGys7S1tre4ubq7vL2+vw=="
#define AES_KEY2 "AQADEF5fAAAAABAAwMHCw8TFxsfIycrLzM3Ozw=="

static struct signet_fail fail;

/* Writes the text to a file and loads it; *keys is NULL on failure. */
static int load(const char *text, struct tool_keys **keys)
{
    char path[] = "/tmp/signet-keys-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    int err = tool_keys_load(keys, path, &fail);
    unlink(path);
    ck_assert((err == 0) == (*keys != NULL));
    return err;
}

static bool has_entity(const struct tool_keys *keys, const char *text)
{
    struct signet_name name;
    assert_ok(signet_name_parse(&name, text));
    return tool_keys_entity(keys, &name) != NULL;
}

START_TEST(from_json)
{
    struct tool_keys *keys;
    assert_ok(load("{\"entities\": {\"client.admin\": \"" AES_KEY "\", \"mon.\": \"" AES_KEY2 "\"},"
                   " \"rotating\": {\"osd\": {\"2\": \"" AES_KEY "\"}}, \"other\": 1}",
                   &keys));
    ck_assert(has_entity(keys, "client.admin"));
    ck_assert(!has_entity(keys, "client.other"));
    ck_assert_ptr_nonnull(tool_keys_rotating(keys, SIGNET_OSD, 2));
    ck_assert_ptr_null(tool_keys_rotating(keys, SIGNET_OSD, 3));
    ck_assert_ptr_null(tool_keys_rotating(keys, SIGNET_MDS, 2));
    /* The fixed secret of monitors is that of "mon.". */
    ck_assert_ptr_nonnull(tool_keys_rotating(keys, SIGNET_MON, UINT64_MAX));
    ck_assert_ptr_null(tool_keys_rotating(keys, SIGNET_OSD, UINT64_MAX));
    tool_keys_free(keys);
    assert_ok(load(" {\"rotating\": {}}", &keys));
    tool_keys_free(keys);
}
END_TEST

START_TEST(from_keyring)
{
    struct tool_keys *keys;
    assert_ok(load("[client.admin]\n\tkey = " AES_KEY "\n[client.none]\n\tcaps mon = \"allow *\"\n",
                   &keys));
    ck_assert(has_entity(keys, "client.admin"));
    ck_assert(!has_entity(keys, "client.none"));
    tool_keys_free(keys);
}
END_TEST

START_TEST(wrong_files)
{
    struct tool_keys *keys;
    assert_err(load("{\"entities\": ", &keys), VALUE);
    assert_err(load("{\"entity\": {}}", &keys), VALUE);
    assert_err(load("{\"entities\": {\"admin\": \"" AES_KEY "\"}}", &keys), NAME);
    assert_err(load("{\"entities\": {\"client.admin\": 5}}", &keys), BASE64);
    assert_err(load("{\"entities\": {\"client.admin\": \"AQAC\"}}", &keys), SHORT);
    ck_assert_str_eq(fail.where, "client.admin");
    assert_err(load("{\"rotating\": {\"nfs\": {\"2\": \"" AES_KEY "\"}}}", &keys), VALUE);
    assert_err(load("{\"rotating\": {\"osd\": {\"two\": \"" AES_KEY "\"}}}", &keys), VALUE);
    assert_err(load("{\"rotating\": {\"osd\": {\"2\": \"!\"}}}", &keys), BASE64);
    assert_err(load("[client.admin\n", &keys), KEYRING);
    assert_err(tool_keys_load(&keys, "/nonexistent/keys", &fail), FILE);
}
END_TEST

START_TEST(learned)
{
    struct tool_keys *keys;
    struct signet_key *key;
    assert_ok(load("{\"entities\": {}}", &keys));
    assert_ok(signet_key_parse(&key, AES_KEY, strlen(AES_KEY), NULL, NULL));
    assert_ok(tool_keys_learn(keys, (const uint8_t *)"ticket", 6, key));
    assert_ok(tool_keys_learn(keys, (const uint8_t *)"ticket", 6, key));
    ck_assert_ptr_eq(tool_keys_learned(keys, (const uint8_t *)"ticket", 6), key);
    ck_assert_ptr_null(tool_keys_learned(keys, (const uint8_t *)"ticket", 5));
    ck_assert_ptr_null(tool_keys_learned(keys, (const uint8_t *)"tickeT", 6));
    signet_key_unref(key);
    tool_keys_free(keys);
    tool_keys_free(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("keys");
    TCase *t = suite_case(suite, "keys");
    tcase_add_test(t, from_json);
    tcase_add_test(t, from_keyring);
    tcase_add_test(t, wrong_files);
    tcase_add_test(t, learned);
    return suite_run(suite);
}
