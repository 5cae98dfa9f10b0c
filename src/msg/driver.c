/* SPDX-License-Identifier: MIT */
#include <signet/driver.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "msg/driver_socket.h"

#define SECOND UINT64_C(1000000000)

enum { IOV_NUM = 64 };

struct signet_driver {
    int fd;
};

uint64_t signet_driver_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

int signet_driver_fd(const struct signet_driver *driver)
{
    return driver->fd;
}

void signet_driver_free(struct signet_driver *driver)
{
    if (driver != NULL) {
        close(driver->fd);
        free(driver);
    }
}

int signet_driver_connect(struct signet_driver **out, const struct signet_addr *addr,
                          uint64_t timeout_ns, struct signet_fail *fail)
{
    *out = NULL;
    struct signet_driver *driver = malloc(sizeof(*driver));
    if (driver == NULL) {
        return -SIGNET_E_NOMEM;
    }
    uint64_t now = signet_driver_now_ns();
    uint64_t deadline = timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
    int err = signet_socket_connect(&driver->fd, addr, deadline, fail);
    if (err != 0) {
        free(driver);
        return err;
    }
    *out = driver;
    return 0;
}

/* Writes what can be written; *more: the rest waits for the socket. Negative: the stream broke or
 * the conn has failed. */
static int write_some(struct signet_driver *driver, struct signet_conn *conn, bool *more)
{
    *more = false;
    for (;;) {
        struct iovec iov[IOV_NUM];
        int num = IOV_NUM;
        int err = signet_conn_output(conn, iov, &num);
        if (err != 0 || num == 0) {
            return err;
        }
        struct msghdr msg = {.msg_iov = iov, .msg_iovlen = (size_t)num};
        ssize_t n = sendmsg(driver->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && signet_socket_later(errno)) {
            *more = true;
            return 0;
        }
        if (n < 0) {
            return signet_socket_stream_error(errno);
        }
        signet_conn_sent(conn, (size_t)n);
    }
}

static void read_some(struct signet_driver *driver, struct signet_conn *conn)
{
    uint8_t *p;
    size_t cap;
    if (signet_conn_recv_buffer(conn, &p, &cap) != 0) {
        return; /* the conn has failed and says so */
    }
    ssize_t n = recv(driver->fd, p, cap, MSG_DONTWAIT);
    if (n > 0) {
        int err = signet_conn_received(conn, (size_t)n, signet_driver_now_ns());
        if (err != 0) {
            signet_conn_closed(conn, err);
        }
    } else if (n == 0 || !signet_socket_later(errno)) {
        signet_conn_closed(conn, signet_socket_stream_error(n == 0 ? 0 : errno));
    }
}

/* Writes, waits until the socket can do something or until then, and reads. */
static void turn(struct signet_driver *driver, struct signet_conn *conn, uint64_t until)
{
    bool more;
    int err = write_some(driver, conn, &more);
    if (err != 0) {
        /* What the peer sent before it closed may say why: it is read first. */
        read_some(driver, conn);
        signet_conn_closed(conn, err);
        return;
    }
    short events = (short)(POLLIN | (more ? POLLOUT : 0));
    if (!signet_conn_wants_input(conn)) { /* nobody wakes us: we look again soon */
        uint64_t soon = signet_driver_now_ns() + SECOND / 100;
        signet_socket_wait(-1, 0, soon < until ? soon : until);
        return;
    }
    if ((signet_socket_wait(driver->fd, events, until) & ~POLLOUT) != 0) {
        read_some(driver, conn);
    }
}

int signet_driver_run(struct signet_driver *driver, struct signet_conn *conn,
                      struct signet_event *event, uint64_t deadline_ns)
{
    for (;;) {
        int err = signet_conn_next(conn, event);
        if (err != 0 || event->kind != SIGNET_EVENT_NONE) {
            return err;
        }
        if (signet_conn_failure(conn) != NULL) {
            return signet_conn_failure(conn)->err;
        }
        uint64_t now = signet_driver_now_ns();
        if (signet_conn_tick(conn, now) != 0) {
            continue; /* its event comes first */
        }
        uint64_t until = signet_conn_deadline_ns(conn);
        turn(driver, conn, until < deadline_ns ? until : deadline_ns);
        if (now >= deadline_ns) {
            err = signet_conn_next(conn, event);
            return err != 0 || event->kind != SIGNET_EVENT_NONE ? err : -SIGNET_E_TIMEOUT;
        }
    }
}

int signet_driver_flush(struct signet_driver *driver, struct signet_conn *conn,
                        uint64_t deadline_ns)
{
    for (;;) {
        bool more;
        int err = write_some(driver, conn, &more);
        if (err != 0 || !more) {
            return err;
        }
        if (signet_driver_now_ns() >= deadline_ns) {
            return -SIGNET_E_TIMEOUT;
        }
        signet_socket_wait(driver->fd, POLLOUT, deadline_ns);
    }
}
