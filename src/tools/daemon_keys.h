/* SPDX-License-Identifier: MIT */
/*
 * The key server of signetd, and the keyring of its first start.
 *
 * A keyring is taken from, or written to, only while the key server knows nobody: later the state
 * is the only truth, so that an entity that was deleted does not come back with a restart. When
 * there is a keyring at the first start, all its entities are taken; else client.admin is made,
 * with all capabilities, and written there. A keyring that exists is never changed. Later it is
 * compared, for warnings.
 */
#ifndef SIGNET_TOOLS_DAEMON_KEYS_H
#define SIGNET_TOOLS_DAEMON_KEYS_H

#include <signet/keyserver.h>

#include "daemon_config.h"
#include "daemon_log.h"

/* Opens or makes the state file at path and does the above. On failure *out is NULL. */
int daemon_keys_open(struct signet_keyserver **out, const struct daemon_config *config,
                     const char *path, struct daemon_log *log, struct daemon_why *why);

#endif
