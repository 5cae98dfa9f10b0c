/* SPDX-License-Identifier: MIT */
/* signet handlers: what each crypto library says of itself and how its self-test went. */
#include <getopt.h>
#include <stdio.h>

#include <signet/signet.h>

#include "commands.h"
#include "tool.h"

static const char help[] =
    "Usage: signet handlers [--format text|json]\n"
    "Runs the self-test of each handler (the library that does AES, HMAC and random) and\n"
    "prints its name, version, result, FIPS state and the paths that it chose.\n"
    "\n"
    "      --format text|json  form of the output (text)\n"
    "  -h, --help              this help\n"
    "\n"
    "Exit codes: 0 at least one handler works, 1 none does, 2 wrong usage.\n";

static bool parse(int argc, char **argv, enum tool_format *format, int *code)
{
    static const struct option options[] = {{"format", required_argument, NULL, TOOL_OPT_FORMAT},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static const struct tool_expected expected[] = {{TOOL_OPT_FORMAT, "text or json"}, {0, NULL}};
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (c == 'h') {
            *code = tool_help(help);
            return false;
        }
        if (c != TOOL_OPT_FORMAT || !tool_format_parse(format, optarg)) {
            *code = tool_option_wrong("handlers", c, argv, options, expected);
            return false;
        }
    }
    if (optind < argc) {
        *code = tool_usage("handlers", "there are no arguments, but '%s' was given", argv[optind]);
        return false;
    }
    return true;
}

static const char *result_text(const struct signet_handler_info *info)
{
    return info->probe_err ? "refused" : "passed";
}

static json_t *handler_json(const struct signet_handler_info *info)
{
    return json_pack("{s:s, s:s, s:s, s:s?, s:b, s:b, s:s}", "name", info->name, "version",
                     info->version, "self_test", result_text(info), "error",
                     info->probe_err ? signet_err_name(info->probe_err) : NULL, "fips",
                     (int)info->fips, "current", (int)info->current, "detail", info->detail);
}

static void handler_text(const struct signet_handler_info *info)
{
    printf("%s%s\n", info->name, info->current ? " (current)" : "");
    printf("  version    %s\n", info->version);
    if (info->probe_err)
        printf("  self-test  refused: %s\n", signet_strerror(info->probe_err));
    else
        printf("  self-test  passed\n");
    printf("  FIPS mode  %s\n", info->fips ? "on" : "off");
    printf("  detail     %s\n", info->detail);
}

static int list(enum tool_format format)
{
    json_t *all = json_array();
    int code = TOOL_FAILURE;
    for (size_t i = 0; signet_handler_at(i); i++) {
        struct signet_handler_info info;
        /* The result is in the info. */
        int err = signet_handler_probe(signet_handler_at(i));
        if (signet_handler_info(signet_handler_at(i), &info) != 0)
            continue;
        if (err == 0)
            code = TOOL_OK;
        if (format == TOOL_JSON)
            json_array_append_new(all, handler_json(&info));
        else
            handler_text(&info);
    }
    if (format == TOOL_JSON)
        tool_json_print(json_pack("{s:O}", "handlers", all));
    json_decref(all);
    return code;
}

int signet_cmd_handlers(int argc, char **argv)
{
    enum tool_format format = TOOL_TEXT;
    int code;
    if (!parse(argc, argv, &format, &code))
        return code;
    code = tool_start("handlers", NULL, format);
    if (code != TOOL_OK)
        return code;
    code = list(format);
    signet_shutdown();
    return code;
}
