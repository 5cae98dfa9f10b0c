/* SPDX-License-Identifier: MIT */
/* Holds rows to the bars that they state. */
#include "common/bench_private.h"

struct tally {
    FILE *f; /* NULL: only counts */
    bool tsv;
    unsigned missed, bars, without_allocs;
};

struct bar {
    const char *what, *sign, *other;
    double got, want;
};

static void hold(struct tally *t, const struct bench_result *r, const struct bar *bar, bool met)
{
    t->missed += !met;
    if (t->tsv) {
        fprintf(t->f, "# bar\t%s\t%s\t%s\t%.2f %s %s\t%s %.2f\n", met ? "met" : "MISSED",
                r->row.group, r->row.name, bar->got, bar->what, bar->other, bar->sign, bar->want);
        return;
    }
    if (t->f && t->bars++ == 0) {
        fprintf(t->f, "\nbars\n");
    }
    if (t->f) {
        fprintf(t->f, "  %-6s %s / %s: %.2f %s %s (bar: %s %.2f)\n", met ? "met" : "MISSED",
                r->row.group, r->row.name, bar->got, bar->what, bar->other, bar->sign, bar->want);
    }
}

static void versus_bars(struct tally *t, const struct bench_result *r, unsigned i)
{
    const struct bench_versus *v = &r->row.versus[i];
    const struct bar bars[] = {
        {"times as fast as", ">=", v->row, bench_ratio_min(r, i), v->bar},
        {"times as fast, by medians, as", ">=", v->row, bench_ratio_median(r, i), v->bar_median},
        {"times as fast, at worst, as", ">=", v->row, bench_ratio_worst(r, i), v->bar_worst},
    };
    for (unsigned k = 0; r->versus[i] && k < 3; k++) {
        if (bars[k].want > 0) {
            hold(t, r, &bars[k], bars[k].got >= bars[k].want);
        }
    }
}

/* Rows that meet this one are only counted: nearly all do. */
static void alloc_bar(struct tally *t, const struct bench_result *r)
{
    if (!r->row.no_allocs || !r->row.run) {
        return;
    }
    if (r->allocs <= 0) {
        t->without_allocs++;
    } else {
        hold(t, r, &(struct bar){"allocations per", "<=", "operation", r->allocs, 0}, false);
    }
}

static void row_bars(struct tally *t, const struct bench_result *r)
{
    double cost = bench_ratio_floor(r), bar = r->row.bar_floor;
    for (unsigned i = 0; i < BENCH_VERSUS_MAX; i++) {
        versus_bars(t, r, i);
    }
    if (r->floor && bar > 0) {
        hold(t, r, &(struct bar){"times the cost of", "<=", r->row.floor, cost, bar}, cost <= bar);
    }
    if (r->floor && r->row.bar_floor_ns > 0) {
        double more = bench_min(r) - bench_min(r->floor);
        hold(t, r,
             &(struct bar){"ns more than", "<=", r->floor->row.name, more, r->row.bar_floor_ns},
             more <= r->row.bar_floor_ns);
    }
    alloc_bar(t, r);
}

static void all_bars(struct tally *t, const struct bench *b)
{
    for (unsigned i = 0; i < b->num_rows; i++) {
        if (b->rows[i].active) {
            row_bars(t, &b->rows[i]);
        }
    }
}

void bench_print_bars_tsv(FILE *f, const struct bench *b)
{
    struct tally t = {.f = f, .tsv = true};
    all_bars(&t, b);
    fprintf(f, "# rows without allocations\t%u\n", t.without_allocs);
}

unsigned bench_print_bars(FILE *f, const struct bench *b)
{
    struct tally t = {.f = f};
    all_bars(&t, b);
    if (f && t.without_allocs > 0) {
        fprintf(f, "\n%u rows of the library do not allocate\n", t.without_allocs);
    }
    return t.missed;
}
