/* SPDX-License-Identifier: MIT */
/* The thread that writes the journal anew when most of it is history. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/thread.h"

enum { LOOK_S = 1, RETRY_S = 10, RETRY_MAX_S = 320 };

struct osd_keeper {
    struct signet_osd *osd;
    _Atomic uint64_t keep;
    signet_osd_kept told;
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool ending; /* written under lock */
    bool called;        /* under lock */
    /* Bytes of memory above which calls are not heard, after an attempt that was of no use. */
    _Atomic uint64_t worth;
};

bool osd_journal_is_history(const struct signet_osd *osd, uint64_t keep)
{
    uint64_t bytes = journal_usage(osd->journal).bytes;
    return bytes >= keep && bytes / 2 >= store_usage(osd->store).memory;
}

bool osd_keeper_ends(const struct osd_keeper *k)
{
    return k != NULL && atomic_load(&k->ending);
}

void signet_osd_limit(struct signet_osd *osd, uint64_t store_bytes, uint64_t keep_bytes)
{
    store_limit(osd->store, store_bytes);
    if (osd->keeper != NULL) {
        atomic_store(&osd->keeper->keep, keep_bytes);
    }
}

void osd_keeper_call(struct osd_keeper *k)
{
    if (k == NULL || store_usage(k->osd->store).memory > atomic_load(&k->worth)) {
        return;
    }
    pthread_mutex_lock(&k->lock);
    k->called = true;
    pthread_cond_signal(&k->wake);
    pthread_mutex_unlock(&k->lock);
}

/* False: it is time to end. */
static bool wait_for(struct osd_keeper *k, int seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&k->lock);
    while (!k->ending && !k->called &&
           pthread_cond_timedwait(&k->wake, &k->lock, &until) != ETIMEDOUT) {
    }
    bool go = !k->ending;
    k->called = false;
    pthread_mutex_unlock(&k->lock);
    return go;
}

static bool is_due(const struct osd_keeper *k)
{
    return osd_journal_is_history(k->osd, atomic_load(&k->keep));
}

static int write_anew(struct osd_keeper *k)
{
    struct signet_fail fail = {.err = 0};
    uint64_t before = journal_usage(k->osd->journal).bytes;
    int err = signet_osd_journal_anew(k->osd, &fail);
    if (k->told != NULL && !osd_keeper_ends(k)) {
        k->told(k->arg, before, journal_usage(k->osd->journal).bytes, err, &fail);
    }
    return err;
}

static void *run(void *arg)
{
    struct osd_keeper *k = arg;
    int pause = LOOK_S, retry = RETRY_S;
    while (wait_for(k, pause)) {
        uint64_t memory = store_usage(k->osd->store).memory;
        bool due = is_due(k);
        int err = due ? write_anew(k) : 0;
        atomic_store(&k->worth, due && is_due(k) ? memory / 2 : UINT64_MAX);
        pause = err != 0 ? retry : LOOK_S;
        retry = err == 0 ? RETRY_S : retry < RETRY_MAX_S ? 2 * retry : RETRY_MAX_S;
    }
    return NULL;
}

int signet_osd_keep(struct signet_osd *osd, uint64_t keep_bytes, signet_osd_kept told, void *arg)
{
    struct osd_keeper *k = calloc(1, sizeof(*k));
    if (k == NULL) {
        return -SIGNET_E_NOMEM;
    }
    *k = (struct osd_keeper){.osd = osd,
                             .keep = keep_bytes != 0 ? keep_bytes : OSD_KEEP_BYTES,
                             .told = told,
                             .arg = arg,
                             .worth = UINT64_MAX};
    pthread_mutex_init(&k->lock, NULL);
    signet_cond_init(&k->wake);
    osd->keeper = k; /* the thread looks at it */
    int err = signet_thread_start(&k->thread, "signet-keeper", run, k);
    if (err != 0) {
        osd->keeper = NULL;
        free(k);
    }
    return err;
}

void osd_keeper_end(struct osd_keeper *k)
{
    if (k == NULL) {
        return;
    }
    pthread_mutex_lock(&k->lock);
    k->ending = true;
    pthread_cond_signal(&k->wake);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
    pthread_cond_destroy(&k->wake);
    pthread_mutex_destroy(&k->lock);
    free(k);
}
