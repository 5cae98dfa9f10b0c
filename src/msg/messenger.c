/* SPDX-License-Identifier: MIT */
#include <signet/messenger.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "msg/loop.h"

#define SECOND UINT64_C(1000000000)
#define SHARE  (UINT64_C(512) << 20) /* bytes of all peers of one worker, each way */

uint64_t loop_now(const struct signet_messenger *messenger)
{
    return messenger->o.env.mono_ns(messenger->o.env.arg);
}

static unsigned processors(void)
{
    cpu_set_t set;
    int num = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return num > 0 ? (unsigned)num : 1;
}

static void set_defaults(struct signet_messenger_options *o)
{
    o->threads = o->threads != 0 ? o->threads : processors();
    o->env = o->env.mono_ns != NULL ? o->env : signet_env_system();
    o->max_peers = o->max_peers != 0 ? o->max_peers : 65536;
    o->max_half_open = o->max_half_open != 0 ? o->max_half_open : 1024;
    o->max_queued = o->max_queued != 0 ? o->max_queued : 16 << 20;
    o->max_output = o->max_output != 0 ? o->max_output : o->threads * SHARE;
    o->max_input = o->max_input != 0 ? o->max_input : o->threads * SHARE;
    o->linger_ns = o->linger_ns != 0 ? o->linger_ns : 2 * SECOND;
}

void loop_messenger_unref(struct signet_messenger *messenger)
{
    if (atomic_fetch_sub_explicit(&messenger->refs, 1, memory_order_acq_rel) != 1) {
        return;
    }
    /* Until now a sender may have been about to wake a worker. */
    for (unsigned i = 0; i < messenger->num_workers && messenger->pid == getpid(); i++) {
        if (messenger->worker[i].messenger != NULL && messenger->worker[i].wake >= 0) {
            close(messenger->worker[i].wake);
        }
    }
    free(messenger);
}

static int start_workers(struct signet_messenger *m)
{
    int err = 0;
    for (unsigned i = 0; i < m->num_workers && err == 0; i++) {
        err = loop_worker_start(&m->worker[i]);
    }
    return err;
}

static void run_stop(struct worker *worker, struct loop_note *note)
{
    (void)note;
    worker->stopping = true;
}

static void run_drain(struct worker *worker, struct loop_note *note)
{
    (void)note;
    loop_drain(worker, worker->drain_ns);
}

static void end_workers(struct signet_messenger *m)
{
    for (unsigned i = 0; i < m->num_workers; i++) {
        if (m->worker[i].running) {
            m->worker[i].stop.run = run_stop;
            (void)loop_post(&m->worker[i], &m->worker[i].stop);
        }
    }
    for (unsigned i = 0; i < m->num_workers; i++) {
        if (m->worker[i].running) {
            pthread_join(m->worker[i].thread, NULL);
        }
    }
}

static void release(struct signet_messenger *m)
{
    loop_fork_part(m);
    loop_listeners_free(m);
    for (unsigned i = 0; i < m->num_workers; i++) {
        loop_worker_fini(&m->worker[i]);
    }
    pthread_cond_destroy(&m->drained);
    pthread_mutex_destroy(&m->lock);
    loop_messenger_unref(m);
}

static struct signet_messenger *make(const struct signet_messenger_options *o)
{
    struct signet_messenger *m;
    size_t len = sizeof(*m) + o->threads * sizeof(m->worker[0]);
    if (posix_memalign((void **)&m, _Alignof(struct signet_messenger), len) != 0) {
        return NULL;
    }
    memset(m, 0, len);
    atomic_init(&m->refs, 1);
    m->pid = getpid();
    m->o = *o;
    m->num_workers = o->threads;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->drained, NULL);
    CDS_INIT_LIST_HEAD(&m->listeners);
    return m;
}

int signet_messenger_new(struct signet_messenger **out,
                         const struct signet_messenger_options *options)
{
    struct signet_messenger_options o = *options;
    *out = NULL;
    set_defaults(&o);
    if (o.threads > 1024 || o.env.random == NULL || o.env.real_ns == NULL) {
        return -SIGNET_E_INVAL;
    }
    struct signet_messenger *m = make(&o);
    if (m == NULL) {
        return -SIGNET_E_NOMEM;
    }
    int err = 0;
    for (unsigned i = 0; i < m->num_workers && err == 0; i++) {
        err = loop_worker_init(&m->worker[i], m, i);
    }
    loop_fork_join(m);
    if (err == 0) {
        err = start_workers(m);
    }
    if (err != 0) {
        end_workers(m);
        release(m);
        return err;
    }
    *out = m;
    return 0;
}

static bool is_any_worker(const struct signet_messenger *m)
{
    for (unsigned i = 0; i < m->num_workers; i++) {
        if (loop_is_worker(&m->worker[i])) {
            return true;
        }
    }
    return false;
}

int signet_messenger_drain(struct signet_messenger *m, uint64_t timeout_ns)
{
    if (is_any_worker(m) || atomic_exchange(&m->draining, true)) {
        return -SIGNET_E_STATE;
    }
    uint64_t now = loop_now(m);
    uint64_t deadline = timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
    for (unsigned i = 0; i < m->num_workers; i++) {
        m->worker[i].drain.run = run_drain;
        m->worker[i].drain_ns = deadline;
        (void)loop_post(&m->worker[i], &m->worker[i].drain);
    }
    pthread_mutex_lock(&m->lock);
    while (m->num_drained < m->num_workers) {
        pthread_cond_wait(&m->drained, &m->lock);
    }
    int err = m->num_cut > 0 ? -SIGNET_E_TIMEOUT : 0;
    pthread_mutex_unlock(&m->lock);
    return err;
}

/* A forked child has the memory, but neither the threads nor a right to the sockets. */
static void free_in_child(struct signet_messenger *m)
{
    for (unsigned i = 0; i < m->num_workers; i++) {
        loop_worker_abandon(&m->worker[i]);
    }
    loop_fork_part(m);
    loop_listeners_free(m);
    loop_messenger_unref(m);
}

void signet_messenger_free(struct signet_messenger *m)
{
    if (m == NULL) {
        return;
    }
    if (m->pid != getpid()) {
        free_in_child(m);
        return;
    }
    if (!atomic_load(&m->draining)) {
        int err = signet_messenger_drain(m, 0);
        (void)err; /* what is cut is cut */
    }
    end_workers(m);
    release(m);
}

struct posted {
    struct loop_note note;
    void (*fn)(void *arg);
    void *arg;
};

static void run_posted(struct worker *worker, struct loop_note *note)
{
    struct posted *p = caa_container_of(note, struct posted, note);
    (void)worker;
    p->fn(p->arg);
    free(p);
}

int signet_messenger_post(struct signet_messenger *messenger, unsigned worker,
                          void (*fn)(void *arg), void *arg)
{
    if (worker >= messenger->num_workers) {
        return -SIGNET_E_INVAL;
    }
    if (atomic_load(&messenger->draining)) {
        return -SIGNET_E_STATE;
    }
    struct posted *p = malloc(sizeof(*p));
    if (p == NULL) {
        return -SIGNET_E_NOMEM;
    }
    *p = (struct posted){.note = {.run = run_posted}, .fn = fn, .arg = arg};
    if (!loop_post(&messenger->worker[worker], &p->note)) {
        free(p);
        return -SIGNET_E_STATE;
    }
    return 0;
}
