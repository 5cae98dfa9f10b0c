/* SPDX-License-Identifier: MIT */
/* What the reports say about a row; samples are sorted. */
#include "common/bench_private.h"

#include <stdlib.h>

double bench_quantile(const struct bench_result *r, double q)
{
    if (!r->num) {
        return 0;
    }
    unsigned at = (unsigned)(q * (double)(r->num - 1) + 0.5);
    return r->sorted[at < r->num ? at : r->num - 1];
}

double bench_min(const struct bench_result *r)
{
    return bench_quantile(r, 0);
}

double bench_gbs(const struct bench_result *r)
{
    double ns = bench_min(r);
    return ns > 0 ? (double)r->row.bytes / ns : 0;
}

static double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

double bench_ratio_min(const struct bench_result *r, unsigned i)
{
    return r->versus[i] ? over(bench_min(r->versus[i]), bench_min(r)) : 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void bench_sort(double *values, unsigned num)
{
    qsort(values, num, sizeof *values, by_value);
}

/* Samples of one round are taken close to each other: what slows down the machine for a while
 * slows down both. */
static double paired(const struct bench_result *r, const struct bench_result *other, double q)
{
    unsigned num = other && other->num < r->num ? other->num : r->num;
    if (!other || num == 0) {
        return 0;
    }
    double *ratios = bench_alloc(num * sizeof *ratios);
    for (unsigned i = 0; i < num; i++) {
        ratios[i] = over(other->samples[i], r->samples[i]);
    }
    bench_sort(ratios, num);
    double ratio = ratios[(unsigned)(q * (num - 1) + 0.5)];
    free(ratios);
    return ratio;
}

double bench_ratio_median(const struct bench_result *r, unsigned i)
{
    return paired(r, r->versus[i], 0.5);
}

double bench_ratio_worst(const struct bench_result *r, unsigned i)
{
    return paired(r, r->versus[i], 0);
}

double bench_ratio_floor(const struct bench_result *r)
{
    return r->floor ? over(bench_min(r), bench_min(r->floor)) : 0;
}
