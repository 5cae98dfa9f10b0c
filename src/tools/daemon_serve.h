/* SPDX-License-Identifier: MIT */
/*
 * The two ports: what happens to a connection, from the first byte to its end, with its lines in
 * the log and its place in the figures. The callbacks run on the workers of the messenger.
 */
#ifndef SIGNET_TOOLS_DAEMON_SERVE_H
#define SIGNET_TOOLS_DAEMON_SERVE_H

#include <stdatomic.h>

#include <signet/messenger.h>

#include "daemon_config.h"
#include "daemon_log.h"
#include "daemon_metrics.h"
#include "lite/mon.h"
#include "lite/osd.h"

struct daemon_serve;

struct daemon_port {
    struct daemon_serve *serve;
    int index;               /* DAEMON_MON, DAEMON_OSD */
    struct signet_addr addr; /* as it was taken */
    _Atomic uint64_t ok, failed[SIGNET_E_NUM_];
};

struct daemon_serve {
    struct daemon_log *log;
    struct signet_keyserver *keys;
    struct signet_messenger *messenger;
    struct signet_lite_cluster cluster;
    struct signet_lite_pool pools[DAEMON_POOLS_MAX];
    struct signet_mon mon;
    struct signet_osd osd;
    struct signet_osd_later later;
    struct daemon_port port[DAEMON_SERVICES];
    atomic_bool lost_told; /* the log says that the journal's disk has failed */
    atomic_bool open;      /* the cluster is whole: sessions may begin */
};

/* Starts the workers and listens. The maps are not known yet: sessions are put off (closed, clients
 * come again) until daemon_serve_open(). osd_nonce: unless the address in config has one. TOOL_OK
 * or TOOL_FAILURE; *serve must stay where it is. */
int daemon_serve_start(struct daemon_serve *serve, const struct daemon_config *config,
                       uint32_t osd_nonce, struct signet_keyserver *keys, struct daemon_log *log,
                       struct daemon_why *why);
/* What the maps say, beside addresses. config is borrowed until the stop. TOOL_OK or TOOL_FAILURE.
 */
int daemon_serve_open(struct daemon_serve *serve, const struct daemon_config *config,
                      const uint8_t fsid[16], uint32_t epoch, uint64_t created_s,
                      struct daemon_why *why);
/* Ends all connections, after drain_ns at the latest, and the workers. False: some were cut. Fine
 * for a zeroed one. */
bool daemon_serve_stop(struct daemon_serve *serve, uint64_t drain_ns);

/* Fills what comes from here: net, handshakes and objects. */
void daemon_serve_figures(const struct daemon_serve *serve, struct daemon_figures *out);

#endif
