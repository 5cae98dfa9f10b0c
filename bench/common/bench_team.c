/* SPDX-License-Identifier: MIT */
#include "common/bench_team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/bench_private.h"

struct race {
    const struct bench_team *team;
    uint64_t iters;
    atomic_uint waiting;   /* arrivals at the barrier, ever growing; pairs acquire with release */
    double *starts, *ends; /* [burst][thread] */
};

struct runner {
    struct race *race;
    unsigned index;
};

void bench_bind_to(unsigned index)
{
    cpu_set_t all, one;
    CPU_ZERO(&all);
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) == 0) {
        return;
    }
    unsigned skip = index % (unsigned)CPU_COUNT(&all);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || skip-- > 0) {
            continue;
        }
        CPU_SET(cpu, &one);
        break;
    }
    (void)sched_setaffinity(0, sizeof one, &one);
}

/* The round'th meeting of all threads. Spins, so that they leave together; yields now and then,
 * as there may be more threads than processors. */
static void meet(struct race *race, unsigned round)
{
    unsigned all = (round + 1) * race->team->members, spins = 0;
    atomic_fetch_add_explicit(&race->waiting, 1, memory_order_acq_rel);
    while (atomic_load_explicit(&race->waiting, memory_order_acquire) < all) {
        if (++spins % 1024 == 0) {
            sched_yield();
        }
    }
}

static void *runner_main(void *arg)
{
    const struct runner *self = arg;
    struct race *race = self->race;
    const struct bench_team *team = race->team;
    bench_bind_to(self->index);
    for (unsigned burst = 0; burst <= team->bursts; burst++) {
        uint64_t iters = burst ? race->iters : race->iters / 8 + 1;
        unsigned at = burst * team->members + self->index;
        if (team->reset) {
            team->reset(team->arg, self->index);
        }
        meet(race, burst);
        race->starts[at] = bench_mono_ns();
        team->run(team->arg, self->index, iters);
        race->ends[at] = bench_mono_ns();
    }
    return NULL;
}

static double burst_ns(const struct race *race, unsigned burst)
{
    unsigned members = race->team->members;
    const double *starts = race->starts + (size_t)burst * members,
                 *ends = race->ends + (size_t)burst * members;
    double start = starts[0], end = ends[0];
    for (unsigned i = 1; i < members; i++) {
        start = starts[i] < start ? starts[i] : start;
        end = ends[i] > end ? ends[i] : end;
    }
    return end - start;
}

static double typical_burst(const struct race *race)
{
    unsigned bursts = race->team->bursts;
    double *all = bench_alloc(bursts * sizeof *all);
    for (unsigned i = 0; i < bursts; i++) {
        all[i] = burst_ns(race, i + 1); /* the first one warmed up */
    }
    bench_sort(all, bursts);
    double ns = all[bursts / 10];
    free(all);
    return ns;
}

static void run_threads(struct runner *runners, unsigned num)
{
    pthread_t threads[BENCH_TEAM_MAX];
    unsigned started = 0;
    while (started < num &&
           pthread_create(&threads[started], NULL, runner_main, &runners[started]) == 0) {
        started++;
    }
    bench_need(started == num, "a thread cannot be started");
    for (unsigned i = 0; i < num; i++) {
        pthread_join(threads[i], NULL);
    }
}

void *bench_shared(size_t len)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bench_need(p != MAP_FAILED, "out of memory");
    return p;
}

double bench_team_ns(const struct bench_team *team, uint64_t iters)
{
    size_t cells = (size_t)(team->bursts + 1) * team->members;
    size_t len = sizeof(struct race) + 2 * cells * sizeof(double);
    struct runner runners[BENCH_TEAM_MAX];
    struct race *race = bench_shared(len);
    bench_need(team->members <= BENCH_TEAM_MAX, "too many members in a team");
    race->team = team;
    race->iters = iters;
    race->starts = (double *)(race + 1);
    race->ends = race->starts + cells;
    for (unsigned i = 0; i < team->members; i++) {
        runners[i] = (struct runner){race, i};
    }
    run_threads(runners, team->members);
    double ns = typical_burst(race);
    munmap(race, len);
    return ns;
}
