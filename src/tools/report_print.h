/* SPDX-License-Identifier: MIT */
/* A report's JSON objects as text for people. */
#ifndef SIGNET_TOOLS_REPORT_PRINT_H
#define SIGNET_TOOLS_REPORT_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

enum { REPORT_DEPTH_MAX = 6 }; /* objects inside objects of fields */

/* "client @26 HELLO 72 bytes", then what report_print_object() gives. */
void report_print_frame(const json_t *frame);
/* Fields, notes, and the checks: one line of those that passed, one for each other. */
void report_print_object(const json_t *object, unsigned indent);
void report_print_totals(const json_t *totals, size_t connections, size_t frames, uint64_t failed);

#endif
