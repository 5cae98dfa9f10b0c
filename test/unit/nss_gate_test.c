/* SPDX-License-Identifier: MIT */
/* The gate in front of NSS, with membarrier and with fences only. */
#include "support/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crypto/nss_gate.h"

#define FENCED  0x80000000U
#define THREADS 4

static atomic_bool stop;
static unsigned work_done[THREADS + 1]; /* odd while its thread is inside; plain on purpose */

/* _i of each test: 0 as the system offers, 1 without membarrier. */
static void start(bool fenced)
{
    signet_nss_gate_start();
    if (fenced) {
        atomic_fetch_or(&signet_nss_gate, FENCED);
    }
}

static void pass(struct signet_nss_flag *flag, unsigned *work)
{
    signet_nss_enter(flag);
    ++*work;
    atomic_signal_fence(memory_order_seq_cst);
    ++*work;
    signet_nss_leave(flag);
}

static void *pass_often(void *arg)
{
    unsigned i = *(unsigned *)arg;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        pass(signet_nss_flag(i), &work_done[i]);
    }
    return NULL;
}

static unsigned numbers[THREADS + 1] = {0, 1, 2, 3, SIGNET_THREAD_MAX};
static pthread_t threads[THREADS];

static void start_threads(void)
{
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, pass_often, &numbers[i]), 0);
    }
}

static void stop_threads(void)
{
    stop = true;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void nap(long us)
{
    struct timespec t = {.tv_nsec = us * 1000};
    nanosleep(&t, NULL);
}

/* Nobody is inside, and nobody comes in. */
static void check_closed(void)
{
    unsigned before[THREADS];
    for (int i = 0; i < THREADS; i++) {
        before[i] = work_done[i];
        ck_assert_uint_eq(before[i] % 2, 0);
    }
    nap(50);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_uint_eq(work_done[i], before[i]);
    }
}

/* Until the first thread has passed again. */
static void wait_for_work(void)
{
    signet_nss_fork_prepare();
    unsigned before = work_done[0], now = before;
    signet_nss_fork_parent();
    while (now == before) {
        nap(1000);
        signet_nss_fork_prepare();
        now = work_done[0];
        signet_nss_fork_parent();
    }
}

START_TEST(closed_means_closed)
{
    start(_i);
    start_threads();
    for (int turn = 0; turn < 60; turn++) {
        signet_nss_fork_prepare();
        check_closed();
        signet_nss_fork_parent();
        nap(turn % 3 * 20);
    }
    wait_for_work();
    stop_threads();
}
END_TEST

START_TEST(two_forks_at_once)
{
    start(_i);
    start_threads();
    signet_nss_fork_prepare();
    signet_nss_fork_prepare();
    signet_nss_fork_parent();
    check_closed(); /* the other one is not over */
    signet_nss_fork_parent();
    stop_threads();
}
END_TEST

START_TEST(a_child_finds_it_open)
{
    start(_i);
    start_threads();
    for (int turn = 0; turn < 15; turn++) {
        signet_nss_fork_prepare();
        pid_t pid = fork();
        if (pid == 0) {
            suite_child_ends_within(20);
            signet_nss_fork_child();
            unsigned work = 0;
            pass(signet_nss_flag(7), &work);
            signet_nss_fork_prepare(); /* no flag of a thread that is gone is in the way */
            signet_nss_fork_parent();
            pass(signet_nss_flag(0), &work);
            _exit(work == 4 && signet_nss_gate_fast() == (_i == 0) ? 0 : 1);
        }
        signet_nss_fork_parent();
        int status = -1;
        waitpid(pid, &status, 0);
        ck_assert_int_eq(status, 0);
    }
    stop_threads();
}
END_TEST

static void *hold(void *arg)
{
    struct signet_nss_flag *flag = signet_nss_flag(SIGNET_THREAD_MAX);
    signet_nss_enter(flag);
    atomic_store((atomic_int *)arg, 1);
    while (atomic_load((atomic_int *)arg) != 2) {
        nap(100);
    }
    signet_nss_leave(flag);
    return NULL;
}

static void *prepare(void *arg)
{
    signet_nss_fork_prepare();
    atomic_store((atomic_int *)arg, 1);
    return NULL;
}

/* Threads without an index share a flag, which counts them. */
START_TEST(the_shared_flag_counts)
{
    start(_i);
    atomic_int held[2] = {0}, prepared = 0;
    pthread_t holders[2], forker;
    for (int i = 0; i < 2; i++) {
        pthread_create(&holders[i], NULL, hold, &held[i]);
        while (atomic_load(&held[i]) == 0) {
            nap(100);
        }
    }
    pthread_create(&forker, NULL, prepare, &prepared);
    atomic_store(&held[0], 2);
    pthread_join(holders[0], NULL);
    nap(20000);
    ck_assert_int_eq(prepared, 0); /* one is still inside */
    atomic_store(&held[1], 2);
    pthread_join(holders[1], NULL);
    pthread_join(forker, NULL);
    ck_assert_int_eq(prepared, 1);
    signet_nss_fork_parent();
    unsigned work = 0;
    pass(signet_nss_flag(numbers[THREADS]), &work);
    ck_assert_uint_eq(signet_nss_flag(5000)->busy, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nss_gate");
    TCase *gate = tcase_create("gate");
    tcase_set_timeout(gate, 60);
    tcase_add_loop_test(gate, closed_means_closed, 0, 2);
    tcase_add_loop_test(gate, two_forks_at_once, 0, 2);
    tcase_add_loop_test(gate, a_child_finds_it_open, 0, 2);
    tcase_add_loop_test(gate, the_shared_flag_counts, 0, 2);
    suite_add_tcase(suite, gate);
    return suite_run(suite);
}
