/* SPDX-License-Identifier: MIT */
/* Waiting for the disk: who is told, when, in which order, and what happens when flushing fails. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "lite/journal_internal.h"
#include "support/suite.h"
#include "support/temp_dir.h"

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {1, 2, 3};
static const char *dir;
static struct journal *j;
static struct journal_report report;
static struct signet_fail fail;

static int ignore(void *arg, struct signet_span body, struct signet_fail *why)
{
    (void)arg;
    (void)body;
    (void)why;
    return 0;
}

static void reopen(bool sync)
{
    const struct journal_options options = {.dir = dir, .key = key, .sync = sync};
    journal_close(j);
    assert_ok(journal_open(&j, &options, ignore, NULL, &report, &fail));
}

static void start(void)
{
    suite_start();
    dir = temp_dir_make();
    j = NULL;
    reopen(true);
}

static void stop(void)
{
    journal_close(j);
    temp_dir_remove();
    suite_stop();
}

static int append(void)
{
    struct journal_place *place;
    ck_assert_int_eq(journal_place(j, &place, 100), 0);
    memset(journal_body(place), 1, 100);
    return journal_append(j, place);
}

/* --- one who is told, and holds the thread up ----------------------------------------------- */

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned told[100], num_told;
static uint64_t safe_then;
static int err_then;

struct numbered {
    struct journal_wait wait;
    unsigned number;
};

static void gate(struct journal_wait *wait, int err)
{
    (void)wait;
    (void)err;
    pthread_mutex_lock(&gate_lock);
    pthread_mutex_unlock(&gate_lock);
}

static void note(struct journal_wait *wait, int err)
{
    told[num_told++] = ((struct numbered *)wait)->number;
    safe_then = journal_safe(j);
    err_then = err;
}

/* All that wait while the thread is busy are served by one flush, in their order. */
START_TEST(one_flush_for_all)
{
    struct journal_wait first = {.done = gate};
    struct numbered many[100];
    num_told = 0;
    ck_assert(journal_syncs(j));
    pthread_mutex_lock(&gate_lock);
    ck_assert_int_eq(append(), 0);
    journal_when_safe(j, &first);
    for (unsigned i = 0; i < 100; i++) {
        many[i] = (struct numbered){{.done = note}, i};
        ck_assert_int_eq(append(), 0);
        journal_when_safe(j, &many[i].wait);
    }
    ck_assert_uint_eq(journal_appended(j), 101);
    ck_assert_uint_eq(num_told, 0);
    pthread_mutex_unlock(&gate_lock);
    journal_quiet(j);
    ck_assert_uint_eq(num_told, 100);
    for (unsigned i = 0; i < 100; i++) {
        ck_assert_uint_eq(told[i], i);
    }
    ck_assert_int_eq(err_then, 0);
    ck_assert_uint_eq(safe_then, 101);
    ck_assert_uint_le(journal_usage(j).flushes, 2);
    /* nothing was appended since: nothing to flush */
    uint64_t flushes = journal_usage(j).flushes;
    ck_assert_int_eq(journal_wait_safe(j), 0);
    ck_assert_uint_eq(journal_usage(j).flushes, flushes);
}
END_TEST

/* Records that were there at the start count as safe; the end tells all who wait. */
START_TEST(starts_and_ends)
{
    struct numbered last = {{.done = note}, 7};
    ck_assert_int_eq(append(), 0);
    reopen(true);
    ck_assert_uint_eq(journal_appended(j), 1);
    ck_assert_uint_eq(journal_safe(j), 1);
    num_told = 0;
    ck_assert_int_eq(append(), 0);
    journal_when_safe(j, &last.wait);
    reopen(false);
    ck_assert_uint_eq(num_told, 1);
    ck_assert_uint_eq(report.records, 2);
    ck_assert(!journal_syncs(j));
    ck_assert(!journal_syncs(NULL));
    journal_quiet(j);
}
END_TEST

static void *call_one_more(void *arg)
{
    journal_when_safe(j, arg);
    return NULL;
}

/* Who has too much waiting waits for a flush, and no longer. */
START_TEST(memory_is_bounded)
{
    struct journal_wait first = {.done = gate};
    struct numbered big = {{.done = note, .cost = JOURNAL_WAIT_MAX + 1}, 1},
                    more = {{.done = note, .cost = 1}, 2};
    pthread_t thread;
    num_told = 0;
    pthread_mutex_lock(&gate_lock);
    journal_when_safe(j, &first);
    journal_when_safe(j, &big.wait);
    ck_assert_int_eq(pthread_create(&thread, NULL, call_one_more, &more.wait), 0);
    usleep(20000);
    ck_assert_uint_eq(num_told, 0);
    pthread_mutex_unlock(&gate_lock);
    pthread_join(thread, NULL);
    journal_quiet(j);
    ck_assert_uint_eq(num_told, 2);
    ck_assert_uint_eq(told[1], 2);
    ck_assert_uint_eq(j->flush.cost, 0);
}
END_TEST

/* /dev/null takes writes and cannot be flushed. After that nothing is promised any more. */
START_TEST(a_flush_that_fails)
{
    struct numbered after = {{.done = note}, 3};
    int null = open("/dev/null", O_RDWR);
    ck_assert_int_eq(append(), 0);
    ck_assert_int_eq(journal_wait_safe(j), 0);
    int kept = dup(j->fd);
    ck_assert_int_ge(dup2(null, j->fd), 0);
    ck_assert_int_eq(append(), 0);
    ck_assert_int_eq(journal_wait_safe(j), -EIO);
    ck_assert(journal_lost(j));
    ck_assert(journal_usage(j).lost);
    ck_assert_int_ge(dup2(kept, j->fd), 0); /* the disk is well again: too late */
    ck_assert_int_eq(append(), -EIO);
    ck_assert_uint_eq(journal_usage(j).refused, 1);
    num_told = 0;
    journal_when_safe(j, &after.wait);
    journal_quiet(j);
    ck_assert_uint_eq(num_told, 1);
    ck_assert_int_eq(err_then, -EIO);
    ck_assert_uint_eq(journal_safe(j), 1);
    close(null);
    close(kept);
}
END_TEST

enum { THREADS = 8, EACH = 40 };

static void *append_and_wait(void *arg)
{
    (void)arg;
    for (int i = 0; i < EACH; i++) {
        ck_assert_int_eq(append(), 0);
        uint64_t appended = journal_appended(j);
        ck_assert_int_eq(journal_wait_safe(j), 0);
        ck_assert_uint_ge(journal_safe(j), appended);
    }
    return NULL;
}

START_TEST(from_many_threads)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, append_and_wait, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    ck_assert_uint_le(journal_usage(j).flushes, (uint64_t)THREADS * EACH);
    reopen(true);
    ck_assert_uint_eq(report.records, (uint64_t)THREADS * EACH);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("journal_flush");
    TCase *t = tcase_create("flush");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, one_flush_for_all);
    tcase_add_test(t, starts_and_ends);
    tcase_add_test(t, memory_is_bounded);
    tcase_add_test(t, a_flush_that_fails);
    tcase_add_test(t, from_many_threads);
    suite_add_tcase(s, t);
    return suite_run(s);
}
