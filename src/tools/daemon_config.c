/* SPDX-License-Identifier: MIT */
#include "daemon_config.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signet/client.h>
#include <signet/keyserver.h>

enum { OPT_OWN = 1000 };

int daemon_fail(struct daemon_why *why, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof(why->text), format, args);
    va_end(args);
    why->code = code;
    return code;
}

void daemon_config_defaults(struct daemon_config *config)
{
    *config = (struct daemon_config){
        .metrics = {.type = SIGNET_ADDR_ANY,
                    .family = SIGNET_FAMILY_IPV4,
                    .port = DAEMON_PORT_METRICS,
                    .ip = {127, 0, 0, 1}},
        .metrics_on = true,
        .modes = {SIGNET_MODE_SECURE},
        .num_modes = 1,
        .auth_ttl_s = 259200,
        .service_ttl_s = 3600,
        .drain_s = 5,
        .store_bytes = UINT64_C(1) << 30,
        .journal_keep = UINT64_C(64) << 20,
        .max_peers = 65536,
        .max_half_open = 1024,
        .log_level = SIGNET_LOG_INFO,
    };
    config->mon = config->metrics;
    config->mon.type = SIGNET_ADDR_MSGR2;
    config->osd = config->mon;
    config->mon.port = DAEMON_PORT_MON;
    config->osd.port = DAEMON_PORT_OSD;
}

/* --- one value ------------------------------------------------------------------------------ */

/* The options that one source has given; line 0: not yet. */
struct source {
    unsigned line[DAEMON_OPTIONS_MAX];
};

static int apply(struct daemon_config *config, struct source *source, size_t index,
                 const char *value)
{
    const struct daemon_option *option = daemon_option_at(index);
    if (option->many && source->line[index] == 0) {
        config->num_pools = 0; /* the only one there is */
    }
    return option->set(config, value) ? TOOL_OK : TOOL_USAGE;
}

/* --- the file ------------------------------------------------------------------------------- */

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char *trim(char *text)
{
    while (blank(*text)) {
        text++;
    }
    size_t len = strlen(text);
    while (len > 0 && blank(text[len - 1])) {
        text[--len] = 0;
    }
    return text;
}

/* A comment begins with # at the start of a line or behind a blank. */
static void cut_comment(char *line)
{
    for (char *p = line; *p != 0; p++) {
        if (*p == '#' && (p == line || blank(p[-1]))) {
            *p = 0;
            return;
        }
    }
}

static size_t find_option(const char *name)
{
    size_t i = 0;
    while (daemon_option_at(i) != NULL && strcmp(daemon_option_at(i)->name, name) != 0) {
        i++;
    }
    return i;
}

static int config_value(struct daemon_config *config, struct source *source, const char *path,
                        unsigned number, const char *name, const char *value,
                        struct daemon_why *why)
{
    size_t index = find_option(name);
    const struct daemon_option *option = daemon_option_at(index);
    if (option == NULL || strcmp(name, "config") == 0) {
        return daemon_fail(why, TOOL_USAGE, "%s:%u: there is no option '%.100s' here", path, number,
                           name);
    }
    if (source->line[index] != 0 && !option->many) {
        return daemon_fail(why, TOOL_USAGE, "%s:%u: %s was given in line %u already", path, number,
                           name, source->line[index]);
    }
    if (apply(config, source, index, value) != TOOL_OK) {
        return daemon_fail(why, TOOL_USAGE, "%s:%u: %s: '%.100s' is not %s", path, number, name,
                           value, option->expected);
    }
    source->line[index] = number;
    return TOOL_OK;
}

static int config_line(struct daemon_config *config, struct source *source, const char *path,
                       unsigned number, char *line, struct daemon_why *why)
{
    cut_comment(line);
    line = trim(line);
    if (*line == 0) {
        return TOOL_OK;
    }
    char *equals = strchr(line, '=');
    if (equals == NULL || equals == line) {
        return daemon_fail(why, TOOL_USAGE, "%s:%u: expected 'name = value', found '%.100s'", path,
                           number, line);
    }
    *equals = 0;
    return config_value(config, source, path, number, trim(line), trim(equals + 1), why);
}

int daemon_config_text(struct daemon_config *config, const char *path, const char *text, size_t len,
                       struct daemon_why *why)
{
    struct source source = {.line = {0}};
    unsigned number = 1;
    int code = TOOL_OK;
    if (memchr(text, 0, len) != NULL) {
        return daemon_fail(why, TOOL_USAGE, "%s: not a text, it has a byte 0", path);
    }
    for (const char *p = text, *end = text + len; p < end && code == TOOL_OK; number++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((stop != NULL ? stop : end) - p);
        char *line = strndup(p, n);
        code = line != NULL ? config_line(config, &source, path, number, line, why)
                            : daemon_fail(why, TOOL_FAILURE, "out of memory");
        free(line);
        p += n + 1;
    }
    return code;
}

static int config_file(struct daemon_config *config, const char *path, struct daemon_why *why)
{
    size_t len;
    char *text = tool_read_file(path, DAEMON_CONFIG_MAX, &len);
    if (text == NULL) {
        return daemon_fail(why, TOOL_USAGE, "cannot read the configuration %s: %s", path,
                           strerror(errno));
    }
    int code = daemon_config_text(config, path, text, len, why);
    free(text);
    return code;
}

/* --- the command line ----------------------------------------------------------------------- */

static void long_options(struct option *out)
{
    size_t i;
    for (i = 0; daemon_option_at(i) != NULL; i++) {
        out[i] = (struct option){daemon_option_at(i)->name,
                                 daemon_option_at(i)->arg != NULL ? required_argument
                                                                  : optional_argument,
                                 NULL, OPT_OWN + (int)i};
    }
    out[i++] = (struct option){"help", no_argument, NULL, 'h'};
    out[i++] = (struct option){"version", no_argument, NULL, 'V'};
    out[i] = (struct option){NULL, 0, NULL, 0};
}

/* Each option in turn: calls back, or says what is wrong with the line. *c gets 'h' or 'V'. */
struct walk {
    struct daemon_config *config;
    struct source source;
    const char *path; /* --config */
    bool apply;       /* else only look for --config, --help and --version */
    int shown;
    struct daemon_why *why;
};

static int walk_one(struct walk *w, size_t index, const char *value)
{
    const struct daemon_option *option = daemon_option_at(index);
    if (strcmp(option->name, "config") == 0) {
        w->path = value;
    }
    if (!w->apply) {
        return TOOL_OK;
    }
    if (apply(w->config, &w->source, index, value) != TOOL_OK) {
        return daemon_fail(w->why, TOOL_USAGE, "--%s: '%.100s' is not %s", option->name, value,
                           option->expected);
    }
    w->source.line[index] = 1;
    return TOOL_OK;
}

static int walk(struct walk *w, int argc, char **argv)
{
    struct option list[DAEMON_OPTIONS_MAX + 3];
    int c, code = TOOL_OK;
    long_options(list);
    optind = 0; /* glibc: start over */
    opterr = 0;
    while (code == TOOL_OK && w->shown == 0 &&
           (c = getopt_long(argc, argv, ":hV", list, NULL)) != -1) {
        if (c >= OPT_OWN) {
            code = walk_one(w, (size_t)(c - OPT_OWN), optarg != NULL ? optarg : "yes");
        } else if (c == 'h' || c == 'V') {
            w->shown = c;
        } else {
            code = daemon_fail(w->why, TOOL_USAGE,
                               c == ':' ? "the option '%.100s' lacks its value"
                                        : "there is no option '%.100s'",
                               argv[optind - 1]);
        }
    }
    if (code == TOOL_OK && w->shown == 0 && optind < argc) {
        code = daemon_fail(w->why, TOOL_USAGE, "there are no arguments, but '%.100s' was given",
                           argv[optind]);
    }
    return code;
}

int daemon_config_read(struct daemon_config *config, int argc, char **argv, bool *shown,
                       struct daemon_why *why)
{
    daemon_config_defaults(config);
    struct walk w = {.config = config, .why = why};
    int code = walk(&w, argc, argv);
    *shown = code == TOOL_OK && w.shown != 0;
    if (*shown) {
        if (w.shown == 'h') {
            daemon_help();
        } else {
            printf("signetd %s\n", SIGNET_VERSION);
        }
    }
    if (code != TOOL_OK || *shown) {
        return code;
    }
    if (w.path != NULL) {
        code = config_file(config, w.path, why);
    }
    w.apply = true;
    if (code == TOOL_OK) {
        code = walk(&w, argc, argv);
    }
    return code == TOOL_OK ? daemon_config_finish(config, why) : code;
}
