/* SPDX-License-Identifier: MIT */
/* What the files of the load share: connections, and the operations that are under way on them. */
#ifndef SIGNET_TOOLS_BENCH_LOAD_H
#define SIGNET_TOOLS_BENCH_LOAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include <signet/messenger.h>

#include "bench.h"

struct bench_slot {
    uint64_t tid, object, sent_ns; /* tid 0: free */
};

/* Used by its worker alone, but for the figures, which the main thread reads. */
struct bench_conn {
    struct bench_load *load;
    struct signet_peer *peer; /* NULL: closed */
    unsigned index;
    uint64_t features;
    uint64_t turn; /* of tids: 1 + index + turn * connections */
    uint64_t in_flight, depth;
    bool dry; /* nothing more to begin */
    uint32_t random;
    struct bench_slot *slot; /* num_slots of them, by turn */
    uint8_t *contents;       /* of an object: its text changes, the rest stays */
    struct bench_hist hist;
    double sum_squares;
    /* relaxed */
    _Atomic uint64_t started, finished, last_ns, sum_ns, min_ns, max_ns;
} __attribute__((aligned(64)));

struct bench_load {
    const struct bench_options *options;
    struct ping *ping;
    const struct lite_osdmap *map;
    struct signet_messenger *messenger;
    struct bench_conn *conn;
    uint64_t num_conns, num_slots;
    struct bench_job *job;
    char prefix[BENCH_NAME_MAX]; /* of names, up to the number */
    size_t prefix_len;
    uint64_t contents_len, deadline_ns;
    _Atomic uint64_t next;    /* object */
    _Atomic uint64_t running; /* connections */
    atomic_bool failed, ending;
    sem_t event;          /* a connection is ready, has ended its part, or something failed */
    pthread_mutex_t lock; /* over why */
    struct bench_why why;
};

/* The first failure counts; everything ends. */
void bench_fail(struct bench_load *load, const struct bench_why *why);

/* bench_request.c: on the worker of the connection, arg. Begins operations until its depth is
 * reached or there are no more, and ends its part when the last is answered. */
void bench_begin(void *arg);
/* A message of the OSD. 0, or the code to close with. */
int bench_answer(void *arg, struct signet_peer *peer, const struct signet_message *message);

#endif
