/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/signet.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crypto/engine.h"
#include "crypto/thread_index.h"

static void *index_of_thread(void *arg)
{
    (void)arg;
    return (void *)(uintptr_t)signet_thread_index();
}

static unsigned in_thread(void)
{
    pthread_t thread;
    void *result;
    ck_assert_int_eq(pthread_create(&thread, NULL, index_of_thread, NULL), 0);
    pthread_join(thread, &result);
    return (unsigned)(uintptr_t)result;
}

START_TEST(an_index_stays_and_is_reused)
{
    unsigned mine = signet_thread_index();
    ck_assert_uint_eq(signet_thread_index(), mine);
    ck_assert_uint_eq(signet_thread_index_inline(), mine);
    unsigned taken = signet_thread_indices_taken();
    unsigned other = in_thread();
    ck_assert_uint_ne(other, mine);
    ck_assert_uint_eq(signet_thread_indices_taken(), taken);
    ck_assert_uint_eq(in_thread(), other);
}
END_TEST

START_TEST(a_child_keeps_its_index)
{
    unsigned mine = signet_thread_index();
    pid_t pid = fork();
    if (pid == 0) {
        _exit(signet_thread_index() == mine && in_thread() != mine ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    ck_assert_int_eq(status, 0);
}
END_TEST

#define MANY (SIGNET_THREAD_MAX + 40)

static sem_t ready, go;
static struct signet_key *key;
static uint8_t known[64];
static size_t known_len;
static atomic_uint wrong, without;

static bool seals(void)
{
    uint8_t out[64];
    size_t len;
    return signet_envelope_seal(key, 0, out, sizeof(out), &len, known, 10) == 0 &&
           len == known_len &&
           signet_envelope_open(key, 0, out, sizeof(out), &len, out, len) == 0 && len == 10;
}

static void *seal_in_crowd(void *arg)
{
    (void)arg;
    wrong += !seals();
    without += signet_thread_index() == SIGNET_THREAD_MAX;
    sem_post(&ready);
    sem_wait(&go);
    wrong += !seals();
    return NULL;
}

/* More threads than indices: the rest share the overflow lane. */
START_TEST(a_crowd_of_threads)
{
    static pthread_t threads[MANY];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 128 * 1024);
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    assert_ok(signet_key_generate(&key, SIGNET_KEY_AES256K, NULL));
    known_len = signet_envelope_len(key, 10);
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], &attr, seal_in_crowd, NULL), 0);
    }
    for (int i = 0; i < MANY; i++) {
        sem_wait(&ready);
    }
    ck_assert_uint_ge(without, 39);
    ck_assert_uint_eq(signet_thread_indices_taken(), SIGNET_THREAD_MAX);
    for (int i = 0; i < MANY; i++) {
        sem_post(&go);
    }
    for (int i = 0; i < MANY; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_le(signet_thread_indices_taken(), 1);
    signet_key_unref(key);
}
END_TEST

static pthread_key_t late_key;

/* A destructor that seals after the index has been given back. */
static void seal_late(void *again)
{
    wrong += !seals();
    if (again != NULL && *(int *)again > 0) {
        --*(int *)again;
        pthread_setspecific(late_key, again);
    }
}

static void *with_late_destructor(void *arg)
{
    wrong += !seals();
    pthread_setspecific(late_key, arg);
    return NULL;
}

START_TEST(sealing_in_a_thread_destructor)
{
    int again = 1; /* sanitizers take down their own state in the last rounds */
    pthread_t thread;
    assert_ok(signet_key_generate(&key, SIGNET_KEY_AES, NULL));
    known_len = signet_envelope_len(key, 10);
    unsigned taken = signet_thread_indices_taken();
    pthread_key_create(&late_key, seal_late);
    ck_assert_int_eq(pthread_create(&thread, NULL, with_late_destructor, &again), 0);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_int_eq(again, 0);
    ck_assert_uint_eq(signet_thread_indices_taken(), taken);
    signet_key_unref(key);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("thread_index");
    TCase *t = suite_case(s, "thread index");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, an_index_stays_and_is_reused);
    tcase_add_test(t, a_child_keeps_its_index);
    tcase_add_test(t, a_crowd_of_threads);
    tcase_add_test(t, sealing_in_a_thread_destructor);
    return suite_run(s);
}
