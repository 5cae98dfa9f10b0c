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
    const json_t *one = json_array_get(json_object_get(json, "mons"), 0);
    ck_assert_str_eq(member(one, "name"), "a");
    ck_assert_str_eq(member(one, "addr"), "127.0.0.1:17500/0");
    one = json_array_get(json_object_get(json_object_get(one, "public_addrs"), "addrvec"), 0);
    ck_assert_str_eq(member(one, "addr"), "127.0.0.1:17500");
    json_decref(json);
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"mon dump\", \"epoch\": 7}", NULL), -ENOENT);
    ck_assert_str_eq(b.say, "there is no map for epoch 7");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"mon dump\", \"epoch\": 1}", NULL), 0);
}
END_TEST

/* What osdmaptool of Ceph 16 prints for the map that lite_maps_test has in bytes. */
START_TEST(osd_dump)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd dump\"}", NULL), 0);
    ck_assert_str_eq(
        b.out,
        "epoch 1\nfsid f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f\n"
        "created 2023-11-14T22:13:20.000000+0000\nmodified 2023-11-14T22:13:20.000000+0000\n"
        "flags sortbitwise,recovery_deletes,purged_snapdirs,pglog_hardlimit\n"
        "crush_version 1\nfull_ratio 0.95\nbackfillfull_ratio 0.9\nnearfull_ratio 0.85\n"
        "require_min_compat_client luminous\nmin_compat_client jewel\n"
        "require_osd_release pacific\nstretch_mode_enabled false\n"
        "pool 1 'bench' replicated size 1 min_size 1 crush_rule 0 object_hash rjenkins pg_num 8"
        " pgp_num 8 autoscale_mode off last_change 1 flags hashpspool stripe_width 0"
        " application rados\nmax_osd 1\n"
        "osd.0 up   in  weight 1 up_from 1 up_thru 1 down_at 0 last_clean_interval [0,0)"
        " v2:127.0.0.1:17501/4242 v2:127.0.0.1:17501/4242 exists,up"
        " f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f\n");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd dump\", \"epoch\": 2}", NULL), -ENOENT);
}
END_TEST

START_TEST(osd_dump_json)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd dump\", \"format\": \"json\"}", NULL), 0);
    json_t *json = bench_json(&b);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "flags_num")), 5799936);
    const json_t *pool = json_array_get(json_object_get(json, "pools"), 0);
    ck_assert_str_eq(member(pool, "pool_name"), "bench");
    ck_assert_int_eq(json_integer_value(json_object_get(pool, "pg_num")), 8);
    ck_assert_int_eq(json_integer_value(json_object_get(pool, "tier_of")), -1);
    const json_t *osd = json_array_get(json_object_get(json, "osds"), 0);
    ck_assert_str_eq(member(osd, "public_addr"), "127.0.0.1:17501/4242");
    json_decref(json);
}
END_TEST

/* The encoded maps are those that subscribers get. */
START_TEST(getmap)
{
    uint8_t map[2048];
    struct signet_writer w = signet_writer_init(map, sizeof(map));
    signet_lite_osdmap(&w, &b.cluster);
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd getmap\"}", NULL), 0);
    ck_assert_str_eq(b.say, "got osdmap epoch 1");
    ck_assert_uint_eq(b.answer[0].message.data.len, w.len);
    ck_assert_mem_eq(b.out, map, (size_t)w.len);
    w = signet_writer_init(map, sizeof(map));
    signet_lite_monmap(&w, &b.cluster);
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"mon getmap\"}", NULL), 0);
    ck_assert_str_eq(b.say, "got monmap epoch 1");
    ck_assert_uint_eq(b.answer[0].message.data.len, w.len);
    ck_assert_mem_eq(b.out, map, (size_t)w.len);
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"mon getmap\", \"epoch\": 3}", NULL), -ENOENT);
}
END_TEST

START_TEST(lists_of_pools)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd lspools\"}", NULL), 0);
    ck_assert_str_eq(b.out, "1 bench\n");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd lspools\", \"format\": \"json\"}", NULL), 0);
    ck_assert_str_eq(b.out, "[{\"poolnum\":1,\"poolname\":\"bench\"}]");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd pool ls\"}", NULL), 0);
    ck_assert_str_eq(b.out, "bench\n");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd pool ls\", \"format\": \"json\"}", NULL), 0);
    ck_assert_str_eq(b.out, "[\"bench\"]");
}
END_TEST

START_TEST(osd_stat)
{
    cluster_pass(&b.c, 121);
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd stat\"}", NULL), 0);
    ck_assert_str_eq(b.out, "1 osds: 1 up (since 2m), 1 in (since 2m); epoch: e1\n");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"osd stat\", \"format\": \"json\"}", NULL), 0);
    json_t *json = bench_json(&b);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "num_up_osds")), 1);
    json_decref(json);
}
END_TEST

static struct signet_lite_usage usage(void *arg)
{
    (void)arg;
    return (struct signet_lite_usage){
        .objects = 3, .bytes = 5000, .used = 6 << 20, .capacity = UINT64_C(1) << 30};
}

static struct signet_lite_usage pool_usage(void *arg, uint64_t pool)
{
    (void)arg;
    ck_assert_uint_eq(pool, 1);
    return (struct signet_lite_usage){.objects = 2, .bytes = 4000, .used = 2 << 20};
}

START_TEST(space)
{
    b.mon.usage = usage;
    b.mon.pool_usage = pool_usage;
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"status\"}", NULL), 0);
    ck_assert_ptr_nonnull(strstr(b.out, "    objects: 3 objects, 4.9 KiB\n"
                                        "    usage:   6.0 MiB used, 1018 MiB / 1.0 GiB avail\n"
                                        "    pgs:     8 active+clean\n"));
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"df\"}", NULL), 0);
    ck_assert_ptr_nonnull(strstr(b.out, "TOTAL     1.0 GiB    1018 MiB     6.0 MiB"));
    ck_assert_ptr_nonnull(strstr(b.out, "POOL     ID   PGS      STORED   OBJECTS        USED  "));
    ck_assert_ptr_nonnull(
        strstr(b.out, "bench     1     8     3.9 KiB         2     2.0 MiB   0.20"));
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"df\", \"format\": \"json\"}", NULL), 0);
    json_t *json = bench_json(&b);
    const json_t *stats = json_object_get(json, "stats");
    ck_assert_int_eq(json_integer_value(json_object_get(stats, "total_bytes")), 1 << 30);
    ck_assert_int_eq(json_integer_value(json_object_get(stats, "total_used_bytes")), 6 << 20);
    const json_t *pool = json_array_get(json_object_get(json, "pools"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(pool, "name")), "bench");
    stats = json_object_get(pool, "stats");
    ck_assert_int_eq(json_integer_value(json_object_get(stats, "stored")), 4000);
    ck_assert_int_eq(json_integer_value(json_object_get(stats, "objects")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(stats, "bytes_used")), 2 << 20);
    ck_assert_int_eq(json_integer_value(json_object_get(stats, "max_avail")), 1018 << 20);
    json_decref(json);
}
END_TEST

START_TEST(no_configuration)
{
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"config dump\"}", NULL), 0);
    ck_assert_str_eq(b.out, "WHO  MASK  LEVEL  OPTION  VALUE  RO\n");
    ck_assert_int_eq(bench_run(&b, "{\"prefix\": \"config dump\", \"format\": \"json\"}", NULL), 0);
    ck_assert_str_eq(b.out, "[]");
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
    ck_assert_uint_eq(json_object_size(json), 30);
    json_object_foreach(json, key, value)
    {
        ck_assert_int_eq(strncmp(key, "cmd", 3), 0);
        ck_assert_uint_gt(json_array_size(json_object_get(value, "sig")), 0);
        ck_assert_int_eq(json_integer_value(json_object_get(value, "flags")), 0);
        ck_assert_str_eq(member(value, "module"), "mon");
        member(value, "perm");
        member(value, "help");
    }
    char *sig = json_dumps(json_object_get(json_object_get(json, "cmd022"), "sig"),
                           JSON_COMPACT | JSON_SORT_KEYS);
    ck_assert_str_eq(sig, "[\"auth\",\"get-or-create\","
                          "{\"name\":\"entity\",\"type\":\"CephString\"},"
                          "{\"n\":\"N\",\"name\":\"caps\",\"req\":\"false\","
                          "\"type\":\"CephString\"},"
                          "{\"name\":\"key_type\",\"req\":\"false\",\"type\":\"CephString\"}]");
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
    {"{\"prefix\": 5}", "command prefix not found"},
    {"{\"prefix\": \"\"}", "command prefix must not be empty"},
    {"{}", "command prefix not found"},
    {"[\"fsid\"]", "not JSON object [\"fsid\"]"},
    {"fsid", "unparseable JSON fsid"},
    {"", "unparseable JSON "},
    {"{\"prefix\": \"fsid\", \"prefix\": \"auth ls\"}",
     "unparseable JSON {\"prefix\": \"fsid\", \"prefix\": \"auth ls\"}"},
    {"{\"prefix\": \"fsid\"} x", "unparseable JSON {\"prefix\": \"fsid\"} x"},
    {"\033[1m", "unparseable JSON ?[1m"},
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
    tcase_add_test(t, osd_dump);
    tcase_add_test(t, osd_dump_json);
    tcase_add_test(t, getmap);
    tcase_add_test(t, lists_of_pools);
    tcase_add_test(t, osd_stat);
    tcase_add_test(t, space);
    tcase_add_test(t, no_configuration);
    tcase_add_test(t, descriptions);
    tcase_add_loop_test(t, not_a_command, 0, BAD);
    tcase_add_loop_test(t, capabilities, 0, NEEDS);
    tcase_add_test(t, more_words_than_one);
    suite_add_tcase(s, t);
    return suite_run(s);
}
