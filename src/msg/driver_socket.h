/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_MSG_DRIVER_SOCKET_H
#define SIGNET_MSG_DRIVER_SOCKET_H

#include <stdint.h>

#include <signet/addr.h>

/* A connected non-blocking socket; *fd is -1 on failure. Errors of signet_driver_connect(). */
int signet_socket_connect(int *fd, const struct signet_addr *addr, uint64_t deadline_ns,
                          struct signet_fail *fail);
/* The error for an errno of connect(2). */
int signet_socket_connect_error(int errnum);
/* Waits for events of poll(2) until the deadline; those that are there, 0 at the deadline or when
 * a signal came. */
short signet_socket_wait(int fd, short events, uint64_t deadline_ns);

#endif
