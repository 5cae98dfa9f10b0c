/* SPDX-License-Identifier: MIT */
/* The host's log callback. */
#ifndef SIGNET_BASE_LOG_H
#define SIGNET_BASE_LOG_H

#include <signet/signet.h>

typedef void signet_log_fn(void *arg, enum signet_log_level level, const char *line);

/* Sets where lines go; NULL: nowhere. Not while another thread may log. */
void signet_log_set(signet_log_fn *fn, void *arg);
/* One line, cut to 400 bytes. No secret bytes may be printed into it. Any thread. */
void signet_log(enum signet_log_level level, const char *format, ...) SIGNET_PRINTF(2, 3);

#endif
