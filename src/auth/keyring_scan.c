/* SPDX-License-Identifier: MIT */
#include "auth/keyring_scan.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"

size_t scan_eol(const struct scan *s, const char *p)
{
    if (p == s->end || (*p != '\n' && *p != '\r')) {
        return 0;
    }
    return *p == '\r' && p + 1 < s->end && p[1] == '\n' ? 2 : 1;
}

uint64_t scan_line(struct scan *s, const char *p)
{
    while (s->counted < p) {
        size_t eol = scan_eol(s, s->counted);
        s->counted += eol > 0 ? eol : 1;
        s->line += eol > 0;
    }
    return s->line;
}

int scan_expected(struct scan *s, const char *what)
{
    char found[32];
    unsigned char c = s->p < s->end ? (unsigned char)*s->p : 0;
    if (s->p == s->end) {
        snprintf(found, sizeof(found), "the end of the file");
    } else if (scan_eol(s, s->p) > 0) {
        snprintf(found, sizeof(found), "the end of the line");
    } else if (c > ' ' && c < 0x7f) {
        snprintf(found, sizeof(found), "'%c'", c);
    } else {
        snprintf(found, sizeof(found), "byte 0x%02x", c);
    }
    return signet_fail_set(s->fail, -SIGNET_E_KEYRING, "keyring", scan_line(s, s->p),
                           "found %s, expected %s", found, what);
}

void scan_blanks(struct scan *s)
{
    while (s->p < s->end && is_blank(*s->p)) {
        s->p++;
    }
}

/* Passes one comment with the blanks before it. */
static bool skip_comment(struct scan *s)
{
    const char *p = s->p;
    if (p < s->clear && is_blank(*p)) {
        return false; /* looked at already: each blank is looked at once */
    }
    while (p < s->end && is_blank(*p)) {
        p++;
    }
    if (p == s->end || (*p != '#' && *p != ';')) {
        s->clear = p;
        return false;
    }
    while (p < s->end && scan_eol(s, p) == 0) {
        p++;
    }
    s->p = p;
    return true;
}

void scan_skip(struct scan *s)
{
    for (;;) {
        size_t eol = s->p < s->end && *s->p == '\\' ? scan_eol(s, s->p + 1) : 0;
        if (eol > 0) {
            s->p += 1 + eol;
        } else if (!skip_comment(s)) {
            return;
        }
    }
}

/* Length of the char here, 0 if there is none; its meaning is its last byte. */
static size_t char_at(const struct scan *s)
{
    if (s->p == s->end || scan_eol(s, s->p) > 0 || *s->p == '#' || *s->p == ';') {
        return 0;
    }
    return *s->p == '\\' && s->p + 1 < s->end && scan_eol(s, s->p + 1) == 0 ? 2 : 1;
}

bool scan_char(struct scan *s, const char *stop, char *out)
{
    size_t len = char_at(s);
    if (len == 0 || (*s->p != 0 && strchr(stop, *s->p) != NULL)) {
        return false;
    }
    *out = s->p[len - 1];
    s->p += len;
    return true;
}
