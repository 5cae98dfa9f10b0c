/* SPDX-License-Identifier: MIT */
/* Checks, calibrates, counts and times the rows. */
#include "common/bench_private.h"

bool bench_check_rows(struct bench *b)
{
    for (unsigned i = 0; i < b->num_rows; i++) {
        const struct bench_row *row = &b->rows[i].row;
        if (!b->rows[i].active || row->check(row->arg) == 0) {
            continue;
        }
        fprintf(stderr, "bench_%s: wrong result: %s / %s\n", b->program->name, row->group,
                row->name);
        return false;
    }
    return true;
}

/* The ns that iters iterations took. */
static double sample(const struct bench_row *row, uint64_t iters)
{
    if (row->prepare) {
        row->prepare(row->arg, iters);
    }
    if (row->measure) {
        return row->measure(row->arg, iters);
    }
    /* Not this thread's CPU time: in a virtual machine stolen time makes that jump, also down. */
    double start = bench_mono_ns();
    row->run(row->arg, iters);
    return bench_mono_ns() - start;
}

static uint64_t scaled(const struct bench_row *row, uint64_t iters, double took, double want)
{
    double n = (double)iters * want / (took < 1 ? 1 : took);
    uint64_t out = n < 1 ? 1 : n > 1e9 ? 1000000000u : (uint64_t)n;
    return row->iters_max && out > row->iters_max ? row->iters_max : out;
}

/* Doubles until a sample is long enough to be scaled; twice more, as the first one may have
 * been disturbed (only upwards: a disturbed run looks slow). This is the warm-up as well. */
static void calibrate(struct bench_result *r, double want)
{
    uint64_t iters = 1, limit = r->row.iters_max ? r->row.iters_max : 1u << 30;
    double took = sample(&r->row, iters);
    while (took < want / 2 && iters < limit) {
        iters = iters * 2 > limit ? limit : iters * 2;
        took = sample(&r->row, iters);
    }
    iters = scaled(&r->row, iters, took, want);
    for (int i = 0; i < 2; i++) {
        uint64_t again = scaled(&r->row, iters, sample(&r->row, iters), want);
        if (again > iters) {
            iters = again;
        }
    }
    r->iters = iters;
}

static unsigned ops(const struct bench_row *row)
{
    return row->ops ? row->ops : 1;
}

static void count_allocs(struct bench_result *r)
{
    uint64_t iters = r->iters < 256 ? r->iters : 256, before = bench_alloc_calls();
    if (r->row.prepare) {
        r->row.prepare(r->row.arg, iters);
    }
    bench_alloc_count(true);
    if (r->row.run) {
        r->row.run(r->row.arg, iters);
    }
    bench_alloc_count(false);
    r->allocs = (double)(bench_alloc_calls() - before) / (double)iters / ops(&r->row);
}

static void ready(struct bench *b, struct bench_result *r)
{
    r->cap = r->row.rounds && r->row.rounds < b->options.rounds ? r->row.rounds : b->options.rounds;
    r->samples = bench_alloc(r->cap * sizeof *r->samples);
    r->sorted = bench_alloc(r->cap * sizeof *r->sorted);
    if (r->row.iters) {
        r->iters = b->options.quick && r->row.iters > 100 ? 100 : r->row.iters;
        (void)sample(&r->row, r->iters);
    } else {
        calibrate(r, b->options.sample_ns);
    }
    count_allocs(r);
}

void bench_run_fixed(struct bench *b)
{
    for (unsigned i = 0; i < b->num_rows; i++) {
        const struct bench_row *row = &b->rows[i].row;
        if (!b->rows[i].active || !row->run) {
            continue;
        }
        if (row->prepare) {
            row->prepare(row->arg, b->options.fixed);
        }
        row->run(row->arg, b->options.fixed);
    }
}

void bench_run_rows(struct bench *b)
{
    for (unsigned i = 0; i < b->num_rows; i++) {
        if (b->rows[i].active) {
            ready(b, &b->rows[i]);
        }
    }
    for (unsigned round = 0; round < b->options.rounds; round++) {
        for (unsigned i = 0; i < b->num_rows; i++) {
            struct bench_result *r = &b->rows[i];
            if (!r->active || r->num == r->cap) {
                continue;
            }
            double took = sample(&r->row, r->iters);
            r->samples[r->num++] = took / (double)r->iters / ops(&r->row);
        }
    }
    for (unsigned i = 0; i < b->num_rows; i++) {
        struct bench_result *r = &b->rows[i];
        for (unsigned k = 0; k < r->num; k++) {
            r->sorted[k] = r->samples[k];
        }
        bench_sort(r->sorted, r->num);
    }
}
