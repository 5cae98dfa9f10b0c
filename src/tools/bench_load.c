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

static int ready(void *arg, struct signet_peer *peer, const struct signet_event_ready *event)
{
    struct bench_conn *c = arg;
    c->peer = peer;
    c->features = event->features;
    sem_post(&c->load->event);
    return 0;
}

static void closed(void *arg, struct signet_peer *peer, const struct signet_fail *fail)
{
    struct bench_conn *c = arg;
    (void)peer;
    c->peer = NULL;
    if (atomic_load(&c->load->ending))
        return;
    struct bench_why why = {.err = fail->err, .fail = *fail};
    bench_fail(c->load, &why);
}

/* The address that is not the old messenger's. */
static bool target_of(const struct lite_osdmap *map, struct signet_addr *out)
{
    for (uint32_t i = 0; i < map->addrs.num; i++) {
        *out = map->addrs.addr[i];
        if (out->type == SIGNET_ADDR_MSGR2)
            return true;
    }
    return false;
}

static int dial(struct bench_load *load, struct bench_conn *c)
{
    const struct ping_options *login = &load->options->login;
    struct signet_dial_options dial = {
        .conn = {.role = SIGNET_ROLE_CLIENT,
                 .own_type = login->name.type,
                 .peer_type = SIGNET_OSD,
                 .target = load->ping->peer,
                 .client = load->ping->client,
                 .modes = {login->modes[0], login->modes[1]},
                 .num_modes = login->num_modes,
                 .env = signet_env_system(),
                 .handshake_timeout_ns = login->timeout_ns},
        .ops = {.ready = ready, .message = bench_answer, .closed = closed},
        .arg = c,
        .worker = (int)(c->index % load->options->threads),
    };
    return signet_messenger_dial(load->messenger, &dial, NULL);
}

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
        err = dial(load, &load->conn[i]);
        uint64_t limit = signet_driver_now_ns() + 2 * load->options->login.timeout_ns;
        if (err == 0 && !wait_event(load, limit))
            err = -SIGNET_E_HANDSHAKE_TIMEOUT;
        if (err)
            bench_fail(load, &(struct bench_why){.err = err});
        else if (atomic_load(&load->failed))
            err = why_failed(load).err;
    }
    return err;
}

static int load_new(struct bench_load **out, const struct bench_options *options)
{
    struct bench_load *load = calloc(1, sizeof(*load));
    *out = load;
    if (!load)
        return -SIGNET_E_NOMEM;
    load->options = options;
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
        load->map = map;
        err = target_of(map, &ping->peer) ? 0 : -SIGNET_E_MSGR1_PEER;
        signet_addr_print(&ping->peer, ping->peer_text);
    }
    if (err == 0)
        err = connect_all(load);
    if (err == 0)
        ping->stage = STAGE_OPEN;
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

/* Until all is done. A load that does not move for the time-out has failed. */
static int attend(struct bench_load *load, struct bench_job *job, uint64_t start_ns)
{
    uint64_t moved_ns = start_ns, finished = 0;
    for (uint64_t at = start_ns + TICK_NS;; at += TICK_NS) {
        bool event = wait_event(load, at);
        uint64_t now_ns = signet_driver_now_ns();
        collect(load, job, now_ns - start_ns);
        if (atomic_load(&load->failed))
            return -1;
        if (atomic_load(&load->running) == 0)
            return 0;
        if (event) {
            at -= TICK_NS;
            continue;
        }
        moved_ns = job->finished != finished ? now_ns : moved_ns;
        finished = job->finished;
        if (now_ns - moved_ns > load->options->login.timeout_ns) {
            bench_fail(load, &(struct bench_why){.err = -SIGNET_E_TIMEOUT, .kind = job->kind});
            return -1;
        }
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
