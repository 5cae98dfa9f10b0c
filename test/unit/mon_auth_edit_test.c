/* SPDX-License-Identifier: MIT */
/* The auth commands that make, change and remove principals. */
#include "mon_tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct bench b;

#define CAPS_RW ", \"caps\": [\"mon\", \"allow r\", \"osd\", \"allow rw\"]"
#define JSON    ", \"format\": \"json\""

static void start(void)
{
    suite_start();
    bench_start(&b, "allow *");
}

static void stop(void)
{
    bench_stop(&b);
    suite_stop();
}

static void assert_run(const char *prefix, const char *entity, const char *more, int32_t code,
                       const char *say)
{
    ck_assert_int_eq(bench_auth(&b, prefix, entity, more), code);
    ck_assert_str_eq(b.say, say);
}

/* The key of an entity as print-key shows it, or the test fails. */
static char *key_text(const char *entity)
{
    assert_run("auth print-key", entity, "", 0, "");
    return strdup(b.out);
}

static const char *member(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    ck_assert_msg(text != NULL, "%s", name);
    return text;
}

START_TEST(get_or_create)
{
    struct signet_keyring *made;
    struct signet_name name;
    struct signet_key *key;
    assert_run("auth get-or-create", "client.x", CAPS_RW, 0, "");
    assert_ok(signet_keyring_parse(&made, b.out, strlen(b.out), NULL));
    assert_ok(signet_name_parse(&name, "client.x"));
    assert_ok(signet_keyring_key(made, &name, NULL, &key));
    ck_assert_int_eq(signet_key_type(key), SIGNET_KEY_AES256K);
    ck_assert_uint_eq(signet_keyring_num_caps(made, 0), 0);
    /* it logs in */
    struct signet_client *client = cluster_client(&b.c, "client.x", key);
    assert_ok(cluster_login(&b.c, client, SIGNET_MODE_SECURE));
    signet_client_free(client);
    signet_key_unref(key);
    signet_keyring_free(made);
}
END_TEST

START_TEST(get_or_create_twice)
{
    assert_run("auth get-or-create", "client.x", CAPS_RW, 0, "");
    char *first = key_text("client.x");
    assert_run("auth get-or-create-key", "client.x", CAPS_RW, 0, "");
    ck_assert_int_eq(strncmp(b.out, first, strlen(first)), 0);
    ck_assert_str_eq(b.out + strlen(first), "\n");
    /* what is not asked for need not match */
    assert_run("auth get-or-create-key", "client.x", "", 0, "");
    assert_run("auth get-or-create", "client.x", ", \"caps\": [\"mon\", \"allow r\"]", 0, "");
    ck_assert_ptr_nonnull(strstr(b.out, first));
    assert_run("auth get-or-create", "client.x",
               ", \"caps\": [\"osd\", \"allow r\", \"mon\", \"allow w\"]", -EINVAL,
               "key for client.x exists but cap mon does not match");
    assert_run("auth get-or-create", "client.x",
               ", \"caps\": [\"mon\", \"allow r\", \"mgr\", \"allow r\"]", -EINVAL,
               "key for client.x exists but cap mgr does not match");
    assert_run("auth get-or-create", "client.x", CAPS_RW JSON, 0, "");
    json_t *json = bench_json(&b);
    ck_assert_str_eq(member(json_array_get(json, 0), "key"), first);
    json_decref(json);
    free(first);
}
END_TEST

static enum signet_key_type type_of(const char *entity)
{
    char *text = key_text(entity);
    struct signet_key *key;
    assert_ok(signet_key_parse(&key, text, strlen(text), NULL, NULL));
    enum signet_key_type type = signet_key_type(key);
    signet_key_unref(key);
    free(text);
    return type;
}

START_TEST(key_types)
{
    assert_run("auth get-or-create", "client.x", ", \"key_type\": \"aes\"", 0, "");
    ck_assert_int_eq(type_of("client.x"), SIGNET_KEY_AES);
    assert_run("auth get-or-create", "client.x", ", \"key_type\": \"aes256k\"", 0, "");
    ck_assert_int_eq(type_of("client.x"), SIGNET_KEY_AES);
    assert_run("auth rotate", "client.x", ", \"key_type\": \"AES256K\"", 0, "");
    ck_assert_int_eq(type_of("client.x"), SIGNET_KEY_AES256K);
    assert_run("auth add", "client.y", ", \"key_type\": \"aes\"", 0, "added key for client.y");
    ck_assert_int_eq(type_of("client.y"), SIGNET_KEY_AES);
    assert_run("auth add", "client.z", ", \"key_type\": \"foo\"", -EINVAL, "invalid key type: foo");
    assert_run("auth rotate", "client.a", ", \"key_type\": \"\"", -EINVAL, "invalid key type: ");
    assert_run("auth rotate", "client.a", ", \"key_type\": 2", -EINVAL, "invalid key type: ");
    assert_run("auth get", "client.z", "", -ENOENT, "failed to find client.z in keyring");
}
END_TEST

/* add with the keyring given, for client.x or client.a. */
static int32_t add_with(const char *entity, const char *keyring)
{
    char json[256];
    snprintf(json, sizeof(json), "{\"prefix\": \"auth add\", \"entity\": \"%s\"" CAPS_RW "}",
             entity);
    return bench_run(&b, json, keyring);
}

START_TEST(add)
{
    char text[SIGNET_KEY_TEXT_MAX], keyring[256];
    struct signet_key *key = key_of_byte(SIGNET_KEY_AES256K, 7);
    assert_ok(signet_key_print(key, text, sizeof(text)));
    snprintf(keyring, sizeof(keyring), "[client.x]\n\tkey = %s\n", text);
    ck_assert_int_eq(add_with("client.x", keyring), 0);
    ck_assert_str_eq(b.say, "added key for client.x");
    char *shown = key_text("client.x");
    ck_assert_str_eq(shown, text);
    free(shown);
    ck_assert_int_eq(add_with("client.x", keyring), 0);
    ck_assert_str_eq(b.say, "");
    ck_assert_int_eq(add_with("client.y", keyring), -EINVAL);
    ck_assert_str_eq(b.say, "key for client.y not found in provided keyring");
    ck_assert_int_eq(add_with("client.y", "[client"), -EINVAL);
    ck_assert_int_eq(strncmp(b.say, "error decoding keyring: ", 24), 0);
    ck_assert_int_eq(add_with("client.y", "[client.y]\nkey = AAAAAAAAAAAAAAAA\n"), -EINVAL);
    ck_assert_str_eq(b.say, signet_strerror(SIGNET_E_KEY_EMPTY));
    snprintf(keyring, sizeof(keyring), "[client.a]\n\tkey = %s\n", text);
    ck_assert_int_eq(add_with("client.a", keyring), -EEXIST);
    ck_assert_str_eq(b.say, "entity client.a exists but key does not match");
    assert_run("auth add", "client.a", "", -EINVAL, "entity client.a exists but caps do not match");
    assert_run("auth add", "client.a", ", \"caps\": [\"mon\", \"allow w\"]", -EINVAL,
               "entity client.a exists but cap mon does not match");
    assert_run("auth add", "client.z", "", 0, "added key for client.z");
    free(key_text("client.z"));
    signet_key_unref(key);
}
END_TEST

/* They come from the keyring or from the command. */
START_TEST(add_with_caps)
{
    char text[SIGNET_KEY_TEXT_MAX], keyring[256];
    static const char json[] = "{\"prefix\": \"auth add\", \"entity\": \"client.x\"}";
    assert_ok(signet_key_print(b.c.key, text, sizeof(text)));
    snprintf(keyring, sizeof(keyring), "[client.x]\n\tkey = %s\n\tcaps mon = \"allow w\"\n", text);
    ck_assert_int_eq(add_with("client.x", keyring), -EINVAL);
    ck_assert_str_eq(b.say, "caps cannot be specified both in keyring and in command");
    ck_assert_int_eq(bench_run(&b, json, keyring), 0);
    assert_run("auth get", "client.x", "", 0, "exported keyring for client.x");
    ck_assert_str_eq(b.out, keyring);
}
END_TEST

START_TEST(add_with_too_many_caps)
{
    char text[SIGNET_KEY_TEXT_MAX], keyring[2048];
    static const char json[] = "{\"prefix\": \"auth add\", \"entity\": \"client.x\"}";
    assert_ok(signet_key_print(b.c.key, text, sizeof(text)));
    int len = snprintf(keyring, sizeof(keyring), "[client.x]\n\tkey = %s\n", text);
    for (int i = 0; i < 33; i++) {
        len += snprintf(keyring + len, 32, "\tcaps s%d = x\n", i);
    }
    ck_assert_int_eq(bench_run(&b, json, keyring), -EINVAL);
    ck_assert_str_eq(b.say, "bad capabilities request; too many");
}
END_TEST

START_TEST(import)
{
    static const char json[] = "{\"prefix\": \"auth import\"}";
    ck_assert_int_eq(bench_run(&b, json, NULL), -EINVAL);
    ck_assert_str_eq(b.say, "auth import: no data supplied");
    ck_assert_int_eq(bench_run(&b, json, "[client.x]\nkey = nonsense\n"), -EINVAL);
    ck_assert_int_eq(
        bench_run(&b, json, "[client.x]\ncaps mon = x\n[client.y]\nkey = AAAAAAAAAAAAAAAA\n"),
        -EINVAL);
    ck_assert_str_eq(b.say, "auth import: no caps supplied");
    ck_assert_int_eq(bench_run(&b, json, "[client.x]\ncaps mon = x\n"), -EINVAL);
    ck_assert_str_eq(b.say, "client.x: the key is empty and cannot be used");
    assert_run("auth get", "client.a", "", 0, "exported keyring for client.a");
    char *copy = strdup(b.out);
    assert_run("auth del", "client.a", "", 0, "updated");
    ck_assert_int_eq(bench_run(&b, json, copy), 0);
    ck_assert_str_eq(b.say, "imported keyring");
    assert_run("auth get", "client.a", "", 0, "exported keyring for client.a");
    ck_assert_str_eq(b.out, copy);
    free(copy);
}
END_TEST

START_TEST(caps)
{
    char *before = key_text("client.a");
    assert_run("auth caps", "client.a", ", \"caps\": [\"mds\", \"allow\"]", 0,
               "updated caps for client.a");
    assert_run("auth get", "client.a", "", 0, "exported keyring for client.a");
    ck_assert_ptr_nonnull(strstr(b.out, "caps mds = \"allow\"\n"));
    ck_assert_ptr_null(strstr(b.out, "caps mon"));
    char *after = key_text("client.a");
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

/* Both keys log in until the new one was used. */
START_TEST(rotate)
{
    struct signet_keyring *given;
    struct signet_key *fresh;
    struct signet_name name;
    assert_ok(signet_name_parse(&name, "client.a"));
    assert_run("auth rotate", "client.a", "", 0, "");
    ck_assert_ptr_nonnull(strstr(b.out, "caps osd = \"allow rw\"\n"));
    assert_ok(signet_keyring_parse(&given, b.out, strlen(b.out), NULL));
    assert_ok(signet_keyring_key(given, &name, NULL, &fresh));
    ck_assert(!signet_key_equal(fresh, b.c.key));
    /* whoever lost the answer can ask again */
    char text[SIGNET_KEY_TEXT_MAX];
    assert_ok(signet_key_print(fresh, text, sizeof(text)));
    char *shown = key_text("client.a");
    ck_assert_str_eq(shown, text);
    free(shown);
    struct signet_client *old = cluster_client(&b.c, "client.a", b.c.key);
    struct signet_client *new = cluster_client(&b.c, "client.a", fresh);
    assert_ok(cluster_login(&b.c, old, SIGNET_MODE_CRC));
    assert_ok(cluster_login(&b.c, new, SIGNET_MODE_CRC));
    signet_client_reset(old);
    assert_err(cluster_login(&b.c, old, SIGNET_MODE_CRC), PROOF_WRONG);
    signet_client_free(old);
    signet_client_free(new);
    signet_key_unref(fresh);
    signet_keyring_free(given);
}
END_TEST

START_TEST(del)
{
    assert_run("auth rm", "client.a", "", 0, "updated");
    assert_run("auth get", "client.a", "", -ENOENT, "failed to find client.a in keyring");
    struct signet_client *client = cluster_client(&b.c, "client.a", b.c.key);
    assert_err(cluster_login(&b.c, client, SIGNET_MODE_CRC), UNKNOWN_ENTITY);
    signet_client_free(client);
}
END_TEST

/* A key type that the server does not allow, as a monitor set up wrongly would make. */
START_TEST(cipher_that_is_not_allowed)
{
    struct signet_keyserver_options options = {.env = b.c.options.env};
    struct signet_keyserver *strict;
    assert_ok(signet_keyserver_open(&strict, &options, NULL));
    b.mon.keys = strict;
    b.mon.key_type = SIGNET_KEY_AES;
    static const char insecure[] = "creating key with insecure key type (\"aes\") not allowed";
    assert_run("auth get-or-create", "client.x", "", -EINVAL, insecure);
    assert_run("auth add", "client.x", "", -EINVAL, insecure);
    assert_run("auth add", "client.x", ", \"key_type\": \"aes256k\"", 0, "added key for client.x");
    assert_run("auth rotate", "client.x", "", -EINVAL, insecure);
    b.mon.keys = b.c.server;
    signet_keyserver_free(strict);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mon_auth_edit");
    TCase *t = tcase_create("auth");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, get_or_create);
    tcase_add_test(t, get_or_create_twice);
    tcase_add_test(t, key_types);
    tcase_add_test(t, add);
    tcase_add_test(t, add_with_caps);
    tcase_add_test(t, add_with_too_many_caps);
    tcase_add_test(t, import);
    tcase_add_test(t, caps);
    tcase_add_test(t, rotate);
    tcase_add_test(t, del);
    tcase_add_test(t, cipher_that_is_not_allowed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
