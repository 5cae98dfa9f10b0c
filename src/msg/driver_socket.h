/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_MSG_DRIVER_SOCKET_H
#define SIGNET_MSG_DRIVER_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <signet/addr.h>

/* The socket address of one with an ip. */
socklen_t signet_socket_addr(struct sockaddr_storage *out, const struct signet_addr *addr);
/* Family, ip, scope and port of *out; false if it is neither IPv4 nor IPv6. */
bool signet_socket_addr_read(struct signet_addr *out, const struct sockaddr_storage *from);
/* A non-blocking TCP socket for the address's family; negative: errno says why. */
int signet_socket_new(const struct signet_addr *addr);
/* Small writes are not held back. */
void signet_socket_no_delay(int fd);
/* -PEER_CLOSED or -SOCKET for an errno of reading or writing; 0: the end of the stream. */
int signet_socket_stream_error(int errnum);
/* Whether it only says to try again. */
bool signet_socket_later(int errnum);

/* A connected non-blocking socket; *fd is -1 on failure. Errors of signet_driver_connect(). */
int signet_socket_connect(int *fd, const struct signet_addr *addr, uint64_t deadline_ns,
                          struct signet_fail *fail);
/* The error for an errno of connect(2). */
int signet_socket_connect_error(int errnum);
/* Waits for events of poll(2) until the deadline; those that are there, 0 at the deadline or when
 * a signal came. */
short signet_socket_wait(int fd, short events, uint64_t deadline_ns);

#endif
