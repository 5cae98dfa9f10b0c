/* SPDX-License-Identifier: MIT */
/* The callbacks of connections; `arg` is the struct daemon_port. */
#ifndef SIGNET_TOOLS_DAEMON_PEER_H
#define SIGNET_TOOLS_DAEMON_PEER_H

#include "daemon_serve.h"

extern const struct signet_peer_ops daemon_peer_ops;
/* Its host is to be the struct daemon_serve. */
extern const struct signet_osd_later daemon_peer_later;

#endif
