/* SPDX-License-Identifier: MIT */
#include "common/bench_private.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *f, const struct bench_program *program)
{
    fprintf(f,
            "usage: bench_%s [OPTIONS]\n"
            "%s\n\n"
            "  --format table|json|tsv  for people (default) or for machines\n"
            "  --rounds N               samples per row\n"
            "  --quick                  5 short rounds: shows that all rows work\n"
            "  --only TEXT              rows whose \"group / name\" contains TEXT, and the\n"
            "                           rows they name; may be given again\n"
            "  --list                   list the rows and stop\n"
            "  --bars                   exit with 1 when a row misses its bar\n"
            "  --fixed N                run each row N times, untimed and in silence: for\n"
            "                           counting instructions with callgrind\n",
            program->name, program->question);
}

static bool parse_format(struct bench_options *o, const char *text)
{
    static const char *const names[] = {"table", "json", "tsv"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) != 0) {
            continue;
        }
        o->format = (enum bench_format)i;
        return true;
    }
    return false;
}

static bool parse_number(uint64_t *out, const char *text, uint64_t max)
{
    char *end;
    unsigned long long v = strtoull(text, &end, 10);
    if (end == text || *end || text[0] == '-' || v < 1 || v > max) {
        return false;
    }
    *out = v;
    return true;
}

static bool add_only(struct bench_options *o, const char *text)
{
    if (o->num_only == sizeof o->only / sizeof *o->only) {
        return false;
    }
    o->only[o->num_only++] = text;
    return true;
}

static const struct option longs[] = {
    {"format", required_argument, NULL, 'f'},
    {"rounds", required_argument, NULL, 'r'},
    {"quick", no_argument, NULL, 'q'},
    {"only", required_argument, NULL, 'o'},
    {"list", no_argument, NULL, 'l'},
    {"bars", no_argument, NULL, 'b'},
    {"fixed", required_argument, NULL, 'x'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool parse_one(struct bench_options *o, int c)
{
    uint64_t n;
    switch (c) {
    case 'f':
        return parse_format(o, optarg);
    case 'r':
        if (!parse_number(&n, optarg, BENCH_ROUNDS_MAX)) {
            return false;
        }
        o->rounds = (unsigned)n;
        return true;
    case 'q':
        return (o->quick = true);
    case 'o':
        return add_only(o, optarg);
    case 'l':
        return (o->list = true);
    case 'b':
        return (o->bars = true);
    case 'x':
        return parse_number(&o->fixed, optarg, UINT32_MAX);
    default:
        return false;
    }
}

int bench_options_parse(struct bench_options *o, int argc, char **argv,
                        const struct bench_program *program)
{
    int c;
    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (c == 'h') {
            usage(stdout, program);
            return 0;
        }
        if (!parse_one(o, c)) {
            if (c != '?') {
                fprintf(stderr, "bench_%s: bad value \"%s\"\n", program->name, optarg);
            }
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "bench_%s: unexpected argument \"%s\"\n", program->name, argv[optind]);
        return 2;
    }
    if (!o->rounds) {
        o->rounds = o->quick ? 5 : program->rounds ? program->rounds : 101;
    }
    o->sample_ns = program->sample_ns > 0 ? program->sample_ns : 150e3;
    if (o->quick && o->sample_ns > 20e3) {
        o->sample_ns = 20e3;
    }
    return -1;
}
