/* SPDX-License-Identifier: MIT */
/* Does an operation on one shared key scale with the threads that do it? */
#include "threads.h"

#include <stdlib.h>
#include <string.h>

#include "common/bench_pair.h"

enum { BURSTS = 21, CROWD_ROUNDS = 5, MAIN = MEMBERS - 1, TRIES = 60, GAINS_MAX = 4096 };

static struct bench_handlers handlers;

/* The pairs of one group of rows. */
struct pairs {
    struct job *job;
    const char *group;
    struct bench_pair last; /* ns of its bursts of so many iterations: */
    uint64_t iters;
    unsigned tries, good;
    double gains[GAINS_MAX]; /* of all that were tried: times as fast as one thread */
    struct pairs *next;
};

static struct pairs *all_pairs, **last_pairs = &all_pairs;

static void run_member(void *arg, unsigned index, uint64_t iters)
{
    struct job *j = arg;
    struct desk *d = &j->desk[index];
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(j->op->once(j, d) == 0, "an operation failed");
    }
}

/* Each team meets a new key or stream, so that no lucky session serves a whole run. */
static void renew(struct job *j)
{
    job_stop(j);
    job_start(j);
    if (j->op->reset) {
        j->op->reset(j, MAIN);
    }
    bench_need(j->op->once(j, &j->desk[MAIN]) == 0, "an operation failed");
}

/* --- pairs: "1 thread" measures all three rows, the others tell what it found ------------------
 */

static double gain(double alone, double both)
{
    return 2 * alone / both;
}

/* Whether the machine gave the pair two whole processors, by two processes that share nothing: in
 * their best bursts, as the threads are judged by theirs, and most of the time. What the threads
 * reached is not looked at. Bursts that are too short say nothing. */
static bool had_processors(const struct bench_pair *p)
{
    return p->alone < 30e3 || (gain(p->alone, p->processes) >= 1.9 &&
                               gain(p->alone_median, p->processes_median) >= 1.9);
}

/* A pair that had two processors or, when TRIES had not, the last of them. */
static double measure_pair(void *arg, uint64_t iters)
{
    struct pairs *p = arg;
    bool good = false;
    p->iters = iters;
    for (unsigned i = 0; i < TRIES && !good; i++) {
        renew(p->job);
        bench_pair_measure(&p->job->team, iters, &p->last);
        good = had_processors(&p->last);
        if (p->last.alone >= 30e3 && p->tries < GAINS_MAX) {
            p->gains[p->tries++] = gain(p->last.alone, p->last.threads);
            p->good += good;
        }
    }
    return p->last.alone;
}

static double told_processes(void *arg, uint64_t iters)
{
    const struct pairs *p = arg;
    return p->last.processes * (double)iters / (double)p->iters;
}

static double told_threads(void *arg, uint64_t iters)
{
    const struct pairs *p = arg;
    return p->last.threads * (double)iters / (double)p->iters;
}

/* For counting allocations: the main thread, whose contexts are there. */
static void prepare_alone(void *arg, uint64_t iters)
{
    (void)iters;
    renew(((struct pairs *)arg)->job);
}

static void run_alone(void *arg, uint64_t iters)
{
    run_member(((struct pairs *)arg)->job, MAIN, iters);
}

static int check_pair(void *arg)
{
    struct job *j = ((struct pairs *)arg)->job;
    renew(j);
    return !j->op->right(j, &j->desk[MAIN]);
}

static int check_none(void *arg)
{
    (void)arg;
    return 0;
}

/* Two threads must reach what the machine can give; the claim is made for these two handlers. */
static void set_bars(struct bench_row *row, unsigned handler)
{
    row->versus[1].row = "2 processes";
    if (strcmp(handlers.name[handler], "nss") != 0 &&
        strcmp(handlers.name[handler], "openssl") != 0) {
        return;
    }
    row->versus[0].bar_median = 1.9;
    row->versus[0].bar_worst = 1.8;
}

static void add_pairs(struct bench *b, struct pairs *p, unsigned handler)
{
    struct bench_row row = {.group = p->group,
                            .name = "1 thread",
                            .arg = p,
                            .bytes = p->job->op->bytes,
                            .iters = bench_quick(b) ? 100 : 0,
                            .iters_max = p->job->op->iters_max,
                            .no_allocs = true,
                            .check = check_pair,
                            .prepare = prepare_alone,
                            .run = run_alone,
                            .measure = measure_pair};
    bench_add(b, &row);
    row.name = "2 processes";
    row.versus[0].row = "1 thread";
    row.ops = 2;
    row.iters = 1;
    row.iters_max = 0;
    row.no_allocs = false;
    row.check = check_none;
    row.prepare = NULL;
    row.run = NULL;
    row.measure = told_processes;
    bench_add(b, &row);
    row.name = "2 threads";
    row.measure = told_threads;
    set_bars(&row, handler);
    bench_add(b, &row);
}

/* --- more threads than processors --------------------------------------------------------------
 */

static void prepare_crowd(void *arg, uint64_t iters)
{
    (void)iters;
    renew(arg);
}

static double measure_crowd(void *arg, uint64_t iters)
{
    struct job *j = arg;
    return bench_team_ns(&j->team, iters);
}

static struct job *new_job(const struct bench *b, const struct op *op, unsigned handler,
                           unsigned members)
{
    struct job *j = bench_alloc(sizeof *j);
    j->op = op;
    j->handler = handlers.at[handler];
    j->team = (struct bench_team){.members = members,
                                  .bursts = bench_quick(b) ? 3 : BURSTS,
                                  .reset = op->reset,
                                  .run = run_member,
                                  .arg = j};
    return j;
}

static void add_crowd(struct bench *b, const char *group, const struct op *op, unsigned handler,
                      unsigned members)
{
    bench_add(b, &(struct bench_row){.group = group,
                                     .name = bench_text(b, "%u threads", members),
                                     .versus = {{.row = "1 thread"}},
                                     .arg = new_job(b, op, handler, members),
                                     .bytes = op->bytes,
                                     .ops = members,
                                     .rounds = CROWD_ROUNDS,
                                     .iters = bench_quick(b) ? 100 : 0,
                                     .iters_max = op->iters_max,
                                     .check = check_none,
                                     .prepare = prepare_crowd,
                                     .measure = measure_crowd});
}

static void add_group(struct bench *b, const struct op *op, unsigned handler)
{
    struct pairs *p = bench_alloc(sizeof *p);
    p->group = bench_text(b, "%s, %s", op->name, handlers.name[handler]);
    p->job = new_job(b, op, handler, 2);
    *last_pairs = p;
    last_pairs = &p->next;
    add_pairs(b, p, handler);
    add_crowd(b, p->group, op, handler, 4);
    add_crowd(b, p->group, op, handler, 8);
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    for (unsigned i = 0; i < num_thread_ops; i++) {
        for (unsigned h = 0; h < handlers.num; h++) {
            add_group(b, &thread_ops[i], h);
        }
    }
    return 0;
}

/* What all pairs reached, those without two processors too. */
static void finish(struct bench *b)
{
    for (struct pairs *p = all_pairs; p; p = p->next) {
        if (p->tries == 0) {
            continue;
        }
        bench_sort(p->gains, p->tries);
        bench_fact(b, bench_text(b, "pairs, %s", p->group),
                   "%u of %u had two whole processors; all of them: median %.2fx, worst %.2fx",
                   p->good, p->tries, p->gains[p->tries / 2], p->gains[0]);
    }
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "threads",
        .question = "does an operation on one shared key scale with the threads that do it?",
        .notes =
            "  ns are wall time per operation of all members together. Each sample is a fresh\n"
            "  pair of threads on a fresh key: 21 times a burst of one of them alone, of two\n"
            "  processes that share nothing, and of both threads; of each the burst at the lowest\n"
            "  tenth. The columns x compare bursts of the same pair.\n"
            "  A pair counts when its two processes reached 1.9x by their median bursts: where "
            "the\n"
            "  machine's processors are not whole cores all the time, that says when they were.\n"
            "  What the threads reached does not decide; all pairs are summed up above.\n"
            "  Opening a stream is for one thread: there each thread has its own.\n",
        .setup = setup,
        .finish = finish,
        .rounds = 20,
        .sample_ns = 0.25e6,
        .worst = true,
    };
    return bench_main(argc, argv, &program);
}
