/* SPDX-License-Identifier: MIT */
/* A listener on a free port of 127.0.0.1 that is no Ceph daemon. */
#ifndef SIGNET_TEST_STRANGER_H
#define SIGNET_TEST_STRANGER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stranger {
    uint16_t port;
    int fd;
    const void *says; /* at once to whoever connects */
    size_t len;
    bool hangs_up; /* then closes, else waits for the other side to do it */
    pthread_t thread;
};

/* Serves one connection; port is set. */
void stranger_start(struct stranger *stranger, const void *says, size_t len, bool hangs_up);
/* After the connection; also when none came. */
void stranger_stop(struct stranger *stranger);

#endif
