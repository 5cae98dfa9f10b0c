/* SPDX-License-Identifier: MIT */
/* Inside the cephx client. */
#ifndef SIGNET_AUTH_CLIENT_STATE_H
#define SIGNET_AUTH_CLIENT_STATE_H

#include <signet/cephx.h>
#include <signet/client.h>

#include "base/cursor.h"

/* Slots of the services that issue or take tickets; AUTH is the first. */
enum { SLOT_AUTH, SLOT_MON, SLOT_OSD, SLOT_MGR, SLOT_MDS, SLOT_NUM };

struct ticket {
    struct signet_key *session_key; /* NULL: no ticket */
    uint8_t *blob;
    size_t blob_len;
    uint64_t secret_id;
    uint64_t validity_ns, expires_ns, renew_ns; /* the last two monotonic */
    uint64_t created_ns, received_ns;           /* wall clocks: the issuer's and ours */
    bool invalidated;
};

/* Tickets of one reply, kept apart until all of it is found good. */
struct ticket_set {
    struct ticket slot[SLOT_NUM];
};

enum stage {
    STAGE_IDLE,    /* no login is under way */
    STAGE_STARTED, /* waits for the challenge */
    STAGE_PROVING, /* waits for the end of the login */
    STAGE_OPEN,    /* logged in on this connection */
};

struct rotating {
    size_t num;
    struct signet_rotating_info entry[SIGNET_ROTATING_MAX];
};

struct signet_client {
    struct signet_client_options options; /* key: our reference; want has AUTH */
    uint64_t global_id;
    struct ticket_set tickets;
    uint64_t retry_ns[SLOT_NUM]; /* monotonic; not asked for before */
    struct rotating rotating;

    /* of the present connection */
    enum stage stage;
    uint64_t server_challenge;
    uint16_t pending; /* type of the request that waits for its reply, or 0 */
    uint32_t asked;   /* services of that request */
    bool reclaim;     /* it presented the AUTH ticket */
};

/* Slot of a service, or SLOT_NUM; and back. */
unsigned signet_slot_of(uint32_t service);
uint32_t signet_slot_service(unsigned slot);
bool signet_ticket_usable(const struct ticket *ticket, uint64_t now_ns);
void signet_ticket_drop(struct ticket *ticket);
void signet_ticket_set_drop(struct ticket_set *set);
void signet_rotating_drop(struct rotating *rotating);
/* Wanted services that are due, whether or not they were asked for lately. */
uint32_t signet_client_due(const struct signet_client *client);

/* GET_AUTH_SESSION_KEY with a fresh client challenge; notes what was asked. */
void signet_client_write_session_request(struct signet_client *client, struct signet_writer *w,
                                         uint32_t keys);

/* A failure with the standard text of its error. */
int signet_auth_fail(struct signet_fail *fail, enum signet_err err, const char *where);
/* A result or status of a peer: 0, -RESULT (negative: an errno) or -RESULT_POSITIVE. */
int signet_auth_result_check(int32_t result, const char *where, struct signet_fail *fail);
/* -CON_MODE unless crc or secure; -GLOBAL_ID_ZERO. */
int signet_auth_done_check(uint64_t global_id, enum signet_con_mode mode, const char *where,
                           struct signet_fail *fail);
/* The end of an exchange by AUTH_NONE: the same, and -NONE_SECURE, -PROTOCOL_MISMATCH. */
int signet_auth_none_check(uint64_t global_id, enum signet_con_mode mode, size_t payload_len,
                           const char *where, struct signet_fail *fail);
/* Takes the connection secret that the mode wants: -SECRET_MISSING, -SECRET_LENGTH. */
int signet_auth_take_secret(struct signet_auth_result *result, enum signet_con_mode mode,
                            struct signet_span secret, const char *where, struct signet_fail *fail);

/* One payload with tickets, opened and checked into the set; the client stays as it is. */
struct intake {
    const struct signet_client *client;
    struct ticket_set *set;
    uint32_t asked;                     /* other services are passed over */
    const struct signet_key *reply_key; /* seals the principal's halves */
    const struct signet_key *old_key;   /* of the reclaimed AUTH ticket, or NULL */
    struct signet_fail *fail;
};
int signet_intake(const struct intake *in, const struct signet_ticket_reply *reply);
/* An answer to GET_AUTH_SESSION_KEY. secret (NULL: not looked at) is filled if it has one. */
int signet_intake_session(struct signet_client *client, struct ticket_set *set, const uint8_t *in,
                          size_t in_len, struct signet_auth_result *result,
                          enum signet_con_mode mode, struct signet_fail *fail);
/* Makes the tickets of the set the client's; those that it has not stay. Empties the set. Takes
 * over the global_id that came along. */
void signet_client_commit(struct signet_client *client, struct ticket_set *set, uint64_t global_id);

#endif
