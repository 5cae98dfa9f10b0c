/* SPDX-License-Identifier: MIT */
/* A key server with its clock and one client, for tests of both sides of cephx. */
#ifndef SIGNET_TEST_CLUSTER_H
#define SIGNET_TEST_CLUSTER_H

#include <signet/client.h>
#include <signet/server.h>
#include <signet/signet.h>

#include "support/auth_env.h"
#include "support/suite.h"

enum { CLUSTER_BUF = SIGNET_AUTH_PAYLOAD_MAX + 1024 };

struct cluster {
    struct fake_env fake;
    struct signet_keyserver_options options;
    struct signet_keyserver *server;
    struct signet_key *key;            /* of client.a */
    const char *client_on, *server_on; /* handlers; NULL: the one under test */
    /* The last login: */
    struct signet_login *login;
    struct signet_auth_result ours, theirs; /* client's, server's */
    enum signet_verdict verdict;
    uint64_t global_id;
};

/* client.a with caps mon "allow r", osd "allow rw"; osd.0; client.nocaps. */
void cluster_start(struct cluster *c, enum signet_key_type principal, enum signet_key_type service);
void cluster_stop(struct cluster *c);
struct signet_client *cluster_client(struct cluster *c, const char *name, struct signet_key *key);
/* A whole login over msgr2. 0, or the server's (negative) or the client's error. On success both
 * results are compared and freed again at the next one. */
int cluster_login(struct cluster *c, struct signet_client *client, enum signet_con_mode mode);
/* One MAuth round: whatever the client wants to renew. The server's error, or the client's. */
int cluster_renew(struct cluster *c, struct signet_client *client);
/* A whole authorizer exchange with an OSD that shares the key server. */
int cluster_authorize(struct cluster *c, struct signet_client *client, enum signet_con_mode mode);
void cluster_pass(struct cluster *c, uint64_t seconds);

#endif
