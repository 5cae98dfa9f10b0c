/* SPDX-License-Identifier: MIT */
#include "one_conn_wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/bench.h"

/* Small enough that what waits in the system is little beside what a burst writes. */
enum { SOCKET_BYTES = 256 << 10 };

#define STUCK_NS 20e9

static void tune(int fd)
{
    const int one = 1, bytes = SOCKET_BYTES;
    bench_need(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0 &&
                   setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) == 0,
               "a socket cannot be set up");
}

static void connect_pair(struct wire *w)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *name = (struct sockaddr *)&addr;
    const int bytes = SOCKET_BYTES;
    socklen_t len = sizeof addr;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    w->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bench_need(listener >= 0 && w->fd >= 0 &&
                   setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) == 0 &&
                   bind(listener, name, len) == 0 && listen(listener, 1) == 0 &&
                   getsockname(listener, name, &len) == 0 && connect(w->fd, name, len) == 0,
               "no connection over loopback");
    w->far = accept(listener, NULL, NULL);
    bench_need(w->far >= 0, "no connection over loopback");
    close(listener);
    tune(w->fd);
}

static void look(const struct wire *w, const struct signet_message *m)
{
    bench_need(m->data.len == w->len && memcmp(m->data.p, w->expect, w->len) == 0,
               "a message has arrived changed");
}

static void take_events(struct wire *w)
{
    struct signet_event event;
    do {
        bench_need(signet_conn_next(w->receiver, &event) == 0 && event.kind != SIGNET_EVENT_FAILED,
                   "the reader's connection failed");
        if (event.kind == SIGNET_EVENT_MESSAGE) {
            if (w->expect != NULL) {
                look(w, &event.message);
            }
            atomic_fetch_add_explicit(&w->opened, 1, memory_order_release);
        }
    } while (event.kind != SIGNET_EVENT_NONE);
}

static void *read_all(void *arg)
{
    struct wire *w = arg;
    for (;;) {
        uint8_t *room;
        size_t cap;
        bench_need(signet_conn_recv_buffer(w->receiver, &room, &cap) == 0, "no room to read");
        ssize_t n = recv(w->far, room, cap, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return NULL;
        }
        bench_need(signet_conn_received(w->receiver, (size_t)n, 0) == 0,
                   "the reader's connection failed");
        take_events(w);
    }
}

void wire_start(struct wire *w)
{
    atomic_store(&w->opened, 0);
    connect_pair(w);
    bench_need(pthread_create(&w->reader, NULL, read_all, w) == 0, "a thread cannot be started");
}

void wire_write(const struct wire *w, struct iovec *iov, int num)
{
    struct msghdr message = {.msg_iov = iov, .msg_iovlen = (size_t)num};
    while (message.msg_iovlen > 0) {
        ssize_t n = sendmsg(w->fd, &message, MSG_NOSIGNAL);
        bench_need(n >= 0 || errno == EINTR, "the socket cannot be written");
        size_t done = n > 0 ? (size_t)n : 0;
        while (message.msg_iovlen > 0 && done >= message.msg_iov->iov_len) {
            done -= message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen > 0) {
            message.msg_iov->iov_base = (uint8_t *)message.msg_iov->iov_base + done;
            message.msg_iov->iov_len -= done;
        }
    }
}

void wire_await(const struct wire *w, uint64_t opened)
{
    double start = bench_mono_ns();
    while (atomic_load_explicit(&w->opened, memory_order_acquire) < opened) {
        sched_yield();
        bench_need(bench_mono_ns() - start < STUCK_NS, "messages do not arrive");
    }
}

void wire_stop(struct wire *w)
{
    shutdown(w->fd, SHUT_RDWR);
    pthread_join(w->reader, NULL);
    close(w->fd);
    close(w->far);
}
