/* SPDX-License-Identifier: MIT */
/* What the files of the server side of one authentication share. Contract: signet/server.h. */
#ifndef SIGNET_AUTH_LOGIN_H
#define SIGNET_AUTH_LOGIN_H

#include <signet/server.h>
#include <signet/ticket.h>

#include "auth/keyserver_priv.h"

enum login_stage { LOGIN_START, LOGIN_CHALLENGED, LOGIN_DONE, LOGIN_REFUSED };

struct signet_login {
    struct signet_keyserver *server;
    uint32_t service;
    enum login_stage stage;
    struct signet_name name;
    uint64_t global_id;
    bool reclaim;                     /* the client claimed its global_id */
    enum signet_key_type secret_type; /* of the key whose proof matched */
    uint64_t server_challenge; /* of the login (kept for renewals) or of the authorizer; 0: none */
    struct signet_auth_result result;
    bool has_result;
    struct signet_identity identity;
    char *caps; /* behind identity.caps; grows */
    int32_t wire_errno;
};

/* A place for an answer. */
struct login_out {
    uint8_t *p;
    size_t cap;
    size_t *len;
};

/* Copies what is shown as identity; text need not end with NUL. -NOMEM. */
int login_identify(struct signet_login *login, const struct signet_name *name, uint64_t global_id,
                   struct signet_span caps, uint64_t expires_real_ns);
/* A random number that is not 0. */
int login_random(const struct signet_login *login, uint64_t *out);
/* Connection secret for the mode: 64 bytes whose two nonces cannot meet, or none. */
int login_draw_secret(const struct signet_login *login, enum signet_con_mode mode,
                      struct signet_auth_result *result);
struct signet_ticket_limits login_limits(const struct signet_login *login);

/* --- login_session.c: GET_AUTH_SESSION_KEY --- */

/* handshake: over msgr2, with a connection secret for mode; else a renewal in the session. */
int login_session(struct signet_login *login, const struct signet_authenticate *request,
                  bool handshake, enum signet_con_mode mode, struct login_out *out,
                  struct signet_fail *fail);

/* --- login_tickets.c --- */

/* What one ticket needs. All zero: none. */
struct login_grant {
    struct signet_grant grant;
    struct signet_auth_ticket ticket;
    struct signet_key *session_key; /* owned */
};
/* A ticket for service; inside a read section. -NO_SERVICE_SECRET. */
int login_make_grant(const struct signet_login *login, const struct snapshot *now,
                     const struct principal *principal, uint32_t service, struct login_grant *out);
void login_drop_grants(struct login_grant *grants, size_t num);
/* One for each service of the mask but AUTH that has a secret; *num of them. */
int login_make_grants(const struct signet_login *login, const struct snapshot *now,
                      const struct principal *principal, uint32_t mask, struct login_grant *grants,
                      size_t *num);
/* GET_PRINCIPAL_SESSION_KEY and GET_ROTATING_KEY: the payload of the reply. */
int login_principal(struct signet_login *login, const struct signet_auth_request *request,
                    struct login_out *out, struct signet_fail *fail);
int login_rotating(struct signet_login *login, struct login_out *out, struct signet_fail *fail);

/* --- login_authorizer.c: a daemon's side --- */

int login_authorizer(struct signet_login *login, enum signet_con_mode mode, struct login_out *out,
                     struct signet_span in, enum signet_verdict *verdict, struct signet_fail *fail);

/* --- login_none.c: the only step with AUTH_NONE, at a monitor and at a daemon --- */

int login_none(struct signet_login *login, enum signet_con_mode mode, struct signet_span in,
               enum signet_verdict *verdict, struct signet_fail *fail);

#endif
