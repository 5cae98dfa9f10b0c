/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/secret.h"

static bool all_are(const uint8_t *p, size_t len, uint8_t value)
{
    for (size_t i = 0; i < len; i++) {
        if (p[i] != value) {
            return false;
        }
    }
    return true;
}

static bool all_zero(const uint8_t *p, size_t len)
{
    return all_are(p, len, 0);
}

/* Around every class border, and beyond the largest class. */
static const size_t sizes[] = {0,   1,   63,   64,   65,   127,  128,  129,   255,   256,    257,
                               512, 513, 1024, 1025, 2048, 2049, 4095, 4096,  4097,  8192,   8193,
                               1,   64,  128,  4096, 4097, 9000, 9000, 65535, 65536, 1000000};
enum { NUM_SIZES = sizeof(sizes) / sizeof(*sizes) };

START_TEST(zeroed_and_aligned)
{
    size_t len = sizes[_i];
    for (int round = 0; round < 3; round++) {
        uint8_t *p = signet_secret_alloc(len);
        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq((uintptr_t)p % 64, 0);
        ck_assert(all_zero(p, len));
        memset(p, 0xa5, len);
        signet_secret_free(p, len);
    }
}
END_TEST

START_TEST(blocks_do_not_overlap)
{
    uint8_t *p[300];
    for (size_t i = 0; i < 300; i++) {
        p[i] = signet_secret_alloc(sizes[i % NUM_SIZES] % 9001);
        ck_assert_ptr_nonnull(p[i]);
        memset(p[i], (int)(i % 251 + 1), sizes[i % NUM_SIZES] % 9001);
    }
    for (size_t i = 0; i < 300; i++) {
        size_t len = sizes[i % NUM_SIZES] % 9001;
        ck_assert(all_are(p[i], len, (uint8_t)(i % 251 + 1)));
        signet_secret_free(p[i], len);
    }
}
END_TEST

/* The block stays mapped after the free, so its content can be looked at: only the link of the
 * free list may be in it. */
START_TEST(wiped_when_freed)
{
    uint8_t *p = signet_secret_alloc(200);
    ck_assert_ptr_nonnull(p);
    memset(p, 0xa5, 200);
    signet_secret_free(p, 200);
    ck_assert(all_zero(p + sizeof(void *), 200 - sizeof(void *)));
}
END_TEST

START_TEST(blocks_are_used_again)
{
    void *p = signet_secret_alloc(100);
    signet_secret_free(p, 100);
    void *q = signet_secret_alloc(128); /* the same class */
    ck_assert_ptr_eq(p, q);
    signet_secret_free(q, 128);
}
END_TEST

START_TEST(too_much)
{
    ck_assert_ptr_null(signet_secret_alloc(SIZE_MAX));
    ck_assert_ptr_null(signet_secret_alloc(SIZE_MAX - 4095));
    ck_assert_ptr_null(signet_secret_alloc(SIZE_MAX / 2));
    signet_secret_free(NULL, 5);
}
END_TEST

static atomic_bool stop;
static atomic_uint faults; /* check's asserts are for the main thread */

static void *churn(void *arg)
{
    uint8_t mark = *(const uint8_t *)arg;
    for (unsigned round = 0; round < 3000 && !atomic_load(&stop); round++) {
        uint8_t *p[8];
        for (unsigned i = 0; i < 8; i++) {
            p[i] = signet_secret_alloc(64 + 100 * i);
            atomic_fetch_add(&faults, p[i] == NULL || !all_zero(p[i], 64 + 100 * i));
            memset(p[i], mark, 64 + 100 * i);
        }
        for (unsigned i = 0; i < 8; i++) {
            atomic_fetch_add(&faults, !all_are(p[i], 64 + 100 * i, mark));
            signet_secret_free(p[i], 64 + 100 * i);
        }
    }
    return NULL;
}

START_TEST(many_threads)
{
    pthread_t threads[4];
    uint8_t marks[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, &marks[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(atomic_load(&faults), 0);
}
END_TEST

/* A child forked while another thread holds the lock must be able to allocate. */
START_TEST(fork_while_allocating)
{
    pthread_t thread;
    uint8_t mark = 7;
    ck_assert_int_eq(pthread_create(&thread, NULL, churn, &mark), 0);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            suite_child_ends_within(10);
            void *p = signet_secret_alloc(64);
            signet_secret_free(p, 64);
            _exit(p != NULL ? 0 : 1);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(atomic_load(&faults), 0);
}
END_TEST

START_TEST(wipe)
{
    uint8_t bytes[10];
    memset(bytes, 0xa5, sizeof(bytes));
    signet_wipe(bytes + 1, 8);
    ck_assert(bytes[0] == 0xa5 && all_zero(bytes + 1, 8) && bytes[9] == 0xa5);
    signet_wipe(bytes, 0);
    ck_assert_uint_eq(bytes[0], 0xa5);
    signet_wipe(NULL, 0);
}
END_TEST

START_TEST(equal_sees_every_bit)
{
    uint8_t a[33], b[33];
    for (size_t i = 0; i < sizeof(a); i++) {
        a[i] = b[i] = (uint8_t)(i * 7);
    }
    ck_assert(signet_equal(a, b, sizeof(a)));
    for (size_t bit = 0; bit < 8 * sizeof(a); bit++) {
        b[bit / 8] ^= (uint8_t)(1U << bit % 8);
        ck_assert(!signet_equal(a, b, sizeof(a)));
        ck_assert(signet_equal(a, b, bit / 8)); /* nothing past len counts */
        b[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    ck_assert(signet_equal(NULL, NULL, 0));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("secret");
    TCase *t = tcase_create("memory");
    tcase_add_loop_test(t, zeroed_and_aligned, 0, NUM_SIZES);
    tcase_add_test(t, blocks_do_not_overlap);
    tcase_add_test(t, wiped_when_freed);
    tcase_add_test(t, blocks_are_used_again);
    tcase_add_test(t, too_much);
    suite_add_tcase(s, t);
    t = tcase_create("threads");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, many_threads);
    tcase_add_test(t, fork_while_allocating);
    suite_add_tcase(s, t);
    t = tcase_create("bytes");
    tcase_add_test(t, wipe);
    tcase_add_test(t, equal_sees_every_bit);
    suite_add_tcase(s, t);
    return suite_run(s);
}
