/* SPDX-License-Identifier: MIT */
/* The operations that bench_threads times, on what its threads share. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include "common/bench.h"
#include "common/bench_signet.h"
#include "common/bench_team.h"

enum {
    PLAIN = 128,   /* bytes of an envelope's plaintext, header included */
    SMALL = 64,    /* bytes of a small GCM message, and of what is signed */
    LARGE = 4096,  /* bytes of a large one */
    FRAMES = 2048, /* sealed messages that an opening thread has at hand */
    RESERVED = 16, /* sequence numbers taken at once */
    KEY_SEED = 11,
    MEMBERS = 9, /* the largest team, and the main thread */
    ROOM = LARGE + 64,
};

/* What one thread writes to; cache lines of its own. */
struct desk {
    uint8_t out[ROOM];
    struct signet_stream *opener;
    uint64_t seq, left; /* reserved numbers */
} __attribute__((aligned(128)));

struct op;

/* What the threads of one row share; made anew for each sample, so that each sample meets fresh
 * contexts and sessions. */
struct job {
    const struct op *op;
    const struct signet_handler *handler;
    struct bench_sealer sealer;
    struct signet_stream *stream;
    struct bench_team team;
    int sealed_len;
    uint8_t plain[ROOM], sealed[ROOM];
    uint8_t *frames;
    struct desk desk[MEMBERS];
};

struct op {
    const char *name;
    enum signet_key_type type; /* NONE: a stream */
    size_t bytes;
    uint64_t iters_max;
    void (*reset)(void *arg, unsigned index);
    /* One operation; 0 when it succeeded. */
    int (*once)(struct job *j, struct desk *d);
    /* Whether d->out is right after it. */
    bool (*right)(struct job *j, struct desk *d);
};

extern const struct op thread_ops[];
extern const unsigned num_thread_ops;

/* Makes and drops what the threads share. */
void job_start(struct job *j);
void job_stop(struct job *j);

#endif
