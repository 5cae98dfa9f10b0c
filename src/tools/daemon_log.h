/* SPDX-License-Identifier: MIT */
/*
 * The log of signetd: logfmt lines on stderr, each with one write(). Any thread; the level may be
 * changed at any time. From daemon_log_start() to daemon_log_stop() a thread of its own writes, and
 * nobody waits for stderr.
 */
#ifndef SIGNET_TOOLS_DAEMON_LOG_H
#define SIGNET_TOOLS_DAEMON_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <signet/signet.h>

#include "daemon_log_ring.h"
#include "daemon_logfmt.h"

/* Warnings that peers can cause at will: so many at once, and so many a second in the long run. */
enum { DAEMON_LOG_BURST = 20, DAEMON_LOG_RATE = 10 };
/* The longest that an end waits for a stderr that takes nothing. */
enum { DAEMON_LOG_STOP_MS = 1000, DAEMON_LOG_CUT_MS = 200 };

struct daemon_log {
    int fd;                /* 2; -1: nothing is written any more */
    struct log_ring *ring; /* NULL: who has a line writes it */
    _Atomic int level;     /* enum signet_log_level; lines above it are left out */
    /* A bucket of lines: full at DAEMON_LOG_BURST. */
    _Atomic uint64_t spent_until_ns;        /* monotonic: when the bucket will be full again */
    _Atomic uint64_t dropped, dropped_told; /* in all; of them already told of */
    int wake_fd; /* an eventfd that is written when there is something to tell; -1: none */
};

void daemon_log_init(struct daemon_log *log, int fd, enum signet_log_level level);
/* False: there is no thread; lines are written as before. Before other threads have lines. */
bool daemon_log_start(struct daemon_log *log);
/* Writes what is there. When other threads have none any more. */
void daemon_log_stop(struct daemon_log *log);
/* The same for who ends the process from within a handler of a signal. */
void daemon_log_cut(struct daemon_log *log);
/* Lines lost because stderr took none. */
uint64_t daemon_log_lost(const struct daemon_log *log);
bool daemon_log_level_parse(enum signet_log_level *out, const char *text);
const char *daemon_log_level_name(enum signet_log_level level);

/* A line with ts, level and event; false when the level is switched off. */
bool daemon_log_begin(struct daemon_log *log, struct logfmt *line, enum signet_log_level level,
                      const char *event);
/* Writes it. */
void daemon_log_end(struct daemon_log *log, struct logfmt *line);
/* A line with a text. */
void daemon_log_text(struct daemon_log *log, enum signet_log_level level, const char *event,
                     const char *format, ...) SIGNET_PRINTF(4, 5);

/* Whether a line that peers can cause at will may be written now; if not it counts as dropped, and
 * the first that is not told of wakes who waits at wake_fd. */
bool daemon_log_allowed(struct daemon_log *log, uint64_t mono_ns);
/* Tells how many were dropped since it was last told, if any. */
void daemon_log_tell_dropped(struct daemon_log *log);

/* For signet_options.log; arg is the struct daemon_log. */
void daemon_log_library(void *arg, enum signet_log_level level, const char *text);

#endif
