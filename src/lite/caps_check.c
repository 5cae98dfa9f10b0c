/* SPDX-License-Identifier: MIT */
/* What each service knows as a grant; the words are those of caps_words.h. */
#include "lite/caps_check.h"

#include <string.h>

#include <signet/error.h>

#include "lite/caps_words.h"

/* --- monitor and manager ---------------------------------------------------------------------- */

static bool profile(const char **at)
{
    const char *p = *at;
    if (!caps_next_word(&p, "profile") || !caps_next_value(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static bool service(const char **at)
{
    const char *p = *at;
    if (!caps_next_word(&p, "service") || !caps_next_value(&p) || !caps_next_rights(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static bool command(const char **at)
{
    const char *p = *at;
    if (!caps_next_word(&p, "command") || !caps_next_value(&p)) {
        return false;
    }
    caps_with_constraints(&p);
    *at = p;
    return true;
}

static bool module(const char **at)
{
    const char *p = *at;
    if (!caps_next_word(&p, "module") || !caps_next_value(&p)) {
        return false;
    }
    caps_with_constraints(&p);
    if (!caps_next_rights(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static bool mon_grant(const char **at)
{
    const char *p = *at;
    if (caps_word(&p, "profile") && caps_next_value(&p)) {
        *at = p;
    } else {
        p = *at;
        if (!caps_word(&p, "allow") ||
            !(profile(&p) || service(&p) || command(&p) || caps_next_rights(&p))) {
            return false;
        }
        caps_pair(&p, "fsname", false);
        *at = p;
    }
    caps_network(at);
    return true;
}

static bool mgr_grant(const char **at)
{
    const char *p = *at;
    if (caps_word(&p, "profile") && caps_next_value(&p)) {
        caps_constraints(&p);
        *at = p;
    } else {
        p = *at;
        if (!caps_word(&p, "allow") ||
            !(profile(&p) || service(&p) || command(&p) || module(&p) || caps_next_rights(&p))) {
            return false;
        }
        *at = p;
    }
    caps_network(at);
    return true;
}

/* --- OSD -------------------------------------------------------------------------------------- */

static bool tag(const char **at)
{
    const char *p = *at;
    if (!caps_next_word(&p, "tag") || !caps_next_value(&p) || !caps_any_pair(&p)) {
        return false;
    }
    *at = p;
    return true;
}

static void matches(const char **at)
{
    while (caps_pair(at, "pool", true) || caps_pair(at, "namespace", true) ||
           caps_pair(at, "object_prefix", true) || tag(at)) {
    }
}

static bool class_rights(const char **at)
{
    const char *p = *at;
    if (!caps_next_word(&p, "class") || !caps_next_value(&p)) {
        return false;
    }
    *at = p;
    caps_next_value(at); /* a method */
    return true;
}

static bool osd_rights(const char **at)
{
    bool some = caps_next_rights(at);
    some = caps_next_word(at, "class-read") || some;
    some = caps_next_word(at, "class-write") || some;
    return some || class_rights(at);
}

static bool osd_grant(const char **at)
{
    const char *p = *at;
    if (caps_word(&p, "profile") && caps_next_value(&p)) {
        matches(&p);
    } else {
        p = *at;
        if (!caps_word(&p, "allow")) {
            return false;
        }
        matches(&p);
        if (!osd_rights(&p)) {
            return false;
        }
        matches(&p);
    }
    *at = p;
    caps_network(at);
    return true;
}

/* --- metadata server -------------------------------------------------------------------------- */

static void mds_rights(const char **at)
{
    const char *p = *at;
    if (caps_blanks(&p) && (caps_word(&p, "*") || caps_word(&p, "all"))) {
        *at = p;
    } else if (*p == 'r') {
        *at = p + strspn(p, "rwfps");
    }
}

static bool gids(const char **at)
{
    const char *p = *at;
    if (!caps_next_word(&p, "gids=") || strspn(p, "0123456789") == 0) {
        return false;
    }
    *at = p + strspn(p, "0123456789,");
    return true;
}

static bool mds_grant(const char **at)
{
    if (!caps_word(at, "allow")) {
        return false;
    }
    const char *p = *at;
    if (!caps_next_word(&p, "root_squash")) {
        mds_rights(at);
    }
    while (caps_pair(at, "fsname", false) || caps_pair(at, "path", true) ||
           caps_pair(at, "uid", false) || gids(at) || caps_next_word(at, "root_squash")) {
    }
    caps_network(at);
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
    caps_blanks(&p);
    if (!grant(&p)) {
        return false;
    }
    caps_blanks(&p);
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
    caps_blanks(&at);
    if (!grant(&at)) {
        return -SIGNET_E_CAPS;
    }
    caps_blanks(&at);
    while (next_grant(&at, grant)) {
    }
    *stop = (size_t)(at - text);
    return *at == 0 ? 0 : -SIGNET_E_CAPS;
}
