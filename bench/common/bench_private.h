/* SPDX-License-Identifier: MIT */
/* Shared by the files of the common main; programs include bench.h only. */
#ifndef BENCH_PRIVATE_H
#define BENCH_PRIVATE_H

#include "common/bench.h"

enum { BENCH_ROWS_MAX = 1024, BENCH_FACTS_MAX = 64, BENCH_ROUNDS_MAX = 10000 };
enum bench_format { BENCH_TABLE, BENCH_JSON, BENCH_TSV };

struct bench_options {
    enum bench_format format;
    unsigned rounds;
    double sample_ns;
    bool quick, list, bars;
    const char *only[16]; /* rows whose "group / name" contains one of these */
    unsigned num_only;
    uint64_t fixed; /* not 0: run each row so many iterations and print nothing (callgrind) */
};

/* One row and what was measured. */
struct bench_result {
    struct bench_row row;
    const struct bench_result *versus[BENCH_VERSUS_MAX], *floor; /* NULL: none */
    bool active;
    uint64_t iters;
    double *samples; /* ns per operation, in order of rounds */
    double *sorted;  /* the same */
    unsigned num, cap;
    double allocs; /* per operation */
};

struct bench_fact_line {
    const char *name, *value;
};

struct bench {
    const struct bench_program *program;
    struct bench_options options;
    struct bench_result rows[BENCH_ROWS_MAX];
    unsigned num_rows;
    struct bench_fact_line facts[BENCH_FACTS_MAX];
    unsigned num_facts;
};

/* -1: go on; otherwise the exit code. */
int bench_options_parse(struct bench_options *o, int argc, char **argv,
                        const struct bench_program *program);
/* States cpu, cores, kernel, load and the libraries as facts. */
void bench_machine(struct bench *b);

bool bench_check_rows(struct bench *b);
void bench_run_fixed(struct bench *b);
void bench_run_rows(struct bench *b);

double bench_min(const struct bench_result *r);
double bench_quantile(const struct bench_result *r, double q);
/* GB/s at the minimum; 0 when the row has no payload. */
double bench_gbs(const struct bench_result *r);
/* 0 when there is no such row. How many times as fast as versus[i]: by minima; and the median and
 * the worst of the ratios of samples of the same round. */
double bench_ratio_min(const struct bench_result *r, unsigned i);
double bench_ratio_median(const struct bench_result *r, unsigned i);
double bench_ratio_worst(const struct bench_result *r, unsigned i);
/* How many times the cost of floor, by minima. */
double bench_ratio_floor(const struct bench_result *r);

void bench_print_table(FILE *f, const struct bench *b);
void bench_print_json(FILE *f, const struct bench *b);
void bench_print_tsv(FILE *f, const struct bench *b);
/* Lists the bars; returns how many are missed. f may be NULL. */
unsigned bench_print_bars(FILE *f, const struct bench *b);
/* As lines of tab-separated values that begin with "# bar". */
void bench_print_bars_tsv(FILE *f, const struct bench *b);

#endif
