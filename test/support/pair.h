/* SPDX-License-Identifier: MIT */
/* Two connections, one of each role, joined in memory. */
#ifndef SIGNET_TEST_PAIR_H
#define SIGNET_TEST_PAIR_H

#include <signet/conn.h>

#include "support/cluster.h"

enum { PAIR_EVENTS = 64 };

struct pair_log {
    enum signet_event_kind kind[PAIR_EVENTS];
    unsigned num;
    struct signet_fail fail;
    struct signet_auth_bad_method refused;
    struct signet_message message; /* the last one; its parts are copies in text */
    char text[256];                /* data of the last message */
};

struct pair {
    struct cluster *cluster;
    struct signet_login *login;
    struct signet_conn *client, *server;
    struct pair_log at_client, at_server;
    struct signet_conn_options client_options, server_options;
    const char *client_on, *server_on; /* handlers; NULL: the one under test */
};

/* Options of both sides for a monitor or an OSD; change them, then pair_open(). */
void pair_init(struct pair *p, struct cluster *cluster, struct signet_client *client,
               uint32_t service, enum signet_con_mode mode);
void pair_open(struct pair *p);
void pair_close(struct pair *p);
/* Moves bytes both ways, in pieces of at most chunk, until nothing moves. */
void pair_run(struct pair *p, size_t chunk);
/* Whether the log has this kind. */
bool pair_saw(const struct pair_log *log, enum signet_event_kind kind);
/* A message with this text as data. */
void pair_say(struct signet_conn *from, const char *text);

#endif
