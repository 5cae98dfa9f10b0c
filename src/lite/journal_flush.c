/* SPDX-License-Identifier: MIT */
/* Flushing the journal: one fdatasync() for all who wait when it begins. */
#include "lite/journal_internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/thread.h"

/* --- the thread ----------------------------------------------------------------------------- */

/* All that was appended so far; who waits has appended before. */
static int flush_file(struct journal *j)
{
    struct journal_flush *f = &j->flush;
    uint64_t upto = journal_appended(j);
    if (journal_lost(j)) {
        return -EIO;
    }
    if (upto == journal_safe(j)) {
        return 0;
    }
    if (fdatasync(j->fd) != 0) {
        /* a second attempt may succeed without the pages of the first being written */
        atomic_store_explicit(&f->lost, true, memory_order_release);
        return -EIO;
    }
    atomic_fetch_add_explicit(&f->flushes, 1, memory_order_relaxed);
    atomic_store_explicit(&f->safe, upto, memory_order_release);
    return 0;
}

static int flush(struct journal *j)
{
    pthread_mutex_lock(&j->io);
    int err = flush_file(j);
    pthread_mutex_unlock(&j->io);
    return err;
}

/* The sum of their costs. */
static uint64_t tell(struct journal_wait *first, int err)
{
    uint64_t cost = 0;
    while (first != NULL) {
        struct journal_wait *next = first->next;
        cost += first->cost;
        first->done(first, err);
        first = next;
    }
    return cost;
}

static struct journal_wait *take(struct journal_flush *f)
{
    struct journal_wait *first = f->first;
    f->first = NULL;
    f->last = &f->first;
    return first;
}

static void *run(void *arg)
{
    struct journal *j = arg;
    struct journal_flush *f = &j->flush;
    pthread_mutex_lock(&f->lock);
    for (;;) {
        while (f->first == NULL && !f->ending) {
            pthread_cond_wait(&f->wake, &f->lock);
        }
        struct journal_wait *first = take(f);
        if (first == NULL) {
            break;
        }
        f->busy = true;
        pthread_mutex_unlock(&f->lock);
        uint64_t cost = tell(first, flush(j));
        pthread_mutex_lock(&f->lock);
        f->busy = false;
        f->cost -= cost;
        pthread_cond_broadcast(&f->told);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

int journal_flush_start(struct journal *j)
{
    struct journal_flush *f = &j->flush;
    atomic_store(&j->appended, j->next);
    atomic_store(&f->safe, j->next);
    f->last = &f->first;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->wake, NULL);
    pthread_cond_init(&f->told, NULL);
    int err = signet_thread_start(&f->thread, "signet-journal", run, j);
    f->on = err == 0;
    return err;
}

void journal_flush_stop(struct journal *j)
{
    struct journal_flush *f = &j->flush;
    if (!f->on) {
        return;
    }
    pthread_mutex_lock(&f->lock);
    f->ending = true;
    pthread_cond_signal(&f->wake);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    pthread_cond_destroy(&f->told);
    pthread_cond_destroy(&f->wake);
    pthread_mutex_destroy(&f->lock);
    f->on = false;
}

/* --- who waits ------------------------------------------------------------------------------ */

void journal_when_safe(struct journal *j, struct journal_wait *wait)
{
    struct journal_flush *f = &j->flush;
    wait->next = NULL;
    pthread_mutex_lock(&f->lock);
    while (f->cost > JOURNAL_WAIT_MAX) {
        pthread_cond_wait(&f->told, &f->lock);
    }
    f->cost += wait->cost;
    *f->last = wait;
    f->last = &wait->next;
    if (!f->busy) {
        pthread_cond_signal(&f->wake);
    }
    pthread_mutex_unlock(&f->lock);
}

struct here {
    struct journal_wait wait;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    bool told;
    int err;
};

static void told_here(struct journal_wait *wait, int err)
{
    struct here *h = (struct here *)wait;
    pthread_mutex_lock(&h->lock);
    h->told = true;
    h->err = err;
    pthread_cond_signal(&h->turn);
    pthread_mutex_unlock(&h->lock);
}

int journal_wait_safe(struct journal *j)
{
    struct here h = {.wait = {.done = told_here}};
    pthread_mutex_init(&h.lock, NULL);
    pthread_cond_init(&h.turn, NULL);
    journal_when_safe(j, &h.wait);
    pthread_mutex_lock(&h.lock);
    while (!h.told) {
        pthread_cond_wait(&h.turn, &h.lock);
    }
    pthread_mutex_unlock(&h.lock);
    pthread_cond_destroy(&h.turn);
    pthread_mutex_destroy(&h.lock);
    return h.err;
}

void journal_quiet(struct journal *j)
{
    if (!journal_syncs(j)) {
        return;
    }
    struct journal_flush *f = &j->flush;
    pthread_mutex_lock(&f->lock);
    while (f->first != NULL || f->busy) {
        pthread_cond_wait(&f->told, &f->lock);
    }
    pthread_mutex_unlock(&f->lock);
}

bool journal_syncs(const struct journal *j)
{
    return j != NULL && j->flush.on;
}

uint64_t journal_appended(const struct journal *j)
{
    return atomic_load_explicit(&j->appended, memory_order_acquire);
}

uint64_t journal_safe(const struct journal *j)
{
    return atomic_load_explicit(&j->flush.safe, memory_order_acquire);
}

bool journal_lost(const struct journal *j)
{
    return atomic_load_explicit(&j->flush.lost, memory_order_acquire);
}
