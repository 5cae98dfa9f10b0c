/* SPDX-License-Identifier: MIT */
/* A connection without sockets: a login of client.a and both ends, joined in memory. */
#ifndef BENCH_JOIN_H
#define BENCH_JOIN_H

#include <signet/conn.h>
#include <signet/keyserver.h>

struct join_options {
    const struct signet_handler *handler;
    enum signet_con_mode mode; /* 0: secure */
    bool senders;              /* the sender has the lock of one that threads share */
};

struct join {
    struct signet_keyserver *keys;
    struct signet_client *client;
    struct signet_login *login;
    struct signet_conn *sender, *receiver; /* client and server */
};

/* An open session. Ends the process on failure. */
void join_start(struct join *j, const struct join_options *options);
void join_stop(struct join *j);
/* Moves a piece of what is there; *got grows by the messages that arrived. False: nothing was. */
bool join_move(struct signet_conn *from, struct signet_conn *to, unsigned *got);

#endif
