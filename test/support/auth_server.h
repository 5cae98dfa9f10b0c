/* SPDX-License-Identifier: MIT */
/* A monitor and a daemon small enough to be seen through, for the client's tests. */
#ifndef SIGNET_TEST_AUTH_SERVER_H
#define SIGNET_TEST_AUTH_SERVER_H

#include <signet/client.h>
#include <signet/ticket.h>

#include "support/auth_env.h"

enum { TEST_BUF = 65536, TEST_GLOBAL_ID = 4242 };

struct test_mon {
    struct fake_env *fake;
    struct signet_name name;                      /* of the principal */
    struct signet_key *principal;                 /* its secret */
    enum signet_key_type auth_type, service_type; /* of the session keys it makes */
    struct signet_key *secrets;     /* the rotating secret of all services but AUTH, id 2 */
    struct signet_key *auth;        /* that of AUTH, id 2 */
    struct signet_key *sessions[6]; /* made for the last reply: AUTH first */
    uint32_t auth_ttl, service_ttl; /* seconds */
    uint32_t missing;               /* services that have no secret */
    uint64_t server_challenge, global_id;
    uint8_t secret[64];
    /* Changes what is about to be granted. */
    void (*bend)(struct signet_session_grant *grant);

    /* what the last request was */
    uint16_t type;
    uint32_t keys;
    bool reclaimed;
};

/* Keys of the types given, for client.a; AUTH tickets for 72 h, others for 1 h. */
void test_mon_init(struct test_mon *mon, struct fake_env *fake, enum signet_key_type principal,
                   enum signet_key_type auth, enum signet_key_type service);
void test_mon_free(struct test_mon *mon);
/* Options of a client that may log in. */
struct signet_client_options test_mon_options(const struct test_mon *mon, uint32_t want);

/* A new connection: the payload of AUTH_REPLY_MORE to that of AUTH_REQUEST. */
size_t test_mon_start(struct test_mon *mon, const uint8_t *in, size_t in_len, uint8_t *out);
/* The payload of AUTH_DONE to that of AUTH_REQUEST_MORE; a negative errno to refuse it. */
int test_mon_login(struct test_mon *mon, enum signet_con_mode mode, const uint8_t *in,
                   size_t in_len, uint8_t *out, size_t *out_len);
/* The front of an MAuthReply to that of an MAuth. */
size_t test_mon_mauth(struct test_mon *mon, const uint8_t *in, size_t in_len, uint8_t *out);
/* Login from end to end; the result of the client's last step. */
int test_mon_connect(struct test_mon *mon, struct signet_client *client, enum signet_con_mode mode,
                     struct signet_auth_result *result, struct signet_fail *fail);
/* A renewal from end to end. */
int test_mon_renew(struct test_mon *mon, struct signet_client *client, struct signet_fail *fail);

struct test_osd {
    const struct signet_key *secret; /* rotating secret of its service */
    uint64_t challenge;              /* 0: none sent yet */
    struct signet_presented who;     /* after the last round */
    uint8_t connection_secret[64];
};
/* One round: the challenge to the first authorizer, then the reply; a negative error of the
 * library to refuse it. */
int test_osd_round(struct test_osd *osd, enum signet_con_mode mode, const uint8_t *in,
                   size_t in_len, uint8_t *out, size_t *out_len);

#endif
