/* SPDX-License-Identifier: MIT */
/* Capabilities for the OSD. */
#include "lite/osd_caps.h"

#include <string.h>

#include "base/span.h"

#define BLANK     " \t"
#define GRANT_END ",;"
#define WORD_END  " \t,;="

struct text {
    const char *at;
    bool bad;
};

static struct signet_span word(struct text *t)
{
    t->at += strspn(t->at, BLANK);
    size_t len = strcspn(t->at, WORD_END);
    struct signet_span w = {(const uint8_t *)t->at, len};
    t->at += len;
    return w;
}

/* What follows a key: "=VALUE" or blanks and VALUE; in quotes anything but that quote. */
static struct signet_span value(struct text *t)
{
    t->at += strspn(t->at, BLANK);
    t->at += *t->at == '=' ? 1 : 0;
    t->at += strspn(t->at, BLANK);
    if (*t->at != '"' && *t->at != '\'') {
        struct signet_span v = word(t);
        t->bad |= v.len == 0 || *t->at == '=';
        return v;
    }
    const char *end = strchr(t->at + 1, *t->at);
    t->bad |= end == NULL;
    if (t->bad) {
        return (struct signet_span){NULL, 0};
    }
    struct signet_span v = {(const uint8_t *)t->at + 1, (size_t)(end - t->at - 1)};
    t->at = end + 1;
    t->bad |= *t->at != 0 && strchr(WORD_END, *t->at) == NULL;
    return v;
}

static bool letters(struct signet_span w, unsigned *may)
{
    static const char known[] = "rwx";
    for (size_t i = 0; i < w.len; i++) {
        const char *at = w.p[i] != 0 ? strchr(known, w.p[i]) : NULL;
        if (at == NULL) {
            return false;
        }
        *may |= 1U << (at - known);
    }
    return w.len > 0;
}

/* One word of rights; false when it is none. */
static bool right(struct signet_span w, unsigned *may)
{
    if (signet_span_is(w, "*") || signet_span_is(w, "all")) {
        *may = OSD_MAY_ALL;
        return true;
    }
    return signet_span_is(w, "class-read") || signet_span_is(w, "class-write") || letters(w, may);
}

static bool limit(struct text *t, struct signet_span w, struct osd_grant *g)
{
    if (signet_span_is(w, "pool") && !g->has_pool) {
        g->has_pool = true;
        g->pool = value(t);
        t->bad |= g->pool.len == 0;
    } else if (signet_span_is(w, "namespace") && !g->has_ns) {
        g->has_ns = true;
        g->ns = value(t);
        g->ns_prefix = g->ns.len > 0 && g->ns.p[g->ns.len - 1] == '*';
        g->ns.len -= g->ns_prefix ? 1 : 0;
    } else if (signet_span_is(w, "object_prefix") && g->object.len == 0) {
        g->object = value(t);
        t->bad |= g->object.len == 0;
    } else {
        return false;
    }
    return !t->bad;
}

static bool profile(struct text *t, struct osd_grant *g)
{
    struct signet_span name = word(t);
    bool known = signet_span_is(name, "rbd") || signet_span_is(name, "rbd-read-only");
    g->may =
        signet_span_is(name, "rbd") ? OSD_MAY_R | OSD_MAY_W | OSD_MAY_X : OSD_MAY_R | OSD_MAY_X;
    return known;
}

/* Rights come first, at least one; then the limits. */
static bool grant(struct text *t, struct osd_grant *g)
{
    struct signet_span w = word(t);
    bool given = signet_span_is(w, "profile") && profile(t, g);
    if (!given && !signet_span_is(w, "allow")) {
        return false;
    }
    bool limited = given;
    for (w = word(t); w.len > 0; w = word(t)) {
        if (!limited && right(w, &g->may)) {
            given = true;
            continue;
        }
        limited = true;
        if (!limit(t, w, g)) {
            return false;
        }
    }
    return given && *t->at != '=';
}

bool osd_caps_parse(struct osd_caps *caps, const char *text)
{
    struct text t = {text, text == NULL};
    bool more = !t.bad;
    *caps = (struct osd_caps){0};
    while (more) {
        if (caps->num == OSD_GRANTS_MAX || !grant(&t, &caps->grant[caps->num])) {
            *caps = (struct osd_caps){0};
            return false;
        }
        caps->num++;
        more = *t.at != 0;
        t.at += more ? 1 : 0;
    }
    return caps->num > 0;
}

static bool begins(struct signet_span text, struct signet_span with)
{
    return text.len >= with.len && (with.len == 0 || memcmp(text.p, with.p, with.len) == 0);
}

static bool covers(const struct osd_grant *g, const char *pool, const struct signet_span *ns,
                   struct signet_span name)
{
    if (g->has_pool && !signet_span_is(g->pool, pool)) {
        return false;
    }
    if (g->has_ns) {
        bool all = g->ns_prefix && g->ns.len == 0;
        if (ns == NULL ? !all : !begins(*ns, g->ns) || (!g->ns_prefix && ns->len != g->ns.len)) {
            return false;
        }
    }
    return begins(name, g->object);
}

bool osd_caps_allow(const struct osd_caps *caps, unsigned need, const char *pool,
                    const struct signet_span *ns, struct signet_span name)
{
    unsigned may = 0;
    for (unsigned i = 0; i < caps->num; i++) {
        if (covers(&caps->grant[i], pool, ns, name)) {
            may |= caps->grant[i].may;
        }
    }
    return (need & ~may) == 0;
}

bool osd_caps_all(const struct osd_caps *caps)
{
    for (unsigned i = 0; i < caps->num; i++) {
        const struct osd_grant *g = &caps->grant[i];
        if (g->may == OSD_MAY_ALL && !g->has_pool && !g->has_ns && g->object.len == 0) {
            return true;
        }
    }
    return false;
}
