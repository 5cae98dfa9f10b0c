/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static signet_log_fn *log_fn;
static void *log_arg;

void signet_log_set(signet_log_fn *fn, void *arg)
{
    log_fn = fn;
    log_arg = arg;
}

void signet_log(enum signet_log_level level, const char *format, ...)
{
    if (log_fn == NULL) {
        return;
    }
    char line[400];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    log_fn(log_arg, level, line);
}
