/* SPDX-License-Identifier: MIT */
#include "daemon_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {[SIGNET_LOG_ERROR] = "error",
                                    [SIGNET_LOG_WARN] = "warn",
                                    [SIGNET_LOG_INFO] = "info",
                                    [SIGNET_LOG_DEBUG] = "debug"};

void daemon_log_init(struct daemon_log *log, int fd, enum signet_log_level level)
{
    log->fd = fd;
    log->wake_fd = -1;
    log->ring = NULL;
    atomic_init(&log->level, (int)level);
    atomic_init(&log->spent_until_ns, 0);
    atomic_init(&log->dropped, 0);
    atomic_init(&log->dropped_told, 0);
}

/* --- the thread that writes ------------------------------------------------------------------- */

static bool tell_lost(void *arg, uint64_t lost, struct logfmt *line)
{
    if (!daemon_log_begin(arg, line, SIGNET_LOG_WARN, "lost")) {
        return false;
    }
    logfmt_printf(line, "lines", "%" PRIu64, lost);
    logfmt_text(line, "text", "what reads this log was too slow: lines that came here are lost");
    logfmt_end(line);
    return true;
}

bool daemon_log_start(struct daemon_log *log)
{
    log->ring = log_ring_start(log->fd, tell_lost, log);
    log_ring_on_fault(log->ring);
    return log->ring != NULL;
}

void daemon_log_stop(struct daemon_log *log)
{
    if (log->ring == NULL) {
        return;
    }
    log_ring_on_fault(NULL);
    if (!log_ring_stop(log->ring, DAEMON_LOG_STOP_MS)) {
        log->fd = -1;
    }
    log->ring = NULL;
}

void daemon_log_cut(struct daemon_log *log)
{
    if (log->ring != NULL) {
        (void)log_ring_wait(log->ring, DAEMON_LOG_CUT_MS);
    }
}

uint64_t daemon_log_lost(const struct daemon_log *log)
{
    return log->ring != NULL ? log_ring_lost(log->ring) : 0;
}

/* --- lines ------------------------------------------------------------------------------------ */

bool daemon_log_level_parse(enum signet_log_level *out, const char *text)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (enum signet_log_level)i;
            return true;
        }
    }
    return false;
}

const char *daemon_log_level_name(enum signet_log_level level)
{
    return names[level];
}

bool daemon_log_begin(struct daemon_log *log, struct logfmt *line, enum signet_log_level level,
                      const char *event)
{
    if ((int)level > atomic_load_explicit(&log->level, memory_order_relaxed)) {
        return false;
    }
    struct timespec now;
    struct tm tm;
    char day[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
    line->len = 0;
    logfmt_printf(line, "ts", "%s.%06ldZ", day, now.tv_nsec / 1000);
    logfmt_text(line, "level", names[level]);
    logfmt_text(line, "event", event);
    return true;
}

void daemon_log_end(struct daemon_log *log, struct logfmt *line)
{
    logfmt_end(line);
    if (log->ring != NULL) {
        (void)log_ring_put(log->ring, line); /* one that is lost is counted */
        return;
    }
    /* Nobody can be told that the log cannot be written. */
    ssize_t written = write(log->fd, line->text, line->len);
    (void)written;
}

void daemon_log_text(struct daemon_log *log, enum signet_log_level level, const char *event,
                     const char *format, ...)
{
    struct logfmt line;
    if (!daemon_log_begin(log, &line, level, event)) {
        return;
    }
    char text[LOGFMT_VALUE_MAX + 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    logfmt_text(&line, "text", text);
    daemon_log_end(log, &line);
}

static void drop(struct daemon_log *log)
{
    uint64_t before = atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed), one = 1;
    if (log->wake_fd >= 0 &&
        before == atomic_load_explicit(&log->dropped_told, memory_order_relaxed)) {
        ssize_t written = write(log->wake_fd, &one, sizeof(one));
        (void)written; /* it is full, so somebody is woken already */
    }
}

/* One number is the whole bucket: each line moves the time at which it will be full again by the
 * time that one line takes; that time must not lie further ahead than the burst. */
bool daemon_log_allowed(struct daemon_log *log, uint64_t mono_ns)
{
    const uint64_t each_ns = UINT64_C(1000000000) / DAEMON_LOG_RATE;
    uint64_t until = atomic_load_explicit(&log->spent_until_ns, memory_order_relaxed), next;
    do {
        next = (until > mono_ns ? until : mono_ns) + each_ns;
        if (next - mono_ns > DAEMON_LOG_BURST * each_ns) {
            drop(log);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&log->spent_until_ns, &until, next,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

void daemon_log_tell_dropped(struct daemon_log *log)
{
    uint64_t all = atomic_load_explicit(&log->dropped, memory_order_relaxed);
    uint64_t told = atomic_exchange_explicit(&log->dropped_told, all, memory_order_relaxed);
    struct logfmt line;
    if (all == told || !daemon_log_begin(log, &line, SIGNET_LOG_WARN, "dropped")) {
        return;
    }
    logfmt_printf(&line, "lines", "%" PRIu64, all - told);
    logfmt_text(&line, "text", "warnings of what clients did were left out");
    daemon_log_end(log, &line);
}

void daemon_log_library(void *arg, enum signet_log_level level, const char *text)
{
    daemon_log_text(arg, level, "library", "%s", text);
}
