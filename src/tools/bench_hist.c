/* SPDX-License-Identifier: MIT */
/* Buckets double their width every 64. */
#include "bench.h"

enum { FIRST_BITS = 6 };
#define PER_OCTAVE 64U

static unsigned bucket(uint64_t ns)
{
    if (ns < UINT64_C(2) * PER_OCTAVE)
        return (unsigned)ns;
    unsigned shift = 63U - (unsigned)__builtin_clzll(ns) - FIRST_BITS;
    unsigned at = shift * PER_OCTAVE + (unsigned)(ns >> shift);
    return at < BENCH_BUCKETS ? at : BENCH_BUCKETS - 1;
}

/* The middle of a bucket. */
static double value(unsigned at)
{
    if (at < 2 * PER_OCTAVE)
        return (double)at;
    unsigned shift = at / PER_OCTAVE - 1;
    uint64_t low = (uint64_t)(at - shift * PER_OCTAVE) << shift;
    return (double)low + (double)(UINT64_C(1) << shift) / 2;
}

void bench_hist_add(struct bench_hist *hist, uint64_t ns)
{
    hist->num[bucket(ns)]++;
}

void bench_hist_merge(struct bench_hist *to, const struct bench_hist *from)
{
    for (unsigned i = 0; i < BENCH_BUCKETS; i++)
        to->num[i] += from->num[i];
}

double bench_hist_at(const struct bench_hist *hist, double share)
{
    uint64_t total = 0, seen = 0;
    for (unsigned i = 0; i < BENCH_BUCKETS; i++)
        total += hist->num[i];
    for (unsigned i = 0; i < BENCH_BUCKETS; i++) {
        seen += hist->num[i];
        if (seen && (double)seen >= share * (double)total)
            return value(i);
    }
    return 0;
}
