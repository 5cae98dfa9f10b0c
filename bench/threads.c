/* SPDX-License-Identifier: MIT */
/* Does an operation on one shared key scale with the threads that do it? */
#include "threads.h"

#include <string.h>

enum { BURSTS = 21, CROWD_ROUNDS = 5, MAIN = MEMBERS - 1 };

static struct bench_handlers handlers;

static void run_member(void *arg, unsigned index, uint64_t iters)
{
    struct job *j = arg;
    struct desk *d = &j->desk[index];
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(j->op->once(j, d) == 0, "an operation failed");
    }
}

static double measure(void *arg, uint64_t iters)
{
    struct job *j = arg;
    return bench_team_ns(&j->team, iters);
}

/* Each sample meets a new key or stream, so that no lucky session serves a whole run. */
static void prepare(void *arg, uint64_t iters)
{
    struct job *j = arg;
    (void)iters;
    job_stop(j);
    job_start(j);
    if (j->op->reset) {
        j->op->reset(j, MAIN);
    }
    bench_need(j->op->once(j, &j->desk[MAIN]) == 0, "an operation failed");
}

/* For counting allocations: the main thread, whose contexts are there. */
static void run_alone(void *arg, uint64_t iters)
{
    run_member(arg, MAIN, iters);
}

static int check(void *arg)
{
    struct job *j = arg;
    struct desk *d = &j->desk[MAIN];
    prepare(j, 1);
    return !j->op->right(j, d);
}

/* Two processes share nothing but the machine: what they reach, two threads must reach too, also
 * where the machine's processors are not whole cores. */
static const char control[] = "2 processes";

static void set_bars(struct bench_row *row, unsigned members, bool processes)
{
    if (members == 1) {
        return;
    }
    row->versus[0].row = "1 thread";
    if (members != 2 || processes) {
        return;
    }
    row->versus[0].bar_median = 1.9;
    row->versus[0].bar_worst = 1.8;
    row->versus[1].row = control;
    row->versus[1].bar_median = 0.95;
    row->versus[1].bar_worst = 0.9;
}

static void add_team(struct bench *b, const char *group, const struct op *op, unsigned handler,
                     unsigned members, bool processes)
{
    struct job *j = bench_alloc(sizeof *j);
    j->op = op;
    j->handler = handlers.at[handler];
    j->team = (struct bench_team){.members = members,
                                  .bursts = bench_quick(b) ? 3 : BURSTS,
                                  .processes = processes,
                                  .reset = op->reset,
                                  .run = run_member,
                                  .arg = j};
    const char *name = bench_text(b, "%u thread%s", members, members > 1 ? "s" : "");
    struct bench_row row = {.group = group,
                            .name = processes ? control : name,
                            .arg = j,
                            .bytes = op->bytes,
                            .ops = members,
                            .rounds = members > 2 ? CROWD_ROUNDS : 0,
                            .iters = bench_quick(b) ? 100 : 0,
                            .iters_max = op->iters_max,
                            .no_allocs = true,
                            .check = check,
                            .prepare = prepare,
                            .run = members == 1 ? run_alone : NULL,
                            .measure = measure};
    set_bars(&row, members, processes);
    bench_add(b, &row);
}

static void add_group(struct bench *b, const struct op *op, unsigned handler)
{
    const char *group = bench_text(b, "%s, %s", op->name, handlers.name[handler]);
    add_team(b, group, op, handler, 1, false);
    add_team(b, group, op, handler, 2, true);
    add_team(b, group, op, handler, 2, false);
    add_team(b, group, op, handler, 4, false);
    add_team(b, group, op, handler, 8, false);
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

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "threads",
        .question = "does an operation on one shared key scale with the threads that do it?",
        .notes =
            "  ns are wall time per operation of all members together. Each sample is a fresh\n"
            "  team of threads on a fresh key: of 21 bursts that start together the one at the\n"
            "  lowest tenth. The columns x compare samples of the same round.\n"
            "  2 processes: the same, sharing nothing; says what the machine can give.\n"
            "  Opening a stream is for one thread: there each thread has its own.\n",
        .setup = setup,
        .rounds = 20,
        .sample_ns = 0.25e6,
        .worst = true,
    };
    return bench_main(argc, argv, &program);
}
