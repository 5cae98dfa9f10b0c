/* SPDX-License-Identifier: MIT */
#include "daemon_log_ring.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNNING, ENDED, LEFT }; /* LEFT: who stopped it did not wait; the thread frees it */

struct log_ring {
    int fd;
    log_ring_tell tell;
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool ending;               /* under lock */
    _Atomic int state;         /* RUNNING at first */
    _Atomic uint64_t put;      /* lines; written under lock */
    _Atomic uint64_t written;  /* by the thread */
    _Atomic uint64_t lost;     /* written under lock */
    uint64_t told, since_told; /* the thread's: of lost; lines since then */
    struct logfmt line[LOG_RING_LINES];
};

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { NUM_FAULTS = sizeof(faults) / sizeof(faults[0]), FAULT_MS = 200, STEP_MS = 5 };

/* --- the thread ----------------------------------------------------------------------------- */

/* As a whole, however long it takes. Nobody can be told of other failures. */
static void write_line(int fd, const struct logfmt *line)
{
    for (size_t at = 0; at < line->len;) {
        ssize_t n = write(fd, line->text + at, line->len - at);
        if (n > 0) {
            at += (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            struct pollfd p = {.fd = fd, .events = POLLOUT};
            (void)poll(&p, 1, -1);
        } else if (n == 0 || errno != EINTR) {
            return;
        }
    }
}

/* Behind what was kept when they were lost; under a flood, once for each time round. */
static void tell_lost(struct log_ring *r)
{
    uint64_t lost = atomic_load(&r->lost);
    bool idle = atomic_load(&r->put) == atomic_load(&r->written);
    struct logfmt line;
    if (lost == r->told || (!idle && ++r->since_told < LOG_RING_LINES)) {
        return;
    }
    if (r->tell(r->arg, lost - r->told, &line)) {
        write_line(r->fd, &line);
    }
    r->told = lost;
    r->since_told = 0;
}

static void release(struct log_ring *r)
{
    pthread_cond_destroy(&r->wake);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void *run(void *arg)
{
    struct log_ring *r = arg;
    uint64_t next = 0;
    for (;;) {
        pthread_mutex_lock(&r->lock);
        while (atomic_load(&r->put) == next && !r->ending) {
            pthread_cond_wait(&r->wake, &r->lock);
        }
        bool more = atomic_load(&r->put) != next;
        pthread_mutex_unlock(&r->lock);
        if (!more) {
            break;
        }
        write_line(r->fd, &r->line[next % LOG_RING_LINES]);
        atomic_store(&r->written, ++next);
        tell_lost(r);
    }
    if (atomic_exchange(&r->state, ENDED) == LEFT) {
        release(r);
    }
    return NULL;
}

struct log_ring *log_ring_start(int fd, log_ring_tell tell, void *arg)
{
    struct log_ring *r = calloc(1, sizeof(*r));
    sigset_t most, former;
    if (r == NULL) {
        return NULL;
    }
    r->fd = fd;
    r->tell = tell;
    r->arg = arg;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->wake, NULL);
    sigfillset(&most);
    for (int i = 0; i < NUM_FAULTS; i++) {
        sigdelset(&most, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &most, &former);
    int err = pthread_create(&r->thread, NULL, run, r);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (err != 0) {
        free(r);
        return NULL;
    }
    return r;
}

/* --- who has lines -------------------------------------------------------------------------- */

bool log_ring_put(struct log_ring *r, const struct logfmt *line)
{
    pthread_mutex_lock(&r->lock);
    uint64_t put = atomic_load(&r->put);
    bool room = put - atomic_load(&r->written) < LOG_RING_LINES;
    if (room) {
        struct logfmt *slot = &r->line[put % LOG_RING_LINES];
        memcpy(slot->text, line->text, line->len);
        slot->len = line->len;
        atomic_store(&r->put, put + 1);
        pthread_cond_signal(&r->wake);
    } else {
        atomic_fetch_add(&r->lost, 1);
    }
    pthread_mutex_unlock(&r->lock);
    return room;
}

uint64_t log_ring_lost(const struct log_ring *r)
{
    return atomic_load(&r->lost);
}

static bool wait_for(const struct log_ring *r, unsigned ms, bool end)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    for (unsigned waited = 0;; waited += STEP_MS) {
        if (end ? atomic_load(&r->state) == ENDED
                : atomic_load(&r->written) == atomic_load(&r->put)) {
            return true;
        }
        if (waited >= ms) {
            return false;
        }
        nanosleep(&step, NULL);
    }
}

bool log_ring_wait(const struct log_ring *r, unsigned ms)
{
    return wait_for(r, ms, false);
}

bool log_ring_stop(struct log_ring *r, unsigned ms)
{
    pthread_mutex_lock(&r->lock);
    r->ending = true;
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
    pthread_t thread = r->thread;
    if (!wait_for(r, ms, true) && atomic_exchange(&r->state, LEFT) != ENDED) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    release(r);
    return true;
}

/* --- faults --------------------------------------------------------------------------------- */

static struct log_ring *_Atomic at_fault;

static void on_fault(int number)
{
    const struct log_ring *r = atomic_load(&at_fault);
    if (r != NULL) {
        (void)log_ring_wait(r, FAULT_MS);
    }
    raise(number); /* what it does without a handler: the handler was for once */
}

void log_ring_on_fault(struct log_ring *ring)
{
    const struct sigaction action = {.sa_handler = on_fault, .sa_flags = (int)SA_RESETHAND};
    atomic_store(&at_fault, ring);
    for (int i = 0; ring != NULL && i < NUM_FAULTS; i++) {
        struct sigaction former;
        if (sigaction(faults[i], NULL, &former) == 0 && former.sa_handler == SIG_DFL) {
            sigaction(faults[i], &action, NULL);
        }
    }
}
