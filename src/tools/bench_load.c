/* SPDX-License-Identifier: MIT */
/* Connections to the OSD, and jobs for all of them. */
#include "bench_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define TICK_NS   UINT64_C(1000000000)
#define SECOND_NS UINT64_C(1000000000)

void bench_fail(struct bench_load *load, const struct bench_why *why)
{
    pthread_mutex_lock(&load->lock);
    if (!atomic_load(&load->failed)) {
        load->why = *why;
        atomic_store(&load->failed, true); /* whoever sees it, sees why */
    }
    pthread_mutex_unlock(&load->lock);
    sem_post(&load->event);
}

/* All zeros when nothing has failed. */
static struct bench_why why_failed(struct bench_load *load)
{
    pthread_mutex_lock(&load->lock);
    struct bench_why why = load->why;
    pthread_mutex_unlock(&load->lock);
    return why;
}

/* --- connections ---------------------------------------------------------------------------- */

static struct timespec until(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
}

/* False when nothing happened until then. */
static bool wait_event(struct bench_load *load, uint64_t until_ns)
{
    struct timespec at = until(until_ns);
    return sem_clockwait(&load->event, CLOCK_MONOTONIC, &at) == 0;
}

static bool wait_dialled(struct bench_load *load, const struct bench_link *link, uint64_t until_ns)
{
    for (;;) {
        pthread_mutex_lock(&load->lock);
        bool dialling = link->state == LINK_DIALLING;
        pthread_mutex_unlock(&load->lock);
        if (!dialling)
            return true;
        if (!wait_event(load, until_ns))
            return false;
    }
}

static int conn_init(struct bench_load *load, unsigned index)
{
    struct bench_conn *c = &load->conn[index];
    size_t len =
        (size_t)(load->options->op_size > BENCH_META_LEN ? load->options->op_size : BENCH_META_LEN);
    *c = (struct bench_conn){.load = load, .index = index, .random = 2463534242U + index};
    c->slot = calloc(load->num_slots, sizeof(*c->slot));
    c->contents = malloc(len);
    return c->slot && c->contents ? 0 : -SIGNET_E_NOMEM;
}

/* One after the other: they share the client. */
static int connect_all(struct bench_load *load)
{
    int err = 0;
    for (unsigned i = 0; i < load->num_conns && err == 0; i++) {
        err = bench_dial(load, &load->conn[i]);
        uint64_t limit = signet_driver_now_ns() + 2 * load->options->login.timeout_ns;
        if (err == 0 && !wait_dialled(load, &load->conn[i].link, limit))
            err = -SIGNET_E_HANDSHAKE_TIMEOUT;
        if (err)
            bench_fail(load, &(struct bench_why){.err = err});
        else if (atomic_load(&load->failed))
            err = why_failed(load).err;
    }
    for (unsigned i = 0; i < load->num_conns && err == 0; i++) {
        load->conn[i].link.seen = LINK_UP;
        load->conn[i].link.seen_ups = 1;
    }
    return err;
}

/* A monitor that does not answer now is dialled again and again while jobs run. */
static void connect_mon(struct bench_load *load)
{
    load->mon.link.seen = LINK_DIALLING;
    if (bench_mon_dial(load) == 0)
        (void)wait_dialled(load, &load->mon.link,
                           signet_driver_now_ns() + load->options->login.timeout_ns);
}

static int load_new(struct bench_load **out, const struct bench_options *options)
{
    struct bench_load *load = calloc(1, sizeof(*load));
    *out = load;
    if (!load)
        return -SIGNET_E_NOMEM;
    load->options = options;
    load->begun_ns = signet_driver_now_ns();
    load->num_conns = options->conns;
    load->num_slots = 4 * (options->depth / options->conns + 1);
    sem_init(&load->event, 0, 0);
    pthread_mutex_init(&load->lock, NULL);
    load->conn = aligned_alloc(64, options->conns * sizeof(*load->conn));
    if (!load->conn)
        return -SIGNET_E_NOMEM;
    memset(load->conn, 0, options->conns * sizeof(*load->conn));
    int err = 0;
    for (unsigned i = 0; i < options->conns && err == 0; i++)
        err = conn_init(load, i);
    struct signet_messenger_options m = {.threads = (unsigned)options->threads,
                                         .env = signet_env_system()};
    return err ? err : signet_messenger_new(&load->messenger, &m);
}

int bench_load_open(struct bench_load **out, const struct bench_options *options, struct ping *ping,
                    const struct lite_osdmap *map, struct bench_why *why)
{
    ping->peer_type = SIGNET_OSD;
    ping->stage = STAGE_SESSION;
    int err = load_new(out, options);
    struct bench_load *load = *out;
    if (err == 0) {
        load->ping = ping;
        bench_mon_begin(load);
        bench_place_set(load, map);
        err = load->place.osd.type == SIGNET_ADDR_MSGR2 ? 0 : -SIGNET_E_MSGR1_PEER;
    }
    for (uint64_t i = 0; i < options->conns && err == 0; i++)
        load->conn[i].place = load->place;
    if (err == 0)
        err = connect_all(load);
    if (err == 0) {
        ping->stage = STAGE_OPEN;
        atomic_store(&load->opened, true);
        connect_mon(load);
    }
    *why = load && err ? why_failed(load) : (struct bench_why){0};
    why->err = err;
    return err;
}

/* No callback runs any more behind it. */
static void stop(struct bench_load *load)
{
    atomic_store(&load->ending, true);
    signet_messenger_free(load->messenger);
    load->messenger = NULL;
    bench_mon_free(load);
}

void bench_load_close(struct bench_load *load)
{
    if (!load)
        return;
    stop(load);
    for (unsigned i = 0; load->conn && i < load->num_conns; i++) {
        free(load->conn[i].slot);
        free(load->conn[i].contents);
    }
    free(load->conn);
    sem_destroy(&load->event);
    pthread_mutex_destroy(&load->lock);
    free(load);
}

/* --- jobs ----------------------------------------------------------------------------------- */

static uint64_t load_of(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void collect(struct bench_load *load, struct bench_job *job, uint64_t elapsed_ns)
{
    job->elapsed_ns = elapsed_ns;
    job->started = job->finished = job->sum_ns = job->max_ns = 0;
    job->min_ns = UINT64_MAX;
    for (unsigned i = 0; i < load->num_conns; i++) {
        const struct bench_conn *c = &load->conn[i];
        uint64_t min_ns = load_of(&c->min_ns), max_ns = load_of(&c->max_ns);
        job->started += load_of(&c->started);
        job->finished += load_of(&c->finished);
        job->sum_ns += load_of(&c->sum_ns);
        job->last_ns = load_of(&c->last_ns) ? load_of(&c->last_ns) : job->last_ns;
        job->min_ns = min_ns < job->min_ns ? min_ns : job->min_ns;
        job->max_ns = max_ns > job->max_ns ? max_ns : job->max_ns;
    }
}

struct figures {
    uint64_t cpu_ns, sealed, opened;
};

static struct figures figures_now(const struct bench_load *load)
{
    struct figures f = {0};
    struct rusage u;
    struct signet_messenger_stats s;
    getrusage(RUSAGE_SELF, &u);
    signet_messenger_stats(load->messenger, &s);
    f.cpu_ns = (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * SECOND_NS +
               (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
    for (int i = 0; i < SIGNET_MESSENGER_HANDLERS; i++) {
        f.sealed += s.by_handler[i].sealed;
        f.opened += s.by_handler[i].opened;
    }
    return f;
}

/* What an object of this job holds. */
static void fill(struct bench_load *load, struct bench_conn *c, const struct bench_job *job)
{
    if (job->kind == BENCH_META_WRITE)
        bench_meta_write(c->contents, &job->meta);
    else if (job->kind == BENCH_WRITE || job->kind == BENCH_SEQ || job->kind == BENCH_RAND)
        memset(c->contents, 'z', (size_t)load->contents_len);
}

static int give_out(struct bench_load *load, struct bench_job *job)
{
    uint64_t share = job->depth / load->num_conns, more = job->depth % load->num_conns;
    uint64_t num = job->depth < load->num_conns ? job->depth : load->num_conns;
    atomic_store(&load->running, num);
    for (unsigned i = 0; i < load->num_conns; i++) {
        struct bench_conn *c = &load->conn[i];
        c->depth = share + (i < more ? 1 : 0);
        c->dry = false;
        c->sum_squares = 0;
        memset(&c->hist, 0, sizeof(c->hist));
        c->started = c->finished = c->last_ns = c->sum_ns = c->max_ns = 0;
        c->min_ns = UINT64_MAX;
        fill(load, c, job);
    }
    int err = 0;
    for (unsigned i = 0; i < num && err == 0; i++)
        err = signet_messenger_post(load->messenger, i % (unsigned)load->options->threads,
                                    bench_begin, &load->conn[i]);
    return err;
}

/* A load that does not move for the time-out has failed. */
static void stuck(struct bench_load *load, const struct bench_job *job)
{
    struct bench_why why = {.kind = job->kind};
    bench_stuck(load, &why);
    bench_fail(load, &why);
}

/* Until all is done. */
static int attend(struct bench_load *load, struct bench_job *job, uint64_t start_ns)
{
    uint64_t moved_ns = start_ns, finished = 0, now_ns = start_ns;
    for (uint64_t at = start_ns + TICK_NS;;) {
        uint64_t keep_ns = bench_keep(load, now_ns);
        (void)wait_event(load, keep_ns < at ? keep_ns : at);
        now_ns = signet_driver_now_ns();
        collect(load, job, now_ns - start_ns);
        if (atomic_load(&load->failed))
            return -1;
        if (atomic_load(&load->running) == 0) {
            bench_watch(load, now_ns); /* the last answers may have come by a new connection */
            return 0;
        }
        moved_ns = job->finished != finished ? now_ns : moved_ns;
        finished = job->finished;
        if (now_ns - moved_ns > load->options->login.timeout_ns) {
            stuck(load, job);
            return -1;
        }
        if (now_ns < at)
            continue;
        at += TICK_NS;
        if (job->tick)
            job->tick(load, job, job->arg);
    }
}

static void finish(struct bench_load *load, struct bench_job *job, const struct figures *before)
{
    struct figures after = figures_now(load);
    job->cpu_ns = after.cpu_ns - before->cpu_ns;
    job->sealed = after.sealed - before->sealed;
    job->opened = after.opened - before->opened;
    job->reconnects = atomic_load(&load->reconnects);
    job->resends = atomic_load(&load->resends);
    job->backoffs = atomic_load(&load->backoffs);
    job->maps = atomic_load(&load->maps);
    job->renewals = atomic_load(&load->renewals);
    job->sum_squares = 0;
    memset(&job->hist, 0, sizeof(job->hist));
    for (unsigned i = 0; i < load->num_conns; i++) {
        bench_hist_merge(&job->hist, &load->conn[i].hist);
        job->sum_squares += load->conn[i].sum_squares;
    }
}

int bench_load_run(struct bench_load *load, struct bench_job *job, struct bench_why *why)
{
    load->job = job;
    load->contents_len = job->kind == BENCH_META_READ || job->kind == BENCH_META_WRITE
                             ? BENCH_META_LEN
                             : job->meta.object_size;
    char prefix[BENCH_NAME_MAX];
    bench_prefix(prefix, job->meta.pid);
    load->prefix_len =
        (size_t)snprintf(load->prefix, sizeof(load->prefix), "%.400s_object", prefix);
    atomic_store(&load->next, 0);
    struct figures before = figures_now(load);
    uint64_t start_ns = signet_driver_now_ns();
    load->deadline_ns = job->duration_ns ? start_ns + job->duration_ns : UINT64_MAX;
    int err = give_out(load, job);
    if (err)
        bench_fail(load, &(struct bench_why){.err = err});
    err = attend(load, job, start_ns);
    if (err == 0)
        finish(load, job, &before);
    else
        stop(load); /* what is under way must not find the job gone */
    *why = err ? why_failed(load) : (struct bench_why){0};
    return err;
}
