/* SPDX-License-Identifier: MIT */
/* The report for people. */
#include "common/bench_private.h"

#include <string.h>

static void print_head(FILE *f, const struct bench *b)
{
    fprintf(f, "%s: %s\n", b->program->name, b->program->question);
    for (unsigned i = 0; i < b->num_facts; i++) {
        fprintf(f, "  %s: %s\n", b->facts[i].name, b->facts[i].value);
    }
    fprintf(f, "  rounds: %u\n", b->options.rounds);
    if (b->program->notes) {
        fprintf(f, "%s", b->program->notes);
    }
}

static void print_group(FILE *f, const struct bench *b, const char *group)
{
    fprintf(f, "\n%-34s %9s %9s %9s %7s %7s", group, "min ns", "median", "p99", "GB/s", "allocs");
    if (b->program->worst) {
        fprintf(f, " %8s %8s", "median x", "worst x");
    }
    fprintf(f, "  ratios of minima\n");
}

static void print_ratios(FILE *f, const struct bench_result *r)
{
    const char *comma = "  ";
    for (unsigned i = 0; i < BENCH_VERSUS_MAX; i++) {
        if (!r->versus[i]) {
            continue;
        }
        fprintf(f, "%s%.2fx as fast as %s", comma, bench_ratio_min(r, i), r->versus[i]->row.name);
        comma = ", ";
    }
    if (r->floor) {
        fprintf(f, "%s%.2fx the cost of %s", comma, bench_ratio_floor(r), r->floor->row.name);
    }
}

static void print_row(FILE *f, const struct bench *b, const struct bench_result *r)
{
    fprintf(f, "  %-32s %9.1f %9.1f %9.1f", r->row.name, bench_min(r), bench_quantile(r, 0.5),
            bench_quantile(r, 0.99));
    if (r->row.bytes) {
        fprintf(f, " %7.2f", bench_gbs(r));
    } else {
        fprintf(f, " %7s", "-");
    }
    if (r->row.run) {
        fprintf(f, " %7.3g", r->allocs);
    } else {
        fprintf(f, " %7s", "-");
    }
    if (b->program->worst && r->versus[0]) {
        fprintf(f, " %8.2f %8.2f", bench_ratio_median(r, 0), bench_ratio_worst(r, 0));
    } else if (b->program->worst) {
        fprintf(f, " %8s %8s", "-", "-");
    }
    print_ratios(f, r);
    fprintf(f, "\n");
}

void bench_print_table(FILE *f, const struct bench *b)
{
    const char *group = NULL;
    print_head(f, b);
    for (unsigned i = 0; i < b->num_rows; i++) {
        const struct bench_result *r = &b->rows[i];
        if (!r->active) {
            continue;
        }
        if (!group || strcmp(group, r->row.group) != 0) {
            print_group(f, b, group = r->row.group);
        }
        print_row(f, b, r);
    }
}
