/* SPDX-License-Identifier: MIT */
/* What the service manager hears. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/suite.h"

#include "daemon_notify.h"

static char heard[200];

/* A datagram socket at the path; '@' in front: an abstract one. */
static int bind_at(const char *path)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    memcpy(addr.sun_path, path, len);
    addr.sun_path[0] = path[0] == '@' ? 0 : path[0];
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&addr,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)),
                     0);
    setenv("NOTIFY_SOCKET", path, 1);
    return fd;
}

static const char *hear(int fd)
{
    ssize_t n = recv(fd, heard, sizeof(heard) - 1, 0);
    heard[n > 0 ? n : 0] = 0;
    return heard;
}

START_TEST(texts)
{
    char path[60];
    snprintf(path, sizeof(path), _i == 0 ? "/tmp/signet-notify-%ld" : "@signet-notify-%ld",
             (long)getpid());
    int fd = bind_at(path);
    daemon_notify("READY=1");
    ck_assert_str_eq(hear(fd), "READY=1");
    daemon_notify_reloading();
    unsigned long long usec;
    ck_assert_int_eq(sscanf(hear(fd), "RELOADING=1\nMONOTONIC_USEC=%llu", &usec), 1);
    ck_assert(usec > 0);
    ck_assert_str_eq(hear(fd), "");
    close(fd);
    daemon_notify("READY=1"); /* nobody is there any more */
    unlink(path);
}
END_TEST

START_TEST(nobody)
{
    static const char *const paths[] = {"", "/", "relative", "/nonexistent/socket"};
    char longest[300];
    unsetenv("NOTIFY_SOCKET");
    daemon_notify("READY=1");
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        setenv("NOTIFY_SOCKET", paths[i], 1);
        daemon_notify("READY=1");
    }
    memset(longest, '/', sizeof(longest));
    longest[sizeof(longest) - 1] = 0;
    setenv("NOTIFY_SOCKET", longest, 1);
    daemon_notify("READY=1");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon_notify");
    TCase *t = tcase_create("daemon_notify");
    tcase_add_loop_test(t, texts, 0, 2);
    tcase_add_test(t, nobody);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
