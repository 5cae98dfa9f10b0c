/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_LITE_JOURNAL_INTERNAL_H
#define SIGNET_LITE_JOURNAL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "lite/journal.h"

struct journal_place {
    struct journal_place *next; /* while free */
    size_t cap, len;            /* of the whole record, of the body */
    uint8_t record[];
};

/* journal_flush.c: who waits for the disk, and the thread that flushes. */
struct journal_flush {
    pthread_t thread;
    bool on; /* the thread runs */
    pthread_mutex_t lock;
    pthread_cond_t wake, told;
    /* under lock */
    struct journal_wait *first, **last;
    uint64_t cost; /* of those who wait, or are being told */
    bool busy, ending;
    /* written by the thread */
    _Atomic uint64_t safe, flushes;
    atomic_bool lost;
};

struct journal {
    int fd;
    bool sync;
    _Atomic uint64_t appended; /* as next, for who does not have the lock */
    struct journal_flush flush;
    uint8_t key[SIGNET_RECORD_KEY_LEN];
    pthread_mutex_t lock;
    pthread_cond_t turn;
    /* under lock */
    struct signet_record_sealer *sealer;
    uint64_t next;      /* number of the record that is to be written */
    uint64_t end;       /* of the last whole record, in the file */
    uint64_t refused;   /* appends that failed */
    unsigned in_flight; /* numbers taken, neither written nor failed */
    int failed;         /* errno of a write: those under way fail, too */
    bool dead;          /* not even cutting has worked */
    struct journal_place *free;
    unsigned num_free;
};

/* 0 or -SIGNET_E_NOMEM: no thread. Once next is known. */
int journal_flush_start(struct journal *j);
/* Tells all who wait, and ends the thread. */
void journal_flush_stop(struct journal *j);
/* journal_read.c: all of the file; j->next and j->end are behind the last whole record. */
int journal_read(struct journal *j, journal_replay replay, void *arg, struct journal_report *report,
                 struct signet_fail *fail);

#endif
