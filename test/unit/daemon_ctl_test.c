/* SPDX-License-Identifier: MIT */
/* The control socket: who may, what a line is, and that nobody holds the daemon up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/suite.h"
#include "support/temp_dir.h"

#include "daemon_ctl.h"

static const char *dir;
static char path[64];
static struct daemon_ctl ctl;
static struct daemon_why why;
static int asked;

static bool answer(void *arg, int num, char *const *words, FILE *out)
{
    ck_assert_ptr_eq(arg, &asked);
    asked++;
    for (int i = 0; i < num; i++) {
        fprintf(out, "[%s]", words[i]);
    }
    ck_assert_ptr_null(words[num]);
    fputs("\n", out);
    return strcmp(words[0], "bad") != 0;
}

static void start(void)
{
    dir = temp_dir_make();
    snprintf(path, sizeof(path), "%s", temp_dir_path("ctl"));
    asked = 0;
    ck_assert_int_eq(daemon_ctl_open(&ctl, path, answer, &asked, &why), TOOL_OK);
}

static void stop(void)
{
    daemon_ctl_close(&ctl);
    ck_assert_int_eq(access(path, F_OK), -1);
    temp_dir_remove();
}

static int dial(void)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    memcpy(addr.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 ? fd : -1;
}

/* As the daemon's loop does; returns how long it would wait. */
static int turn(uint64_t mono_ns)
{
    struct pollfd fds[DAEMON_CTL_POLL];
    int wait = daemon_ctl_poll(&ctl, fds, mono_ns);
    poll(fds, DAEMON_CTL_POLL, 0);
    daemon_ctl_run(&ctl, fds, mono_ns);
    return wait;
}

static const char *hear(int fd)
{
    static char text[1000];
    size_t len = 0;
    ssize_t n;
    while ((n = recv(fd, text + len, sizeof(text) - 1 - len, MSG_DONTWAIT)) > 0) {
        len += (size_t)n;
    }
    text[len] = 0;
    return n == 0 || len > 0 ? text : NULL;
}

static const char *ask(const char *line, size_t len)
{
    int fd = dial();
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(send(fd, line, len, 0), (ssize_t)len);
    turn(1);
    turn(1);
    const char *text = hear(fd);
    close(fd);
    return text;
}

START_TEST(requests)
{
    ck_assert_str_eq(ask("status\n", 7), "ok\n[status]\n");
    ck_assert_str_eq(ask("  handler   nss \n", 17), "ok\n[handler][nss]\n");
    ck_assert_str_eq(ask("bad\nmore", 8), "error\n[bad]\n");
    ck_assert_int_eq(asked, 3);
    ck_assert_str_eq(ask("\n", 1), "error\nthat is no request\n");
    ck_assert_str_eq(ask("a b c d e\n", 10), "error\nthat is no request\n");
    ck_assert_str_eq(ask("a\tb\n", 4), "error\nthat is no request\n");
    ck_assert_str_eq(ask("a\0b\n", 4), "error\nthat is no request\n");
    ck_assert_str_eq(ask("caf\xc3\xa9\n", 6), "error\nthat is no request\n");
    char line[DAEMON_CTL_LINE];
    memset(line, 'a', sizeof(line));
    ck_assert_str_eq(ask(line, sizeof(line)), ""); /* dropped */
    ck_assert_int_eq(asked, 3);
}
END_TEST

START_TEST(mode_and_pieces)
{
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    int fd = dial();
    ck_assert_int_eq(turn(1), -1);
    send(fd, "sta", 3, 0);
    ck_assert_int_gt(turn(1), 0);
    ck_assert_ptr_null(hear(fd));
    send(fd, "tus\n", 4, 0);
    turn(1);
    ck_assert_str_eq(hear(fd), "ok\n[status]\n");
    close(fd);
}
END_TEST

/* Who says nothing is dropped in the end, and others are served meanwhile. */
START_TEST(silent)
{
    int fds[DAEMON_CTL_CLIENTS];
    for (int i = 0; i < DAEMON_CTL_CLIENTS - 1; i++) {
        fds[i] = dial();
        turn(1);
    }
    ck_assert_str_eq(ask("one\n", 4), "ok\n[one]\n");
    fds[DAEMON_CTL_CLIENTS - 1] = dial();
    turn(1);
    int late = dial();
    send(late, "two\n", 4, 0);
    turn(1);
    ck_assert_ptr_null(hear(late)); /* all places are taken */
    int wait = turn(1);
    ck_assert_int_gt(wait, 0);
    ck_assert_int_le(wait, (int)(DAEMON_CTL_WAIT_NS / 1000000) + 1);
    turn(1 + DAEMON_CTL_WAIT_NS);
    ck_assert_str_eq(hear(fds[0]), "");
    turn(1 + DAEMON_CTL_WAIT_NS);
    turn(1 + DAEMON_CTL_WAIT_NS);
    ck_assert_str_eq(hear(late), "ok\n[two]\n");
    for (int i = 0; i < DAEMON_CTL_CLIENTS; i++) {
        close(fds[i]);
    }
    close(late);
    int gone = dial(); /* hangs up at once */
    close(gone);
    turn(1);
    turn(1);
    ck_assert_str_eq(ask("three\n", 6), "ok\n[three]\n");
}
END_TEST

/* Another user is turned away even where the mode of the socket does not hold. */
START_TEST(strangers)
{
    if (geteuid() != 0) {
        return; /* only root can become somebody else */
    }
    ck_assert_int_eq(chmod(path, 0666), 0);
    ck_assert_int_eq(chmod(dir, 0755), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = setuid(65534) == 0 ? dial() : -1;
        char byte;
        bool closed =
            fd >= 0 && send(fd, "status\n", 7, MSG_NOSIGNAL) == 7 && recv(fd, &byte, 1, 0) <= 0;
        _exit(closed ? 0 : 1);
    }
    int status = -1;
    for (int i = 0; i < 1000 && waitpid(child, &status, WNOHANG) == 0; i++) {
        turn(1);
        usleep(10000);
    }
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(asked, 0);
}
END_TEST

START_TEST(places)
{
    struct daemon_ctl other;
    ck_assert_int_eq(daemon_ctl_open(&other, path, answer, NULL, &why), TOOL_FAILURE);
    ck_assert_ptr_nonnull(strstr(why.text, "another daemon listens at"));
    /* A dead one's socket is replaced. */
    int dead = ctl.fd;
    ck_assert_int_eq(close(dead), 0);
    ck_assert_int_eq(daemon_ctl_open(&ctl, path, answer, &asked, &why), TOOL_OK);
    ck_assert_str_eq(ask("back\n", 5), "ok\n[back]\n");
    char file[80], deep[80];
    snprintf(file, sizeof(file), "%s/file", dir);
    fclose(fopen(file, "w"));
    ck_assert_int_eq(daemon_ctl_open(&other, file, answer, NULL, &why), TOOL_FAILURE);
    ck_assert_ptr_nonnull(strstr(why.text, "is no socket"));
    ck_assert_int_eq(access(file, F_OK), 0);
    unlink(file);
    snprintf(deep, sizeof(deep), "%s/none/ctl", dir);
    ck_assert_int_eq(daemon_ctl_open(&other, deep, answer, NULL, &why), TOOL_FAILURE);
    ck_assert_ptr_nonnull(strstr(why.text, "cannot listen at"));
    char longest[200];
    memset(longest, 'a', sizeof(longest));
    longest[sizeof(longest) - 1] = 0;
    ck_assert_int_eq(daemon_ctl_open(&other, longest, answer, NULL, &why), TOOL_FAILURE);
    ck_assert_ptr_nonnull(strstr(why.text, "too long"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon_ctl");
    TCase *t = tcase_create("daemon_ctl");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, requests);
    tcase_add_test(t, mode_and_pieces);
    tcase_add_test(t, silent);
    tcase_add_test(t, strangers);
    tcase_add_test(t, places);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
