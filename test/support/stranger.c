/* SPDX-License-Identifier: MIT */
#include "support/stranger.h"

#include <check.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static void *serve(void *arg)
{
    struct stranger *stranger = arg;
    char sink[256];
    int fd = accept(stranger->fd, NULL, NULL);
    if (fd < 0) {
        return NULL;
    }
    if (stranger->len > 0) {
        (void)!write(fd, stranger->says, stranger->len);
    }
    if (stranger->hangs_up) {
        shutdown(fd, SHUT_WR);
    }
    /* Unread bytes would make the close a reset, which may overtake what was said. */
    while (read(fd, sink, sizeof(sink)) > 0) {
    }
    close(fd);
    return NULL;
}

void stranger_start(struct stranger *stranger, const void *says, size_t len, bool hangs_up)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t addr_len = sizeof(addr);
    *stranger = (struct stranger){.says = says, .len = len, .hangs_up = hangs_up};
    stranger->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(stranger->fd, 0);
    ck_assert_int_eq(bind(stranger->fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    ck_assert_int_eq(listen(stranger->fd, 1), 0);
    ck_assert_int_eq(getsockname(stranger->fd, (struct sockaddr *)&addr, &addr_len), 0);
    stranger->port = ntohs(addr.sin_port);
    ck_assert_int_eq(pthread_create(&stranger->thread, NULL, serve, stranger), 0);
}

void stranger_stop(struct stranger *stranger)
{
    shutdown(stranger->fd, SHUT_RDWR);
    pthread_join(stranger->thread, NULL);
    close(stranger->fd);
}
