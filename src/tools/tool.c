/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signet/client.h>
#include <signet/signet.h>

enum { USAGE_MAX = 4096 }; /* what is longer is cut */

bool tool_format_parse(enum tool_format *out, const char *text)
{
    bool json = strcmp(text, "json") == 0;
    if (!json && strcmp(text, "text") != 0)
        return false;
    *out = json ? TOOL_JSON : TOOL_TEXT;
    return true;
}

bool tool_number_parse(uint64_t *out, const char *text, uint64_t low, uint64_t high)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno || *end || v < low || v > high)
        return false;
    *out = v;
    return true;
}

bool tool_size_parse(uint64_t *out, const char *text, uint64_t low, uint64_t high)
{
    static const char units[] = "KkMmGg";
    char digits[32];
    size_t len = strlen(text);
    const char *unit = len > 1 ? strchr(units, text[len - 1]) : NULL;
    unsigned shift = unit ? 10 * ((unsigned)(unit - units) / 2 + 1) : 0;
    len -= unit ? 1 : 0;
    if (len >= sizeof(digits))
        return false;
    memcpy(digits, text, len);
    digits[len] = '\0';
    uint64_t value;
    if (!tool_number_parse(&value, digits, 0, high >> shift) || value << shift < low)
        return false;
    *out = value << shift;
    return true;
}

bool tool_seconds_parse(uint64_t *out_ns, const char *text)
{
    uint64_t ns = 0, unit = 1000000000;
    const char *p = text;
    for (; *p >= '0' && *p <= '9' && ns < UINT64_C(1000000000000000); p++)
        ns = ns * 10 + (uint64_t)(*p - '0') * unit;
    if (p == text)
        return false;
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++)
            ns += (uint64_t)(*p - '0') * (unit /= 10);
    *out_ns = ns;
    return *p == '\0';
}

const char *tool_keyring_place(char out[TOOL_PLACE_MAX], const struct signet_fail *fail)
{
    bool binary = strcmp(fail->where, "binary keyring") == 0;
    out[0] = '\0';
    if (binary || fail->offset > 0)
        snprintf(out, TOOL_PLACE_MAX, "%s %llu: ", binary ? "byte" : "line",
                 (unsigned long long)fail->offset);
    return out;
}

bool tool_modes_parse(uint32_t modes[2], unsigned *num, const char *text)
{
    static const struct {
        const char *name;
        unsigned num;
        uint32_t modes[2];
    } rows[] = {{"crc", 1, {SIGNET_MODE_CRC}},
                {"secure", 1, {SIGNET_MODE_SECURE}},
                {"prefer-crc", 2, {SIGNET_MODE_CRC, SIGNET_MODE_SECURE}},
                {"prefer-secure", 2, {SIGNET_MODE_SECURE, SIGNET_MODE_CRC}}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (strcmp(text, rows[i].name) == 0) {
            memcpy(modes, rows[i].modes, sizeof(rows[i].modes));
            *num = rows[i].num;
            return true;
        }
    }
    return false;
}

/* Reads up to max + 1 bytes, so that a longer file shows. */
static char *read_stream(FILE *file, size_t max, size_t *len)
{
    char *text = NULL;
    size_t cap = 0, got = 1;
    for (*len = 0; got && *len <= max; *len += got) {
        if (cap - *len < 2) {
            size_t more = cap ? 2 * cap : 65536;
            char *bigger = realloc(text, more);
            if (!bigger)
                break;
            text = bigger;
            cap = more;
        }
        got = fread(text + *len, 1, cap - *len - 1, file);
    }
    if (!text || got || ferror(file)) {
        errno = *len > max ? EFBIG : errno ? errno : EIO;
        free(text);
        return NULL;
    }
    text[*len] = '\0';
    return text;
}

char *tool_read_file(const char *path, size_t max, size_t *len)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    errno = 0;
    char *text = read_stream(file, max, len);
    int saved = errno;
    fclose(file);
    errno = saved;
    return text;
}

/* The length of the control character that p begins with, of ASCII or U+0080 to U+009F; or 0. */
static size_t control_len(const unsigned char *p, size_t len)
{
    if (p[0] == 0xc2 && len > 1 && p[1] >= 0x80 && p[1] < 0xa0)
        return 2;
    return p[0] < 0x20 || p[0] == 0x7f;
}

void tool_put_text(FILE *out, const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < len;) {
        size_t num = control_len(p + i, len - i);
        if (num == 0)
            putc(p[i++], out);
        for (; num > 0; num--)
            fprintf(out, "\\x%02x", p[i++]);
    }
}

int tool_help(const char *text)
{
    fputs(text, stdout);
    return TOOL_OK;
}

static void say(const char *command, const char *text)
{
    fprintf(stderr, "signet %s: ", command);
    tool_put_text(stderr, text, strlen(text));
    fputc('\n', stderr);
}

int tool_usage(const char *command, const char *format, ...)
{
    char text[USAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    say(command, text);
    fprintf(stderr, "Try 'signet %s --help'.\n", command);
    return TOOL_USAGE;
}

/* "--name" of an option, or "-c" of one that has none. */
static const char *option_name(int val, const struct option *options, char *out, size_t cap)
{
    const struct option *o = options;
    while (o->name && o->val != val)
        o++;
    if (o->name)
        snprintf(out, cap, "--%s", o->name);
    else
        snprintf(out, cap, "-%c", val);
    return out;
}

static bool is_option(int val, const struct option *options)
{
    while (options->name && options->val != val)
        options++;
    return options->name != NULL;
}

int tool_option_wrong(const char *command, int c, char **argv, const struct option *options,
                      const struct tool_expected *expected)
{
    char name[64];
    if (c == ':')
        return tool_usage(command, "the option '%s' lacks its value", argv[optind - 1]);
    if (c == '?' && optopt && is_option(optopt, options))
        return tool_usage(command, "%s takes no value",
                          option_name(optopt, options, name, sizeof(name)));
    if (c == '?' && optopt)
        return tool_usage(command, "there is no option '-%c'", optopt);
    if (c == '?')
        return tool_usage(command, "there is no option '%s'", argv[optind - 1]);
    while (expected->expected && expected->val != c)
        expected++;
    return tool_usage(command, "%s: '%s' is not %s", option_name(c, options, name, sizeof(name)),
                      optarg, expected->expected ? expected->expected : "a value of that option");
}

void tool_what(struct tool_problem *problem, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(problem->what, sizeof(problem->what), format, args);
    va_end(args);
}

static void print_problem(const char *command, const struct tool_problem *problem)
{
    fflush(stdout);
    say(command, problem->what);
    for (size_t i = 0; i < 5 && problem->cause[i]; i++)
        fprintf(stderr, "  %s %s\n", i ? "         or:" : "likely cause:", problem->cause[i]);
    if (problem->next)
        fprintf(stderr, "  next step:    %s\n", problem->next);
}

json_t *tool_json_text(const void *text, size_t len)
{
    json_t *string = json_stringn(text, len);
    if (string)
        return string;
    const unsigned char *in = text;
    size_t cap = 4 * len + 1, used = 0;
    char *escaped = malloc(cap);
    if (!escaped)
        return NULL;
    for (size_t i = 0; i < len; i++)
        used += (size_t)snprintf(escaped + used, cap - used,
                                 in[i] >= 0x20 && in[i] < 0x7f ? "%c" : "\\x%02x", in[i]);
    string = json_stringn(escaped, used);
    free(escaped);
    return string;
}

json_t *tool_problem_json(const struct tool_problem *problem)
{
    json_t *causes = json_array();
    for (size_t i = 0; i < 5 && problem->cause[i]; i++)
        json_array_append_new(causes, json_string(problem->cause[i]));
    return json_pack("{s:s, s:o, s:o, s:s?}", "name",
                     problem->err ? signet_err_name(problem->err) : "FAILED", "what",
                     tool_json_text(problem->what, strlen(problem->what)), "causes", causes, "next",
                     problem->next);
}

int tool_fail(const char *command, enum tool_format format, const struct tool_problem *problem)
{
    if (format == TOOL_JSON)
        tool_json_print(json_pack("{s:b, s:o}", "ok", 0, "error", tool_problem_json(problem)));
    else
        print_problem(command, problem);
    return TOOL_FAILURE;
}

void tool_json_print(json_t *document)
{
    json_dumpf(document, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(document);
}

int tool_start(const char *command, const char *handler, enum tool_format format)
{
    struct signet_options options = {.handler = handler, .strict = handler != NULL};
    int err = signet_init(&options);
    if (err == 0)
        return TOOL_OK;
    struct tool_problem problem = {.err = err, .next = "'signet handlers' shows what works here"};
    if (err == -SIGNET_E_HANDLER_UNKNOWN) {
        tool_what(&problem, "there is no handler '%s'; it must be " TOOL_HANDLERS, handler);
    } else {
        tool_what(&problem, "the handler %s cannot be used: %s",
                  handler ? handler : "nss or openssl", signet_strerror(err));
        problem.cause[0] = "the library is in FIPS mode, which does not allow these keys";
        problem.cause[1] = "the library is damaged or incomplete (its self-test failed)";
    }
    int code = tool_fail(command, format, &problem);
    return err == -SIGNET_E_HANDLER_UNKNOWN ? TOOL_USAGE : code;
}
