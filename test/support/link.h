/* SPDX-License-Identifier: MIT */
/* One connection between two ends in memory, whose bytes the test moves, holds back or loses. */
#ifndef SIGNET_TEST_LINK_H
#define SIGNET_TEST_LINK_H

#include <signet/conn.h>
#include <signet/session.h>

#include "support/cluster.h"

/* Who takes part: an OSD, or a client that only dials. */
struct link_node {
    struct cluster *cluster;
    struct signet_client *client; /* logged in */
    struct signet_addr addr;
    struct signet_sessions *table; /* NULL: lossy */
    struct signet_conn_options dial, accept;
};

enum { LINK_DIALLER, LINK_ACCEPTOR };

struct link {
    struct signet_conn *end[2]; /* NULL: gone */
    struct signet_login *login;
    uint8_t *way[2]; /* what each end has sent and is still under way */
    size_t len[2], cap[2];
    uint64_t given[2]; /* bytes of each end that have arrived */
    bool cut[2];       /* nothing more of this end arrives; its bytes are lost */
};

/* A node with the name "osd.N" or "client.a", logged in at the cluster, and its options for both
 * roles. table_options NULL: without sessions. */
void node_init(struct link_node *node, struct cluster *cluster, const char *name, const char *addr,
               enum signet_con_mode mode, const struct signet_sessions_options *table_options);
void node_free(struct link_node *node);
/* A session of node to peer. */
struct signet_session *node_session(struct link_node *node, const struct link_node *peer,
                                    enum signet_session_policy policy);

/* from dials to; session NULL: lossy. Returns what signet_conn_new() said to the dialler. */
int link_open(struct link *link, struct link_node *from, struct link_node *to,
              struct signet_session *session);
/* Frees both ends. */
void link_close(struct link *link);
/* Up to max bytes from an end's output to its way, or from its way to the other end; how many. */
size_t link_take(struct link *link, unsigned end, size_t max);
size_t link_give(struct link *link, unsigned end, size_t max, uint64_t now_ns);
/* Both ends hear at once that the stream has ended. */
void link_cut(struct link *link);

#endif
