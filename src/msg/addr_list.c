/* SPDX-License-Identifier: MIT */
/* Lists of monitors as in mon_host. */
#include "msg/addr_text.h"

#include <string.h>

#include "base/fail.h"

struct list {
    const char *start, *p, *end;
    signet_resolver resolve;
    void *arg;
    struct signet_fail *fail;
};

static bool is_separator(char c)
{
    return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int fail_at(const struct list *l, int err, const char *at, size_t len, const char *why)
{
    int shown = len < 100 ? (int)len : 100;
    return signet_fail_set(l->fail, err, "address list", (uint64_t)(at - l->start), "%s: \"%.*s\"",
                           why, shown, at);
}

static int add(struct signet_addrvec *vec, const struct signet_addr *addr, uint32_t type,
               uint16_t port)
{
    if (vec->num == SIGNET_ADDRVEC_MAX) {
        return -SIGNET_E_COUNT;
    }
    vec->addr[vec->num] = *addr;
    vec->addr[vec->num].type = type;
    vec->addr[vec->num].port = port;
    vec->num++;
    return 0;
}

/* Type and port that are not given, as Ceph fills them in. */
static int add_completed(struct signet_addrvec *vec, const struct signet_addr_text *text)
{
    const struct signet_addr *addr = &text->addr;
    uint16_t port = addr->port;
    if (text->has_type && addr->type != SIGNET_ADDR_ANY) {
        bool v1 = addr->type == SIGNET_ADDR_LEGACY;
        uint16_t usual = v1 ? SIGNET_PORT_LEGACY : SIGNET_PORT_MSGR2;
        return add(vec, addr, addr->type, port != 0 ? port : usual);
    }
    if (port != 0) {
        bool v1 = port == SIGNET_PORT_LEGACY;
        return add(vec, addr, v1 ? SIGNET_ADDR_LEGACY : SIGNET_ADDR_MSGR2, port);
    }
    int err = add(vec, addr, SIGNET_ADDR_MSGR2, SIGNET_PORT_MSGR2);
    return err != 0 ? err : add(vec, addr, SIGNET_ADDR_LEGACY, SIGNET_PORT_LEGACY);
}

static int parse_member(struct list *l, struct signet_addrvec *vec, const char *at, size_t len)
{
    struct signet_addr_text text;
    int err = signet_addr_text_parse(&text, at, len, l->resolve, l->arg);
    if (err != 0) {
        return fail_at(l, err, at, len,
                       err == -SIGNET_E_ADDR ? "not an address" : "the host name does not resolve");
    }
    err = add_completed(vec, &text);
    return err != 0 ? fail_at(l, err, at, len, "too many addresses in one entry") : 0;
}

/* Whether the bracket at p opens a vector and not an IPv6 address. */
static bool opens_vector(const struct list *l, const char *p)
{
    uint32_t type;
    size_t left = (size_t)(l->end - p) - 1;
    const char *comma = memchr(p, ',', left + 1);
    const char *close = memchr(p, ']', left + 1);
    return signet_addr_text_prefix(p + 1, left, &type) > 0 || (left > 0 && p[1] == '[') ||
           (comma != NULL && close != NULL && comma < close);
}

/* The end of a member of a vector: a comma or the closing bracket outside of inner ones. */
static const char *member_end(const char *p, const char *end)
{
    unsigned depth = 0;
    for (; p < end; p++) {
        if (depth == 0 && (*p == ',' || *p == ']')) {
            return p;
        }
        depth += *p == '[' ? 1U : 0U;
        depth -= *p == ']' ? 1U : 0U;
    }
    return end;
}

static int parse_vector(struct list *l, struct signet_addrvec *vec)
{
    const char *open = l->p;
    do {
        const char *at = ++l->p;
        l->p = member_end(at, l->end);
        if (l->p == l->end) {
            return fail_at(l, -SIGNET_E_ADDR, open, (size_t)(l->end - open),
                           "the bracket does not close");
        }
        int err = parse_member(l, vec, at, (size_t)(l->p - at));
        if (err != 0) {
            return err;
        }
    } while (*l->p == ',');
    l->p++;
    return 0;
}

static int parse_entry(struct list *l, struct signet_addrvec *vec)
{
    vec->num = 0;
    if (*l->p == '[' && opens_vector(l, l->p)) {
        int err = parse_vector(l, vec);
        bool joined = err == 0 && l->p < l->end && !is_separator(*l->p);
        return joined ? fail_at(l, -SIGNET_E_ADDR, l->p, (size_t)(l->end - l->p),
                                "text follows the bracket")
                      : err;
    }
    const char *at = l->p;
    while (l->p < l->end && !is_separator(*l->p)) {
        l->p++;
    }
    return parse_member(l, vec, at, (size_t)(l->p - at));
}

int signet_addr_list_parse(struct signet_addrvec *list, size_t cap, size_t *num, const char *text,
                           signet_resolver resolve, void *resolve_arg, struct signet_fail *fail)
{
    struct list l = {.start = text,
                     .p = text,
                     .end = text + strlen(text),
                     .resolve = resolve,
                     .arg = resolve_arg,
                     .fail = fail};
    size_t n = 0;
    *num = 0;
    for (;;) {
        while (l.p < l.end && is_separator(*l.p)) {
            l.p++;
        }
        if (l.p == l.end) {
            break;
        }
        if (n == cap) {
            return fail_at(&l, -SIGNET_E_COUNT, l.p, (size_t)(l.end - l.p), "too many entries");
        }
        int err = parse_entry(&l, &list[n]);
        if (err != 0) {
            return err;
        }
        n++;
    }
    if (n == 0) {
        return fail_at(&l, -SIGNET_E_ADDR, l.start, 0, "the list is empty");
    }
    *num = n;
    return 0;
}
