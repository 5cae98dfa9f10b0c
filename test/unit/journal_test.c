/* SPDX-License-Identifier: MIT */
/* The journal as a file: what comes back, what is cut, what is refused. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lite/journal_internal.h"
#include "support/suite.h"
#include "support/temp_dir.h"

enum { RECORDS = 20, MANY = 300, BODY = 20, SECTOR = 512 };
#define RECORD ((size_t)(40 + BODY + 16))

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {1, 2, 3};
static char path[96];
static struct journal *j;
static struct journal_options options;
static struct journal_report report;
static struct signet_fail fail;
static unsigned seen;

static void start(void)
{
    suite_start();
    options = (struct journal_options){.dir = temp_dir_make(), .key = key};
    snprintf(path, sizeof(path), "%s", temp_dir_path("journal"));
    j = NULL;
}

static void stop(void)
{
    journal_close(j);
    temp_dir_remove();
    suite_stop();
}

/* Record n is BODY times the byte n. */
static int check(void *arg, struct signet_span body, struct signet_fail *why)
{
    (void)arg;
    (void)why;
    ck_assert_uint_eq(body.len, BODY);
    for (size_t i = 0; i < body.len; i++) {
        ck_assert_uint_eq(body.p[i], (uint8_t)seen);
    }
    seen++;
    return 0;
}

static int reopen(void)
{
    journal_close(j);
    seen = 0;
    memset(&fail, 0, sizeof(fail));
    return journal_open(&j, &options, check, NULL, &report, &fail);
}

static int append(uint8_t value)
{
    struct journal_place *place;
    ck_assert_int_eq(journal_place(j, &place, BODY), 0);
    memset(journal_body(place), value, BODY);
    return journal_append(j, place);
}

static void fill(unsigned from, unsigned num)
{
    for (unsigned i = from; i < from + num; i++) {
        ck_assert_int_eq(append((uint8_t)i), 0);
    }
}

static uint8_t *load(size_t *len)
{
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    uint8_t *all = malloc(1 << 16);
    *len = fread(all, 1, 1 << 16, f);
    fclose(f);
    return all;
}

static void save(const uint8_t *p, size_t len)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(p, 1, len, f), len);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(comes_back)
{
    struct stat st;
    assert_ok(reopen());
    ck_assert_uint_eq(report.records, 0);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    for (unsigned round = 0; round < 3; round++) {
        fill(round * RECORDS, RECORDS);
        assert_ok(reopen());
        ck_assert_uint_eq(seen, (size_t)(round + 1U) * (unsigned)RECORDS);
        ck_assert_uint_eq(report.records, seen);
        ck_assert_uint_eq(report.bytes, seen * RECORD);
        ck_assert_uint_eq(report.cut, 0);
    }
}
END_TEST

/* Wherever it was cut: whole records stay, the rest goes, and it goes on from there. */
START_TEST(torn_anywhere)
{
    size_t len;
    assert_ok(reopen());
    fill(0, 2);
    journal_close(j);
    j = NULL;
    uint8_t *all = load(&len);
    ck_assert_uint_eq(len, 2 * RECORD);
    for (size_t cut = 0; cut <= len; cut++) {
        save(all, cut);
        assert_ok(reopen());
        ck_assert_uint_eq(seen, cut / RECORD);
        ck_assert_uint_eq(report.cut, cut % RECORD);
        fill(seen, 1);
        assert_ok(reopen());
        ck_assert_uint_eq(seen, cut / RECORD + 1);
        ck_assert_uint_eq(report.cut, 0);
        journal_close(j);
        j = NULL;
    }
    free(all);
}
END_TEST

/* What a file system may leave behind a crash: space without contents. */
START_TEST(zeros_at_the_end)
{
    static const uint8_t zeros[5000];
    assert_ok(reopen());
    fill(0, 2);
    journal_close(j);
    j = NULL;
    FILE *f = fopen(path, "ab");
    ck_assert_uint_eq(fwrite(zeros, 1, sizeof(zeros), f), sizeof(zeros));
    fclose(f);
    assert_ok(reopen());
    ck_assert_uint_eq(seen, 2);
    ck_assert_uint_eq(report.cut, sizeof(zeros));
    fill(2, 1);
    assert_ok(reopen());
    ck_assert_uint_eq(seen, 3);
}
END_TEST

/* Sectors behind what was written have no contents: in the middle of a header or of a tag too. */
START_TEST(zeros_from_a_sector_on)
{
    unsigned in_header = 0, in_tag = 0;
    size_t len;
    assert_ok(reopen());
    fill(0, MANY);
    journal_close(j);
    j = NULL;
    uint8_t *all = load(&len);
    for (size_t cut = len / SECTOR * SECTOR; cut > 0; cut -= SECTOR) {
        memset(all + cut, 0, len - cut);
        save(all, len);
        assert_ok(reopen());
        ck_assert_uint_eq(seen, cut / RECORD);
        ck_assert_uint_eq(report.cut, len - cut / RECORD * RECORD);
        in_header += cut % RECORD < 40;
        in_tag += cut % RECORD > RECORD - 16;
        journal_close(j);
        j = NULL;
    }
    ck_assert(in_header > 3 && in_tag > 3);
    free(all);
}
END_TEST

/* A lost block in the middle is not the end: what follows it was acknowledged. */
START_TEST(zeros_in_the_middle)
{
    static const struct {
        size_t at, len;
    } hole[] = {{RECORD, 40}, {RECORD, RECORD}, {2 * RECORD - 16, 16}, {2 * RECORD - 16, 40}};
    size_t len, after;
    assert_ok(reopen());
    fill(0, 4);
    journal_close(j);
    j = NULL;
    uint8_t *all = load(&len);
    memset(all + hole[_i].at, 0, hole[_i].len);
    save(all, len);
    assert_err(reopen(), RECORD_HEADER);
    ck_assert_uint_eq(fail.offset, RECORD);
    ck_assert_uint_eq(seen, 1);
    uint8_t *now = load(&after);
    ck_assert_uint_eq(after, len);
    ck_assert_mem_eq(now, all, len);
    free(now);
    free(all);
}
END_TEST

/* A hole of more than the reader has at once, without reading all of it. */
START_TEST(a_long_hole)
{
    size_t len;
    assert_ok(reopen());
    fill(0, 2);
    journal_close(j);
    j = NULL;
    uint8_t *all = load(&len);
    int fd = open(path, O_WRONLY);
    ck_assert_int_eq(ftruncate(fd, 3 << 20), 0);
    ck_assert_int_eq(pwrite(fd, all, RECORD, 3 << 20), (ssize_t)RECORD);
    close(fd);
    assert_err(reopen(), RECORD_HEADER);
    ck_assert_uint_eq(fail.offset, 2 * RECORD);
    ck_assert_int_eq(truncate(path, 3 << 20), 0);
    assert_ok(reopen());
    ck_assert_uint_eq(seen, 2);
    ck_assert_uint_eq(report.cut, (3 << 20) - 2 * RECORD);
    free(all);
}
END_TEST

/* A changed byte is refused at its record, and the file is left alone. */
START_TEST(changed_anywhere)
{
    size_t len, after;
    assert_ok(reopen());
    fill(0, 3);
    journal_close(j);
    j = NULL;
    uint8_t *all = load(&len);
    for (size_t at = 0; at < len; at++) {
        all[at] ^= 0x10;
        save(all, len);
        int err = reopen();
        ck_assert_msg(err == -SIGNET_E_RECORD_BODY || err == -SIGNET_E_RECORD_HEADER,
                      "byte %zu: %s", at, signet_err_name(err));
        ck_assert_uint_eq(fail.offset / RECORD, at / RECORD);
        ck_assert_uint_eq(seen, at / RECORD);
        ck_assert_ptr_null(j);
        uint8_t *now = load(&after);
        ck_assert_uint_eq(after, len);
        ck_assert_mem_eq(now, all, len);
        free(now);
        all[at] ^= 0x10;
    }
    /* a record is missing */
    memmove(all + RECORD, all + 2 * RECORD, RECORD);
    save(all, 2 * RECORD);
    assert_err(reopen(), RECORD_SEQ);
    ck_assert_uint_eq(fail.offset, RECORD);
    free(all);
}
END_TEST

START_TEST(another_key)
{
    static const uint8_t other[SIGNET_RECORD_KEY_LEN] = {9};
    assert_ok(reopen());
    fill(0, 1);
    journal_close(j);
    j = NULL;
    options.key = other;
    assert_err(journal_open(&j, &options, check, NULL, &report, &fail), RECORD_BODY);
    ck_assert_ptr_null(j);
}
END_TEST

START_TEST(one_at_a_time)
{
    struct journal *second;
    assert_ok(reopen());
    assert_err(journal_open(&second, &options, check, NULL, &report, &fail), FILE);
    ck_assert_ptr_nonnull(strstr(fail.text, "another process"));
    options.dir = "/proc/none";
    assert_err(journal_open(&second, &options, check, NULL, &report, &fail), FILE);
    ck_assert_ptr_null(second);
}
END_TEST

static int refuse(void *arg, struct signet_span body, struct signet_fail *why)
{
    unsigned *left = arg;
    (void)body;
    (void)why;
    return (*left)-- == 0 ? -SIGNET_E_VALUE : 0;
}

START_TEST(replay_may_refuse)
{
    unsigned left = 2;
    assert_ok(reopen());
    fill(0, 4);
    journal_close(j);
    j = NULL;
    assert_err(journal_open(&j, &options, refuse, &left, &report, &fail), VALUE);
    ck_assert_uint_eq(fail.offset, 2 * RECORD);
    assert_ok(reopen());
    ck_assert_uint_eq(seen, 4);
}
END_TEST

/* A file that cannot grow: the record that does not fit is not there, and when there is room again
 * appending goes on. */
START_TEST(no_room)
{
    struct rlimit former, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_ok(reopen());
    fill(0, 2);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &former), 0);
    small = former;
    small.rlim_cur = 2 * RECORD + 30;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(append(77), -EIO);
    }
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq((size_t)st.st_size, 2 * RECORD);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &former), 0);
    fill(2, 2);
    ck_assert_uint_eq(journal_usage(j).refused, 3);
    ck_assert_uint_eq(journal_usage(j).bytes, 4 * RECORD);
    assert_ok(reopen());
    ck_assert_uint_eq(seen, 4);
    ck_assert_uint_eq(journal_usage(j).refused, 0);
    ck_assert_uint_eq(journal_usage(NULL).bytes, 0);
}
END_TEST

/* A body that was not even sealed does not lie about in a place that the next one gets. */
START_TEST(plaintext_is_not_kept)
{
    struct journal_place *place;
    uint8_t plain[BODY];
    memset(plain, 77, BODY);
    assert_ok(reopen());
    j->failed = EIO; /* as when not even cutting has worked */
    j->dead = true;
    ck_assert_int_eq(append(77), -EIO);
    ck_assert_int_eq(journal_place(j, &place, BODY), 0);
    ck_assert_mem_ne(journal_body(place), plain, BODY);
    memset(journal_body(place), 77, BODY);
    ck_assert_int_eq(journal_append(j, place), -EIO);
    ck_assert_uint_eq(journal_usage(j).refused, 2);
}
END_TEST

START_TEST(too_long)
{
    struct journal_place *place;
    assert_ok(reopen());
    ck_assert_int_eq(journal_place(j, &place, (size_t)SIGNET_RECORD_MAX + 1), -E2BIG);
    ck_assert_ptr_null(place);
    /* one that is larger than what is kept */
    ck_assert_int_eq(journal_place(j, &place, 3 << 20), 0);
    memset(journal_body(place), 5, 3 << 20);
    ck_assert_int_eq(journal_append(j, place), 0);
    unsigned left = 1;
    journal_close(j);
    options.sync = true;
    assert_ok(journal_open(&j, &options, refuse, &left, &report, &fail));
    ck_assert_uint_eq(report.records, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("journal");
    TCase *t = tcase_create("file");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, comes_back);
    tcase_add_test(t, torn_anywhere);
    tcase_add_test(t, zeros_at_the_end);
    tcase_add_test(t, zeros_from_a_sector_on);
    tcase_add_loop_test(t, zeros_in_the_middle, 0, 4);
    tcase_add_test(t, a_long_hole);
    tcase_add_test(t, changed_anywhere);
    tcase_add_test(t, another_key);
    tcase_add_test(t, one_at_a_time);
    tcase_add_test(t, replay_may_refuse);
    tcase_add_test(t, no_room);
    tcase_add_test(t, plaintext_is_not_kept);
    tcase_add_test(t, too_long);
    suite_add_tcase(s, t);
    return suite_run(s);
}
