/* SPDX-License-Identifier: MIT */
/*
 * The grammar of keyring text, which is the one of Ceph's configuration files:
 *
 *   file    = [option] | *eol *section
 *   section = "[" 1*char "]" ends *option
 *   option  = *blank name *blank "=" *blank value ends
 *   value   = <"> *char <"> | "'" *char "'" | *char
 *   ends    = 1*(*blank eol)
 *
 * Between any two of these, and inside an unquoted text, may stand a backslash with an eol, or
 * blanks with a comment up to the eol. A char is anything but eol, "#" and ";", or one of those
 * (not eol) behind a backslash. Source: doc/keyring.md.
 */
#include "auth/keyring_scan.h"

#include <string.h>

#include "base/fail.h"
#include "base/secret.h"

static int read_ends(struct scan *s)
{
    size_t num = 0;
    for (;;) {
        const char *before = s->p;
        scan_skip(s);
        scan_blanks(s);
        size_t eol = scan_eol(s, s->p);
        if (eol == 0) {
            int err = num == 0 ? scan_expected(s, "the end of the line") : 0;
            s->p = before;
            return err;
        }
        s->p += eol;
        num++;
    }
}

static int read_heading(struct scan *s)
{
    char *out = s->scratch;
    uint64_t line = scan_line(s, s->p);
    s->p++; /* "[" */
    for (scan_skip(s); scan_char(s, "]", out); scan_skip(s)) {
        out++;
    }
    if (out == s->scratch) {
        return scan_expected(s, "an entity name such as client.admin");
    }
    if (s->p == s->end || *s->p != ']') {
        return scan_expected(s, "']' behind the entity name");
    }
    s->p++;
    int err = read_ends(s);
    return err != 0 ? err : s->sink->section(s->arg, s->scratch, (size_t)(out - s->scratch), line);
}

/* Words with blanks between; s->p is left behind the last word. False: there is none. */
static bool pass_name(struct scan *s)
{
    const char *end = NULL;
    for (;;) {
        const char *start = s->p, *last = s->p;
        char c;
        for (scan_skip(s); scan_char(s, "=[ ", &c); scan_skip(s)) {
            last = s->p;
        }
        if (last == start) {
            break;
        }
        end = last;
        s->p = last;
        scan_skip(s);
        if (s->p == s->end || !is_blank(*s->p)) {
            break;
        }
        while (s->p < s->end && is_blank(*s->p)) {
            s->p++;
            scan_skip(s);
        }
    }
    if (end != NULL) {
        s->p = end;
    }
    return end != NULL;
}

static struct signet_span trimmed(const char *p, const char *end)
{
    while (p < end && is_space(*p)) {
        p++;
    }
    while (p < end && is_space(end[-1])) {
        end--;
    }
    return (struct signet_span){.p = (const uint8_t *)p, .len = (size_t)(end - p)};
}

/* One space for each run of white space, then "_" is a space too. Written to the scratch. */
static struct signet_span normalized(struct scan *s, const char *start, const char *end)
{
    struct signet_span in = trimmed(start, end);
    char *out = s->scratch;
    for (size_t i = 0; i < in.len; i++) {
        char c = (char)in.p[i];
        if (is_space(c)) {
            if (is_space((char)in.p[i - 1])) { /* i > 0: no space begins it */
                continue;
            }
            c = ' ';
        }
        *out++ = c == '_' ? ' ' : c;
    }
    return (struct signet_span){.p = (uint8_t *)s->scratch, .len = (size_t)(out - s->scratch)};
}

static int read_value(struct scan *s, char *out, struct signet_span *value)
{
    char *start = out;
    scan_skip(s);
    scan_blanks(s);
    scan_skip(s);
    char quote = s->p < s->end && (*s->p == '"' || *s->p == '\'') ? *s->p : 0;
    if (quote == 0) {
        for (; scan_char(s, "", out); scan_skip(s)) {
            out++;
        }
    } else {
        const char stop[2] = {quote, 0};
        s->p++;
        while (scan_char(s, stop, out)) {
            out++;
        }
        if (s->p == s->end || *s->p != quote) {
            return scan_expected(s, "the closing quote (within quotes write \\# \\; for # ;)");
        }
        s->p++;
    }
    *value = trimmed(start, out);
    return read_ends(s);
}

static int read_option(struct scan *s)
{
    scan_blanks(s);
    scan_skip(s);
    const char *start = s->p;
    uint64_t line = scan_line(s, start);
    if (!pass_name(s)) {
        return scan_expected(s, "an option such as key or caps, or a section [type.id]");
    }
    struct signet_span name = normalized(s, start, s->p);
    scan_skip(s);
    scan_blanks(s);
    scan_skip(s);
    if (s->p == s->end || *s->p != '=') {
        return scan_expected(s, "'=' behind the name of an option");
    }
    s->p++;
    struct signet_span value = {.len = 0};
    int err = read_value(s, s->scratch + name.len, &value);
    return err != 0 ? err : s->sink->option(s->arg, name, value, line);
}

/* A file that does not begin with a section may have one option, which counts as global. */
static int read_lone_option(struct scan *s)
{
    int err = s->sink->section(s->arg, "global", 6, scan_line(s, s->p));
    if (err == 0) {
        err = read_option(s);
    }
    scan_skip(s);
    return err == 0 && s->p != s->end ? scan_expected(s, "a section [type.id] above the options")
                                      : err;
}

static int read_file(struct scan *s)
{
    const char *start = s->p;
    s->p += keyring_utf8_len(start, (size_t)(s->end - start));
    if (s->p != s->end) {
        return scan_expected(s, "UTF-8 text");
    }
    s->p = start;
    if (s->end - start >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) {
        return scan_expected(s, "a file without a byte order mark");
    }
    scan_skip(s);
    if (s->p < s->end && *s->p != '[' && scan_eol(s, s->p) == 0) {
        return read_lone_option(s);
    }
    for (size_t eol = scan_eol(s, s->p); eol > 0; eol = scan_eol(s, s->p)) {
        s->p += eol;
        scan_skip(s);
    }
    if (s->p < s->end && *s->p != '[') {
        return scan_expected(s, "a section [type.id] at the start of a line");
    }
    int err = 0;
    while (err == 0 && s->p < s->end) {
        err = *s->p == '[' ? read_heading(s) : read_option(s);
        scan_skip(s);
    }
    return err;
}

int keyring_text_scan(const char *in, size_t len, const struct keyring_sink *sink, void *arg,
                      struct signet_fail *fail)
{
    char *scratch = signet_secret_alloc(len + 1);
    if (scratch == NULL) {
        return signet_fail_set(fail, -SIGNET_E_NOMEM, "keyring", 0, "out of memory");
    }
    struct scan s = {.p = in,
                     .end = in + len,
                     .clear = in,
                     .counted = in,
                     .line = 1,
                     .scratch = scratch,
                     .sink = sink,
                     .arg = arg,
                     .fail = fail};
    int err = read_file(&s);
    signet_secret_free(scratch, len + 1);
    return err;
}
