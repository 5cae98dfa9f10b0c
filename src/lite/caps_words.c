/* SPDX-License-Identifier: MIT */
#include "lite/caps_words.h"

#include <string.h>

#define BLANK    " \t\n\v\f\r"
#define NO_VALUE BLANK ",;=\"'"
#define NETWORK  "0123456789abcdefABCDEF.:/"

bool caps_blanks(const char **at)
{
    size_t len = strspn(*at, BLANK);
    *at += len;
    return len > 0;
}

bool caps_word(const char **at, const char *text)
{
    size_t len = strlen(text);
    if (strncmp(*at, text, len) != 0) {
        return false;
    }
    *at += len;
    return true;
}

bool caps_next_word(const char **at, const char *text)
{
    const char *p = *at;
    if (!caps_blanks(&p) || !caps_word(&p, text)) {
        return false;
    }
    *at = p;
    return true;
}

/* Bare or in quotes. */
static bool value(const char **at)
{
    const char *p = *at, *end;
    size_t len;
    if (*p == '"' || *p == '\'') {
        end = strchr(p + 1, *p);
        len = end != NULL ? (size_t)(end + 1 - p) : 0;
    } else {
        len = strcspn(p, NO_VALUE);
    }
    *at += len;
    return len > 0;
}

bool caps_next_value(const char **at)
{
    const char *p = *at;
    if (!caps_blanks(&p) || !value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

/* Blanks, NAME=VALUE; or, where loose, NAME VALUE. */
bool caps_pair(const char **at, const char *name, bool loose)
{
    const char *p = *at;
    if (!caps_next_word(&p, name)) {
        return false;
    }
    if (*p == '=') {
        p++;
    } else if (!loose || !caps_blanks(&p)) {
        return false;
    }
    if (!value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

/* Blanks, any KEY=VALUE. */
bool caps_any_pair(const char **at)
{
    const char *p = *at;
    if (!caps_next_value(&p) || *p++ != '=' || !value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

/* Blanks, KEY prefix VALUE or KEY regex VALUE. */
static bool any_match(const char **at)
{
    const char *p = *at;
    if (!caps_next_value(&p) || !(caps_next_word(&p, "prefix") || caps_next_word(&p, "regex")) ||
        !caps_next_value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

void caps_constraints(const char **at)
{
    while (caps_any_pair(at) || any_match(at)) {
    }
}

void caps_with_constraints(const char **at)
{
    const char *p = *at, *before;
    if (caps_next_word(&p, "with")) {
        before = p;
        caps_constraints(&p);
        *at = p != before ? p : *at;
    }
}

void caps_network(const char **at)
{
    const char *p = *at;
    if (caps_next_word(&p, "network") && caps_blanks(&p) && strspn(p, NETWORK) > 0) {
        *at = p + strspn(p, NETWORK);
    }
}

/* Letters in this order, each at most once. */
static bool letters(const char **at, const char *known)
{
    const char *p = *at;
    for (; *known != 0; known++) {
        p += *p == *known && *p != 0;
    }
    bool some = p != *at;
    *at = p;
    return some;
}

static bool rights(const char **at)
{
    return caps_word(at, "*") || caps_word(at, "all") || letters(at, "rwx");
}

bool caps_next_rights(const char **at)
{
    const char *p = *at;
    if (!caps_blanks(&p) || !rights(&p)) {
        return false;
    }
    *at = p;
    return true;
}
