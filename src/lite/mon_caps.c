/* SPDX-License-Identifier: MIT */
/* Capabilities for the monitor. */
#include "lite/mon.h"

#include <stdbool.h>
#include <string.h>

#include "base/span.h"

#define BLANK     " \t"
#define GRANT_END ",;"
#define WORD_END  " \t,;"

/* The next word of this grant; length 0 at its end. */
static struct signet_span next_word(const char **at)
{
    *at += strspn(*at, BLANK);
    struct signet_span w = {(const uint8_t *)*at, strcspn(*at, WORD_END)};
    *at += w.len;
    return w;
}

/* "rw" as bits; 0 when another letter is among them. */
static unsigned letters(struct signet_span w)
{
    static const char known[] = "rwx";
    unsigned bits = 0;
    for (size_t i = 0; i < w.len; i++) {
        const char *at = strchr(known, w.p[i]);
        if (at == NULL) {
            return 0;
        }
        bits |= 1U << (at - known);
    }
    return bits;
}

/* One grant up to its end; 0 when it is none. */
static unsigned grant(const char **at)
{
    struct signet_span what = next_word(at);
    unsigned bits = 0;
    if (signet_span_is(what, "allow")) {
        what = next_word(at);
    } else if (!signet_span_is(what, "profile")) { /* which stands for itself too */
        return 0;
    }
    if (signet_span_is(what, "*") || signet_span_is(what, "all")) {
        bits = SIGNET_MAY_ALL;
    } else if (signet_span_is(what, "profile")) {
        bits = next_word(at).len > 0 ? SIGNET_MAY_R : 0;
    } else {
        bits = letters(what);
    }
    /* "allow rw command foo" limits the letters: that is more than this monitor understands */
    return next_word(at).len == 0 ? bits : 0;
}

unsigned signet_mon_caps(const char *text)
{
    unsigned bits = 0;
    const char *at = text;
    while (at != NULL) {
        unsigned more = grant(&at);
        if (more == 0) {
            return 0;
        }
        bits |= more;
        at = *at != 0 ? at + strspn(at, GRANT_END) : NULL;
    }
    return bits;
}
