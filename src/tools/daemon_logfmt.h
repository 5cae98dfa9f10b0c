/* SPDX-License-Identifier: MIT */
/*
 * One line of a structured log: NAME=VALUE pairs (logfmt). A value with anything but printable
 * ASCII without blanks, quotes and equals signs is quoted; quotes, backslashes and all other bytes
 * are escaped (\" \\ \n \r \t \xNN), so that what a peer says can neither end a line nor begin a
 * pair.
 */
#ifndef SIGNET_TOOLS_DAEMON_LOGFMT_H
#define SIGNET_TOOLS_DAEMON_LOGFMT_H

#include <stdbool.h>
#include <stddef.h>

#include <signet/visibility.h>

enum {
    LOGFMT_LINE_MAX = 2048, /* with the newline: one write() to a pipe stays in one piece */
    LOGFMT_VALUE_MAX = 600, /* what is longer is cut and ends with "..." */
};

struct logfmt {
    char text[LOGFMT_LINE_MAX];
    size_t len;
};

/* Each adds one pair as a whole, or nothing when the line has no room for it. name: a word of
 * lower case letters and underscores. */
void logfmt_bytes(struct logfmt *line, const char *name, const char *value, size_t len);
/* value NULL: nothing. */
void logfmt_text(struct logfmt *line, const char *name, const char *value);
void logfmt_printf(struct logfmt *line, const char *name, const char *format, ...)
    SIGNET_PRINTF(3, 4);
/* Adds the newline, for which there is always room. */
void logfmt_end(struct logfmt *line);

#endif
