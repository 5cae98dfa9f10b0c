/* SPDX-License-Identifier: MIT */
/* The options that are addresses. */
#include <string.h>

#include "daemon_config.h"

static bool all_zero(const struct signet_addr *addr)
{
    static const uint8_t zero[sizeof(addr->ip)];
    return memcmp(addr->ip, zero, sizeof(zero)) == 0;
}

/* Whether the address has a port, be it ":0". Bare IPv6 has more colons, and no port. */
static bool names_port(const char *value)
{
    const char *bracket = strchr(value, ']');
    value += strncmp(value, "v2:", 3) == 0 ? 3 : strncmp(value, "any:", 4) == 0 ? 4 : 0;
    const char *colon = strchr(bracket != NULL ? bracket : value, ':');
    return colon != NULL && (bracket != NULL || strchr(colon + 1, ':') == NULL);
}

static bool parse_addr(struct signet_addr *out, const char *value, uint16_t port)
{
    if (signet_addr_parse(out, value) != 0) {
        return false;
    }
    out->port = names_port(value) ? out->port : port;
    return true;
}

static bool set_v2(struct signet_addr *out, const char *value, uint16_t port)
{
    struct signet_addr addr;
    if (!parse_addr(&addr, value, port) || all_zero(&addr) ||
        (addr.type != SIGNET_ADDR_MSGR2 && addr.type != SIGNET_ADDR_ANY)) {
        return false;
    }
    addr.type = SIGNET_ADDR_MSGR2;
    *out = addr;
    return true;
}

/* Clients dial a monitor with nonce 0. */
bool daemon_set_mon(struct daemon_config *config, const char *value)
{
    return set_v2(&config->mon, value, DAEMON_PORT_MON) && config->mon.nonce == 0;
}

bool daemon_set_osd(struct daemon_config *config, const char *value)
{
    return set_v2(&config->osd, value, DAEMON_PORT_OSD);
}

bool daemon_set_metrics(struct daemon_config *config, const char *value)
{
    struct signet_addr addr;
    uint64_t port;
    config->metrics_on = strcmp(value, "none") != 0;
    if (!config->metrics_on) {
        return true;
    }
    if (tool_number_parse(&port, value, 0, UINT16_MAX)) {
        config->metrics.port = (uint16_t)port;
        return true;
    }
    if (!parse_addr(&addr, value, DAEMON_PORT_METRICS) || addr.type != SIGNET_ADDR_ANY ||
        addr.nonce != 0) {
        return false;
    }
    config->metrics = addr;
    return true;
}
