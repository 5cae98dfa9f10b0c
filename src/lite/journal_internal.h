/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_LITE_JOURNAL_INTERNAL_H
#define SIGNET_LITE_JOURNAL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "lite/journal.h"

enum {
    JOURNAL_SMALL = JOURNAL_RESERVE / 4, /* bytes of objects for which the reserve makes room */
    JOURNAL_LENT = JOURNAL_RESERVE / 2,  /* to a new file of them */
};

struct journal_place {
    struct journal_place *next; /* while free */
    size_t cap, len;            /* of the whole record, of the body */
    bool frees;
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
    char *dir;
    void (*step)(enum journal_step step);
    uint64_t max_bytes;
    bool fresh;                /* DIR/journal.new: it leaves the reserve to the other */
    atomic_bool full;          /* written under lock */
    _Atomic uint64_t appended; /* records, also those of former files */
    pthread_mutex_t io;        /* over flushing, and the change of the file; before lock */
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
    bool gone;          /* the file has no name any more: nobody needs it on the disk */
    bool moving;        /* another file takes its place: no number is given out */
    uint64_t planned;   /* end, with what is under way */
    uint64_t room;      /* space is taken up to here */
    bool no_reserve;    /* the file system takes none ahead */
    uint64_t anew;
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
/* All records between two points; damaged or missing ones are failures, as is an early end. */
int journal_read_part(struct journal *j, const struct journal_point *from,
                      const struct journal_point *to, journal_replay replay, void *arg,
                      struct signet_fail *fail);
/* journal_room.c, all under the lock: 0 or -ENOSPC for a record of this length. */
int journal_room(struct journal *j, uint64_t len, bool frees);
/* Takes so much beyond what is planned, a multiple of 64 KiB: or, if the disk is full, as much of
 * it as there is; false. */
bool journal_take_ahead(struct journal *j, uint64_t bytes);
/* While nothing is under way: a part of the reserve of j for fresh. */
void journal_lend(struct journal *j, struct journal *fresh);
/* journal_open.c: an empty DIR/journal.new, which takes the place of the one that is there. */
int journal_open_new(struct journal **out, const struct journal_options *options,
                     struct signet_fail *fail);
void journal_remove_new(const char *dir);
/* DIR/journal.new to DIR/journal; and the directory on the disk: 0 or -1, errno. */
int journal_rename(const char *dir, struct signet_fail *fail);
int journal_sync_directory(const char *dir);
static inline void journal_step(struct journal *j, enum journal_step step)
{
    if (j->step != NULL) {
        j->step(step);
    }
}

#endif
