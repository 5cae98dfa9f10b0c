/* SPDX-License-Identifier: MIT */
/*
 * As much of a ceph.conf as a login needs: sections, values, and variables like $name.
 * Spaces, dashes and underscores in option names are the same; the value of the
 * nearest section counts: [client.admin], then [client], then [global].
 */
#ifndef SIGNET_TOOLS_CONF_H
#define SIGNET_TOOLS_CONF_H

#include <stdbool.h>

struct tool_conf;

/* NULL when the file cannot be read or has a line that is no section, option or comment; why
 * (200 bytes) then says what and where. A later line wins over an earlier one. */
struct tool_conf *tool_conf_load(const char *path, char *why);
void tool_conf_free(struct tool_conf *conf);
/* The value of an option for an entity ("client.admin") with $cluster, $type, $id, $name and
 * $host replaced; malloc'd, or NULL when no section has it. key in the spelling mon_host. */
char *tool_conf_get(const struct tool_conf *conf, const char *entity, const char *key);

#endif
