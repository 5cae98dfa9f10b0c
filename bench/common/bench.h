/* SPDX-License-Identifier: MIT */
/*
 * The common main of all benches. A program answers one question: its setup() adds rows, each
 * one way of doing an operation, in groups (one operation at one size). The main then
 *   1. checks every row's result; a wrong answer ends the program with exit code 1,
 *   2. warms up, finds how many operations make a sample, counts allocations,
 *   3. times all rows in interleaved rounds in this one process,
 *   4. prints ns per operation (minimum, median, 99th percentile of the samples), GB/s,
 *      allocations per operation, and ratios to the rows that a row names.
 * Ratios are taken between minima of one run. One thread; rows may start threads of their own.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bench;

/* Another row of the same group to compare with; it must have been added before. */
struct bench_versus {
    const char *row; /* NULL: none */
    /* At least so many times as fast: by minima; by the median and by the worst ratio of samples
     * of one round. 0: no bar. */
    double bar, bar_median, bar_worst;
};

enum { BENCH_VERSUS_MAX = 3 };

struct bench_row {
    /* The operation and the way of doing it; (group, name) is unique. */
    const char *group, *name;
    struct bench_versus versus[BENCH_VERSUS_MAX]; /* the first one is the reference */
    const char *floor;                            /* the row that states the least cost, or NULL */
    double bar_floor;    /* at most so many times its cost, by minima; 0: no bar */
    double bar_floor_ns; /* at most so many ns more than it, by minima; 0: no bar */
    bool no_allocs;      /* bar: not one allocation per operation */
    void *arg;
    size_t bytes;       /* payload per operation, for GB/s; 0: none */
    unsigned ops;       /* operations per iteration; 0 means 1 (a batch has more) */
    uint64_t iters;     /* iterations per sample; 0: as many as fill the sample time */
    uint64_t iters_max; /* bound of the calibrated number; 0: none */
    unsigned rounds;    /* at most so many samples; 0: as many as the others */
    /* 0 when the row gives the right result; run before all timing. Required. */
    int (*check)(void *arg);
    /* Untimed, before each sample; may be NULL. */
    void (*prepare)(void *arg, uint64_t iters);
    /* Does iters iterations; also what allocations are counted over. */
    void (*run)(void *arg, uint64_t iters);
    /* If set, samples come from here: does its own timing, returns the ns per iters. */
    double (*measure)(void *arg, uint64_t iters);
};

struct bench_program {
    const char *name;     /* "seal_ticket" */
    const char *question; /* one line */
    const char *notes;    /* what a reader must know about the rows, whole lines; may be NULL */
    /* Adds the rows; 0 or a non-zero exit. */
    int (*setup)(struct bench *b);
    /* After the last sample: facts that came of the run. May be NULL. */
    void (*finish)(struct bench *b);
    void (*teardown)(void);
    unsigned rounds;  /* default number; 0: 101 */
    double sample_ns; /* default length of a sample; 0: 150,000 */
    bool worst;       /* print median and worst ratio to the reference */
};

/* Adds a copy of the row. The strings must outlive the run (see bench_text). */
void bench_add(struct bench *b, const struct bench_row *row);
/* Text that lives as long as the bench. */
const char *bench_text(struct bench *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* States a fact beside the table, e.g. ("bytes per key, nss", "6123"). */
void bench_fact(struct bench *b, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* True when --quick, --list or --fixed ask for less. */
bool bench_quick(const struct bench *b);
/* Zeroed memory until the end of the process; ends it when there is none. */
void *bench_alloc(size_t len);
/* Ends the process with a message. */
_Noreturn void bench_end(const char *what);
/* Does so when ok is false. */
static inline void bench_need(bool ok, const char *what)
{
    if (!ok) {
        bench_end(what);
    }
}
/* A fixed pattern that no two offsets close to each other share. */
void bench_fill(void *out, size_t len, unsigned seed);
/* Makes the compiler believe that *p is read and changed. */
static inline void bench_use(void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}
double bench_mono_ns(void);
/* Upwards. */
void bench_sort(double *values, unsigned num);
/* Calls of malloc, calloc, realloc and the aligned ones, by all threads, while counting. */
void bench_alloc_count(bool on);
uint64_t bench_alloc_calls(void);

int bench_main(int argc, char **argv, const struct bench_program *program);

#endif
