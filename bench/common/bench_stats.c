/* SPDX-License-Identifier: MIT */
/* What the reports say about a row; samples are sorted. */
#include "common/bench_private.h"

double bench_quantile(const struct bench_result *r, double q)
{
    if (!r->num)
        return 0;
    unsigned at = (unsigned)(q * (double)(r->num - 1) + 0.5);
    return r->samples[at < r->num ? at : r->num - 1];
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

double bench_ratio_median(const struct bench_result *r, unsigned i)
{
    return r->versus[i] ? over(bench_quantile(r->versus[i], 0.5), bench_quantile(r, 0.5)) : 0;
}

double bench_ratio_worst(const struct bench_result *r, unsigned i)
{
    return r->versus[i] ? over(bench_quantile(r->versus[i], 0.5), bench_quantile(r, 1)) : 0;
}

double bench_ratio_floor(const struct bench_result *r)
{
    return r->floor ? over(bench_min(r), bench_min(r->floor)) : 0;
}
