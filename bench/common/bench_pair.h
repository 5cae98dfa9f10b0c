/* SPDX-License-Identifier: MIT */
/* Timing a pair of threads against one of them, and against two processes. */
#ifndef BENCH_PAIR_H
#define BENCH_PAIR_H

#include "common/bench_team.h"

/* ns of a burst of each leg: the one at the lowest tenth, and the one in the middle. */
struct bench_pair {
    double alone, processes, threads;
    double alone_median, processes_median;
};

/* Starts two fresh threads and two fresh processes, members 0 and 1 of the team on one processor
 * each, and has them do team->bursts rounds of three bursts of iters iterations: thread 0 alone,
 * both processes, both threads. The bursts lie closely side by side, so that a processor that
 * becomes slower, or is shared with strangers for a while, does so for all three; who has no turn
 * sleeps. Before each burst a member resets and does an eighth of it untimed. A burst lasts from
 * its first start to its last end.
 * The caller must be the only thread of the process. team->members is not read. */
void bench_pair_measure(const struct bench_team *team, uint64_t iters, struct bench_pair *out);

#endif
