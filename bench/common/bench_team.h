/* SPDX-License-Identifier: MIT */
/* Timing threads that do the same operation at the same time. */
#ifndef BENCH_TEAM_H
#define BENCH_TEAM_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_TEAM_MAX = 64 };

struct bench_team {
    unsigned members, bursts;
    /* Run by each member, index 0.. within the team. reset: untimed, before each burst, may be
     * NULL. */
    void (*reset)(void *arg, unsigned index);
    void (*run)(void *arg, unsigned index, uint64_t iters);
    void *arg;
};

/* Starts fresh members, each bound to one of the process' processors in turn, has them do one
 * short burst to warm up and then `bursts` bursts of iters iterations each, all starting
 * together. Returns the ns of the burst at the lowest tenth, from its first start to its last
 * end: others who use the machine disturb many bursts, members that stand in each other's way
 * slow down all of them. */
double bench_team_ns(const struct bench_team *team, uint64_t iters);

/* Binds the calling thread to the (index modulo all)th processor that the process may use. */
void bench_bind_to(unsigned index);
/* Zeroed pages that children share; for munmap. Ends the process when there are none. */
void *bench_shared(size_t len);

#endif
