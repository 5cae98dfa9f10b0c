/* SPDX-License-Identifier: MIT */
/* Log lines of signetd: what peers say stays a value, and floods are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "support/suite.h"

#include "daemon_log.h"

static const char *text_of(struct logfmt *line)
{
    line->text[line->len] = 0;
    return line->text;
}

static const char *pair(const char *value, size_t len)
{
    static struct logfmt line;
    line.len = 0;
    logfmt_bytes(&line, "entity", value, len);
    return text_of(&line);
}

START_TEST(values)
{
    static const struct {
        const char *value, *line;
    } rows[] = {
        {"client.admin", "entity=client.admin"},
        {"v2:[::1]:3300/0", "entity=v2:[::1]:3300/0"},
        {"", "entity=\"\""},
        {"two words", "entity=\"two words\""},
        {"a=b", "entity=\"a=b\""},
        {"say \"x\"", "entity=\"say \\\"x\\\"\""},
        {"c:\\", "entity=\"c:\\\\\""},
        {"a\nlevel=info event=start", "entity=\"a\\nlevel=info event=start\""},
        {"\r\t\x1b[2J\x7f", "entity=\"\\r\\t\\x1b[2J\\x7f\""},
        {"\xc3\xa9\xe2\x80\xa8", "entity=\"\\xc3\\xa9\\xe2\\x80\\xa8\""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_str_eq(pair(rows[i].value, strlen(rows[i].value)), rows[i].line);
    }
    ck_assert_str_eq(pair("a\0b", 3), "entity=\"a\\x00b\"");
}
END_TEST

/* All 256 bytes: the line has one newline, at its end, and quotes only where the value begins and
 * ends. */
START_TEST(every_byte)
{
    struct logfmt line = {.len = 0};
    for (int c = 0; c < 256; c++) {
        const char value[] = {'x', (char)c, 'y'};
        line.len = 0;
        logfmt_bytes(&line, "v", value, sizeof(value));
        logfmt_end(&line);
        ck_assert_ptr_eq(memchr(line.text, '\n', line.len), line.text + line.len - 1);
        for (size_t i = 0; i + 1 < line.len; i++) {
            ck_assert(line.text[i] >= 0x20 && line.text[i] < 0x7f);
        }
    }
}
END_TEST

START_TEST(long_values)
{
    struct logfmt line = {.len = 0};
    char value[5000];
    memset(value, '\n', sizeof(value));
    logfmt_text(&line, "event", "x");
    logfmt_text(&line, "nothing", NULL);
    logfmt_bytes(&line, "v", value, sizeof(value));
    ck_assert_str_eq(text_of(&line) + line.len - 6, "\\n...\"");
    size_t len = line.len;
    ck_assert_uint_eq(len, 7 + 1 + 3 + 2 * LOGFMT_VALUE_MAX + 4);
    logfmt_bytes(&line, "w", value, sizeof(value)); /* no room: as a whole, or not at all */
    ck_assert_uint_eq(line.len, len);
    logfmt_printf(&line, "n", "%d", 7);
    ck_assert_str_eq(text_of(&line) + len, " n=7");
    memset(value, 'a', sizeof(value));
    for (int i = 0; i < 10; i++) {
        logfmt_bytes(&line, "z", value, 100);
    }
    logfmt_end(&line);
    ck_assert_uint_le(line.len, LOGFMT_LINE_MAX);
}
END_TEST

static char seen[8192];

/* What was written since the last call. */
static const char *read_back(int fd)
{
    ssize_t n = read(fd, seen, sizeof(seen) - 1);
    seen[n > 0 ? n : 0] = 0;
    return seen;
}

START_TEST(lines)
{
    int fds[2];
    struct daemon_log log;
    struct logfmt line;
    ck_assert_int_eq(pipe(fds), 0);
    daemon_log_init(&log, fds[1], SIGNET_LOG_INFO);
    daemon_log_text(&log, SIGNET_LOG_INFO, "start", "%s", "two words");
    read_back(fds[0]);
    unsigned year, month, day, hour, minute, second, micro;
    int end = 0;
    ck_assert_int_eq(sscanf(seen, "ts=%4u-%2u-%2uT%2u:%2u:%2u.%6uZ%n", &year, &month, &day, &hour,
                            &minute, &second, &micro, &end),
                     7);
    ck_assert_uint_ge(year, 2024);
    ck_assert_str_eq(seen + end, " level=info event=start text=\"two words\"\n");
    ck_assert(!daemon_log_begin(&log, &line, SIGNET_LOG_DEBUG, "x"));
    atomic_store(&log.level, SIGNET_LOG_DEBUG);
    ck_assert(daemon_log_begin(&log, &line, SIGNET_LOG_DEBUG, "x"));
    daemon_log_library(&log, SIGNET_LOG_WARN, "from below");
    ck_assert_ptr_nonnull(
        strstr(read_back(fds[0]), " level=warn event=library text=\"from below\"\n"));
    close(fds[0]);
    close(fds[1]);
}
END_TEST

START_TEST(levels)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    enum signet_log_level level;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ck_assert(daemon_log_level_parse(&level, names[i]));
        ck_assert_str_eq(daemon_log_level_name(level), names[i]);
    }
    ck_assert(!daemon_log_level_parse(&level, "loud"));
}
END_TEST

/* A burst, then so many a second; what was dropped is told once. */
START_TEST(floods)
{
    int fds[2];
    struct daemon_log log;
    ck_assert_int_eq(pipe(fds), 0);
    daemon_log_init(&log, fds[1], SIGNET_LOG_INFO);
    const uint64_t second = UINT64_C(1000000000), start = 1000 * second;
    int allowed = 0;
    uint64_t wakes;
    log.wake_fd = eventfd(0, EFD_NONBLOCK);
    for (int i = 0; i < 1000; i++) {
        allowed += daemon_log_allowed(&log, start);
    }
    ck_assert_int_eq(read(log.wake_fd, &wakes, sizeof(wakes)), sizeof(wakes));
    ck_assert_uint_eq(wakes, 1);
    ck_assert_int_eq(allowed, DAEMON_LOG_BURST);
    for (int i = 0; i < 1000; i++) { /* a thousand in each of the next ten seconds */
        for (int k = 0; k < 10; k++) {
            allowed += daemon_log_allowed(&log, start + (uint64_t)i * second / 100);
        }
    }
    ck_assert_int_ge(allowed, DAEMON_LOG_BURST + 10 * DAEMON_LOG_RATE - 2);
    ck_assert_int_le(allowed, DAEMON_LOG_BURST + 10 * DAEMON_LOG_RATE);
    ck_assert_uint_eq(atomic_load(&log.dropped), (uint64_t)(11000 - allowed));
    char want[64];
    snprintf(want, sizeof(want), " event=dropped lines=%d ", 11000 - allowed);
    daemon_log_tell_dropped(&log);
    ck_assert_ptr_nonnull(strstr(read_back(fds[0]), want));
    daemon_log_tell_dropped(&log); /* nothing new */
    daemon_log_text(&log, SIGNET_LOG_INFO, "mark", "x");
    ck_assert_ptr_null(strstr(read_back(fds[0]), "dropped"));
    /* After a quiet time the whole burst is there again. */
    allowed = 0;
    for (int i = 0; i < 100; i++) {
        allowed += daemon_log_allowed(&log, start + 100 * second);
    }
    ck_assert_int_eq(allowed, DAEMON_LOG_BURST);
    ck_assert_int_eq(read(log.wake_fd, &wakes, sizeof(wakes)), sizeof(wakes));
    ck_assert_uint_eq(wakes, 1);
    close(log.wake_fd);
    close(fds[0]);
    close(fds[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon_log");
    TCase *t = tcase_create("daemon_log");
    tcase_add_test(t, values);
    tcase_add_test(t, every_byte);
    tcase_add_test(t, long_values);
    tcase_add_test(t, lines);
    tcase_add_test(t, levels);
    tcase_add_test(t, floods);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
