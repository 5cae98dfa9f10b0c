/* SPDX-License-Identifier: MIT */
/* Opening the journal: whose file it is, and the space that was taken ahead. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lite/journal_internal.h"
#include "support/suite.h"
#include "support/temp_dir.h"

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {1, 2, 3};
static char path[96], other[96];
static struct journal *j;
static struct journal_options options;
static struct journal_report report;
static struct signet_fail fail;

static void start(void)
{
    suite_start();
    options = (struct journal_options){.dir = temp_dir_make(), .key = key};
    snprintf(path, sizeof(path), "%s", temp_dir_path("journal"));
    snprintf(other, sizeof(other), "%s", temp_dir_path("other"));
    j = NULL;
}

static void stop(void)
{
    journal_close(j);
    temp_dir_remove();
    suite_stop();
}

static int ignore(void *arg, struct signet_span body, struct signet_fail *why)
{
    (void)arg;
    (void)body;
    (void)why;
    return 0;
}

static int reopen(void)
{
    journal_close(j);
    return journal_open(&j, &options, ignore, NULL, &report, &fail);
}

static void append(void)
{
    struct journal_place *place;
    ck_assert_int_eq(journal_place(j, &place, 100), 0);
    memset(journal_body(place), 1, 100);
    ck_assert_int_eq(journal_append(j, place), 0);
}

static unsigned replaced;

/* As another process that writes it anew: another file takes its name. */
static void replace(enum journal_step step)
{
    if (step == JOURNAL_FOUND && replaced > 0) {
        replaced--;
        ck_assert_int_eq(rename(other, path), 0);
        FILE *next = fopen(other, "wb");
        ck_assert_ptr_nonnull(next);
        fclose(next);
    }
}

/* A file that has lost its name between being opened and being locked is not the journal. */
START_TEST(replaced_while_it_is_opened)
{
    assert_ok(reopen());
    append();
    journal_close(j);
    j = NULL;
    ck_assert_int_eq(rename(path, other), 0);
    options.step = replace;
    replaced = 1;
    assert_ok(reopen()); /* finds an empty one first */
    ck_assert_uint_eq(report.records, 1);
    append();
    options.step = NULL;
    assert_ok(reopen());
    ck_assert_uint_eq(report.records, 2);
    options.step = replace;
    replaced = UINT_MAX;
    assert_err(reopen(), FILE);
    ck_assert_ptr_nonnull(strstr(fail.text, "again and again"));
}
END_TEST

/* Space that was taken ahead is there after a restart, also if the disk has no more. */
START_TEST(the_reserve_stays)
{
    assert_ok(reopen());
    for (int i = 0; i < 2 && !j->no_reserve; i++) {
        struct stat st;
        ck_assert_uint_ge(j->room, j->end + JOURNAL_RESERVE);
        ck_assert_int_eq(stat(path, &st), 0);
        ck_assert_uint_eq((uint64_t)st.st_size, j->end);
        ck_assert_int_ge(st.st_blocks * 512, JOURNAL_RESERVE);
        append();
        assert_ok(reopen());
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("journal_open");
    TCase *t = tcase_create("file");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, replaced_while_it_is_opened);
    tcase_add_test(t, the_reserve_stays);
    suite_add_tcase(s, t);
    return suite_run(s);
}
