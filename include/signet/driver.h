/* SPDX-License-Identifier: MIT */
/*
 * One socket for one signet_conn: enough for tools and tests. Blocks up to a deadline in each
 * call; no threads, no globals, no signal handling (SIGPIPE is not raised).
 */
#ifndef SIGNET_DRIVER_H
#define SIGNET_DRIVER_H

#include <stdint.h>

#include <signet/addr.h>
#include <signet/conn.h>
#include <signet/error.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

struct signet_driver;

/* A TCP connection to addr's ip and port (IPv4 or IPv6), within timeout_ns.
 * -CONNECT_REFUSED: nobody listens there; -UNREACHABLE: no route to host or network; -TIMEOUT: no
 * answer in time; -SOCKET: anything else, told in fail (may be NULL). */
SIGNET_MUST SIGNET_API int signet_driver_connect(struct signet_driver **out,
                                                 const struct signet_addr *addr,
                                                 uint64_t timeout_ns, struct signet_fail *fail);
/* Closes the socket; the conn stays. NULL is fine. */
SIGNET_API void signet_driver_free(struct signet_driver *driver);
/* The clock of the conn's times: CLOCK_MONOTONIC. */
SIGNET_API uint64_t signet_driver_now_ns(void);
/* Reads, writes and ticks until conn has an event (FAILED is one). At deadline_ns (on that clock;
 * UINT64_MAX: never) -TIMEOUT, and the event is NONE; output is then written as far as possible.
 * An end of stream or a reset goes to the conn as -PEER_CLOSED, other errors as -SOCKET.
 * -INVAL. */
SIGNET_MUST SIGNET_API int signet_driver_run(struct signet_driver *driver, struct signet_conn *conn,
                                             struct signet_event *event, uint64_t deadline_ns);
/* Writes all output that is ready, e.g. before closing. -TIMEOUT, -PEER_CLOSED, -SOCKET. */
SIGNET_MUST SIGNET_API int signet_driver_flush(struct signet_driver *driver,
                                               struct signet_conn *conn, uint64_t deadline_ns);
/* The file descriptor, for diagnostics. */
SIGNET_API int signet_driver_fd(const struct signet_driver *driver);

/* A signet_resolver for signet_addr_list_parse(): the system's resolver, first address. arg is not
 * used. -RESOLVE. */
SIGNET_MUST SIGNET_API int signet_driver_resolve(void *arg, const char *host,
                                                 struct signet_addr *out);

#ifdef __cplusplus
}
#endif
#endif
