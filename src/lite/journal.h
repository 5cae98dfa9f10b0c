/* SPDX-License-Identifier: MIT */
/*
 * A log of changes in one file, DIR/journal, of sealed records (signet/record.h, GCM) numbered from
 * 0. What was appended is there when the process is killed at any moment: it is with the system
 * before the append returns. With `sync` a thread of the journal's own flushes the file, once for
 * all that wait at that time, and tells who waits (journal_when_safe()).
 *
 * Records are sealed outside of the lock, on many threads at once, and written in the order of
 * their numbers. When one cannot be written, those behind it fail with it, the file is cut to its
 * last whole record, and the next append begins a new sealer there.
 */
#ifndef SIGNET_LITE_JOURNAL_H
#define SIGNET_LITE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>
#include <signet/record.h>
#include <signet/span.h>

struct journal;

enum journal_step {
    JOURNAL_BEGUN,         /* journal.new is there, and empty */
    JOURNAL_SHARD_WRITTEN, /* many times */
    JOURNAL_CAUGHT_UP,     /* all but the last records are in it, and on the disk */
    JOURNAL_BEFORE_RENAME, /* all are in it, nobody can append */
    JOURNAL_AFTER_RENAME,
    JOURNAL_SETTLED, /* appended to, on the disk, under its name */
    JOURNAL_FOUND,   /* not of writing anew: a file was opened, and is not locked yet */
};
enum { JOURNAL_RESERVE = 1 << 20 };

struct journal_options {
    const char *dir;
    const uint8_t *key; /* SIGNET_RECORD_KEY_LEN bytes, copied */
    bool sync;
    /* For who uses the journal: it is not written anew below this many bytes; 0: 64 MiB. */
    uint64_t keep_bytes;
    uint64_t max_bytes; /* the disk counts as full beyond this; 0: when the system says so */
    /* For tests: called between the steps. May be NULL. */
    void (*step)(enum journal_step step);
};

/* What opening has found. */
struct journal_report {
    uint64_t records, bytes; /* whole ones */
    uint64_t cut;            /* bytes of a torn record behind them, which are gone */
    bool anew;               /* signet_osd_journal() has written it anew since */
    int kept;                /* 0, or why it could not, though it should; fail says more */
};

/* One record's body. Not 0: opening ends with it. */
typedef int (*journal_replay)(void *arg, struct signet_span body, struct signet_fail *fail);

/* Makes what is not there (mode 0700 and 0600), gives each record to replay, cuts a torn one off
 * the end, and zeros up to the end of the file; space that was taken ahead stays taken. -FILE: of
 * the system, or another process has the journal, be it under a file that has taken its name; a
 * record that is damaged, missing, overwritten with zeros or sealed with another key: as
 * signet_record_open(), fail->offset is its place in the file, and the file stays as it is. */
SIGNET_MUST int journal_open(struct journal **out, const struct journal_options *options,
                             journal_replay replay, void *arg, struct journal_report *report,
                             struct signet_fail *fail);
/* On the disk, when the system can. NULL is fine. */
void journal_close(struct journal *journal);

/* A place for a body of len bytes, and then the body in the log. Any thread. A negative errno:
 * -ENOMEM, -E2BIG; -ENOSPC, -EIO: it is not in the log. journal_append() takes the place back in
 * any case. */
struct journal_place;
/* Where the file system takes space ahead, JOURNAL_RESERVE bytes of it are for records that make
 * room: others are -ENOSPC before. */
void journal_frees(struct journal_place *place);
int journal_place(struct journal *journal, struct journal_place **out, size_t len);
uint8_t *journal_body(struct journal_place *place);
int journal_append(struct journal *journal, struct journal_place *place);
/* The last time that space was to be taken ahead, there was less than that. NULL: no. */
bool journal_full(const struct journal *journal);

/* --- with sync: what is on the disk ---------------------------------------------------------- */

/* Somebody who waits; in memory of the caller's until done was called. */
struct journal_wait {
    struct journal_wait *next;
    uint64_t cost; /* bytes of memory that wait with it; from JOURNAL_WAIT_MAX on in all, the next
                    * caller waits for a flush */
    /* err: 0, or -EIO when flushing has failed: it may be on the disk, or not. Once it has failed
     * each later append and wait is -EIO, until the journal is opened again. */
    void (*done)(struct journal_wait *wait, int err);
};
enum { JOURNAL_WAIT_MAX = 64 << 20 };

/* Whether it was opened with sync. NULL: no. */
bool journal_syncs(const struct journal *journal);
/* Calls wait->done when all records that were appended before are on the disk: on the journal's
 * thread, in the order of these calls. With sync only. */
void journal_when_safe(struct journal *journal, struct journal_wait *wait);
/* The same, on the calling thread: 0 or -EIO. */
int journal_wait_safe(struct journal *journal);
/* Records in it; those of them that are on the disk; whether flushing has failed. */
uint64_t journal_appended(const struct journal *journal);
uint64_t journal_safe(const struct journal *journal);
bool journal_lost(const struct journal *journal);
/* Returns when nobody waits any more, and no done runs. */
void journal_quiet(struct journal *journal);

/* --- written anew, while others append ------------------------------------------------------- */

/* A point between two records. */
struct journal_point {
    uint64_t number, offset;
};
struct journal_point journal_here(struct journal *journal);
/* The records from a point on up to here, in order; the point moves. Errors as journal_open(), and
 * what fn returns that is not 0. */
typedef int (*journal_tail)(void *arg, uint64_t number, struct signet_span body,
                            struct signet_fail *fail);
int journal_read_tail(struct journal *journal, struct journal_point *from, journal_tail fn,
                      void *arg, struct signet_fail *fail);
/* An empty one beside it, DIR/journal.new, to append to; about `bytes` will be. One at a time, and
 * each to be ended. On a full disk a small one gets a part of the journal's reserve. -FILE: also
 * when the disk has no room for it, or when the journal has failed. */
SIGNET_MUST int journal_begin_anew(struct journal *journal, uint64_t bytes, struct journal **fresh,
                                   struct signet_fail *fail);
/* On the disk as far as it goes, so that journal_take_over() has less to wait for. */
SIGNET_MUST int journal_flush_file(struct journal *fresh, struct signet_fail *fail);
/* Lets the tail be copied by fn, at its end while nobody can append, and fresh take the place of
 * the journal: in its name and in memory. A crash at any moment leaves one or the other, and both
 * have all that was answered. */
SIGNET_MUST int journal_take_over(struct journal *journal, struct journal *fresh,
                                  struct journal_point *from, journal_tail fn, void *arg,
                                  struct signet_fail *fail);
/* Closes the former file, or removes the new one if it has not taken over. Then the journal has its
 * reserve again, when the disk has it. */
void journal_end_anew(struct journal *journal, struct journal *fresh);

struct journal_usage {
    uint64_t bytes;   /* of the file */
    uint64_t refused; /* appends that failed since it was opened */
    uint64_t flushes; /* with sync */
    bool lost;        /* flushing has failed */
    uint64_t anew;    /* how often it was written anew since it was opened */
};
/* Any thread; may wait for a write. NULL: zeros. */
struct journal_usage journal_usage(struct journal *journal);

#endif
