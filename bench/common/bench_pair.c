/* SPDX-License-Identifier: MIT */
#include "common/bench_pair.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/bench_private.h"

enum leg { ALONE, PROCESSES, THREADS, LEGS };
enum { PAIR = 2, WAIT_SECONDS = 30 };

/* Those who run: threads 0 and 1, then processes 0 and 1. */
enum who { THREAD, PROCESS, KINDS };

struct match {
    const struct bench_team *team;
    uint64_t iters;
    /* Which turn a member may begin; processes wait on it, too. Turn t is leg t % LEGS. */
    _Alignas(128) atomic_uint go[KINDS][PAIR];
    _Alignas(128) atomic_uint met;  /* arrivals at the start of a burst, ever growing */
    _Alignas(128) atomic_uint done; /* members that have finished, ever growing */
    double *starts, *ends;          /* [turn][index] */
};

struct player {
    struct match *match;
    enum who who;
    unsigned index;
};

static bool plays(enum leg leg, enum who who, unsigned index)
{
    return who == PROCESS ? leg == PROCESSES : leg == THREADS || (leg == ALONE && index == 0);
}

static unsigned players_of(enum leg leg)
{
    return leg == ALONE ? 1 : PAIR;
}

/* Members that have played before this turn. */
static unsigned played_before(unsigned turn)
{
    unsigned sum = turn / LEGS * (1 + PAIR + PAIR);
    for (enum leg leg = ALONE; leg < (enum leg)(turn % LEGS); leg++) {
        sum += players_of(leg);
    }
    return sum;
}

static void wait_for_turn(atomic_uint *go, unsigned turn)
{
    static const struct timespec patience = {.tv_sec = WAIT_SECONDS};
    unsigned seen;
    while ((seen = atomic_load_explicit(go, memory_order_acquire)) < turn) {
        long err = syscall(SYS_futex, go, FUTEX_WAIT, seen, &patience, NULL, 0);
        bench_need(err == 0 || atomic_load(go) != seen, "a member of a pair does not answer");
    }
}

static void begin_turn(struct match *m, unsigned turn)
{
    for (unsigned i = 0; i < KINDS * PAIR; i++) {
        enum who who = (enum who)(i / PAIR);
        if (!plays((enum leg)(turn % LEGS), who, i % PAIR)) {
            continue;
        }
        atomic_uint *go = &m->go[who][i % PAIR];
        atomic_store_explicit(go, turn, memory_order_release);
        syscall(SYS_futex, go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* Spins, so that they start together: each has a processor of its own. */
static void meet(struct match *m, unsigned turn)
{
    unsigned all = played_before(turn + 1);
    atomic_fetch_add_explicit(&m->met, 1, memory_order_acq_rel);
    for (unsigned spins = 1; atomic_load_explicit(&m->met, memory_order_acquire) < all; spins++) {
        if (spins % 65536 == 0) {
            sched_yield();
        }
    }
}

static void reset(const struct player *p)
{
    const struct bench_team *team = p->match->team;
    if (team->reset) {
        team->reset(team->arg, p->index);
    }
}

static void warm_up(const struct player *p)
{
    reset(p);
    p->match->team->run(p->match->team->arg, p->index, p->match->iters / 8 + 1);
    reset(p);
}

static void play(const struct player *p, unsigned turn)
{
    struct match *m = p->match;
    const struct bench_team *team = m->team;
    warm_up(p);
    meet(m, turn);
    m->starts[turn * PAIR + p->index] = bench_mono_ns();
    team->run(team->arg, p->index, m->iters);
    m->ends[turn * PAIR + p->index] = bench_mono_ns();
    if (atomic_fetch_add_explicit(&m->done, 1, memory_order_acq_rel) + 1 ==
        played_before(turn + 1)) {
        begin_turn(m, turn + 1);
    }
}

/* Turn 0 to LEGS - 1 warm up. */
static unsigned turns(const struct match *m)
{
    return (m->team->bursts + 1) * LEGS;
}

static void *player_main(void *arg)
{
    const struct player *p = arg;
    bench_bind_to(p->index);
    for (unsigned turn = 0; turn < turns(p->match); turn++) {
        if (plays((enum leg)(turn % LEGS), p->who, p->index)) {
            wait_for_turn(&p->match->go[p->who][p->index], turn);
            play(p, turn);
        }
    }
    return NULL;
}

static double turn_ns(const struct match *m, unsigned turn)
{
    const double *starts = m->starts + (size_t)turn * PAIR, *ends = m->ends + (size_t)turn * PAIR;
    if (turn % LEGS == ALONE) {
        return ends[0] - starts[0];
    }
    double start = starts[0] < starts[1] ? starts[0] : starts[1];
    return (ends[0] > ends[1] ? ends[0] : ends[1]) - start;
}

/* Of so many percent of the bursts none took longer. */
static double quantile_ns(const struct match *m, enum leg leg, unsigned percent)
{
    unsigned bursts = m->team->bursts;
    double *all = bench_alloc((size_t)bursts * sizeof *all);
    for (unsigned i = 0; i < bursts; i++) {
        all[i] = turn_ns(m, (i + 1) * LEGS + (unsigned)leg);
    }
    bench_sort(all, bursts);
    double ns = all[(size_t)bursts * percent / 100];
    free(all);
    return ns;
}

static void start_processes(struct player players[PAIR])
{
    for (unsigned i = 0; i < PAIR; i++) {
        pid_t pid = fork();
        bench_need(pid >= 0, "a process cannot be started");
        if (pid == 0) {
            player_main(&players[i]);
            _exit(0);
        }
    }
}

static void join_processes(void)
{
    for (unsigned i = 0; i < PAIR; i++) {
        int status;
        bench_need(wait(&status) > 0 && status == 0, "a process of a pair failed");
    }
}

static void run_match(struct match *m)
{
    struct player players[KINDS][PAIR];
    pthread_t threads[PAIR];
    for (unsigned i = 0; i < KINDS * PAIR; i++) {
        enum who who = (enum who)(i / PAIR);
        players[who][i % PAIR] = (struct player){m, who, i % PAIR};
        atomic_init(&m->go[who][i % PAIR], 0);
    }
    start_processes(players[PROCESS]);
    for (unsigned i = 0; i < PAIR; i++) {
        bench_need(pthread_create(&threads[i], NULL, player_main, &players[THREAD][i]) == 0,
                   "a thread cannot be started");
    }
    for (unsigned i = 0; i < PAIR; i++) {
        pthread_join(threads[i], NULL);
    }
    join_processes();
}

void bench_pair_measure(const struct bench_team *team, uint64_t iters, struct bench_pair *out)
{
    size_t cells = (size_t)(team->bursts + 1) * LEGS * PAIR;
    size_t len = sizeof(struct match) + 2 * cells * sizeof(double);
    struct match *m = bench_shared(len);
    m->team = team;
    m->iters = iters;
    m->starts = (double *)(m + 1);
    m->ends = m->starts + cells;
    run_match(m);
    out->alone = quantile_ns(m, ALONE, 10);
    out->processes = quantile_ns(m, PROCESSES, 10);
    out->threads = quantile_ns(m, THREADS, 10);
    out->alone_median = quantile_ns(m, ALONE, 50);
    out->processes_median = quantile_ns(m, PROCESSES, 50);
    munmap(m, len);
}
