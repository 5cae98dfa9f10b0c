/* SPDX-License-Identifier: MIT */
/* Log lines for a descriptor that stalls: nobody waits, no line is torn, what is lost is told. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/suite.h"

#include "daemon_log.h"

enum { SEEN = 1 << 22, PIPE = 1 << 16 };
static int fds[2];
static struct daemon_log logger;
static char *seen;
static size_t seen_len;

static void start(void)
{
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(fcntl(fds[1], F_SETPIPE_SZ, PIPE), PIPE);
    daemon_log_init(&logger, fds[1], SIGNET_LOG_INFO);
    ck_assert(daemon_log_start(&logger));
    seen = malloc(SEEN);
    seen_len = 0;
}

static void stop(void)
{
    close(fds[0]);
    free(seen);
}

static void *read_all(void *arg)
{
    ssize_t n;
    (void)arg;
    while ((n = read(fds[0], seen + seen_len, SEEN - 1 - seen_len)) > 0) {
        seen_len += (size_t)n;
    }
    return NULL;
}

static void put(int number)
{
    daemon_log_text(&logger, SIGNET_LOG_INFO, "row", "%d %0100d", number, 0);
}

/* Ends the log while somebody reads, and what was read has an end. */
static void end_and_read(void)
{
    pthread_t reader;
    ck_assert_int_eq(pthread_create(&reader, NULL, read_all, NULL), 0);
    daemon_log_stop(&logger);
    ck_assert_int_eq(logger.fd, fds[1]);
    close(fds[1]);
    pthread_join(reader, NULL);
    seen[seen_len] = 0;
}

/* Each line is whole: how many are rows, in order, and the sum
 * of those that are told as lost. */
static uint64_t rows(uint64_t *lost)
{
    uint64_t num = 0;
    long before = -1;
    *lost = 0;
    for (char *line = seen, *end; *line != 0; line = end + 1) {
        end = strchr(line, '\n');
        ck_assert_ptr_nonnull(end);
        *end = 0;
        ck_assert_int_eq(strncmp(line, "ts=20", 5), 0);
        char *at = strstr(line, "text=\"");
        ck_assert_ptr_nonnull(at);
        ck_assert_int_eq(end[-1], '"');
        if (strstr(line, " event=lost lines=") != NULL) {
            *lost += strtoull(strstr(line, "lines=") + 6, NULL, 10);
            continue;
        }
        ck_assert_uint_eq(strlen(strchr(at, ' ')), 102);
        ck_assert_int_gt(strtol(at + 6, NULL, 10), before);
        before = strtol(at + 6, NULL, 10);
        num++;
    }
    return num;
}

START_TEST(all_arrive)
{
    uint64_t lost;
    for (int i = 0; i < 400; i++) {
        put(i);
    }
    end_and_read();
    ck_assert_uint_eq(rows(&lost), 400);
    ck_assert_uint_eq(lost, 0);
}
END_TEST

/* Nobody reads: lines are lost, not time. Then all that was kept is there, and the number of those
 * that are not. Also when the descriptor does not wait. */
START_TEST(a_stall)
{
    enum { PUT = 5000 };
    uint64_t lost;
    if (_i == 1) {
        ck_assert_int_eq(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    }
    for (int i = 0; i < PUT; i++) {
        put(i);
    }
    uint64_t counted = daemon_log_lost(&logger);
    ck_assert_uint_gt(counted, PUT / 2);
    end_and_read();
    ck_assert_uint_eq(rows(&lost), PUT - counted);
    ck_assert_uint_eq(lost, counted);
}
END_TEST

static void *put_many(void *arg)
{
    (void)arg;
    for (int i = 0; i < 500; i++) {
        daemon_log_text(&logger, SIGNET_LOG_INFO, "row", "0 %0100d", 0);
    }
    return NULL;
}

START_TEST(many_threads)
{
    pthread_t reader, thread[4];
    size_t lines = 0;
    ck_assert_int_eq(pthread_create(&reader, NULL, read_all, NULL), 0);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, put_many, NULL), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
    }
    uint64_t lost = daemon_log_lost(&logger);
    daemon_log_stop(&logger);
    close(fds[1]);
    pthread_join(reader, NULL);
    seen[seen_len] = 0;
    for (char *at = seen; (at = strstr(at, " event=row ")) != NULL; at++) {
        lines++;
    }
    ck_assert_uint_eq(lines, 2000 - lost);
}
END_TEST

/* An end does not wait for ever, and what is said behind it goes nowhere. */
START_TEST(stalled_to_the_end)
{
    for (int i = 0; i < 5000; i++) {
        put(i);
    }
    daemon_log_stop(&logger);
    ck_assert_int_eq(logger.fd, -1);
    daemon_log_text(&logger, SIGNET_LOG_INFO, "end", "x");
    /* the thread is still there, and ends when somebody reads; it may be late with its last line */
    ck_assert_int_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    for (int i = 0; i < 20; i++) {
        read_all(NULL);
        usleep(20000);
    }
    ck_assert_uint_gt(seen_len, PIPE);
    ck_assert_int_eq(seen[seen_len - 1], '\n');
}
END_TEST

/* What was said before a process breaks down is there. */
START_TEST(before_a_fault)
{
    static const int signals[] = {SIGABRT, SIGSEGV};
    uint64_t lost;
    int status;
    daemon_log_stop(&logger);
    pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(signals[_i], SIG_DFL); /* those of sanitizers and of check */
        daemon_log_init(&logger, fds[1], SIGNET_LOG_INFO);
        if (daemon_log_start(&logger)) {
            for (int i = 0; i < 300; i++) {
                put(i);
            }
            raise(signals[_i]);
        }
        _exit(0);
    }
    close(fds[1]);
    read_all(NULL);
    seen[seen_len] = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), signals[_i]);
    ck_assert_uint_eq(rows(&lost), 300);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon_log_ring");
    TCase *t = tcase_create("ring");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, all_arrive);
    tcase_add_loop_test(t, a_stall, 0, 2);
    tcase_add_test(t, many_threads);
    tcase_add_test(t, stalled_to_the_end);
    tcase_add_loop_test(t, before_a_fault, 0, 2);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
