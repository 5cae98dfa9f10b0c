/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "ping.h"

static const char help[] =
    "Usage: signet ping -m ADDR[,ADDR...] -n NAME -k KEYRING [OPTION...]\n"
    "       signet ping -C CEPH.CONF -n NAME [OPTION...]\n"
    "Logs in at a Ceph monitor, and at an OSD if one is given, shows each step, then measures\n"
    "round trips with keepalives. Monitors are tried in turn until one answers.\n"
    "\n" PING_LOGIN_HELP_1
    "      --osd ADDR          also authenticate at this OSD: v2:HOST:PORT/NONCE as in\n"
    "                          'ceph osd dump' or 'signetd ctl status' (an OSD refuses a wrong\n"
    "                          nonce)\n" PING_LOGIN_HELP_2
    "  -c, --count N           round trips, 0 to 100000 (4); -c FILE is the same as -C FILE\n"
    "  -i, --interval SECONDS  time between them (0)\n" PING_LOGIN_HELP_3 "\n"
    "Exit codes: 0 every step succeeded, 1 one failed (the message says why), 2 wrong usage.\n";

enum { OPT_OSD = PING_OPT_OWN };
enum { COUNT_MAX = 100000 };

static const struct option long_options[] = {PING_LOGIN_ROWS,
                                             {"osd", required_argument, NULL, OPT_OSD},
                                             {"count", required_argument, NULL, 'N'},
                                             {"interval", required_argument, NULL, 'i'},
                                             {NULL, 0, NULL, 0}};

static const struct tool_expected expected[] = {
    {'c', "a count from 0 to 100000, nor the name of a ceph.conf"},
    {'N', "a number from 0 to 100000"},
    {'i', "a number of seconds, such as 0.5"},
    PING_LOGIN_EXPECTED};

static bool parse_auth(struct ping_options *options, const char *text)
{
    options->auth = strcmp(text, "none") == 0 ? SIGNET_AUTH_NONE : SIGNET_AUTH_CEPHX;
    return options->auth == SIGNET_AUTH_NONE || strcmp(text, "cephx") == 0;
}

static bool parse_name(struct ping_options *options, const char *text)
{
    if (signet_name_parse(&options->name, text) != 0)
        return false;
    signet_name_print(&options->name, options->name_text);
    return true;
}

/* Ceph's tools call the configuration file -c, ping(8) the count. A file whose name is a number is
 * given with -C. */
static bool parse_c(struct ping_options *options, const char *text)
{
    if (*text == '-' || *text == '+')
        return false;
    if (text[strspn(text, "0123456789")] == '\0')
        return tool_number_parse(&options->count, text, 0, COUNT_MAX);
    options->conf = text;
    return true;
}

bool ping_login_option(struct ping_options *options, int c)
{
    switch (c) {
    case 'm':
        options->mon_text = optarg;
        return true;
    case 'C':
        options->conf = optarg;
        return true;
    case 'n':
        return parse_name(options, optarg);
    case 'k':
        options->keyring = optarg;
        return true;
    case PING_OPT_MODE:
        return tool_modes_parse(options->modes, &options->num_modes, optarg);
    case PING_OPT_AUTH:
        return parse_auth(options, optarg);
    case PING_OPT_HANDLER:
        options->handler = optarg;
        return true;
    case PING_OPT_TIMEOUT:
        return tool_seconds_parse(&options->timeout_ns, optarg) && options->timeout_ns;
    case TOOL_OPT_FORMAT:
        return tool_format_parse(&options->format, optarg);
    default:
        return false;
    }
}

struct ping_options ping_login_defaults(const char *command)
{
    struct ping_options options = {
        .command = command, .auth = SIGNET_AUTH_CEPHX, .timeout_ns = UINT64_C(10000000000)};
    (void)tool_modes_parse(options.modes, &options.num_modes, "secure");
    parse_name(&options, "client.admin");
    return options;
}

bool ping_login_check(const struct ping_options *options, int *code)
{
    if (!options->mon_text && !options->conf)
        *code = tool_usage(options->command, "give monitors with -m or a ceph.conf with -C");
    else if (options->auth == SIGNET_AUTH_NONE &&
             (options->num_modes != 1 || options->modes[0] != SIGNET_MODE_CRC))
        *code = tool_usage(options->command,
                           "--auth none goes with --ms-mode crc only: without authentication "
                           "there is no key to encrypt with");
    else
        return true;
    return false;
}

static bool parse_one(struct ping_options *options, int c)
{
    switch (c) {
    case 'c':
        return parse_c(options, optarg);
    case 'N':
        return tool_number_parse(&options->count, optarg, 0, COUNT_MAX);
    case 'i':
        return tool_seconds_parse(&options->interval_ns, optarg);
    case OPT_OSD:
        options->osd_text = optarg;
        return true;
    default:
        return ping_login_option(options, c);
    }
}

bool ping_parse(int argc, char **argv, struct ping_options *options, int *code)
{
    int c, index = 0;
    *options = ping_login_defaults("ping");
    options->count = 4;
    opterr = 0;
    while ((c = getopt_long(argc, argv, PING_LOGIN_SHORT "c:i:", long_options, &index)) != -1) {
        if (c == 'h') {
            *code = tool_help(help);
            return false;
        }
        if (!parse_one(options, c)) {
            *code = tool_option_wrong("ping", c, argv, long_options, expected);
            return false;
        }
    }
    if (optind < argc)
        *code = tool_usage("ping", "there are no arguments, but '%s' was given", argv[optind]);
    else
        return ping_login_check(options, code);
    return false;
}
