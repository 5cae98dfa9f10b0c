/* SPDX-License-Identifier: MIT */
/* The journal under many threads. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "lite/journal.h"
#include "support/suite.h"
#include "support/temp_dir.h"

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {1, 2, 3};
static struct journal *j;
static struct journal_options options;
static struct journal_report report;
static struct signet_fail fail;

static void start(void)
{
    suite_start();
    options = (struct journal_options){.dir = temp_dir_make(), .key = key};
    j = NULL;
}

static void stop(void)
{
    journal_close(j);
    temp_dir_remove();
    suite_stop();
}

enum { THREADS = 4, EACH = 500 };
static unsigned counts[THREADS];

static void *append_many(void *arg)
{
    uint8_t *index = arg;
    for (unsigned i = 0; i < EACH; i++) {
        struct journal_place *place;
        ck_assert_int_eq(journal_place(j, &place, 50 + i), 0);
        memset(journal_body(place), *index, 50 + i);
        ck_assert_int_eq(journal_append(j, place), 0);
    }
    return NULL;
}

/* Those of one thread are in its order. */
static int check_many(void *arg, struct signet_span body, struct signet_fail *why)
{
    (void)arg;
    (void)why;
    ck_assert_uint_lt(body.p[0], THREADS);
    ck_assert_uint_eq(body.len, 50 + counts[body.p[0]]++);
    return 0;
}

START_TEST(from_many_threads)
{
    pthread_t thread[THREADS];
    uint8_t index[THREADS];
    assert_ok(journal_open(&j, &options, check_many, NULL, &report, &fail));
    for (int i = 0; i < THREADS; i++) {
        index[i] = (uint8_t)i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, append_many, &index[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    journal_close(j);
    memset(counts, 0, sizeof(counts));
    assert_ok(journal_open(&j, &options, check_many, NULL, &report, &fail));
    ck_assert_uint_eq(report.records, (uint64_t)THREADS * EACH);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("journal_race");
    TCase *t = tcase_create("threads");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, from_many_threads);
    suite_add_tcase(s, t);
    return suite_run(s);
}
