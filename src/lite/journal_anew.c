/* SPDX-License-Identifier: MIT */
/* The journal written anew while others append: its tail is copied, and the new one takes its
 * place. */
#include "lite/journal_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fail.h"

/* --- the tail ------------------------------------------------------------------------------- */

struct journal_point journal_here(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    struct journal_point here = {.number = j->next, .offset = j->end};
    pthread_mutex_unlock(&j->lock);
    return here;
}

struct numbered {
    uint64_t number;
    journal_tail fn;
    void *arg;
};

static int give(void *arg, struct signet_span body, struct signet_fail *fail)
{
    struct numbered *n = arg;
    return n->fn(n->arg, n->number++, body, fail);
}

int journal_read_tail(struct journal *j, struct journal_point *from, journal_tail fn, void *arg,
                      struct signet_fail *fail)
{
    struct journal_point to = journal_here(j);
    struct numbered n = {.number = from->number, .fn = fn, .arg = arg};
    int err = to.number > from->number ? journal_read_part(j, from, &to, give, &n, fail) : 0;
    if (err == 0) {
        *from = to;
    }
    return err;
}

/* --- taking its place ----------------------------------------------------------------------- */

/* No number is given out from here on, and those that were are written or failed. Under lock. */
static void stand_still(struct journal *j)
{
    j->moving = true;
    while (j->in_flight > 0) {
        pthread_cond_wait(&j->turn, &j->lock);
    }
}

static void go_on(struct journal *j)
{
    j->moving = false;
    pthread_cond_broadcast(&j->turn);
}

/* Under the locks of j. */
static void swap(struct journal *j, struct journal *fresh)
{
    int fd = j->fd;
    struct signet_record_sealer *sealer = j->sealer;
    j->fd = fresh->fd;
    j->sealer = fresh->sealer;
    j->next = fresh->next;
    j->end = j->planned = fresh->end;
    j->room = fresh->room;
    j->no_reserve = fresh->no_reserve;
    atomic_store_explicit(&j->full, journal_full(fresh), memory_order_relaxed);
    j->failed = 0;
    fresh->fd = fd;
    fresh->sealer = sealer;
    fresh->gone = true;
}

struct copy {
    struct journal *j;
    struct journal_point *from;
    journal_tail fn;
    void *arg;
};

/* The last records, while nothing is appended; then the name. Under the locks of j. */
static int move(struct copy *c, struct journal *fresh, struct signet_fail *fail)
{
    struct journal *j = c->j;
    const struct journal_point to = {.number = j->next, .offset = j->end};
    struct numbered n = {.number = c->from->number, .fn = c->fn, .arg = c->arg};
    int err = to.number > n.number ? journal_read_part(j, c->from, &to, give, &n, fail) : 0;
    if (err == 0 && j->dead) {
        err = signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0, "the journal has failed");
    }
    if (err == 0) {
        journal_step(j, JOURNAL_BEFORE_RENAME);
        err = journal_rename(j->dir, fail);
    }
    if (err == 0) {
        journal_step(j, JOURNAL_AFTER_RENAME);
        swap(j, fresh);
        j->anew++;
    }
    return err;
}

/* What has the name now, on the disk; with sync nothing may be answered otherwise. */
static void settle(struct journal *j)
{
    if ((fdatasync(j->fd) != 0 || journal_sync_directory(j->dir) != 0) && j->sync) {
        atomic_store_explicit(&j->flush.lost, true, memory_order_release);
    }
    journal_step(j, JOURNAL_SETTLED);
}

int journal_flush_file(struct journal *fresh, struct signet_fail *fail)
{
    return fdatasync(fresh->fd) == 0
               ? 0
               : signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0, "cannot flush journal.new: %s",
                                 strerror(errno));
}

int journal_take_over(struct journal *j, struct journal *fresh, struct journal_point *from,
                      journal_tail fn, void *arg, struct signet_fail *fail)
{
    struct copy c = {.j = j, .from = from, .fn = fn, .arg = arg};
    pthread_mutex_lock(&j->io); /* from here on nobody is told that something is safe */
    int err = journal_read_tail(j, from, fn, arg, fail);
    if (err == 0) {
        err = journal_flush_file(fresh, fail);
    }
    if (err == 0) {
        journal_step(j, JOURNAL_CAUGHT_UP);
        pthread_mutex_lock(&j->lock);
        stand_still(j);
        err = move(&c, fresh, fail);
        go_on(j);
        pthread_mutex_unlock(&j->lock);
    }
    if (err == 0) {
        settle(j);
    }
    pthread_mutex_unlock(&j->io);
    return err;
}

/* Before all is written for nothing. A system that does not say is asked by writing. */
static int check_room(struct journal *j, uint64_t bytes, struct signet_fail *fail)
{
    struct statvfs fs;
    if (fstatvfs(j->fd, &fs) != 0 || fs.f_frsize == 0 || bytes / fs.f_frsize < fs.f_bavail) {
        return 0;
    }
    return signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0,
                           "cannot write it anew: No space left on device: it takes %" PRIu64
                           " bytes, and %" PRIu64 " are free",
                           bytes, (uint64_t)fs.f_bavail * fs.f_frsize);
}

static int check(struct journal *j, uint64_t bytes, struct signet_fail *fail)
{
    pthread_mutex_lock(&j->lock);
    bool failed = j->dead || journal_lost(j);
    int err = bytes > JOURNAL_SMALL ? check_room(j, bytes, fail) : 0;
    pthread_mutex_unlock(&j->lock);
    return failed ? signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0, "the journal has failed")
                  : err;
}

/* For a small one. */
static void take_room(struct journal *j, struct journal *fresh)
{
    if (!journal_take_ahead(fresh, JOURNAL_LENT)) {
        pthread_mutex_lock(&j->lock);
        stand_still(j); /* what is under way has its space behind the end */
        journal_lend(j, fresh);
        go_on(j);
        pthread_mutex_unlock(&j->lock);
    }
}

int journal_begin_anew(struct journal *j, uint64_t bytes, struct journal **fresh,
                       struct signet_fail *fail)
{
    const struct journal_options options = {
        .dir = j->dir, .key = j->key, .max_bytes = j->max_bytes, .step = j->step};
    *fresh = NULL;
    int err = check(j, bytes, fail);
    if (err == 0) {
        err = journal_open_new(fresh, &options, fail);
    }
    if (err == 0) {
        if (bytes <= JOURNAL_SMALL) {
            take_room(j, *fresh);
        }
        journal_step(j, JOURNAL_BEGUN);
    }
    return err;
}

void journal_end_anew(struct journal *j, struct journal *fresh)
{
    if (!fresh->gone) {
        journal_remove_new(j->dir);
        fresh->gone = true;
    }
    journal_close(fresh);
    pthread_mutex_lock(&j->lock);
    (void)journal_take_ahead(j, JOURNAL_RESERVE);
    pthread_mutex_unlock(&j->lock);
}
