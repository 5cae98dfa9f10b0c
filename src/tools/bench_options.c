/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static const char help[] =
    "Usage: signet bench SECONDS write|seq|rand -p POOL -m ADDR[,...] -n NAME -k KEYRING\n"
    "                    [OPTION...]\n"
    "       signet bench SECONDS write|seq|rand -p POOL -C CEPH.CONF [OPTION...]\n"
    "       signet bench cleanup -p POOL [OPTION...]\n"
    "Loads an OSD as 'rados bench' does, and measures. write makes new objects; seq and rand read\n"
    "those that the last write with --no-cleanup has left (this one's or rados bench's), in order\n"
    "or at random, and check what they read. cleanup removes what runs on this host have left.\n"
    "\n"
    "  -p, --pool POOL         the pool; all its placement groups must be on one OSD (rbd)\n"
    "  -t, --concurrent-ios N  operations at a time, over all connections (16)\n"
    "  -b, --block-size BYTES  size of what is written (4194304)\n"
    "      --max-objects N     end after N operations, though there is time left\n"
    "      --no-cleanup        leave the objects for seq, rand and cleanup\n"
    "      --no-verify         do not check what is read\n"
    "      --run-name NAME     name of the object that says what was left\n"
    "                          (benchmark_last_metadata)\n"
    "      --prefix PREFIX     cleanup: remove all objects whose names begin so; at least\n"
    "                          benchmark_data (benchmark_data_HOST)\n"
    "      --conns N           connections (1)\n"
    "      --threads N         threads that serve them (1)\n"
    "\n" PING_LOGIN_HELP_1 PING_LOGIN_HELP_2 PING_LOGIN_HELP_3 "\n"
    "Exit codes: 0 done, 1 failure (the message says why), 2 wrong usage.\n";

enum {
    OPT_NO_CLEANUP = PING_OPT_OWN,
    OPT_NO_VERIFY,
    OPT_RUN_NAME,
    OPT_CONNS,
    OPT_THREADS,
    OPT_OBJECTS,
    OPT_PREFIX
};
enum { DEPTH_MAX = 65536, CONNS_MAX = 16384, THREADS_MAX = 256, SECONDS_MAX = 1000000 };
#define SIZE_LARGEST (UINT64_C(32) << 20)

static const struct option long_options[] = {PING_LOGIN_ROWS,
                                             {"pool", required_argument, NULL, 'p'},
                                             {"concurrent-ios", required_argument, NULL, 't'},
                                             {"block-size", required_argument, NULL, 'b'},
                                             {"max-objects", required_argument, NULL, OPT_OBJECTS},
                                             {"no-cleanup", no_argument, NULL, OPT_NO_CLEANUP},
                                             {"no-verify", no_argument, NULL, OPT_NO_VERIFY},
                                             {"run-name", required_argument, NULL, OPT_RUN_NAME},
                                             {"prefix", required_argument, NULL, OPT_PREFIX},
                                             {"conns", required_argument, NULL, OPT_CONNS},
                                             {"threads", required_argument, NULL, OPT_THREADS},
                                             {NULL, 0, NULL, 0}};

static const struct tool_expected expected[] = {
    {'p', "the name of a pool"},
    {'t', "a number from 1 to 65536"},
    {'b', "1 to 32M: a number of bytes, of KiB with K or of MiB with M"},
    {OPT_OBJECTS, "a number from 1 to 4294967295"},
    {OPT_RUN_NAME, "a name of 1 to 511 bytes"},
    {OPT_PREFIX, "benchmark_data, or a name of at most 511 bytes that begins so"},
    {OPT_CONNS, "a number from 1 to 16384"},
    {OPT_THREADS, "a number from 1 to 256"},
    PING_LOGIN_EXPECTED};

static bool parse_one(struct bench_options *o, int c)
{
    switch (c) {
    case 'p':
        o->pool = optarg;
        return *optarg != '\0';
    case 't':
        return tool_number_parse(&o->depth, optarg, 1, DEPTH_MAX);
    case 'b':
        return tool_size_parse(&o->op_size, optarg, 1, SIZE_LARGEST);
    case OPT_OBJECTS:
        return tool_number_parse(&o->max_objects, optarg, 1, UINT32_MAX);
    case OPT_NO_CLEANUP:
        o->cleanup = false;
        return true;
    case OPT_NO_VERIFY:
        o->verify = false;
        return true;
    case OPT_RUN_NAME:
        o->run_name = optarg;
        return *optarg != '\0' && strlen(optarg) < BENCH_NAME_MAX;
    case OPT_PREFIX:
        o->prefix = optarg;
        return strncmp(optarg, BENCH_PREFIX, strlen(BENCH_PREFIX)) == 0 &&
               strlen(optarg) < BENCH_NAME_MAX;
    case OPT_CONNS:
        return tool_number_parse(&o->conns, optarg, 1, CONNS_MAX);
    case OPT_THREADS:
        return tool_number_parse(&o->threads, optarg, 1, THREADS_MAX);
    default:
        return ping_login_option(&o->login, c);
    }
}

static bool parse_kind(enum bench_kind *out, const char *text)
{
    static const char *const names[] = {"write", "seq", "rand"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (enum bench_kind)i;
            return true;
        }
    return false;
}

/* SECONDS and the kind, and whether all fits. */
static bool parse_rest(int argc, char **argv, struct bench_options *o, int *code)
{
    o->remove_only = argc > 0 && strcmp(argv[0], "cleanup") == 0;
    if (o->remove_only && argc > 1)
        *code =
            tool_usage("bench", "there is nothing to give behind cleanup, such as '%s'", argv[1]);
    else if (argc != 2 && !o->remove_only)
        *code = tool_usage("bench", "give SECONDS, and write, seq or rand; or cleanup");
    else if (o->prefix && !o->remove_only)
        *code = tool_usage("bench", "--prefix is for cleanup");
    else if (!o->remove_only && !tool_number_parse(&o->seconds, argv[0], 1, SECONDS_MAX))
        *code = tool_usage("bench", "SECONDS: '%s' is not a number from 1 to 1000000", argv[0]);
    else if (!o->remove_only && !parse_kind(&o->kind, argv[1]))
        *code = tool_usage("bench", "'%s' is not one of write, seq and rand", argv[1]);
    else if (o->depth < o->conns)
        *code = tool_usage("bench", "-t %u is too little for %u connections: each has one at least",
                           (unsigned)o->depth, (unsigned)o->conns);
    else
        return ping_login_check(&o->login, code);
    return false;
}

bool bench_parse(int argc, char **argv, struct bench_options *o, int *code)
{
    int c, index = 0;
    *o = (struct bench_options){.login = ping_login_defaults("bench"),
                                .depth = 16,
                                .op_size = 4 << 20,
                                .conns = 1,
                                .threads = 1,
                                .pool = "rbd",
                                .run_name = BENCH_META_NAME,
                                .cleanup = true,
                                .verify = true};
    opterr = 0;
    while ((c = getopt_long(argc, argv, PING_LOGIN_SHORT "p:t:b:c:", long_options, &index)) != -1) {
        if (c == 'h') {
            *code = tool_help(help);
            return false;
        }
        if (!parse_one(o, c == 'c' ? 'C' : c)) {
            *code = tool_option_wrong("bench", c, argv, long_options, expected);
            return false;
        }
    }
    return parse_rest(argc - optind, argv + optind, o, code);
}
