/* SPDX-License-Identifier: MIT */
/* The auth commands against a key server: what they change, show and refuse. */
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

START_TEST(ls)
{
    char text[SIGNET_KEY_TEXT_MAX], expected[512];
    assert_ok(signet_key_print(b.c.key, text, sizeof(text)));
    snprintf(expected, sizeof(expected),
             "osd.0\n\tkey: %s\n\tcaps: [mon] allow r\n\tcaps: [osd] allow rw\n", text);
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"auth ls\"}", NULL), 0);
    ck_assert_str_eq(b.say, "installed auth entries:\n");
    ck_assert_ptr_nonnull(strstr(b.out, expected));
    ck_assert_ptr_nonnull(strstr(b.out, "client.nocaps\n\tkey: "));
}
END_TEST

START_TEST(ls_json)
{
    char text[SIGNET_KEY_TEXT_MAX];
    assert_ok(signet_key_print(b.c.key, text, sizeof(text)));
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"auth list\"" JSON "}", NULL), 0);
    json_t *json = bench_json(&b);
    const json_t *list = json_object_get(json, "auth_dump");
    ck_assert_uint_eq(json_array_size(list), 3);
    for (size_t i = 0; i < json_array_size(list); i++) {
        ck_assert_str_eq(member(json_array_get(list, i), "key"), text);
    }
    json_decref(json);
}
END_TEST

START_TEST(get)
{
    char text[SIGNET_KEY_TEXT_MAX], expected[512];
    assert_ok(signet_key_print(b.c.key, text, sizeof(text)));
    snprintf(expected, sizeof(expected),
             "[client.a]\n\tkey = %s\n\tcaps mon = \"allow r\"\n\tcaps osd = \"allow rw\"\n", text);
    assert_run("auth get", "client.a", "", 0, "exported keyring for client.a");
    ck_assert_str_eq(b.out, expected);
    assert_run("auth get", "client.a", JSON, 0, "exported keyring for client.a");
    json_t *json = bench_json(&b);
    const json_t *one = json_array_get(json, 0);
    ck_assert_str_eq(member(one, "entity"), "client.a");
    ck_assert_str_eq(member(one, "key"), text);
    ck_assert_str_eq(member(json_object_get(one, "caps"), "osd"), "allow rw");
    json_decref(json);
}
END_TEST

START_TEST(export_all)
{
    struct signet_keyring *all;
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"auth export\"}", NULL), 0);
    assert_ok(signet_keyring_parse(&all, b.out, strlen(b.out), NULL));
    ck_assert_uint_eq(signet_keyring_num(all), 3);
    signet_keyring_free(all);
    assert_run("auth export", "osd.0", "", 0, "exported keyring for osd.0");
}
END_TEST

START_TEST(print_key)
{
    char text[SIGNET_KEY_TEXT_MAX];
    assert_ok(signet_key_print(b.c.key, text, sizeof(text)));
    assert_run("auth print-key", "client.a", "", 0, "");
    ck_assert_str_eq(b.out, text);
    assert_run("auth get-key", "client.a", JSON, 0, "");
    json_t *json = bench_json(&b);
    ck_assert_str_eq(member(json, "key"), text);
    json_decref(json);
}
END_TEST

START_TEST(unknown_entities)
{
    assert_run("auth get", "client.x", "", -ENOENT, "failed to find client.x in keyring");
    assert_run("auth print-key", "client.x", "", -ENOENT, "don't have client.x");
    assert_run("auth caps", "client.x", CAPS_RW, -ENOENT, "couldn't find entry client.x");
    assert_run("auth rotate", "client.x", "", -ENOENT, "entity client.x does not exist");
    assert_run("auth del", "client.x", "", 0, "entity client.x does not exist");
}
END_TEST

static const char *const with_entity[] = {
    "auth get", "auth print-key", "auth get-or-create", "auth get-or-create-key",
    "auth add", "auth rotate",    "auth del",           "auth caps",
};
enum { WITH_ENTITY = sizeof(with_entity) / sizeof(with_entity[0]) };

START_TEST(bad_entities)
{
    char json[128];
    static const char caps[] = ", \"caps\": []";
    assert_run(with_entity[_i], "nobody", caps, -EINVAL, "bad entity name");
    assert_run(with_entity[_i], "", caps, -EINVAL, "bad entity name");
    snprintf(json, sizeof(json), "{\"prefix\": \"%s\", \"entity\": 5%s}", with_entity[_i], caps);
    ck_assert_int_eq(bench_run(&b, json, NULL), -EINVAL);
    snprintf(json, sizeof(json), "{\"prefix\": \"%s\"%s}", with_entity[_i], caps);
    ck_assert_int_eq(bench_run(&b, json, NULL), -EINVAL);
    ck_assert_str_eq(b.say, "bad entity name");
}
END_TEST

static const struct {
    const char *caps, *say;
} bad_caps[] = {
    {"\"mon\"", "bad capabilities request; odd number of arguments"},
    {"\"mon\", \"allow r\", \"osd\"", "bad capabilities request; odd number of arguments"},
    {"\"disk\", \"allow r\"", "unknown cap type 'disk'"},
    {"5, \"allow r\"", "unknown cap type ''"},
    {"\"mon\", 5", "unknown cap type 'mon'"},
    {"\"mon\", \"allow\\nr\"", "a keyring file cannot hold this capability"},
};
enum { BAD_CAPS = sizeof(bad_caps) / sizeof(bad_caps[0]) };

START_TEST(refused_caps)
{
    char more[128];
    snprintf(more, sizeof(more), ", \"caps\": [%s]", bad_caps[_i].caps);
    assert_run("auth get-or-create", "client.x", more, -EINVAL, bad_caps[_i].say);
    assert_run("auth add", "client.x", more, -EINVAL, bad_caps[_i].say);
    assert_run("auth caps", "client.a", more, -EINVAL, bad_caps[_i].say);
    assert_run("auth get", "client.x", "", -ENOENT, "failed to find client.x in keyring");
}
END_TEST

START_TEST(caps_that_are_no_list)
{
    char more[2048] = ", \"caps\": [\"mon\", \"x\"";
    assert_run("auth add", "client.x", ", \"caps\": \"mon\"", -EINVAL, "bad capabilities request");
    assert_run("auth caps", "client.a", "", -EINVAL, "bad capabilities request");
    /* of two for one service the last counts */
    strcat(more, ", \"mon\", \"y\"]");
    assert_run("auth caps", "client.a", more, 0, "updated caps for client.a");
    assert_run("auth get", "client.a", "", 0, "exported keyring for client.a");
    ck_assert_ptr_nonnull(strstr(b.out, "caps mon = \"y\"\n"));
    ck_assert_ptr_null(strstr(b.out, "osd"));
}
END_TEST

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
    ck_assert_str_eq(b.out, first);
    assert_run("auth get-or-create-key", "client.x", "", 0, "");
    ck_assert_str_eq(b.out, first);
    assert_run("auth get-or-create", "client.x", ", \"caps\": [\"mon\", \"allow r\"]", -EINVAL,
               "key for client.x exists but caps do not match");
    assert_run("auth get-or-create", "client.x",
               ", \"caps\": [\"mon\", \"allow r\", \"osd\", \"allow r\"]", -EINVAL,
               "key for client.x exists but caps do not match");
    assert_run("auth get-or-create", "client.x", CAPS_RW JSON, 0, "");
    json_t *json = bench_json(&b);
    ck_assert_str_eq(member(json_array_get(json, 0), "key"), first);
    json_decref(json);
    free(first);
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
    ck_assert_int_eq(add_with("client.y", keyring), -EINVAL);
    ck_assert_str_eq(b.say, "key for client.y not found in provided keyring");
    ck_assert_int_eq(add_with("client.y", "[client"), -EINVAL);
    ck_assert_int_eq(strncmp(b.say, "error decoding keyring: ", 24), 0);
    snprintf(keyring, sizeof(keyring), "[client.a]\n\tkey = %s\n", text);
    ck_assert_int_eq(add_with("client.a", keyring), -EINVAL);
    ck_assert_str_eq(b.say, "entity client.a exists but key does not match");
    assert_run("auth add", "client.a", "", -EINVAL, "entity client.a exists but caps do not match");
    assert_run("auth add", "client.z", "", 0, "added key for client.z");
    free(key_text("client.z"));
    signet_key_unref(key);
}
END_TEST

START_TEST(import)
{
    static const char json[] = "{\"prefix\": \"auth import\"}";
    ck_assert_int_eq(bench_run(&b, json, NULL), -EINVAL);
    ck_assert_str_eq(b.say, "auth import: no data supplied");
    ck_assert_int_eq(bench_run(&b, json, "[client.x]\nkey = nonsense\n"), -EINVAL);
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
    assert_run("auth get-or-create", "client.x", "", -EACCES, signet_strerror(SIGNET_E_CIPHER));
    b.mon.keys = b.c.server;
    signet_keyserver_free(strict);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mon_auth");
    TCase *t = tcase_create("auth");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, ls);
    tcase_add_test(t, ls_json);
    tcase_add_test(t, get);
    tcase_add_test(t, export_all);
    tcase_add_test(t, print_key);
    tcase_add_test(t, unknown_entities);
    tcase_add_loop_test(t, bad_entities, 0, WITH_ENTITY);
    tcase_add_loop_test(t, refused_caps, 0, BAD_CAPS);
    tcase_add_test(t, caps_that_are_no_list);
    tcase_add_test(t, get_or_create);
    tcase_add_test(t, get_or_create_twice);
    tcase_add_test(t, add);
    tcase_add_test(t, import);
    tcase_add_test(t, caps);
    tcase_add_test(t, rotate);
    tcase_add_test(t, del);
    tcase_add_test(t, cipher_that_is_not_allowed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
