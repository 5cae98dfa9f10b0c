/* SPDX-License-Identifier: MIT */
/* Objects that outlive their OSD. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lite/journal.h"
#include "osd_tools.h"
#include "support/temp_dir.h"

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {7};
static struct rig rig;
static struct journal_options options;
static struct journal_report report;
static struct signet_fail fail;

static void start(void)
{
    suite_start();
    options = (struct journal_options){.dir = temp_dir_make(), .key = key};
    rig_start(&rig, NULL);
    assert_ok(signet_osd_journal(&rig.osd, &options, &report, &fail));
}

static void stop(void)
{
    rig_stop(&rig);
    temp_dir_remove();
    suite_stop();
}

/* As after kill -9: nothing is told to the old one that the file does not have. */
static int restart(const struct signet_osd_options *osd_options)
{
    uint64_t tid = rig.tid;
    rig_stop(&rig);
    rig_start(&rig, osd_options);
    rig.tid = tid;
    memset(&fail, 0, sizeof(fail));
    return signet_osd_journal(&rig.osd, &options, &report, &fail);
}

static int32_t append(const char *name, const char *text, uint64_t tid)
{
    size_t len = strlen(text);
    const struct rig_op op = {.code = APPEND, .length = len, .data = text, .len = len};
    return rig_do(&rig, &(struct rig_request){.name = name, .tid = tid, .op = &op, .num_ops = 1});
}

START_TEST(objects_are_there_again)
{
    ck_assert_int_eq(rig_put(&rig, "a", "one"), 0);
    ck_assert_int_eq(append("a", " two", 0), 0);
    ck_assert_int_eq(rig_put(&rig, "gone", "x"), 0);
    ck_assert_int_eq(rig_one(&rig, "gone", (struct rig_op){.code = DELETE}), 0);
    uint8_t *large = malloc(200000);
    memset(large, 3, 200000);
    const struct rig_op op[] = {
        {.code = WRITE, .offset = 10, .length = 200000, .data = large, .len = 200000},
        {.code = TRUNCATE, .offset = 150000},
        {.code = SETXATTR, .flags = FAILOK}};
    ck_assert_int_eq(rig_do(&rig, &(struct rig_request){.name = "large", .op = op, .num_ops = 3}),
                     0);
    uint64_t version = rig.replay_version;
    assert_ok(restart(NULL));
    ck_assert_uint_eq(report.records, 5);
    rig_is_text(&rig, "a", "one two");
    rig_is_absent(&rig, "gone");
    memset(large, 0, 10);
    rig_is(&rig, "large", large, 150000);
    ck_assert_uint_eq(rig.user_version, version);
    ck_assert_uint_eq(signet_load_u32(rig.data + 150000 + 8), 1000); /* mtime */
    ck_assert_int_eq(rig_put(&rig, "b", "new"), 0);
    ck_assert_uint_gt(rig.replay_version, version);
    free(large);
}
END_TEST

/* What was refused, or read, is not in it. */
START_TEST(only_what_was_done)
{
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = DELETE}), -ENOENT);
    const struct rig_op op[] = {{.code = CREATE}, {.code = SETXATTR}};
    ck_assert_int_eq(rig_do(&rig, &(struct rig_request){.name = "a", .op = op, .num_ops = 2}),
                     -EOPNOTSUPP);
    ck_assert_int_eq(rig_put(&rig, "b", "x"), 0);
    rig_is_text(&rig, "b", "x");
    assert_ok(restart(NULL));
    ck_assert_uint_eq(report.records, 1);
    rig_is_absent(&rig, "a");
}
END_TEST

/* The answer was lost with the daemon: the client asks again. */
START_TEST(repetitions_after_a_restart)
{
    ck_assert_int_eq(append("a", "x", 50), 0);
    uint64_t version = rig.replay_version;
    assert_ok(restart(NULL));
    ck_assert_int_eq(append("a", "x", 50), 0);
    ck_assert_uint_eq(rig.replay_version, version);
    ck_assert_int_eq(append("a", "y", 51), 0);
    rig_is_text(&rig, "a", "xy");
}
END_TEST

START_TEST(a_smaller_store)
{
    static const char text[60000] = "z";
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof(name), "o%d", i);
        const struct rig_op op = {
            .code = WRITEFULL, .length = sizeof(text), .data = text, .len = sizeof(text)};
        ck_assert_int_eq(rig_one(&rig, name, op), 0);
    }
    assert_err(restart(&(struct signet_osd_options){.shards = 1, .store_bytes = 1 << 20}), NOMEM);
    ck_assert_uint_gt(fail.offset, 900000);
    ck_assert_ptr_nonnull(strstr(fail.text, "do not fit"));
    assert_ok(restart(NULL));
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).objects, 20);
}
END_TEST

/* A full store refuses before anything is in the journal. */
START_TEST(no_space_leaves_no_record)
{
    static const char text[60000] = "z";
    const struct signet_osd_options small = {.shards = 1, .store_bytes = 100000};
    const struct rig_op op = {
        .code = WRITEFULL, .length = sizeof(text), .data = text, .len = sizeof(text)};
    assert_ok(restart(&small));
    ck_assert_int_eq(rig_one(&rig, "a", op), 0);
    ck_assert_int_eq(rig_one(&rig, "b", op), -ENOSPC);
    uint64_t memory = signet_osd_usage(&rig.osd).memory;
    assert_ok(restart(&small));
    ck_assert_uint_eq(report.records, 1);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).memory, memory);
}
END_TEST

/* History goes; objects with holes, versions and what must not be repeated stay. */
START_TEST(written_anew)
{
    static uint8_t text[70000];
    memset(text, 'z', sizeof(text));
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(rig_put(&rig, "small", "now"), 0);
    }
    const struct rig_op hole[] = {
        {.code = WRITE, .offset = 5 << 20, .length = 70000, .data = text, .len = 70000},
        {.code = TRUNCATE, .offset = 8 << 20}};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(
            rig_do(&rig, &(struct rig_request){.name = "large", .op = hole, .num_ops = 2}), 0);
    }
    const struct rig_op create = {.code = CREATE};
    const struct rig_request named = {
        .name = "n", .ns = "ns", .key = "key", .op = &create, .num_ops = 1};
    ck_assert_int_eq(rig_do(&rig, &named), 0);
    ck_assert_int_eq(append("log", "x", 500), 0);
    uint64_t version = rig.replay_version;
    struct store_usage before = signet_osd_usage(&rig.osd);
    options.keep_bytes = 1000;
    for (int round = 0; round < 2; round++) {
        assert_ok(restart(NULL));
        ck_assert_int_eq(report.anew, round == 0);
        struct journal_usage usage;
        signet_osd_journal_usage(&rig.osd, &usage);
        ck_assert_uint_eq(usage.anew, round == 0);
        struct store_usage after = signet_osd_usage(&rig.osd);
        ck_assert_uint_eq(after.memory, before.memory);
        ck_assert_uint_eq(after.objects, before.objects);
    }
    ck_assert_uint_lt(report.bytes, before.memory * 2);
    rig_is_text(&rig, "small", "now");
    ck_assert_uint_eq(rig.user_version, 50);
    ck_assert_int_eq(append("log", "x", 500), 0);
    ck_assert_uint_eq(rig.replay_version, version);
    ck_assert_int_eq(append("log", "y", 501), 0);
    ck_assert_uint_eq(rig.replay_version, version + 1);
    rig_is_text(&rig, "log", "xy");
    const struct rig_op stat = {.code = STAT};
    struct rig_request q = named;
    q.op = &stat;
    ck_assert_int_eq(rig_do(&rig, &q), 0);
    const struct rig_op read = {.code = READ, .offset = (5 << 20) - 1, .length = 70002};
    ck_assert_int_eq(rig_one(&rig, "large", read), 0);
    ck_assert_uint_eq(rig.data_len, 70002);
    ck_assert(rig.data[0] == 0 && rig.data[70001] == 0);
    ck_assert_mem_eq(rig.data + 1, text, 70000);
}
END_TEST

/* No place for the new one: the old one stays, and goes on. */
START_TEST(cannot_be_written_anew)
{
    struct rlimit former, small;
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(rig_put(&rig, "small", "now"), 0);
    }
    ck_assert_int_eq(mkdir(temp_dir_path("journal.new"), 0700), 0);
    options.keep_bytes = 1000;
    assert_ok(restart(NULL));
    ck_assert(report.kept == -SIGNET_E_FILE && !report.anew);
    ck_assert_ptr_nonnull(strstr(fail.text, "journal.new"));
    rmdir(temp_dir_path("journal.new"));
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &former), 0);
    small = former;
    small.rlim_cur = 100;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_ok(restart(NULL));
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &former), 0);
    ck_assert(report.kept && !report.anew);
    ck_assert_ptr_nonnull(strstr(fail.text, "anew"));
    ck_assert_int_eq(access(temp_dir_path("journal.new"), F_OK), -1);
    ck_assert_int_eq(rig_put(&rig, "small", "later"), 0);
    assert_ok(restart(NULL));
    ck_assert(report.anew && !report.kept);
    rig_is_text(&rig, "small", "later");
}
END_TEST

/* Who is to be told apart from new clients. */
START_TEST(the_last_client)
{
    ck_assert_uint_eq(signet_osd_last_client(&rig.osd), 0);
    rig_login(&rig, 7000, "allow *");
    ck_assert_int_eq(rig_put(&rig, "a", "x"), 0);
    rig_login(&rig, 6000, "allow *");
    ck_assert_int_eq(rig_put(&rig, "a", "y"), 0);
    assert_ok(restart(NULL));
    ck_assert_uint_eq(signet_osd_last_client(&rig.osd), 7000);
}
END_TEST

/* Records that open, but say nothing that can be done. */
static int add(void *arg, struct signet_span body, struct signet_fail *why)
{
    (void)arg;
    (void)body;
    (void)why;
    return 0;
}

static void add_record(const uint8_t *body, size_t len)
{
    struct journal *j;
    struct journal_place *place;
    rig_stop(&rig);
    rig_start(&rig, NULL);
    assert_ok(journal_open(&j, &options, add, NULL, &report, &fail));
    ck_assert_int_eq(journal_place(j, &place, len), 0);
    memcpy(journal_body(place), body, len);
    ck_assert_int_eq(journal_append(j, place), 0);
    journal_close(j);
}

static const struct {
    uint8_t version, op;
    size_t len;
    int err;
} odd[] = {
    {2, 0x05, 94, -SIGNET_E_VERSION}, /* version */
    {1, 0x05, 93, -SIGNET_E_SHORT},   /* cut */
    {1, 0x05, 95, -SIGNET_E_LENGTH},  /* data that no operation has */
    {1, 0x05, 94, -SIGNET_E_VALUE},   /* DELETE of what is not there */
};

START_TEST(records_that_cannot_be)
{
    uint8_t body[97] = {odd[_i].version, 1};
    body[1 + 4 * 8 + 8 + 8] = 1; /* name "o" */
    body[1 + 4 * 8 + 8 + 12] = 'o';
    body[1 + 4 * 8 + 8 + 13] = 1; /* one operation */
    body[1 + 4 * 8 + 8 + 15] = odd[_i].op;
    body[1 + 4 * 8 + 8 + 16] = 0x22;
    ck_assert_int_eq(rig_put(&rig, "first", "x"), 0);
    add_record(body, odd[_i].len);
    ck_assert_int_eq(restart(NULL), odd[_i].err);
    ck_assert_uint_gt(fail.offset, 0);
    ck_assert_str_eq(fail.where, "journal");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_journal");
    TCase *t = tcase_create("restarts");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, objects_are_there_again);
    tcase_add_test(t, only_what_was_done);
    tcase_add_test(t, repetitions_after_a_restart);
    tcase_add_test(t, a_smaller_store);
    tcase_add_test(t, no_space_leaves_no_record);
    tcase_add_test(t, written_anew);
    tcase_add_test(t, cannot_be_written_anew);
    tcase_add_test(t, the_last_client);
    tcase_add_loop_test(t, records_that_cannot_be, 0, (int)(sizeof(odd) / sizeof(odd[0])));
    suite_add_tcase(s, t);
    return suite_run(s);
}
