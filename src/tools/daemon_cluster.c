/* SPDX-License-Identifier: MIT */
/* The file that says what the cluster is, and what a later start takes from it. */
#include "daemon_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "# Made by signetd at its first start; not to be edited.\n";

size_t daemon_cluster_print(const struct daemon_cluster *cluster, char *out, size_t cap)
{
    char fsid[DAEMON_FSID_TEXT];
    int len = snprintf(out, cap,
                       "%sfsid = %s\ncreated = %" PRIu64 "\nosd-nonce = %" PRIu32
                       "\nepoch = %" PRIu32 "\nmap = %s\n",
                       head, daemon_fsid_print(cluster->fsid, fsid), cluster->created_s,
                       cluster->osd_nonce, cluster->epoch, cluster->map);
    return (size_t)len;
}

static bool number32(uint32_t *out, const char *value)
{
    uint64_t v;
    bool ok = tool_number_parse(&v, value, 1, UINT32_MAX);
    *out = ok ? (uint32_t)v : 0;
    return ok;
}

static bool set_map(struct daemon_cluster *cluster, const char *value)
{
    size_t len = strlen(value);
    if (len >= sizeof(cluster->map)) {
        return false;
    }
    memcpy(cluster->map, value, len + 1);
    return true;
}

enum { FSID, CREATED, NONCE, EPOCH, MAP, NUM_FIELDS };
static const char *const names[NUM_FIELDS] = {"fsid", "created", "osd-nonce", "epoch", "map"};

static bool set_field(struct daemon_cluster *cluster, int field, const char *value)
{
    switch (field) {
    case FSID:
        return daemon_fsid_parse(cluster->fsid, value);
    case CREATED:
        return tool_number_parse(&cluster->created_s, value, 0, UINT32_MAX);
    case NONCE:
        return number32(&cluster->osd_nonce, value);
    case EPOCH:
        return number32(&cluster->epoch, value);
    default:
        return set_map(cluster, value);
    }
}

/* The field of a line, which ends with NUL; NUM_FIELDS: none, or a value that is wrong. */
static int parse_line(struct daemon_cluster *cluster, char *line)
{
    char *equals = strstr(line, " = ");
    if (equals == NULL) {
        return NUM_FIELDS;
    }
    *equals = 0;
    for (int i = 0; i < NUM_FIELDS; i++) {
        if (strcmp(line, names[i]) == 0) {
            return set_field(cluster, i, equals + 3) ? i : NUM_FIELDS;
        }
    }
    return NUM_FIELDS;
}

static int parse_lines(struct daemon_cluster *cluster, const char *path, char *text,
                       struct daemon_why *why)
{
    unsigned seen = 0, number = 1;
    char *line, *rest = text;
    for (; (line = strsep(&rest, "\n")) != NULL && rest != NULL; number++) {
        int field = line[0] == '#' ? -1 : parse_line(cluster, line);
        if (field == NUM_FIELDS || (field >= 0 && (seen & 1U << field) != 0)) {
            return daemon_fail(why, TOOL_FAILURE,
                               "%s:%u: damaged: '%.100s' is not one of fsid, created, osd-nonce, "
                               "epoch and map with its value, once each",
                               path, number, line);
        }
        seen |= field >= 0 ? 1U << field : 0U;
    }
    for (int i = 0; i < NUM_FIELDS; i++) {
        if ((seen & 1U << i) == 0) {
            return daemon_fail(why, TOOL_FAILURE, "%s:%u: damaged: there is no %s", path, number,
                               names[i]);
        }
    }
    return TOOL_OK;
}

int daemon_cluster_parse(struct daemon_cluster *cluster, const char *path, const char *text,
                         struct daemon_why *why)
{
    char *copy = strdup(text);
    if (copy == NULL) {
        return daemon_fail(why, TOOL_FAILURE, "out of memory");
    }
    *cluster = (struct daemon_cluster){.epoch = 0};
    int code = parse_lines(cluster, path, copy, why);
    free(copy);
    return code;
}

/* --- the map, as text ----------------------------------------------------------------------- */

static const char before_pools[] = " pools ";

void daemon_cluster_map(char out[DAEMON_MAP_MAX], const struct daemon_config *config,
                        const struct signet_addr *mon, const struct signet_addr *osd)
{
    char a[SIGNET_ADDR_TEXT_MAX], b[SIGNET_ADDR_TEXT_MAX];
    int len = snprintf(out, DAEMON_MAP_MAX, "mon %s osd %s%s", signet_addr_print(mon, a),
                       signet_addr_print(osd, b), before_pools);
    for (unsigned i = 0; i < config->num_pools; i++) { /* all of them fit */
        len += snprintf(out + len, DAEMON_MAP_MAX - (size_t)len, "%s%s=%" PRIu64, i > 0 ? " " : "",
                        config->pools[i].name, config->pools[i].id);
    }
}

int daemon_cluster_pools(const struct daemon_cluster *cluster, struct daemon_config *config,
                         struct daemon_why *why)
{
    char list[DAEMON_MAP_MAX], *rest = list, *pool;
    const char *at = strstr(cluster->map, before_pools);
    if (config->num_pools > 0) {
        return TOOL_OK;
    }
    bool ok = at != NULL || cluster->map[0] == 0;
    snprintf(list, sizeof(list), "%s", at != NULL ? at + sizeof(before_pools) - 1 : "data=1");
    while (ok && (pool = strsep(&rest, " ")) != NULL) {
        ok = daemon_set_pool(config, pool);
    }
    if (!ok) {
        config->num_pools = 0;
        why->next = "name the pools with --pool NAME=ID, with the ids that they had";
        return daemon_fail(why, TOOL_FAILURE,
                           "the map in the file cluster of the state does not say the pools");
    }
    return TOOL_OK;
}
