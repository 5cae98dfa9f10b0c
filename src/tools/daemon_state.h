/* SPDX-License-Identifier: MIT */
/*
 * The state directory of signetd: who uses it, and what the cluster is. In it:
 *   lock      held (flock) while a daemon runs; its process number
 *   cluster   fsid, epoch, addresses and pools, as lines `name = value`; made at the first start
 *   keys      the state file of the key server (doc/state.md), keys.old the one before
 *   journal.key   with --journal: the key of its records
 *   keyring, ctl   unless told otherwise: the admin's keyring, the control socket
 * Main thread only.
 */
#ifndef SIGNET_TOOLS_DAEMON_STATE_H
#define SIGNET_TOOLS_DAEMON_STATE_H

#include "daemon_config.h"

enum { DAEMON_MAP_MAX = 8192 };

struct daemon_cluster {
    uint8_t fsid[16];
    uint32_t epoch;     /* of the maps; grows when what they say has changed since the last start */
    uint64_t created_s; /* since 1970 */
    uint32_t osd_nonce; /* not 0; stays, so that clients know the OSD again */
    char map[DAEMON_MAP_MAX]; /* addresses and pools of that epoch, as text; the pools last */
};

struct daemon_state {
    int lock_fd; /* -1: none */
    bool fresh;  /* no cluster was there: the first start */
    char path[DAEMON_PATH_MAX], keys_path[DAEMON_PATH_MAX];
    struct daemon_cluster cluster;
};

/* Makes the directory if it is not there, takes the lock, reads the cluster or makes a new one.
 * TOOL_OK or TOOL_FAILURE. */
int daemon_state_open(struct daemon_state *state, const struct daemon_config *config,
                      struct daemon_why *why);
/* The addresses that were taken. Raises the epoch if the maps say something new; writes. */
int daemon_state_publish(struct daemon_state *state, const struct daemon_config *config,
                         const struct signet_addr *mon, const struct signet_addr *osd,
                         struct daemon_why *why);
/* Gives the lock back. A state that was never opened needs lock_fd -1. */
void daemon_state_close(struct daemon_state *state);

/* The file `cluster`: its text into out (what it needs is at most DAEMON_MAP_MAX + 300), and back.
 * path is for messages. */
size_t daemon_cluster_print(const struct daemon_cluster *cluster, char *out, size_t cap);
int daemon_cluster_parse(struct daemon_cluster *cluster, const char *path, const char *text,
                         struct daemon_why *why);

/* The map of a start, with the ports that are bound. */
void daemon_cluster_map(char out[DAEMON_MAP_MAX], const struct daemon_config *config,
                        const struct signet_addr *mon, const struct signet_addr *osd);
/* Where the configuration names no pools, it gets those of the cluster's last start; data=1 when
 * there was none. TOOL_OK, or TOOL_FAILURE when the map does not say them. */
int daemon_cluster_pools(const struct daemon_cluster *cluster, struct daemon_config *config,
                         struct daemon_why *why);

#endif
