/* SPDX-License-Identifier: MIT */
/* Ways of appending to a shared log that bench_log_records times. */
#ifndef BENCH_LOG_RECORDS_H
#define BENCH_LOG_RECORDS_H

#include <pthread.h>
#include <stdatomic.h>

#include <signet/record.h>

#include "common/bench.h"
#include "common/bench_signet.h"
#include "common/bench_team.h"
#include "crypto/engine.h"

enum {
    PAGE = 8192,
    LARGEST = 8192,
    MEMBERS = 9, /* the largest team, and the main thread */
};

/* What one writer has; cache lines of its own. */
struct writer {
    uint8_t record[LARGEST], sealed[LARGEST], trailer[4];
    uint64_t next, left; /* reserved numbers */
} __attribute__((aligned(128)));

struct job;

struct way {
    const char *name;
    enum signet_record_kind kind; /* of sealed records; else 0 */
    bool several;                 /* numbers reserved at once */
    int (*append)(struct job *j, struct writer *w);
    /* Whether the first records of a log are there. */
    bool (*right)(struct job *j, unsigned num);
};

struct job {
    const struct way *way;
    const struct signet_handler *handler;
    size_t n;        /* bytes of a record */
    size_t slot_len; /* bytes it takes in the log */
    unsigned batch;  /* numbers reserved at once */
    struct bench_team team;
    struct signet_record_sealer *sealer;
    struct signet_engine *pages; /* AES-256-CTR */
    uint8_t *log;
    size_t log_bytes;   /* used round robin */
    uint8_t page[PAGE]; /* filled under the lock */
    struct writer writers[MEMBERS];
    /* Written by all: on lines of their own. */
    _Alignas(128) pthread_mutex_t lock;
    uint64_t used;                       /* records, or pages, under the lock */
    size_t filled;                       /* bytes of the page */
    _Alignas(128) _Atomic uint64_t next; /* records, outside it */
};

extern const struct way log_ways[];
extern const unsigned num_log_ways;

void job_start(struct job *j);
void job_stop(struct job *j);

#endif
