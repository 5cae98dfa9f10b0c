/* SPDX-License-Identifier: MIT */
/* The smallest pieces of keyring text; what they are made into: keyring_text.c. */
#ifndef SIGNET_AUTH_KEYRING_SCAN_H
#define SIGNET_AUTH_KEYRING_SCAN_H

#include "auth/keyring_priv.h"

struct scan {
    const char *p, *end;
    const char *clear;   /* no comment begins with the blanks before this */
    const char *counted; /* line is the number of this position's line */
    uint64_t line;
    char *scratch; /* as large as the input: no text grows here */
    const struct keyring_sink *sink;
    void *arg;
    struct signet_fail *fail;
};

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What C's isspace() takes in the C locale. */
static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Length of the line end at p, 0 if there is none; CR LF is one. */
size_t scan_eol(const struct scan *s, const char *p);
/* Number of the line of p, which must not go back. */
uint64_t scan_line(struct scan *s, const char *p);
/* The failure "found ..., expected WHAT" at the present place. */
int scan_expected(struct scan *s, const char *what);
void scan_blanks(struct scan *s);
/* Passes continuations and comments. */
void scan_skip(struct scan *s);
/* Takes the char here unless it begins with one of `stop`; *out is what it means. */
bool scan_char(struct scan *s, const char *stop, char *out);

#endif
