/* SPDX-License-Identifier: MIT */
/* The journal of objects: its key, which is in the state directory, and what its opening says. */
#ifndef SIGNET_TOOLS_DAEMON_JOURNAL_H
#define SIGNET_TOOLS_DAEMON_JOURNAL_H

#include "daemon_config.h"
#include "daemon_log.h"
#include "lite/osd.h"

/* Nothing without --journal. Else reads the key, or makes one if there is no journal yet either,
 * and lets the OSD do again what the journal says. A directory that others may change is used, with
 * a warning. TOOL_OK or TOOL_FAILURE. */
int daemon_journal_open(struct signet_osd *osd, const struct daemon_config *config,
                        struct daemon_log *log, struct daemon_why *why);

#endif
