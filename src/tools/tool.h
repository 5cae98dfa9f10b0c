/* SPDX-License-Identifier: MIT */
/*
 * What the subcommands share: exit codes, usage errors, failures that say what
 * happened, why that may be and what to do next; text or JSON output.
 */
#ifndef SIGNET_TOOLS_TOOL_H
#define SIGNET_TOOLS_TOOL_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include <signet/error.h>
#include <signet/visibility.h>

enum tool_exit { TOOL_OK = 0, TOOL_FAILURE = 1, TOOL_USAGE = 2 };
enum tool_format { TOOL_TEXT, TOOL_JSON };

/* Long options without a short letter count from here (values for struct option.val). */
enum { TOOL_OPT_FIRST = 256, TOOL_OPT_HELP = TOOL_OPT_FIRST, TOOL_OPT_FORMAT, TOOL_OPT_OWN };

/* "text" or "json"; false for anything else. */
bool tool_format_parse(enum tool_format *out, const char *text);
/* A decimal number of low..high with nothing behind it; false otherwise. */
bool tool_number_parse(uint64_t *out, const char *text, uint64_t low, uint64_t high);
/* Bytes, low..high: a decimal number that K, M or G (or k, m, g) may follow; false otherwise. */
bool tool_size_parse(uint64_t *out, const char *text, uint64_t low, uint64_t high);
/* Seconds with an optional fraction ("0.5"), to nanoseconds; false otherwise. */
bool tool_seconds_parse(uint64_t *out_ns, const char *text);

/* The modes of connections that an --ms-mode names, the preferred one first; false for another. */
#define TOOL_MODES "crc, secure, prefer-crc or prefer-secure"
bool tool_modes_parse(uint32_t modes[2], unsigned *num, const char *text);

/* Where in a keyring the fault is, "line 3: " or "byte 20: "; nothing when it has no place. */
enum { TOOL_PLACE_MAX = 48 };
const char *tool_keyring_place(char out[TOOL_PLACE_MAX], const struct signet_fail *fail);

/* The whole file, malloc'd, with a NUL behind it. NULL and errno when it cannot be read or is
 * longer than max (EFBIG). */
char *tool_read_file(const char *path, size_t max, size_t *len);

/* Text that may come from the wire or from anybody, for a terminal: control characters are written
 * as \xNN, so that nothing of it steers the terminal. What the functions below print is
 * written so, too. */
void tool_put_text(FILE *out, const char *text, size_t len);

/* Prints text to stdout; TOOL_OK. For --help. */
int tool_help(const char *text);
/* "signet COMMAND: ..." and where to find help, on stderr; TOOL_USAGE. */
int tool_usage(const char *command, const char *format, ...) SIGNET_PRINTF(2, 3);

/* What the values of an option must be; completes "'...' is not ". Lists end with expected NULL. */
struct tool_expected {
    int val; /* as in struct option */
    const char *expected;
};
/* After getopt_long with opterr 0 and a short list that begins with ':'. c is what it returned:
 * '?',
 * ':' (said in one line that names the option), or an option whose value was refused. TOOL_USAGE.
 */
int tool_option_wrong(const char *command, int c, char **argv, const struct option *options,
                      const struct tool_expected *expected);

/* Which handlers there are, for messages and help. */
#define TOOL_HANDLERS "nss, openssl or, where built in, ipsec-mb"
/* signet_init() on a handler (NULL: the default one). TOOL_OK, or the exit code after a message. */
int tool_start(const char *command, const char *handler, enum tool_format format);

/* A failure as people need it. Nothing in it is owned or may be secret. */
struct tool_problem {
    int err;              /* -SIGNET_E_x, or 0 when it is the tool's own finding */
    char what[640];       /* one sentence: what happened, with the names and numbers */
    const char *cause[5]; /* likely causes, the likeliest first; ends with NULL */
    const char *next;     /* the next step; may be NULL */
};
/* Writes .what; what is too long is cut. */
void tool_what(struct tool_problem *problem, const char *format, ...) SIGNET_PRINTF(2, 3);
/* On stderr, or as {"ok": false, "error": {...}} on stdout for TOOL_JSON; TOOL_FAILURE. */
int tool_fail(const char *command, enum tool_format format, const struct tool_problem *problem);
/* The same as a JSON object (new reference), for commands that print one document. */
json_t *tool_problem_json(const struct tool_problem *problem);

/* A JSON string (new reference) of any bytes: what is not UTF-8 is written as \\xNN. */
json_t *tool_json_text(const void *text, size_t len);
/* Prints the document and a newline on stdout and drops the reference. */
void tool_json_print(json_t *document);

#endif
