/* SPDX-License-Identifier: MIT */
/* The reports for machines: one JSON object, or lines of tab-separated values. */
#include "common/bench_private.h"

static void json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\') {
            fprintf(f, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(f, "\\u%04x", c);
        } else {
            fputc(c, f);
        }
    }
    fputc('"', f);
}

static void json_member(FILE *f, const char *name, const char *text)
{
    json_text(f, name);
    fputc(':', f);
    json_text(f, text);
}

static void json_versus(FILE *f, const struct bench_result *r)
{
    const char *comma = "";
    fprintf(f, ",\"versus\":[");
    for (unsigned i = 0; i < BENCH_VERSUS_MAX; i++) {
        if (!r->versus[i]) {
            continue;
        }
        fprintf(f, "%s{", comma);
        json_member(f, "row", r->versus[i]->row.name);
        fprintf(f, ",\"times_as_fast\":%.4f,\"median\":%.4f,\"worst\":%.4f}", bench_ratio_min(r, i),
                bench_ratio_median(r, i), bench_ratio_worst(r, i));
        comma = ",";
    }
    fprintf(f, "]");
}

static void json_row(FILE *f, const struct bench_result *r)
{
    fprintf(f, "{");
    json_member(f, "group", r->row.group);
    fprintf(f, ",");
    json_member(f, "row", r->row.name);
    fprintf(f, ",\"bytes\":%zu,\"samples\":%u,\"iterations\":%llu", r->row.bytes, r->num,
            (unsigned long long)r->iters);
    fprintf(f, ",\"min_ns\":%.3f,\"median_ns\":%.3f,\"p99_ns\":%.3f,\"max_ns\":%.3f", bench_min(r),
            bench_quantile(r, 0.5), bench_quantile(r, 0.99), bench_quantile(r, 1));
    fprintf(f, ",\"gb_per_s\":%.4f,\"allocs_per_op\":%.6g", bench_gbs(r), r->allocs);
    json_versus(f, r);
    if (r->floor) {
        fprintf(f, ",");
        json_member(f, "floor", r->floor->row.name);
        fprintf(f, ",\"times_the_cost\":%.4f", bench_ratio_floor(r));
    }
    fprintf(f, "}");
}

void bench_print_json(FILE *f, const struct bench *b)
{
    fprintf(f, "{");
    json_member(f, "bench", b->program->name);
    fprintf(f, ",");
    json_member(f, "question", b->program->question);
    fprintf(f, ",\"rounds\":%u,\"facts\":{", b->options.rounds);
    for (unsigned i = 0; i < b->num_facts; i++) {
        fprintf(f, "%s", i ? "," : "");
        json_member(f, b->facts[i].name, b->facts[i].value);
    }
    fprintf(f, "},\"rows\":[");
    const char *comma = "\n";
    for (unsigned i = 0; i < b->num_rows; i++) {
        if (!b->rows[i].active) {
            continue;
        }
        fprintf(f, "%s", comma);
        json_row(f, &b->rows[i]);
        comma = ",\n";
    }
    fprintf(f, "\n],\"bars_missed\":%u}\n", bench_print_bars(NULL, b));
}

/* Facts come first as comment lines, so that a plot needs no other source. */
void bench_print_tsv(FILE *f, const struct bench *b)
{
    for (unsigned i = 0; i < b->num_facts; i++) {
        fprintf(f, "# %s\t%s\n", b->facts[i].name, b->facts[i].value);
    }
    fprintf(f,
            "bench\tgroup\trow\tbytes\tmin_ns\tmedian_ns\tp99_ns\tmax_ns\tgb_per_s\tallocs_per_op"
            "\tversus\ttimes_as_fast\tmedian_times\tworst_times\tfloor\ttimes_the_cost\n");
    for (unsigned i = 0; i < b->num_rows; i++) {
        const struct bench_result *r = &b->rows[i];
        if (!r->active) {
            continue;
        }
        fprintf(f, "%s\t%s\t%s\t%zu\t%.3f\t%.3f\t%.3f\t%.3f\t%.4f\t%.6g", b->program->name,
                r->row.group, r->row.name, r->row.bytes, bench_min(r), bench_quantile(r, 0.5),
                bench_quantile(r, 0.99), bench_quantile(r, 1), bench_gbs(r), r->allocs);
        fprintf(f, "\t%s\t%.4f\t%.4f\t%.4f\t%s\t%.4f\n",
                r->versus[0] ? r->versus[0]->row.name : "-", bench_ratio_min(r, 0),
                bench_ratio_median(r, 0), bench_ratio_worst(r, 0),
                r->floor ? r->floor->row.name : "-", bench_ratio_floor(r));
    }
    bench_print_bars_tsv(f, b);
}
