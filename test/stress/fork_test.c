/* SPDX-License-Identifier: MIT */
/* Forks: parent and child both go on, also while other threads are inside a handler. */
#include "support/suite.h"

#include <signet/signet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct signet_key *keys[2];
static struct signet_stream *tx;
static atomic_bool stop;
static atomic_uint wrong;

static bool seal_and_open(const struct signet_key *key)
{
    uint8_t buf[160], plain[64];
    size_t len;
    memset(plain, 0x42, sizeof(plain));
    return signet_envelope_seal(key, 0x10, buf, sizeof(buf), &len, plain, sizeof(plain)) == 0 &&
           signet_envelope_open(key, 0x10, buf, sizeof(buf), &len, buf, len) == 0 &&
           len == sizeof(plain) && memcmp(buf, plain, len) == 0;
}

/* Old keys, the stream, and a key of each type made here. */
static bool use_all(void)
{
    uint8_t buf[80] = {0};
    bool ok = seal_and_open(keys[0]) && seal_and_open(keys[1]) &&
              signet_key_hmac(keys[0], buf, buf, 64) == 0 &&
              signet_stream_seal(tx, buf, buf, 64) == 0;
    for (int type = SIGNET_KEY_AES; ok && type <= SIGNET_KEY_AES256K; type++) {
        struct signet_key *key;
        ok = signet_key_generate(&key, (enum signet_key_type)type, NULL) == 0;
        if (ok) {
            ok = seal_and_open(key);
            signet_key_unref(key);
        }
    }
    return ok;
}

static void make(void)
{
    uint8_t secret[32] = {1};
    assert_ok(signet_key_import(&keys[0], SIGNET_KEY_AES, secret, 16, 0, NULL));
    assert_ok(signet_key_import(&keys[1], SIGNET_KEY_AES256K, secret, 32, 0, NULL));
    assert_ok(signet_stream_new(&tx, SIGNET_SEAL, secret, secret, NULL));
}

static void drop(void)
{
    signet_key_unref(keys[0]);
    signet_key_unref(keys[1]);
    signet_stream_free(tx);
}

/* ASan of gcc 12 leaves a child the locks of its allocator as they are: with it, nobody allocates
 * while a child is made. */
#ifdef __SANITIZE_ADDRESS__
static pthread_rwlock_t apart = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#define others_allocate()  pthread_rwlock_rdlock(&apart)
#define nobody_allocates() pthread_rwlock_wrlock(&apart)
#define anybody_may()      pthread_rwlock_unlock(&apart)
#else
#define others_allocate()  0
#define nobody_allocates() 0
#define anybody_may()      0
#endif

/* A child that uses everything and exits with 0 if all was right; a hang ends by SIGALRM. */
static void start_child(void)
{
    (void)nobody_allocates();
    pid_t pid = fork();
    (void)anybody_may();
    if (pid == 0) {
        suite_child_ends_within(60);
        _exit(use_all() ? 0 : 1);
    }
}

static int child_status(void)
{
    int status;
    return wait(&status) > 0 ? status : -1;
}

static int run_child(void)
{
    start_child();
    return child_status();
}

START_TEST(both_go_on)
{
    make();
    ck_assert(use_all());
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(run_child(), 0);
        ck_assert(use_all());
    }
    drop();
}
END_TEST

START_TEST(children_of_children)
{
    make();
    pid_t pid = fork();
    if (pid == 0) {
        suite_child_ends_within(60);
        bool ok = use_all() && run_child() == 0 && use_all();
        drop();
        signet_shutdown(); /* a child may take everything down */
        _exit(ok ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    ck_assert_int_eq(status, 0);
    ck_assert(use_all());
    drop();
}
END_TEST

/* Parent and child must not draw the same confounders. */
START_TEST(confounders_part)
{
    make();
    uint8_t mine[64], theirs[64];
    size_t len;
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    assert_ok(signet_envelope_seal(keys[1], 0, mine, sizeof(mine), &len, mine, 0));
    pid_t pid = fork();
    if (pid == 0) {
        int err = signet_envelope_seal(keys[1], 0, theirs, sizeof(theirs), &len, theirs, 0);
        _exit(err == 0 && write(fds[1], theirs, len) == (ssize_t)len ? 0 : 1);
    }
    assert_ok(signet_envelope_seal(keys[1], 0, mine, sizeof(mine), &len, mine, 0));
    ck_assert_int_eq(read(fds[0], theirs, len), (ssize_t)len);
    ck_assert(memcmp(mine, theirs, len) != 0);
    waitpid(pid, NULL, 0);
    drop();
}
END_TEST

static void *work(void *arg)
{
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        (void)others_allocate();
        wrong += !use_all();
        (void)anybody_may();
    }
    return arg;
}

static int forks(void)
{
    const char *n = getenv("SIGNET_STRESS_FORKS");
    return n != NULL ? atoi(n) : 1000;
}

#define CHILDREN 8 /* alive at once */

START_TEST(while_four_threads_seal)
{
    make();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
    }
    int bad = 0, num = forks();
    for (int i = 0; i < num + CHILDREN; i++) {
        if (i < num) {
            start_child();
        }
        bad += i >= CHILDREN && child_status() != 0;
    }
    stop = true;
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_int_eq(bad, 0);
    ck_assert_uint_eq(wrong, 0);
    drop();
}
END_TEST

/* A host that has its own hooks calls ours itself. */
START_TEST(the_host_holds_the_forks)
{
    signet_shutdown();
    struct signet_options options = {.handler = suite_handler(), .strict = true, .no_atfork = true};
    assert_ok(signet_init(&options));
    make();
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, work, NULL), 0);
    for (int i = 0; i < 50; i++) {
        (void)nobody_allocates();
        signet_fork_prepare();
        pid_t pid = fork();
        (void)anybody_may();
        if (pid == 0) {
            signet_fork_child();
            suite_child_ends_within(20);
            _exit(use_all() ? 0 : 1);
        }
        signet_fork_parent();
        int status;
        waitpid(pid, &status, 0);
        ck_assert_int_eq(status, 0);
    }
    stop = true;
    pthread_join(thread, NULL);
    ck_assert_uint_eq(wrong, 0);
    drop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fork");
    TCase *t = suite_case(s, "fork");
    tcase_set_timeout(t, 280);
    tcase_add_test(t, both_go_on);
    tcase_add_test(t, children_of_children);
    tcase_add_test(t, confounders_part);
    tcase_add_test(t, while_four_threads_seal);
    tcase_add_test(t, the_host_holds_the_forks);
    return suite_run(s);
}
