/* SPDX-License-Identifier: MIT */
/* Each function takes what it knows from *at, or returns false and leaves *at alone. */
#include "lite/caps_check.h"

#include <stdbool.h>
#include <string.h>

#include <signet/error.h>

#define BLANK    " \t\n\v\f\r"
#define NO_VALUE BLANK ",;=\"'"
#define NETWORK  "0123456789abcdefABCDEF.:/"

static bool blanks(const char **at)
{
    size_t len = strspn(*at, BLANK);
    *at += len;
    return len > 0;
}

static bool word(const char **at, const char *text)
{
    size_t len = strlen(text);
    if (strncmp(*at, text, len) != 0) {
        return false;
    }
    *at += len;
    return true;
}

/* Blanks in front of it. */
static bool next_word(const char **at, const char *text)
{
    const char *p = *at;
    if (!blanks(&p) || !word(&p, text)) {
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

static bool next_value(const char **at)
{
    const char *p = *at;
    if (!blanks(&p) || !value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

/* Blanks, NAME=VALUE; or, where loose, NAME VALUE. */
static bool pair(const char **at, const char *name, bool loose)
{
    const char *p = *at;
    if (!next_word(&p, name)) {
        return false;
    }
    if (*p == '=') {
        p++;
    } else if (!loose || !blanks(&p)) {
        return false;
    }
    if (!value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

/* Blanks, any KEY=VALUE. */
static bool any_pair(const char **at)
{
    const char *p = *at;
    if (!next_value(&p) || *p++ != '=' || !value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

/* Blanks, KEY prefix VALUE or KEY regex VALUE. */
static bool any_match(const char **at)
{
    const char *p = *at;
    if (!next_value(&p) || !(next_word(&p, "prefix") || next_word(&p, "regex")) ||
        !next_value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static void constraints(const char **at)
{
    while (any_pair(at) || any_match(at)) {
    }
}

static void with_constraints(const char **at)
{
    const char *p = *at, *before;
    if (next_word(&p, "with")) {
        before = p;
        constraints(&p);
        *at = p != before ? p : *at;
    }
}

static void network(const char **at)
{
    const char *p = *at;
    if (next_word(&p, "network") && blanks(&p) && strspn(p, NETWORK) > 0) {
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
    return word(at, "*") || word(at, "all") || letters(at, "rwx");
}

static bool next_rights(const char **at)
{
    const char *p = *at;
    if (!blanks(&p) || !rights(&p)) {
        return false;
    }
    *at = p;
    return true;
}

/* --- monitor and manager ---------------------------------------------------------------------- */

static bool profile(const char **at)
{
    const char *p = *at;
    if (!next_word(&p, "profile") || !next_value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static bool service(const char **at)
{
    const char *p = *at;
    if (!next_word(&p, "service") || !next_value(&p) || !next_rights(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static bool command(const char **at)
{
    const char *p = *at;
    if (!next_word(&p, "command") || !next_value(&p)) {
        return false;
    }
    with_constraints(&p);
    *at = p;
    return true;
}

static bool module(const char **at)
{
    const char *p = *at;
    if (!next_word(&p, "module") || !next_value(&p)) {
        return false;
    }
    with_constraints(&p);
    if (!next_rights(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static bool mon_grant(const char **at)
{
    const char *p = *at;
    if (word(&p, "profile") && next_value(&p)) {
        *at = p;
    } else {
        p = *at;
        if (!word(&p, "allow") || !(profile(&p) || service(&p) || command(&p) || next_rights(&p))) {
            return false;
        }
        pair(&p, "fsname", false);
        *at = p;
    }
    network(at);
    return true;
}

static bool mgr_grant(const char **at)
{
    const char *p = *at;
    if (word(&p, "profile") && next_value(&p)) {
        constraints(&p);
        *at = p;
    } else {
        p = *at;
        if (!word(&p, "allow") ||
            !(profile(&p) || service(&p) || command(&p) || module(&p) || next_rights(&p))) {
            return false;
        }
        *at = p;
    }
    network(at);
    return true;
}

/* --- OSD -------------------------------------------------------------------------------------- */

static bool tag(const char **at)
{
    const char *p = *at;
    if (!next_word(&p, "tag") || !next_value(&p) || !any_pair(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static void matches(const char **at)
{
    while (pair(at, "pool", true) || pair(at, "namespace", true) ||
           pair(at, "object_prefix", true) || tag(at)) {
    }
}

static bool class_rights(const char **at)
{
    const char *p = *at;
    if (!next_word(&p, "class") || !next_value(&p)) {
        return false;
    }
    *at = p;
    next_value(at); /* a method */
    return true;
}

static bool osd_rights(const char **at)
{
    bool some = next_rights(at);
    some = next_word(at, "class-read") || some;
    some = next_word(at, "class-write") || some;
    return some || class_rights(at);
}

static bool osd_grant(const char **at)
{
    const char *p = *at;
    if (word(&p, "profile") && next_value(&p)) {
        matches(&p);
    } else {
        p = *at;
        if (!word(&p, "allow")) {
            return false;
        }
        matches(&p);
        if (!osd_rights(&p)) {
            return false;
        }
        matches(&p);
    }
    *at = p;
    network(at);
    return true;
}

/* --- metadata server -------------------------------------------------------------------------- */

static void mds_rights(const char **at)
{
    const char *p = *at;
    if (blanks(&p) && (word(&p, "*") || word(&p, "all"))) {
        *at = p;
    } else if (*p == 'r') {
        *at = p + strspn(p, "rwfps");
    }
}

static bool gids(const char **at)
{
    const char *p = *at;
    if (!next_word(&p, "gids=") || strspn(p, "0123456789") == 0) {
        return false;
    }
    *at = p + strspn(p, "0123456789,");
    return true;
}

static bool mds_grant(const char **at)
{
    if (!word(at, "allow")) {
        return false;
    }
    const char *p = *at;
    if (!next_word(&p, "root_squash")) {
        mds_rights(at);
    }
    while (pair(at, "fsname", false) || pair(at, "path", true) || pair(at, "uid", false) ||
           gids(at) || next_word(at, "root_squash")) {
    }
    network(at);
    return true;
}

/* --- lists of grants -------------------------------------------------------------------------- */

typedef bool (*grant_fn)(const char **at);

static grant_fn grant_of(const char *service)
{
    static const struct {
        const char *service;
        grant_fn grant;
    } table[] = {{"mon", mon_grant}, {"osd", osd_grant}, {"mgr", mgr_grant}, {"mds", mds_grant}};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].service, service) == 0) {
            return table[i].grant;
        }
    }
    return NULL;
}

/* The grant after a separator, which is part of what makes no sense when none follows. */
static bool next_grant(const char **at, grant_fn grant)
{
    const char *p = *at;
    if (*p != ',' && *p != ';') {
        return false;
    }
    p++;
    blanks(&p);
    if (!grant(&p)) {
        return false;
    }
    blanks(&p);
    *at = p;
    return true;
}

int signet_caps_check(const char *service, const char *text, size_t *stop)
{
    grant_fn grant = grant_of(service);
    const char *at = text;
    *stop = 0;
    if (grant == NULL) {
        return -SIGNET_E_NOT_FOUND;
    }
    blanks(&at);
    if (!grant(&at)) {
        return -SIGNET_E_CAPS;
    }
    blanks(&at);
    while (next_grant(&at, grant)) {
    }
    *stop = (size_t)(at - text);
    return *at == 0 ? 0 : -SIGNET_E_CAPS;
}
