/* SPDX-License-Identifier: MIT */
/* The journal written anew: what it is then, where it is not even begun, and full disks. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lite/journal_internal.h"
#include "osd_tools.h"
#include "support/temp_dir.h"

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {7};
static struct rig rig;
static struct journal_options options;
static struct journal_report report;
static struct signet_fail fail;

static int reopen(void)
{
    rig_start(&rig, NULL);
    memset(&fail, 0, sizeof(fail));
    return signet_osd_journal(&rig.osd, &options, &report, &fail);
}

static void start(void)
{
    suite_start();
    options = (struct journal_options){.dir = temp_dir_make(), .key = key};
}

static void stop(void)
{
    temp_dir_remove();
    suite_stop();
}

/* Only objects and what peers have asked for: as small as that, and the same behind a restart. */
START_TEST(as_small_as_its_objects)
{
    struct rig_op append = {.code = APPEND, .length = 1, .data = "x", .len = 1};
    assert_ok(reopen());
    for (int i = 0; i < 2000; i++) {
        ck_assert_int_eq(rig_put(&rig, "one", "text"), 0);
    }
    const struct rig_request q = {.name = "log", .tid = 5000, .op = &append, .num_ops = 1};
    ck_assert_int_eq(rig_do(&rig, &q), 0);
    uint64_t before = journal_usage(rig.osd.journal).bytes, version = rig.replay_version;
    assert_ok(signet_osd_journal_anew(&rig.osd, &fail));
    uint64_t after = journal_usage(rig.osd.journal).bytes;
    ck_assert_uint_lt(after * 3, before);
    struct stat st;
    ck_assert_int_eq(stat(temp_dir_path("journal"), &st), 0);
    ck_assert_uint_eq((uint64_t)st.st_size, after);
    rig_stop(&rig);
    assert_ok(reopen());
    ck_assert_uint_eq(report.bytes, after);
    ck_assert_int_eq(rig_do(&rig, &q), 0); /* a repetition */
    ck_assert_uint_eq(rig.replay_version, version);
    rig_is_text(&rig, "log", "x");
    rig_stop(&rig);
}
END_TEST

/* A full disk: writes are refused, deletions are not, and when there is room again all goes on. */
START_TEST(a_full_disk)
{
    static char text[50000];
    char name[16];
    int num = 0;
    options.max_bytes = 6 << 20;
    assert_ok(reopen());
    if (rig.osd.journal->no_reserve) {
        return;
    }
    const struct rig_op op = {
        .code = WRITEFULL, .length = sizeof(text), .data = text, .len = sizeof(text)};
    do {
        snprintf(name, sizeof(name), "o%d", num);
    } while (rig_one(&rig, name, op) == 0 && ++num < 1000);
    ck_assert_int_eq(rig.result, -ENOSPC);
    ck_assert_int_lt(num, 1000);
    uint64_t full = journal_usage(rig.osd.journal).bytes;
    ck_assert_uint_le(full, options.max_bytes - JOURNAL_RESERVE);
    /* no room for another one: the former stays */
    rig.osd.journal->max_bytes = 2 << 20;
    assert_err(signet_osd_journal_anew(&rig.osd, &fail), FILE);
    ck_assert_ptr_nonnull(strstr(fail.text, "No space left"));
    ck_assert_int_eq(access(temp_dir_path("journal.new"), F_OK), -1);
    rig.osd.journal->max_bytes = options.max_bytes;
    for (int i = 0; i < num; i++) {
        snprintf(name, sizeof(name), "o%d", i);
        ck_assert_int_eq(rig_one(&rig, name, (struct rig_op){.code = DELETE}), 0);
        ck_assert_int_eq(rig_one(&rig, "more", op), -ENOSPC);
    }
    ck_assert_uint_gt(journal_usage(rig.osd.journal).refused, 0);
    assert_ok(signet_osd_journal_anew(&rig.osd, &fail));
    ck_assert_uint_lt(journal_usage(rig.osd.journal).bytes, full / 4);
    ck_assert_int_eq(rig_one(&rig, "more", op), 0);
    rig_stop(&rig);
    assert_ok(reopen());
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).objects, 1);
    rig_stop(&rig);
}
END_TEST

/* It cannot be begun: nothing changes. */
START_TEST(cannot_begin)
{
    assert_ok(reopen());
    ck_assert_int_eq(rig_put(&rig, "a", "x"), 0);
    ck_assert_int_eq(mkdir(temp_dir_path("journal.new"), 0700), 0);
    assert_err(signet_osd_journal_anew(&rig.osd, &fail), FILE);
    ck_assert_int_eq(rmdir(temp_dir_path("journal.new")), 0);
    ck_assert_int_eq(rig_put(&rig, "a", "y"), 0);
    rig_stop(&rig);
    assert_ok(reopen());
    rig_is_text(&rig, "a", "y");
    rig_stop(&rig);
}
END_TEST

/* Nor when a flush has failed: what it would write may not have been answered. */
START_TEST(not_after_a_failure)
{
    options.sync = true;
    assert_ok(reopen());
    ck_assert_int_eq(rig_put(&rig, "a", "x"), 0);
    atomic_store(&rig.osd.journal->flush.lost, true);
    assert_err(signet_osd_journal_anew(&rig.osd, &fail), FILE);
    ck_assert_ptr_nonnull(strstr(fail.text, "has failed"));
    ck_assert_int_eq(access(temp_dir_path("journal.new"), F_OK), -1);
    rig_stop(&rig);
}
END_TEST

static void give_room_back(enum journal_step step)
{
    if (step == JOURNAL_BEGUN) {
        rig.osd.journal->max_bytes = 0;
    }
}

static bool has_reserve(void)
{
    const struct journal *j = rig.osd.journal;
    return j->room >= j->end + JOURNAL_RESERVE && !journal_full(j);
}

/* What the reserve had to give for a new one comes back, when that one fails and when it does not:
 * nobody else can take it until the next append. */
START_TEST(the_reserve_comes_back)
{
    static char text[100000];
    const struct rig_op op = {
        .code = WRITEFULL, .length = sizeof(text), .data = text, .len = sizeof(text)};
    options.step = give_room_back;
    assert_ok(reopen());
    if (rig.osd.journal->no_reserve) {
        return;
    }
    ck_assert(has_reserve());
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(i == 0 ? rig_one(&rig, "a", op) : rig_put(&rig, "a", "x"), 0);
        rig.osd.journal->max_bytes = 50000; /* the disk is full, and the new file has no more */
        int err = signet_osd_journal_anew(&rig.osd, &fail);
        ck_assert_int_eq(err, i == 0 ? -SIGNET_E_FILE : 0);
        ck_assert(has_reserve());
        ck_assert_int_eq(access(temp_dir_path("journal.new"), F_OK), -1);
    }
    rig_stop(&rig);
}
END_TEST

/* A small one begins with its share; the rest is for deletions meanwhile. */
START_TEST(the_reserve_is_lent)
{
    struct journal *fresh;
    assert_ok(reopen());
    struct journal *j = rig.osd.journal;
    if (j->no_reserve) {
        return;
    }
    ck_assert_int_eq(rig_put(&rig, "a", "x"), 0);
    assert_ok(journal_begin_anew(j, 1000, &fresh, &fail));
    ck_assert_uint_ge(j->room, j->end + JOURNAL_RESERVE); /* there is room beside it */
    journal_lend(j, fresh);
    ck_assert_uint_eq(fresh->room, JOURNAL_LENT);
    ck_assert_uint_eq(j->room, j->end + JOURNAL_RESERVE - JOURNAL_LENT);
    journal_end_anew(j, fresh);
    rig_stop(&rig);
}
END_TEST

static atomic_int good, bad;

static void kept(void *arg, uint64_t before, uint64_t after, int err, const struct signet_fail *why)
{
    (void)arg;
    (void)before;
    (void)after;
    (void)why;
    atomic_fetch_add(err == 0 ? &good : &bad, 1);
}

static bool comes(atomic_int *count)
{
    for (int i = 0; i < 500 && atomic_load(count) == 0; i++) {
        usleep(10000);
    }
    return atomic_load(count) > 0;
}

/* Deletions on a full disk are at once followed by a new file, though the last attempt failed. */
START_TEST(deletions_are_followed_by_room)
{
    static char text[50000];
    char name[16];
    options.max_bytes = 6 << 20;
    assert_ok(reopen());
    if (rig.osd.journal->no_reserve) {
        return;
    }
    const struct rig_op op = {
        .code = WRITEFULL, .length = sizeof(text), .data = text, .len = sizeof(text)};
    unsigned num = 0;
    do {
        snprintf(name, sizeof(name), "o%u", num++ % 10);
    } while (rig_one(&rig, name, op) == 0);
    ck_assert_int_eq(rig.result, -ENOSPC);
    ck_assert_int_eq(mkdir(temp_dir_path("journal.new"), 0700), 0);
    assert_ok(signet_osd_keep(&rig.osd, 1, kept, NULL));
    ck_assert(comes(&bad)); /* the next look of its own is in 10 s */
    ck_assert_int_eq(rmdir(temp_dir_path("journal.new")), 0);
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof(name), "o%d", i);
        ck_assert_int_eq(rig_one(&rig, name, (struct rig_op){.code = DELETE}), 0);
    }
    ck_assert(comes(&good));
    ck_assert_int_eq(rig_one(&rig, "more", op), 0);
    rig_stop(&rig);
}
END_TEST

/* More than any disk has is not even begun. */
START_TEST(no_room_for_it)
{
    struct journal *fresh;
    assert_ok(reopen());
    assert_err(journal_begin_anew(rig.osd.journal, UINT64_C(1) << 62, &fresh, &fail), FILE);
    ck_assert_ptr_nonnull(strstr(fail.text, "it takes 4611686018427387904 bytes, and "));
    ck_assert_ptr_null(fresh);
    ck_assert_int_eq(access(temp_dir_path("journal.new"), F_OK), -1);
    rig_stop(&rig);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_anew_room");
    TCase *t = tcase_create("anew");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, as_small_as_its_objects);
    tcase_add_test(t, a_full_disk);
    tcase_add_test(t, cannot_begin);
    tcase_add_test(t, not_after_a_failure);
    tcase_add_test(t, no_room_for_it);
    tcase_add_test(t, the_reserve_comes_back);
    tcase_add_test(t, the_reserve_is_lent);
    tcase_add_test(t, deletions_are_followed_by_room);
    suite_add_tcase(s, t);
    return suite_run(s);
}
