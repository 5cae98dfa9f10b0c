/* SPDX-License-Identifier: MIT */
/* A TCP connection over loopback whose other end a thread reads and opens. */
#ifndef BENCH_ONE_CONN_WIRE_H
#define BENCH_ONE_CONN_WIRE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <signet/conn.h>

struct wire {
    int fd, far;                  /* our end, the reader's */
    struct signet_conn *receiver; /* used by the reader alone while it runs */
    pthread_t reader;
    _Atomic uint64_t opened; /* messages, since the start */
    const uint8_t *expect;   /* what the data of each must be; NULL: nobody looks */
    size_t len;
};

/* The last three members are the caller's. Ends the process on failure. */
void wire_start(struct wire *w);
/* Writes all of it; blocks while the reader is behind. */
void wire_write(const struct wire *w, struct iovec *iov, int num);
/* Returns when so many messages were opened. */
void wire_await(const struct wire *w, uint64_t opened);
void wire_stop(struct wire *w);

#endif
