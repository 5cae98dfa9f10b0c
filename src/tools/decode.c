/* SPDX-License-Identifier: MIT */
/* signet decode: opens recorded connections and checks everything that can be checked. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "commands.h"
#include "decode.h"

static const char help[] =
    "Usage: signet decode --keys FILE [OPTION...] C2S S2C [C2S S2C...]\n"
    "Decodes recorded msgr2.1 connections, opens what the keys open and checks crcs, tags,\n"
    "tickets, proofs and signatures. C2S and S2C hold the bytes of one TCP connection from and\n"
    "to the side that connected, from the first byte on. Give several pairs in order of time:\n"
    "session keys that one connection hands out open the next ones.\n"
    "\n"
    "  -k, --keys FILE         a keyring, or JSON of the form {\"entities\": {\"client.x\": KEY},\n"
    "                          \"rotating\": {\"osd\": {\"2\": KEY}}} with keys in base64\n"
    "      --format text|json  form of the output (text)\n"
    "      --dump              print the bytes of all segments, opened\n"
    "      --show-secrets      print session keys, connection secrets and rotating secrets\n"
    "  -h, --help              this help\n"
    "\n"
    "Exit codes: 0 all bytes were read and no check failed, 1 otherwise, 2 wrong usage.\n";

enum { OPT_DUMP = TOOL_OPT_OWN, OPT_SECRETS };

struct arguments {
    struct report_options report;
    const char *keys;
};

/* False with the exit code when there is nothing to do (any more). */
static bool parse(int argc, char **argv, struct arguments *args, int *code)
{
    static const struct option options[] = {{"keys", required_argument, NULL, 'k'},
                                            {"format", required_argument, NULL, TOOL_OPT_FORMAT},
                                            {"dump", no_argument, NULL, OPT_DUMP},
                                            {"show-secrets", no_argument, NULL, OPT_SECRETS},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static const struct tool_expected expected[] = {{TOOL_OPT_FORMAT, "text or json"}, {0, NULL}};
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":k:h", options, NULL)) != -1) {
        if (c == 'k')
            args->keys = optarg;
        else if (c == OPT_DUMP)
            args->report.dump = true;
        else if (c == OPT_SECRETS)
            args->report.secrets = true;
        else if (c != TOOL_OPT_FORMAT || !tool_format_parse(&args->report.format, optarg)) {
            *code = c == 'h' ? tool_help(help)
                             : tool_option_wrong("decode", c, argv, options, expected);
            return false;
        }
    }
    if (!args->keys)
        *code = tool_usage("decode", "--keys FILE is missing");
    else if (optind == argc || (argc - optind) % 2 != 0)
        *code = tool_usage("decode", "the streams must be given in pairs, C2S and S2C");
    else
        return true;
    return false;
}

static int load_keys(struct tool_keys **keys, const struct arguments *args)
{
    struct signet_fail fail;
    int err = tool_keys_load(keys, args->keys, &fail);
    if (err == 0)
        return TOOL_OK;
    struct tool_problem problem = {.err = err};
    if (err == -SIGNET_E_FILE) {
        tool_what(&problem, "cannot read the keys file %s: %s", args->keys, fail.text);
        problem.next = "is the path right? A keyring will do ('ceph auth get NAME -o FILE'), or "
                       "JSON as in 'man signet-decode'";
    } else {
        tool_what(&problem, "cannot use the keys file %s: %s%s%s", args->keys, fail.where,
                  fail.where[0] ? ": " : "", fail.text);
        problem.cause[0] = "it is neither a keyring nor JSON with \"entities\" or \"rotating\"";
        problem.cause[1] = "a key in it is damaged";
        problem.next = "check it with 'signet authtool -l FILE', or see 'man signet-decode'";
    }
    return tool_fail("decode", args->report.format, &problem);
}

static bool read_stream(struct decode_input *input, const char *path, enum tool_format format)
{
    input->path = path;
    input->data = (uint8_t *)tool_read_file(path, SIZE_MAX / 2, &input->len);
    if (input->data)
        return true;
    struct tool_problem problem = {.err = -SIGNET_E_FILE};
    tool_what(&problem, "cannot read %s: %s", path, strerror(errno));
    tool_fail("decode", format, &problem);
    return false;
}

/* Streams that are not msgr2.1: says which protocol they are and what to do. */
static void explain_refusal(enum decode_refusal refusal, const char *path)
{
    static const struct {
        int err;
        const char *what, *cause[2], *next;
    } text[] = {
        [DECODE_MSGR1] = {-SIGNET_E_MSGR1_PEER,
                          "is msgr1, the old messenger (its banner is \"ceph v027\")",
                          {"it was recorded at a v1: address, usually port 6789"},
                          "record the connection at the v2: address, usually port 3300"},
        [DECODE_MSGR20] = {-SIGNET_E_MSGR20_PEER,
                           "is msgr2.0 (its banner does not offer revision 1)",
                           {"one side is older than Ceph 14.2.11 or 15.2.5"},
                           "upgrade that side: msgr2.0 is not safe and not decoded here"},
        [DECODE_NOT_CEPH] = {-SIGNET_E_NOT_CEPH,
                             "is no recording of a Ceph connection (it has no banner)",
                             {"the recording does not begin with the connection's first byte",
                              "it is a capture file and not the bytes of one direction"},
                             "extract the TCP payload of each direction, from the first byte on"}};
    struct tool_problem problem = {.err = text[refusal].err,
                                   .cause = {text[refusal].cause[0], text[refusal].cause[1]},
                                   .next = text[refusal].next};
    tool_what(&problem, "%s %s", path, text[refusal].what);
    tool_fail("decode", TOOL_TEXT, &problem);
}

static bool decode_pair(struct report *report, struct tool_keys *keys, char **paths,
                        enum tool_format format)
{
    struct decode_input input[2] = {0};
    unsigned side = 0;
    bool ok = read_stream(&input[0], paths[0], format) && read_stream(&input[1], paths[1], format);
    if (ok) {
        enum decode_refusal refusal = decode_connection(report, keys, input, &side);
        if (refusal != DECODE_DONE)
            explain_refusal(refusal, paths[side]);
    }
    free(input[0].data);
    free(input[1].data);
    return ok;
}

static int run(const struct arguments *args, char **paths, int num)
{
    struct tool_keys *keys;
    int code = load_keys(&keys, args);
    if (code != TOOL_OK)
        return code;
    struct report *report = report_new(&args->report);
    bool readable = true;
    for (int i = 0; i < num && readable; i += 2)
        readable = decode_pair(report, keys, paths + i, args->report.format);
    tool_keys_free(keys);
    if (!readable) {
        report_free(report);
        return TOOL_FAILURE;
    }
    return report_finish(report) ? TOOL_OK : TOOL_FAILURE;
}

int signet_cmd_decode(int argc, char **argv)
{
    struct arguments args = {.report = {.format = TOOL_TEXT}};
    int code = TOOL_FAILURE;
    if (!parse(argc, argv, &args, &code))
        return code;
    code = tool_start("decode", NULL, args.report.format);
    if (code != TOOL_OK)
        return code;
    code = run(&args, argv + optind, argc - optind);
    signet_shutdown();
    return code;
}
