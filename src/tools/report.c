/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report_print.h"

struct report {
    struct report_options options;
    json_t *connections; /* JSON output only */
    json_t *connection, *frames;
    json_t *target; /* the frame, or the connection outside of one */
    json_t *object[REPORT_DEPTH_MAX];
    size_t depth;
    uint64_t count[CHECK_NUM][OUTCOME_NUM];
    size_t num_connections, num_frames;
};

static const char *const check_name[] = {
#define TOOL_CHECK_NAME_(name, text) #name,
    TOOL_CHECKS(TOOL_CHECK_NAME_)
#undef TOOL_CHECK_NAME_
};

static const char *const outcome_name[] = {"ok", "failed", "unchecked"};

static void must(bool ok)
{
    if (ok)
        return;
    fputs("signet decode: out of memory\n", stderr);
    exit(TOOL_FAILURE);
}

static void put(json_t *object, const char *name, json_t *value)
{
    must(value && json_object_set_new(object, name, value) == 0);
}

static json_t *member_array(json_t *object, const char *name)
{
    json_t *array = json_object_get(object, name);
    if (!array) {
        put(object, name, json_array());
        array = json_object_get(object, name);
    }
    return array;
}

struct report *report_new(const struct report_options *options)
{
    struct report *report = calloc(1, sizeof(*report));
    must(report != NULL);
    report->options = *options;
    report->connections = json_array();
    must(report->connections != NULL);
    return report;
}

static void set_target(struct report *report, json_t *target)
{
    report->target = target;
    put(target, "fields", json_object());
    report->depth = 0;
    report->object[0] = json_object_get(target, "fields");
}

void report_connection(struct report *report, const char *c2s, const char *s2c)
{
    report->connection = json_object();
    must(report->connection != NULL);
    put(report->connection, "c2s", tool_json_text(c2s, strlen(c2s)));
    put(report->connection, "s2c", tool_json_text(s2c, strlen(s2c)));
    report->frames = member_array(report->connection, "frames");
    set_target(report, report->connection);
    report->num_connections++;
    if (report->options.format == TOOL_TEXT)
        printf("connection %s %s\n", c2s, s2c);
}

void report_connection_end(struct report *report)
{
    if (report->options.format == TOOL_TEXT) {
        report_print_object(report->connection, 2);
        putchar('\n');
        json_decref(report->connection);
    } else {
        must(json_array_append_new(report->connections, report->connection) == 0);
    }
    report->connection = report->target = report->frames = NULL;
}

void report_frame(struct report *report, const char *from, const char *name, uint64_t offset,
                  size_t len)
{
    json_t *frame = json_pack("{s:s, s:s, s:I, s:I}", "from", from, "frame", name, "offset",
                              (json_int_t)offset, "len", (json_int_t)len);
    must(frame && json_array_append_new(report->frames, frame) == 0);
    set_target(report, frame);
    report->num_frames++;
}

void report_frame_end(struct report *report)
{
    if (report->options.format == TOOL_TEXT) {
        report_print_frame(report->target);
        json_array_clear(report->frames);
    }
    report->target = report->connection;
    report->depth = 0;
    report->object[0] = json_object_get(report->connection, "fields");
}

void report_enter(struct report *report, const char *name)
{
    /* The same name again (tickets of one reply) gets a number. */
    char numbered[64];
    json_t *parent = report->object[report->depth];
    snprintf(numbered, sizeof(numbered), "%s", name);
    for (unsigned i = 2; json_object_get(parent, numbered); i++)
        snprintf(numbered, sizeof(numbered), "%.50s %u", name, i);
    put(parent, numbered, json_object());
    must(report->depth + 1 < REPORT_DEPTH_MAX);
    report->object[++report->depth] = json_object_get(parent, numbered);
}

void report_leave(struct report *report)
{
    report->depth--;
}

static void put_field(struct report *report, const char *name, json_t *value)
{
    put(report->object[report->depth], name, value);
}

void report_number(struct report *report, const char *name, uint64_t value)
{
    /* JSON integers end at 2^63 here; the few larger values are text. */
    if (value > INT64_MAX)
        report_text(report, name, "%" PRIu64, value);
    else
        put_field(report, name, json_integer((json_int_t)value));
}

void report_signed(struct report *report, const char *name, int64_t value)
{
    put_field(report, name, json_integer(value));
}

void report_hex(struct report *report, const char *name, uint64_t value)
{
    report_text(report, name, "0x%" PRIx64, value);
}

static json_t *format_text(const char *format, va_list args)
{
    char *text = NULL;
    must(vasprintf(&text, format, args) >= 0);
    json_t *value = tool_json_text(text, strlen(text));
    free(text);
    return value;
}

void report_text(struct report *report, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_field(report, name, format_text(format, args));
    va_end(args);
}

void report_name_text(struct report *report, const char *name, const void *text, size_t len)
{
    put_field(report, name, tool_json_text(len ? text : "", len));
}

void report_bytes(struct report *report, const char *name, const uint8_t *p, size_t len)
{
    char *text = malloc(2 * len + 1);
    must(text != NULL);
    text[0] = '\0';
    for (size_t i = 0; i < len; i++)
        snprintf(text + 2 * i, 3, "%02x", p[i]);
    put_field(report, name, json_stringn(text, 2 * len));
    explicit_bzero(text, 2 * len);
    free(text);
}

void report_secret(struct report *report, const char *name, const uint8_t *p, size_t len)
{
    if (report->options.secrets)
        report_bytes(report, name, p, len);
}

void report_dump(struct report *report, const char *name, const uint8_t *p, size_t len)
{
    if (report->options.dump)
        report_bytes(report, name, p, len);
}

void report_time(struct report *report, const char *name, uint32_t sec, uint32_t nsec)
{
    struct tm tm;
    time_t when = sec;
    char text[32];
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&when, &tm));
    report_text(report, name, "%s.%09" PRIu32 "Z", text, nsec);
}

static void add_check(struct report *report, enum tool_check check, enum outcome outcome,
                      json_t *text)
{
    report->count[check][outcome]++;
    json_t *entry =
        json_pack("{s:s, s:s}", "check", check_name[check], "result", outcome_name[outcome]);
    must(entry != NULL);
    if (text)
        put(entry, "text", text);
    must(json_array_append_new(member_array(report->target, "checks"), entry) == 0);
}

void report_check(struct report *report, enum tool_check check, enum outcome outcome,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_check(report, check, outcome, format ? format_text(format, args) : NULL);
    va_end(args);
}

bool report_verify(struct report *report, enum tool_check check, bool ok, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_check(report, check, ok ? OUTCOME_OK : OUTCOME_FAILED,
              ok ? NULL : format_text(format, args));
    va_end(args);
    return ok;
}

void report_count(struct report *report, enum tool_check check, unsigned num)
{
    while (num--)
        add_check(report, check, OUTCOME_OK, NULL);
}

void report_note(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_t *text = format_text(format, args);
    va_end(args);
    must(json_array_append_new(member_array(report->target, "notes"), text) == 0);
}

static json_t *totals_json(const struct report *report)
{
    json_t *totals = json_object();
    must(totals != NULL);
    for (size_t i = 0; i < CHECK_NUM; i++) {
        const uint64_t *n = report->count[i];
        if (n[OUTCOME_OK] + n[OUTCOME_FAILED] + n[OUTCOME_UNCHECKED] == 0)
            continue;
        put(totals, check_name[i],
            json_pack("{s:I, s:I, s:I}", "ok", (json_int_t)n[OUTCOME_OK], "failed",
                      (json_int_t)n[OUTCOME_FAILED], "unchecked",
                      (json_int_t)n[OUTCOME_UNCHECKED]));
    }
    return totals;
}

bool report_finish(struct report *report)
{
    uint64_t failed = 0;
    for (size_t i = 0; i < CHECK_NUM; i++)
        failed += report->count[i][OUTCOME_FAILED];
    json_t *totals = totals_json(report);
    if (report->options.format == TOOL_JSON) {
        tool_json_print(json_pack("{s:b, s:O, s:o}", "ok", failed == 0, "connections",
                                  report->connections, "totals", totals));
    } else {
        report_print_totals(totals, report->num_connections, report->num_frames, failed);
        json_decref(totals);
    }
    report_free(report);
    return failed == 0;
}

uint64_t report_count_of(const struct report *report, enum tool_check check, enum outcome outcome)
{
    return report->count[check][outcome];
}

void report_free(struct report *report)
{
    json_decref(report->connections);
    free(report);
}
