/* SPDX-License-Identifier: MIT */
/* Tells the service manager how far the daemon is (sd_notify(3)), if one listens. */
#ifndef SIGNET_TOOLS_DAEMON_NOTIFY_H
#define SIGNET_TOOLS_DAEMON_NOTIFY_H

/* Sends the text, lines NAME=VALUE, to the socket that NOTIFY_SOCKET names. Failures are nobody's
 * business. Any thread. */
void daemon_notify(const char *text);
/* RELOADING=1 with the time that it wants beside it. */
void daemon_notify_reloading(void);

#endif
