/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"

/* The linker leads the calls here (--wrap). */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);

static bool refuse;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg)
{
    return refuse ? EAGAIN : __real_pthread_create(thread, attr, run, arg);
}

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};

struct seen {
    sigset_t blocked;
    char name[16];
};

/* Held until a thread has its name, which it is given once it runs. */
static pthread_mutex_t named = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *arg)
{
    struct seen *seen = arg;
    pthread_mutex_lock(&named);
    pthread_mutex_unlock(&named);
    pthread_sigmask(SIG_SETMASK, NULL, &seen->blocked);
    pthread_getname_np(pthread_self(), seen->name, sizeof(seen->name));
    return NULL;
}

static bool is_fault(int sig)
{
    bool found = false;
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        found = found || faults[i] == sig;
    }
    return found;
}

START_TEST(signals_but_those_of_faults_are_for_others)
{
    static struct seen seen;
    pthread_t thread;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    pthread_mutex_lock(&named);
    ck_assert_int_eq(signet_thread_start(&thread, "signet-test", look, &seen), 0);
    pthread_mutex_unlock(&named);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    pthread_join(thread, NULL);
    for (int sig = 1; sig < 32; sig++) {
        ck_assert_int_eq(sigismember(&before, sig), sigismember(&after, sig));
        bool may_be_blocked = sig != SIGKILL && sig != SIGSTOP;
        ck_assert_int_eq(sigismember(&seen.blocked, sig), may_be_blocked && !is_fault(sig));
    }
    ck_assert_str_eq(seen.name, "signet-test");
}
END_TEST

START_TEST(no_name_leaves_the_callers)
{
    static struct seen seen;
    char own[16];
    pthread_t thread;
    pthread_getname_np(pthread_self(), own, sizeof(own));
    pthread_mutex_lock(&named);
    ck_assert_int_eq(signet_thread_start(&thread, NULL, look, &seen), 0);
    pthread_mutex_unlock(&named);
    pthread_join(thread, NULL);
    ck_assert_str_eq(seen.name, own);
}
END_TEST

START_TEST(a_system_without_threads)
{
    static struct seen seen;
    pthread_t thread;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    refuse = true;
    assert_err(signet_thread_start(&thread, "signet-test", look, &seen), NOMEM);
    refuse = false;
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int sig = 1; sig < 32; sig++) {
        ck_assert_int_eq(sigismember(&before, sig), sigismember(&after, sig));
    }
}
END_TEST

START_TEST(timed_waits_go_by_the_monotonic_clock)
{
    pthread_cond_t cond;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct timespec soon, now;
    signet_cond_init(&cond);
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_nsec += 20000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    int err;
    do {
        err = pthread_cond_timedwait(&cond, &lock, &soon);
    } while (err == 0);
    pthread_mutex_unlock(&lock);
    clock_gettime(CLOCK_MONOTONIC, &now);
    ck_assert_int_eq(err, ETIMEDOUT);
    /* By the time of day, the moment named would have been over decades ago. */
    ck_assert(now.tv_sec > soon.tv_sec ||
              (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
    pthread_cond_destroy(&cond);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("thread");
    TCase *t = tcase_create("thread");
    tcase_add_test(t, signals_but_those_of_faults_are_for_others);
    tcase_add_test(t, no_name_leaves_the_callers);
    tcase_add_test(t, a_system_without_threads);
    tcase_add_test(t, timed_waits_go_by_the_monotonic_clock);
    suite_add_tcase(s, t);
    return suite_run(s);
}
