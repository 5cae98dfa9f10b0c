/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int tool_help(const char *text)
{
    fputs(text, stdout);
    return TOOL_OK;
}

int tool_usage(const char *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "signet %s: ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nTry 'signet %s --help'.\n", command);
    return TOOL_USAGE;
}

static void print_problem(const char *command, const struct tool_problem *problem)
{
    fflush(stdout);
    fprintf(stderr, "signet %s: %s\n", command, problem->what);
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
    char *escaped = malloc(4 * len + 1), *p = escaped;
    if (!escaped)
        return NULL;
    for (size_t i = 0; i < len; i++)
        p += sprintf(p, in[i] >= 0x20 && in[i] < 0x7f ? "%c" : "\\x%02x", in[i]);
    string = json_stringn(escaped, (size_t)(p - escaped));
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
