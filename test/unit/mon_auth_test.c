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

/* Four blanks per level, as from jansson and from Ceph. */
START_TEST(pretty)
{
    char text[SIGNET_KEY_TEXT_MAX], expected[512];
    assert_ok(signet_key_print(b.c.key, text, sizeof(text)));
    assert_run("auth get", "client.a", ", \"format\": \"json-pretty\"", 0,
               "exported keyring for client.a");
    snprintf(expected, sizeof(expected),
             "[\n    {\n        \"entity\": \"client.a\",\n        \"key\": \"%s\",\n"
             "        \"caps\": {\n            \"mon\": \"allow r\",\n"
             "            \"osd\": \"allow rw\"\n        }\n    }\n]\n",
             text);
    ck_assert_str_eq(b.out, expected);
    assert_run("auth get", "client.nocaps", ", \"format\": \"json-pretty\"", 0,
               "exported keyring for client.nocaps");
    ck_assert_ptr_nonnull(strstr(b.out, "        \"caps\": {}\n    }\n]\n"));
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
    ck_assert_str_eq(b.say, "exported master keyring");
    assert_ok(signet_keyring_parse(&all, b.out, strlen(b.out), NULL));
    ck_assert_uint_eq(signet_keyring_num(all), 3);
    signet_keyring_free(all);
    assert_run("auth export", "osd.0", "", 0, "exported keyring for osd.0");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"auth export\"" JSON "}", NULL), 0);
    json_t *json = bench_json(&b);
    ck_assert_uint_eq(json_array_size(json), 3);
    json_decref(json);
}
END_TEST

START_TEST(print_key)
{
    char text[SIGNET_KEY_TEXT_MAX];
    assert_ok(signet_key_print(b.c.key, text, sizeof(text)));
    assert_run("auth print-key", "client.a", "", 0, "");
    ck_assert_str_eq(b.out, text);
    assert_run("auth print_key", "client.a", "", 0, "");
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
    assert_run("auth export", "client.x", "", -ENOENT, "no key for client.x");
    assert_run("auth rotate", "client.x", "", -ENOENT, "entity does not exist");
    assert_run("auth del", "client.x", "", 0, "entity client.x does not exist");
}
END_TEST

static const struct {
    const char *prefix;
    bool looks;
} with_entity[] = {
    {"auth get", true},     {"auth print-key", true},
    {"auth export", true},  {"auth get-or-create", false},
    {"auth add", false},    {"auth get-or-create-key", false},
    {"auth rotate", false}, {"auth del", false},
    {"auth caps", false},
};
enum { WITH_ENTITY = sizeof(with_entity) / sizeof(with_entity[0]) };

START_TEST(bad_entities)
{
    char json[128];
    static const char caps[] = ", \"caps\": []";
    const char *prefix = with_entity[_i].prefix;
    bool looks = with_entity[_i].looks;
    const char *none = looks ? "invalid command" : "bad entity name";
    assert_run(prefix, "nobody", caps, -EINVAL,
               looks ? "invalid entity_auth nobody" : "bad entity name");
    assert_run(prefix, "", caps, -EINVAL, none);
    snprintf(json, sizeof(json), "{\"prefix\": \"%s\", \"entity\": 5%s}", prefix, caps);
    ck_assert_int_eq(bench_run(&b, json, NULL), -EINVAL);
    ck_assert_str_eq(b.say, none);
    snprintf(json, sizeof(json), "{\"prefix\": \"%s\"%s}", prefix, caps);
    bool all = strcmp(prefix, "auth export") == 0;
    ck_assert_int_eq(bench_run(&b, json, NULL), all ? 0 : -EINVAL);
    ck_assert_str_eq(b.say, all ? "exported master keyring" : none);
}
END_TEST

/* What came is shown without its control characters. */
START_TEST(entity_with_escapes)
{
    assert_run("auth get", "a\\u001b[2Jb\\u007f", "", -EINVAL, "invalid entity_auth a?[2Jb?");
}
END_TEST

static const struct {
    const char *caps, *say;
} bad_caps[] = {
    {"\"mon\"", "bad capabilities request; odd number of arguments"},
    {"\"mon\", \"allow r\", \"osd\"", "bad capabilities request; odd number of arguments"},
    {"\"disk\", \"allow r\"", "unknown cap type 'disk'"},
    {"5, \"allow r\"", "bad or missing field 'caps'"},
    {"\"mon\", 5", "bad or missing field 'caps'"},
    {"\"mon\", \"allow\\nr\"", "a keyring file cannot hold this capability"},
    {"\"mon\", \"allow r\", \"osd\", \"bogus\"",
     "osd capability parse failed, stopped at 'bogus' of 'bogus'"},
    {"\"mon\", \"allow r, bogus\"",
     "mon capability parse failed, stopped at ', bogus' of 'allow r, bogus'"},
    {"\"mon\", \"\"", "mon capability parse failed, stopped at end of ''"},
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
    char more[2048] = ", \"caps\": [";
    assert_run("auth add", "client.x", ", \"caps\": \"mon\"", -EINVAL,
               "bad or missing field 'caps'");
    /* of two for one service the first counts */
    assert_run("auth caps", "client.a", ", \"caps\": [\"mon\", \"allow w\", \"mon\", \"allow r\"]",
               0, "updated caps for client.a");
    assert_run("auth get", "client.a", "", 0, "exported keyring for client.a");
    ck_assert_ptr_nonnull(strstr(b.out, "caps mon = \"allow w\"\n"));
    ck_assert_ptr_null(strstr(b.out, "osd"));
    /* none */
    assert_run("auth caps", "client.a", "", 0, "updated caps for client.a");
    assert_run("auth get", "client.a", "", 0, "exported keyring for client.a");
    ck_assert_ptr_null(strstr(b.out, "caps"));
    for (int i = 0; i < 33; i++) {
        strcat(more, i > 0 ? ", \"mon\", \"allow r\"" : "\"mon\", \"allow r\"");
    }
    strcat(more, "]");
    char json[2200];
    snprintf(json, sizeof(json), "{\"prefix\": \"auth add\", \"entity\": \"client.x\"%s}", more);
    ck_assert_int_eq(bench_run(&b, json, NULL), -EINVAL);
    ck_assert_str_eq(b.say, "bad capabilities request; too many");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mon_auth");
    TCase *t = tcase_create("auth");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, ls);
    tcase_add_test(t, ls_json);
    tcase_add_test(t, pretty);
    tcase_add_test(t, get);
    tcase_add_test(t, export_all);
    tcase_add_test(t, print_key);
    tcase_add_test(t, unknown_entities);
    tcase_add_loop_test(t, bad_entities, 0, WITH_ENTITY);
    tcase_add_test(t, entity_with_escapes);
    tcase_add_loop_test(t, refused_caps, 0, BAD_CAPS);
    tcase_add_test(t, caps_that_are_no_list);
    suite_add_tcase(s, t);
    return suite_run(s);
}
