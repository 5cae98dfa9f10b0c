/* SPDX-License-Identifier: MIT */
/* Commands: who may run them, and those that show the cluster. */
#include "mon_tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct bench b;

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

static const char *member(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    ck_assert_msg(text != NULL, "%s", name);
    return text;
}

START_TEST(fsid)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"fsid\"}", NULL), 0);
    ck_assert_str_eq(b.out, "f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f\n");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"fsid\", \"format\": \"json\"}", NULL), 0);
    json_t *json = bench_json(&b);
    ck_assert_str_eq(member(json, "fsid"), "f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f");
    json_decref(json);
}
END_TEST

START_TEST(version)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"version\"}", NULL), 0);
    ck_assert_str_eq(b.out, "signet version " SIGNET_VERSION "\n");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"version\", \"format\": \"json\"}", NULL), 0);
    json_t *json = bench_json(&b);
    ck_assert_str_eq(member(json, "version"), "signet version " SIGNET_VERSION);
    json_decref(json);
}
END_TEST

START_TEST(status)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"status\"}", NULL), 0);
    ck_assert_ptr_nonnull(strstr(b.out, "health: HEALTH_OK"));
    cluster_pass(&b.c, 7);
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"status\", \"format\": \"json-pretty\"}", NULL),
                     0);
    json_t *json = bench_json(&b);
    ck_assert_str_eq(member(json_object_get(json, "health"), "status"), "HEALTH_OK");
    ck_assert_int_eq(json_integer_value(json_object_get(json, "quorum_age")), 7);
    json_decref(json);
}
END_TEST

START_TEST(health)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"health\", \"detail\": \"detail\"}", NULL), 0);
    ck_assert_str_eq(b.out, "HEALTH_OK\n");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"health\", \"format\": \"json\"}", NULL), 0);
    json_t *json = bench_json(&b);
    ck_assert_str_eq(member(json, "status"), "HEALTH_OK");
    json_decref(json);
}
END_TEST

START_TEST(mon_dump)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"mon dump\"}", NULL), 0);
    ck_assert_ptr_nonnull(strstr(b.out, "0: v2:127.0.0.1:17500/0 mon.a"));
    ck_assert_str_eq(b.say, "dumped monmap epoch 1");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"mon dump\", \"format\": \"json\"}", NULL), 0);
    json_t *json = bench_json(&b);
    ck_assert_str_eq(member(json_array_get(json_object_get(json, "mons"), 0), "name"), "a");
    json_decref(json);
}
END_TEST

/* Every one of them is described so that the command line finds it. */
START_TEST(descriptions)
{
    const char *key;
    json_t *value;
    b.session.caps = "";
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"get_command_descriptions\"}", NULL), 0);
    json_t *json = bench_json(&b);
    ck_assert_uint_eq(json_object_size(json), 20);
    json_object_foreach(json, key, value)
    {
        ck_assert_int_eq(strncmp(key, "cmd", 3), 0);
        ck_assert_uint_gt(json_array_size(json_object_get(value, "sig")), 0);
        ck_assert_int_eq(json_integer_value(json_object_get(value, "flags")), 0);
        ck_assert_str_eq(member(value, "module"), "mon");
        member(value, "perm");
        member(value, "help");
    }
    char *sig = json_dumps(json_object_get(json_object_get(json, "cmd012"), "sig"),
                           JSON_COMPACT | JSON_SORT_KEYS);
    ck_assert_str_eq(sig, "[\"auth\",\"get-or-create\","
                          "{\"name\":\"entity\",\"type\":\"CephString\"},"
                          "{\"n\":\"N\",\"name\":\"caps\",\"req\":\"false\","
                          "\"type\":\"CephString\"}]");
    free(sig);
    sig = json_dumps(json_object_get(json_object_get(json, "cmd004"), "sig"),
                     JSON_COMPACT | JSON_SORT_KEYS);
    ck_assert_str_eq(sig, "[\"health\",{\"name\":\"detail\",\"req\":\"false\","
                          "\"strings\":\"detail\",\"type\":\"CephChoices\"}]");
    free(sig);
    json_decref(json);
}
END_TEST

static const struct {
    const char *json, *say;
} bad[] = {
    {"{\"prefix\": \"osd out\"}", "command not known"},
    {"{\"prefix\": \"auth\"}", "command not known"},
    {"{\"prefix\": \"auth get x\"}", "command not known"},
    {"{\"prefix\": 5}", "command not known"},
    {"{\"prefix\": \"\"}", "command not known"},
    {"{}", "command not known"},
    {"[\"fsid\"]", "unparseable JSON command"},
    {"fsid", "unparseable JSON command"},
    {"", "unparseable JSON command"},
    {"{\"prefix\": \"fsid\", \"prefix\": \"auth ls\"}", "unparseable JSON command"},
    {"{\"prefix\": \"fsid\"} x", "unparseable JSON command"},
};
enum { BAD = sizeof(bad) / sizeof(bad[0]) };

START_TEST(not_a_command)
{
    ck_assert_int_eq(bench_run(&b, bad[_i].json, NULL), -EINVAL);
    ck_assert_str_eq(b.say, bad[_i].say);
}
END_TEST

/* The least that runs it, and all that is refused. */
static const struct {
    const char *prefix, *enough, *short_of;
} needs[] = {
    {"fsid", "allow r", "allow wx"},
    {"status", "allow profile x", ""},
    {"auth ls", "allow rx", "allow r"},
    {"auth get", "allow rx", "allow rw"},
    {"auth export", "allow rx", "allow profile osd"},
    {"auth print-key", "allow rx", "allow r"},
    {"auth get-key", "allow rx", "allow r"},
    {"auth get-or-create", "allow rwx", "allow rx"},
    {"auth get-or-create-key", "allow *", "allow rw"},
    {"auth add", "allow rwx", "allow rx"},
    {"auth rotate", "allow rwx", "allow rx"},
    {"auth del", "allow rwx", "allow profile mon"},
    {"auth rm", "allow rwx", "allow * nonsense"},
};
enum { NEEDS = sizeof(needs) / sizeof(needs[0]) };

START_TEST(capabilities)
{
    b.session.caps = needs[_i].short_of;
    ck_assert_int_eq(bench_auth(&b, needs[_i].prefix, "client.nocaps", ""), -EACCES);
    ck_assert_str_eq(b.say, "access denied");
    b.session.caps = needs[_i].enough;
    ck_assert_int_eq(bench_auth(&b, needs[_i].prefix, "client.nocaps", ""), 0);
}
END_TEST

/* A command in several words, as very old clients send it. */
START_TEST(more_words_than_one)
{
    uint8_t front[128];
    size_t len = bench_command(&b, front, sizeof(front), "{\"prefix\": \"fsid\"}");
    front[34] = 2;
    memset(front + len, 0, 4);
    assert_ok(bench_feed(&b, 50, 1, front, len + 4));
    ck_assert_int_eq(b.num, 1);
    ck_assert_mem_eq(b.answer[0].front + 18, "\xea\xff\xff\xff", 4);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mon_command");
    TCase *t = tcase_create("commands");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, fsid);
    tcase_add_test(t, version);
    tcase_add_test(t, status);
    tcase_add_test(t, health);
    tcase_add_test(t, mon_dump);
    tcase_add_test(t, descriptions);
    tcase_add_loop_test(t, not_a_command, 0, BAD);
    tcase_add_loop_test(t, capabilities, 0, NEEDS);
    tcase_add_test(t, more_words_than_one);
    suite_add_tcase(s, t);
    return suite_run(s);
}
