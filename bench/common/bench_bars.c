/* SPDX-License-Identifier: MIT */
/* Holds rows to the bars that they state. */
#include "common/bench_private.h"

struct bar {
    const char *what, *sign, *other;
    double got, want;
    bool met;
};

static unsigned hold(FILE *f, const struct bench_result *r, const struct bar *bar)
{
    if (f)
        fprintf(f, "  %-6s %s / %s: %.2f %s %s (bar: %s %.2f)\n", bar->met ? "met" : "MISSED",
                r->row.group, r->row.name, bar->got, bar->what, bar->other, bar->sign, bar->want);
    return !bar->met;
}

static unsigned versus_bars(FILE *f, const struct bench_result *r, unsigned i)
{
    const struct bench_versus *v = &r->row.versus[i];
    double least = bench_ratio_min(r, i), worst = bench_ratio_worst(r, i);
    unsigned missed = 0;
    if (!r->versus[i])
        return 0;
    if (v->bar > 0)
        missed += hold(
            f, r, &(struct bar){"times as fast as", ">=", v->row, least, v->bar, least >= v->bar});
    if (v->bar_worst > 0)
        missed += hold(f, r,
                       &(struct bar){"times as fast, at worst, as", ">=", v->row, worst,
                                     v->bar_worst, worst >= v->bar_worst});
    return missed;
}

static unsigned row_bars(FILE *f, const struct bench_result *r)
{
    const struct bench_row *row = &r->row;
    double cost = bench_ratio_floor(r);
    unsigned missed = 0;
    for (unsigned i = 0; i < BENCH_VERSUS_MAX; i++)
        missed += versus_bars(f, r, i);
    if (r->floor && row->bar_floor > 0)
        missed += hold(f, r,
                       &(struct bar){"times the cost of", "<=", row->floor, cost, row->bar_floor,
                                     cost <= row->bar_floor});
    if (row->no_allocs && row->run)
        missed +=
            hold(f, r,
                 &(struct bar){"allocations per", "<=", "operation", r->allocs, 0, r->allocs <= 0});
    return missed;
}

unsigned bench_print_bars(FILE *f, const struct bench *b)
{
    unsigned missed = 0;
    if (f)
        fprintf(f, "\nbars, if any\n");
    for (unsigned i = 0; i < b->num_rows; i++)
        if (b->rows[i].active)
            missed += row_bars(f, &b->rows[i]);
    return missed;
}
