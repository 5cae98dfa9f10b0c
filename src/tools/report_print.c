/* SPDX-License-Identifier: MIT */
#include "report_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

static void print_field(const char *name, const json_t *value, unsigned indent)
{
    printf("%*s%s:", (int)indent, "", name);
    if (json_is_string(value)) {
        putchar(' ');
        tool_put_text(stdout, json_string_value(value), json_string_length(value));
        putchar('\n');
    } else if (json_is_integer(value)) {
        printf(" %" JSON_INTEGER_FORMAT "\n", json_integer_value(value));
    } else {
        putchar('\n');
    }
}

/* Objects in objects, as deep as a report makes them. */
static void print_fields(json_t *fields, unsigned indent)
{
    struct {
        json_t *object;
        void *at;
    } level[REPORT_DEPTH_MAX] = {{fields, json_object_iter(fields)}};
    unsigned depth = 0;
    for (;;) {
        void *at = level[depth].at;
        if (!at && depth == 0)
            return;
        if (!at) {
            depth--;
            continue;
        }
        json_t *value = json_object_iter_value(at);
        print_field(json_object_iter_key(at), value, indent + 2 * depth);
        level[depth].at = json_object_iter_next(level[depth].object, at);
        if (json_is_object(value) && depth + 1 < REPORT_DEPTH_MAX) {
            depth++;
            level[depth].object = value;
            level[depth].at = json_object_iter(value);
        }
    }
}

static const char *member(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* How often each check passed here: "preamble_crc segment_crc*2". */
static void print_passed(const json_t *checks, unsigned indent)
{
    size_t num = json_array_size(checks), printed = 0;
    for (size_t i = 0; i < num; i++) {
        const json_t *check = json_array_get(checks, i);
        const char *name = member(check, "check");
        size_t same = 0, before = 0;
        for (size_t j = 0; j < num; j++) {
            const json_t *other = json_array_get(checks, j);
            if (strcmp(member(other, "result"), "ok") == 0 &&
                strcmp(member(other, "check"), name) == 0) {
                same++;
                before += j < i;
            }
        }
        if (strcmp(member(check, "result"), "ok") != 0 || before)
            continue;
        if (printed++ == 0)
            printf("%*sok:", (int)indent, "");
        printf(" %s", name);
        if (same > 1)
            printf("*%zu", same);
    }
    if (printed)
        putchar('\n');
}

static void print_others(const json_t *checks, unsigned indent)
{
    size_t i;
    const json_t *check;
    json_array_foreach((json_t *)checks, i, check)
    {
        const char *result = member(check, "result"), *text = member(check, "text");
        if (strcmp(result, "ok") != 0)
            printf("%*s%s %s%s%s\n", (int)indent, "",
                   strcmp(result, "failed") == 0 ? "FAILED" : "not checked:",
                   member(check, "check"), text ? ": " : "", text ? text : "");
    }
}

void report_print_object(const json_t *object, unsigned indent)
{
    const json_t *checks = json_object_get(object, "checks"), *note;
    size_t i;
    print_fields(json_object_get(object, "fields"), indent);
    json_array_foreach(json_object_get(object, "notes"), i, note)
        printf("%*snote: %s\n", (int)indent, "", json_string_value(note));
    print_passed(checks, indent);
    print_others(checks, indent);
}

void report_print_frame(const json_t *frame)
{
    printf("  %s @%" JSON_INTEGER_FORMAT " %s, %" JSON_INTEGER_FORMAT " bytes\n",
           member(frame, "from"), json_integer_value(json_object_get(frame, "offset")),
           member(frame, "frame"), json_integer_value(json_object_get(frame, "len")));
    report_print_object(frame, 4);
}

void report_print_totals(const json_t *totals, size_t connections, size_t frames, uint64_t failed)
{
    const char *name;
    const json_t *count;
    printf("%zu connection%s, %zu frames\n", connections, connections == 1 ? "" : "s", frames);
    printf("%-22s %8s %8s %12s\n", "check", "ok", "failed", "not checked");
    json_object_foreach((json_t *)totals, name, count) printf(
        "%-22s %8" JSON_INTEGER_FORMAT " %8" JSON_INTEGER_FORMAT " %12" JSON_INTEGER_FORMAT "\n",
        name, json_integer_value(json_object_get(count, "ok")),
        json_integer_value(json_object_get(count, "failed")),
        json_integer_value(json_object_get(count, "unchecked")));
    if (failed)
        printf("%" PRIu64 " check%s FAILED\n", failed, failed == 1 ? "" : "s");
    else
        printf("no check failed\n");
}
