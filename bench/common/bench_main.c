/* SPDX-License-Identifier: MIT */
#include "common/bench_private.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *text_va(const char *format, va_list args)
{
    char *text = NULL;
    bench_need(vasprintf(&text, format, args) >= 0, "out of memory");
    return text;
}

const char *bench_text(struct bench *b, const char *format, ...)
{
    (void)b;
    va_list args;
    va_start(args, format);
    const char *text = text_va(format, args);
    va_end(args);
    return text;
}

void bench_fact(struct bench *b, const char *name, const char *format, ...)
{
    va_list args;
    bench_need(b->num_facts < BENCH_FACTS_MAX, "too many facts");
    va_start(args, format);
    b->facts[b->num_facts++] = (struct bench_fact_line){name, text_va(format, args)};
    va_end(args);
}

bool bench_quick(const struct bench *b)
{
    return b->options.quick || b->options.list || b->options.fixed;
}

static struct bench_result *find(struct bench *b, const char *group, const char *name)
{
    for (unsigned i = 0; name && i < b->num_rows; i++) {
        if (!strcmp(b->rows[i].row.group, group) && !strcmp(b->rows[i].row.name, name)) {
            return &b->rows[i];
        }
    }
    return NULL;
}

static bool wanted(const struct bench *b, const struct bench_row *row)
{
    char full[512];
    snprintf(full, sizeof full, "%s / %s", row->group, row->name);
    for (unsigned i = 0; i < b->options.num_only; i++) {
        if (strstr(full, b->options.only[i])) {
            return true;
        }
    }
    return b->options.num_only == 0;
}

/* Counting instructions wants the one row; a comparison needs what it compares with. */
static const struct bench_result *compared(struct bench *b, const struct bench_result *r,
                                           const char *name)
{
    struct bench_result *other = find(b, r->row.group, name);
    if (other && r->active && !b->options.fixed) {
        other->active = true;
    }
    return other && other->active ? other : NULL;
}

void bench_add(struct bench *b, const struct bench_row *row)
{
    bench_need(b->num_rows < BENCH_ROWS_MAX, "too many rows");
    bench_need(row->group && row->name && row->check && (row->run || row->measure),
               "a row without a name, a check or a run");
    bench_need(!find(b, row->group, row->name), "two rows of one name");
    struct bench_result *r = &b->rows[b->num_rows++];
    *r = (struct bench_result){.row = *row, .active = wanted(b, row)};
    for (unsigned i = 0; i < BENCH_VERSUS_MAX; i++) {
        r->versus[i] = compared(b, r, row->versus[i].row);
    }
    r->floor = compared(b, r, row->floor);
}

static void list(const struct bench *b)
{
    for (unsigned i = 0; i < b->num_rows; i++) {
        if (b->rows[i].active) {
            printf("%s / %s\n", b->rows[i].row.group, b->rows[i].row.name);
        }
    }
}

static void report(const struct bench *b)
{
    if (b->options.format == BENCH_JSON) {
        bench_print_json(stdout, b);
    } else if (b->options.format == BENCH_TSV) {
        bench_print_tsv(stdout, b);
    } else {
        bench_print_table(stdout, b);
        bench_print_bars(stdout, b);
    }
}

static bool any_active(const struct bench *b)
{
    for (unsigned i = 0; i < b->num_rows; i++) {
        if (b->rows[i].active) {
            return true;
        }
    }
    return b->num_rows == 0;
}

static int run(struct bench *b)
{
    if (!any_active(b)) {
        fprintf(stderr, "bench_%s: --only fits no row; --list shows all of them\n",
                b->program->name);
        return 2;
    }
    if (b->options.list) {
        list(b);
        return 0;
    }
    if (!bench_check_rows(b)) {
        return 1;
    }
    if (b->options.fixed) {
        bench_run_fixed(b);
        return 0;
    }
    bench_run_rows(b);
    if (b->program->finish) {
        b->program->finish(b);
    }
    report(b);
    return b->options.bars && bench_print_bars(NULL, b) ? 1 : 0;
}

int bench_main(int argc, char **argv, const struct bench_program *program)
{
    struct bench *b = calloc(1, sizeof *b);
    bench_need(b != NULL, "out of memory");
    b->program = program;
    int code = bench_options_parse(&b->options, argc, argv, program);
    if (code >= 0) {
        return code;
    }
    bench_machine(b);
    code = program->setup(b);
    if (code == 0) {
        code = run(b);
    }
    if (program->teardown) {
        program->teardown();
    }
    for (unsigned i = 0; i < b->num_rows; i++) {
        free(b->rows[i].samples);
        free(b->rows[i].sorted);
    }
    free(b);
    return code;
}
