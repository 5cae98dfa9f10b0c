/* SPDX-License-Identifier: MIT */
/* Addresses as people write them. */
#include "msg/addr_text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum { HOST_MAX = 255 };

static const struct {
    const char *text;
    uint32_t type;
} prefixes[] = {{"v1:", SIGNET_ADDR_LEGACY}, {"v2:", SIGNET_ADDR_MSGR2}, {"any:", SIGNET_ADDR_ANY}};

static const char *prefix_of(uint32_t type)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (prefixes[i].type == type) {
            return prefixes[i].text;
        }
    }
    return type == SIGNET_ADDR_CIDR ? "cidr:" : "";
}

const char *signet_addr_print(const struct signet_addr *addr, char *out)
{
    char ip[INET6_ADDRSTRLEN];
    bool six = addr->family == SIGNET_FAMILY_IPV6;
    if ((!six && addr->family != SIGNET_FAMILY_IPV4) ||
        inet_ntop(six ? AF_INET6 : AF_INET, addr->ip, ip, sizeof(ip)) == NULL) {
        snprintf(out, SIGNET_ADDR_TEXT_MAX, "-");
        return out;
    }
    snprintf(out, SIGNET_ADDR_TEXT_MAX, "%s%s%s%s:%u/%u", prefix_of(addr->type), six ? "[" : "", ip,
             six ? "]" : "", (unsigned)addr->port, (unsigned)addr->nonce);
    return out;
}

size_t signet_addr_text_prefix(const char *text, size_t len, uint32_t *type)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t n = strlen(prefixes[i].text);
        if (len >= n && memcmp(text, prefixes[i].text, n) == 0) {
            *type = prefixes[i].type;
            return n;
        }
    }
    return 0;
}

/* All of text[0..len) as a decimal number up to max. */
static int parse_number(uint32_t *out, const char *text, size_t len, uint32_t max)
{
    uint64_t v = 0;
    if (len == 0 || len > 10) {
        return -SIGNET_E_ADDR;
    }
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -SIGNET_E_ADDR;
        }
        v = v * 10 + (uint64_t)(text[i] - '0');
    }
    *out = (uint32_t)v;
    return v <= max ? 0 : -SIGNET_E_ADDR;
}

static int parse_host(struct signet_addr *addr, const char *text, size_t len, bool six_only,
                      signet_resolver resolve, void *arg)
{
    char host[HOST_MAX + 1];
    if (len == 0 || len > HOST_MAX || memchr(text, 0, len) != NULL) {
        return -SIGNET_E_ADDR;
    }
    memcpy(host, text, len);
    host[len] = 0;
    if (inet_pton(AF_INET6, host, addr->ip) == 1) {
        addr->family = SIGNET_FAMILY_IPV6;
        return 0;
    }
    if (!six_only && inet_pton(AF_INET, host, addr->ip) == 1) {
        addr->family = SIGNET_FAMILY_IPV4;
        return 0;
    }
    if (six_only || resolve == NULL || strspn(host, "0123456789.") == len) {
        return -SIGNET_E_ADDR;
    }
    return resolve(arg, host, addr);
}

/* Takes "/NONCE" off the end. */
static int take_nonce(struct signet_addr *addr, const char *text, size_t *len)
{
    const char *slash = memrchr(text, '/', *len);
    if (slash == NULL) {
        return 0;
    }
    size_t at = (size_t)(slash - text);
    int err = parse_number(&addr->nonce, slash + 1, *len - at - 1, UINT32_MAX);
    *len = at;
    return err;
}

/* Splits HOST[:PORT]; a host with colons of its own is IPv6. */
static int parse_endpoint(struct signet_addr_text *out, const char *text, size_t len,
                          signet_resolver resolve, void *arg)
{
    bool bracket = len > 0 && text[0] == '[';
    const char *end = bracket ? memchr(text, ']', len) : memchr(text, ':', len);
    size_t host = bracket ? 1 : 0;
    size_t stop = end != NULL ? (size_t)(end - text) : len;
    size_t rest = stop + (bracket ? 1 : 0);
    if (bracket && end == NULL) {
        return -SIGNET_E_ADDR;
    }
    if (!bracket && end != NULL && memchr(end + 1, ':', len - stop - 1) != NULL) {
        stop = rest = len;
        bracket = true;
    }
    if (rest < len) {
        uint32_t port = 0;
        if (text[rest] != ':' || parse_number(&port, text + rest + 1, len - rest - 1, 65535) != 0) {
            return -SIGNET_E_ADDR;
        }
        out->addr.port = (uint16_t)port;
        out->has_port = true;
    }
    return parse_host(&out->addr, text + host, stop - host, bracket, resolve, arg);
}

int signet_addr_text_parse(struct signet_addr_text *out, const char *text, size_t len,
                           signet_resolver resolve, void *resolve_arg)
{
    memset(out, 0, sizeof(*out));
    out->addr.type = SIGNET_ADDR_ANY;
    size_t skip = signet_addr_text_prefix(text, len, &out->addr.type);
    out->has_type = skip > 0;
    text += skip;
    len -= skip;
    int err = take_nonce(&out->addr, text, &len);
    if (err == 0) {
        err = parse_endpoint(out, text, len, resolve, resolve_arg);
    }
    if (err != 0) {
        memset(out, 0, sizeof(*out));
    }
    return err;
}

int signet_addr_parse(struct signet_addr *out, const char *text)
{
    struct signet_addr_text parsed;
    if (strcmp(text, "-") == 0) {
        memset(out, 0, sizeof(*out));
        return 0;
    }
    int err = signet_addr_text_parse(&parsed, text, strlen(text), NULL, NULL);
    *out = parsed.addr;
    return err;
}
