/* SPDX-License-Identifier: MIT */
/* Sockets and the resolver of the driver. */
#include "msg/driver_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <signet/driver.h>

#include "base/fail.h"

#define SECOND UINT64_C(1000000000)

union sockets {
    struct sockaddr_storage any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

socklen_t signet_socket_addr(struct sockaddr_storage *out, const struct signet_addr *addr)
{
    union sockets s;
    memset(&s, 0, sizeof(s));
    socklen_t len = sizeof(s.six);
    if (addr->family == SIGNET_FAMILY_IPV4) {
        len = sizeof(s.four);
        s.four.sin_family = AF_INET;
        s.four.sin_port = htons(addr->port);
        memcpy(&s.four.sin_addr, addr->ip, 4);
    } else {
        s.six.sin6_family = AF_INET6;
        s.six.sin6_port = htons(addr->port);
        s.six.sin6_scope_id = addr->scope_id;
        memcpy(&s.six.sin6_addr, addr->ip, 16);
    }
    *out = s.any;
    return len;
}

bool signet_socket_addr_read(struct signet_addr *out, const struct sockaddr_storage *from)
{
    union sockets s = {.any = *from};
    if (from->ss_family == AF_INET) {
        out->family = SIGNET_FAMILY_IPV4;
        out->port = ntohs(s.four.sin_port);
        memcpy(out->ip, &s.four.sin_addr, 4);
        return true;
    }
    if (from->ss_family == AF_INET6) {
        out->family = SIGNET_FAMILY_IPV6;
        out->port = ntohs(s.six.sin6_port);
        out->scope_id = s.six.sin6_scope_id;
        memcpy(out->ip, &s.six.sin6_addr, 16);
        return true;
    }
    return false;
}

int signet_socket_new(const struct signet_addr *addr)
{
    int domain = addr->family == SIGNET_FAMILY_IPV4 ? AF_INET : AF_INET6;
    return socket(domain, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void signet_socket_no_delay(int fd)
{
    int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)); /* only latency */
}

int signet_socket_stream_error(int errnum)
{
    bool gone = errnum == ECONNRESET || errnum == EPIPE || errnum == 0;
    return gone ? -SIGNET_E_PEER_CLOSED : -SIGNET_E_SOCKET;
}

bool signet_socket_later(int errnum)
{
    return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR;
}

short signet_socket_wait(int fd, short events, uint64_t deadline_ns)
{
    struct pollfd p = {.fd = fd, .events = events};
    uint64_t now = signet_driver_now_ns();
    uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    struct timespec t = {.tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND)};
    int n = ppoll(&p, 1, deadline_ns == UINT64_MAX ? NULL : &t, NULL);
    return n > 0 ? p.revents : 0;
}

int signet_socket_connect_error(int errnum)
{
    switch (errnum) {
    case ECONNREFUSED:
        return -SIGNET_E_CONNECT_REFUSED;
    case ETIMEDOUT:
        return -SIGNET_E_TIMEOUT;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
        return -SIGNET_E_UNREACHABLE;
    default:
        return -SIGNET_E_SOCKET;
    }
}

static int connect_error(int errnum, const struct signet_addr *addr, struct signet_fail *fail)
{
    char text[SIGNET_ADDR_TEXT_MAX];
    return signet_fail_set(fail, signet_socket_connect_error(errnum), "connect", 0, "%s: %s",
                           signet_addr_print(addr, text), strerror(errnum));
}

/* The result of a connect that was under way, or ETIMEDOUT. */
static int await(int fd, uint64_t deadline_ns)
{
    int errnum = 0;
    socklen_t len = sizeof(errnum);
    while (signet_socket_wait(fd, POLLOUT, deadline_ns) == 0) {
        if (signet_driver_now_ns() >= deadline_ns) {
            return ETIMEDOUT;
        }
    }
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &errnum, &len) == 0 ? errnum : errno;
}

static int dial(int fd, const struct signet_addr *addr, uint64_t deadline_ns)
{
    struct sockaddr_storage to;
    socklen_t len = signet_socket_addr(&to, addr);
    signet_socket_no_delay(fd);
    if (connect(fd, (const struct sockaddr *)&to, len) == 0) {
        return 0;
    }
    return errno == EINPROGRESS || errno == EINTR ? await(fd, deadline_ns) : errno;
}

int signet_socket_connect(int *fd, const struct signet_addr *addr, uint64_t deadline_ns,
                          struct signet_fail *fail)
{
    *fd = -1;
    if (addr->family != SIGNET_FAMILY_IPV4 && addr->family != SIGNET_FAMILY_IPV6) {
        return signet_fail_set(fail, -SIGNET_E_INVAL, "connect", 0, "there is no address");
    }
    int s = signet_socket_new(addr);
    int errnum = s < 0 ? errno : dial(s, addr, deadline_ns);
    if (errnum != 0) {
        if (s >= 0) {
            close(s);
        }
        return connect_error(errnum, addr, fail);
    }
    *fd = s;
    return 0;
}

int signet_driver_resolve(void *arg, const char *host, struct signet_addr *out)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    bool found = false;
    (void)arg;
    if (getaddrinfo(host, NULL, &hints, &list) != 0) {
        return -SIGNET_E_RESOLVE;
    }
    for (struct addrinfo *i = list; i != NULL && !found; i = i->ai_next) {
        struct sockaddr_storage from = {0};
        if (i->ai_addrlen <= sizeof(from)) {
            memcpy(&from, i->ai_addr, i->ai_addrlen);
        }
        uint16_t port = out->port; /* is not the resolver's */
        found = signet_socket_addr_read(out, &from);
        out->port = port;
    }
    freeaddrinfo(list);
    return found ? 0 : -SIGNET_E_RESOLVE;
}
