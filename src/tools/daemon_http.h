/* SPDX-License-Identifier: MIT */
/* GET /metrics over HTTP, on a thread of its own; anything else is refused. */
#ifndef SIGNET_TOOLS_DAEMON_HTTP_H
#define SIGNET_TOOLS_DAEMON_HTTP_H

#include <stdio.h>

#include "daemon_config.h"

struct daemon_http;

/* Writes the page; called on the thread of the server. */
typedef void (*daemon_http_page)(void *arg, FILE *out);

/* Listens; *bound gets the port that was taken. TOOL_OK or TOOL_FAILURE. */
int daemon_http_start(struct daemon_http **out, const struct signet_addr *addr,
                      struct signet_addr *bound, daemon_http_page page, void *arg,
                      struct daemon_why *why);
/* Whether another program listens at the address, now. */
bool daemon_http_taken(const struct signet_addr *addr);
/* IP:PORT, into SIGNET_ADDR_TEXT_MAX bytes. Returns out. */
const char *daemon_http_where(const struct signet_addr *addr, char *out);
/* Waits for answers under way. NULL is fine. */
void daemon_http_stop(struct daemon_http *http);

#endif
