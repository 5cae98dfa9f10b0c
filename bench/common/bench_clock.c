/* SPDX-License-Identifier: MIT */
#include "common/bench.h"

#include <stdlib.h>
#include <time.h>

double bench_mono_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void *bench_alloc(size_t len)
{
    /* Cache-line aligned and of whole lines, so that rows do not differ by placement. */
    size_t whole = (len + 63) / 64 * 64;
    uint8_t *p = aligned_alloc(64, whole ? whole : 64);
    bench_need(p != NULL, "out of memory");
    for (size_t i = 0; i < len; i++) {
        p[i] = 0;
    }
    return p;
}

void bench_end(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

void bench_fill(void *out, size_t len, unsigned seed)
{
    uint8_t *p = out;
    uint32_t x = seed * 2654435761u + 12345u;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525u + 1013904223u;
        p[i] = (uint8_t)(x >> 24);
    }
}
