/* SPDX-License-Identifier: MIT */
/*
 * The client side of cephx: login at a monitor, tickets, authorizers for daemons.
 * Pure state machines over buffers: no I/O, no globals, clock and random passed in.
 * Format and rules: cephx.md of the specification.
 *
 * A client is one instance of an entity (one global_id). It may be used by one thread
 * at a time; authorizers made from it are independent of it and of each other.
 */
#ifndef SIGNET_CLIENT_H
#define SIGNET_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/env.h>
#include <signet/error.h>
#include <signet/key.h>
#include <signet/name.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

enum signet_con_mode { SIGNET_MODE_CRC = 1, SIGNET_MODE_SECURE = 2 };

enum {
    SIGNET_AUTH_NONE = 1,
    SIGNET_AUTH_CEPHX = 2,
    SIGNET_CONNECTION_SECRET_LEN = 64,
    SIGNET_AUTH_PAYLOAD_MAX = 32768, /* no auth payload made here is longer, in bytes */
};
#define SIGNET_AUTH_RETRY_NS UINT64_C(10000000000)

/* What a finished authentication gives to a connection. */
struct signet_auth_result {
    struct signet_key *session_key; /* owned by whoever holds the result */
    uint8_t secret[SIGNET_CONNECTION_SECRET_LEN];
    size_t secret_len; /* 64 in SECURE mode, 0 in CRC mode */
    uint64_t global_id;
};
/* Drops the key and wipes; safe on a zeroed or cleared result. */
SIGNET_API void signet_auth_result_clear(struct signet_auth_result *result);

struct signet_client;

struct signet_client_options {
    struct signet_name name;
    struct signet_key *key; /* a reference is taken; not used with AUTH_NONE */
    /* SIGNET_AUTH_CEPHX (0: the same), or SIGNET_AUTH_NONE: nobody proves anything, and the peer
     * may be anyone; crc mode only. A client has one method and never falls back to another. */
    uint32_t method;
    uint32_t want; /* mask of services whose tickets are kept; AUTH is implied */
    struct signet_env env;
    /* Accept a type 1 AUTH session key beside a type 2 secret (default: refused). */
    bool allow_weak_auth_session;
    /* Refuse type 1 service session keys beside a type 2 secret (default: accepted, since
     * clusters whose service cipher is aes hand them out). */
    bool refuse_weak_service_session;
};

SIGNET_MUST SIGNET_API int signet_client_new(struct signet_client **out,
                                             const struct signet_client_options *options);
SIGNET_API void signet_client_free(struct signet_client *client);
/* SIGNET_AUTH_CEPHX or SIGNET_AUTH_NONE. */
SIGNET_API uint32_t signet_client_method(const struct signet_client *client);

/* --- login at a monitor over msgr2: request -> challenge -> done ------------------------- */
/* With AUTH_NONE: request -> done, whose payload is empty (else -PROTOCOL_MISMATCH, as is a
 * challenge); -NONE_SECURE unless the mode is crc. There are no tickets, and nothing to renew. */

/* Starts a login (first or reclaim): the payload of AUTH_REQUEST. Forgets any challenge of an
 * earlier connection. */
SIGNET_MUST SIGNET_API int signet_client_login(struct signet_client *client, uint8_t *out,
                                               size_t cap, size_t *out_len);
/* Payload of AUTH_REPLY_MORE in, payload of AUTH_REQUEST_MORE out. */
SIGNET_MUST SIGNET_API int signet_client_challenge(struct signet_client *client, uint8_t *out,
                                                   size_t cap, size_t *out_len, const uint8_t *in,
                                                   size_t in_len, struct signet_fail *fail);
/* Payload of AUTH_DONE in. On success tickets are stored and *result is for the connection.
 * On failure the client keeps its former tickets and global_id. */
SIGNET_MUST SIGNET_API int signet_client_done(struct signet_client *client,
                                              struct signet_auth_result *result, uint64_t global_id,
                                              enum signet_con_mode mode, const uint8_t *in,
                                              size_t in_len, struct signet_fail *fail);

/* --- renewal inside an open monitor session (MAuth 17 / MAuthReply 18) -------------------- */

/* Services (mask) whose tickets are missing or past three quarters of their life. */
SIGNET_API uint32_t signet_client_need(const struct signet_client *client);
/* When signet_client_need() will next become non-zero by itself, monotonic ns; 0: now;
 * UINT64_MAX: never. */
SIGNET_API uint64_t signet_client_deadline_ns(const struct signet_client *client);
/* The front of an MAuth message that asks for what is needed: GET_AUTH_SESSION_KEY when AUTH is
 * due, else GET_PRINCIPAL_SESSION_KEY. *out_len is 0 (and the result 0) when nothing is needed and
 * while an earlier request is unanswered. A service that was asked for in vain is not needed again
 * for SIGNET_AUTH_RETRY_NS. -STATE when not logged in on this connection. */
SIGNET_MUST SIGNET_API int signet_client_renew(struct signet_client *client, uint8_t *out,
                                               size_t cap, size_t *out_len);
/* For daemons: the front of an MAuth that asks for rotating secrets (GET_ROTATING_KEY).
 * -STATE when not logged in, -INVAL when the name is not an osd, mds or mgr, or with AUTH_NONE. */
SIGNET_MUST SIGNET_API int signet_client_rotating(struct signet_client *client, uint8_t *out,
                                                  size_t cap, size_t *out_len);
/* The front of an MAuthReply. On failure all that was held before stays. -STATE when nothing was
 * asked. */
SIGNET_MUST SIGNET_API int signet_client_reply(struct signet_client *client, const uint8_t *in,
                                               size_t in_len, struct signet_fail *fail);

/* A rotating secret of the daemon's own service. */
struct signet_rotating_info {
    uint64_t id;
    struct signet_key *key; /* lent until the next signet_client_reply() */
    uint64_t expires_ns;    /* wall clock of the monitors */
};
/* By index 0.. in ascending order of id; -NOT_FOUND past the last. */
SIGNET_MUST SIGNET_API int signet_client_secret(const struct signet_client *client, size_t index,
                                                struct signet_rotating_info *out);

/* --- what is held ------------------------------------------------------------------------- */

struct signet_ticket_info {
    uint32_t service;
    uint64_t secret_id;
    enum signet_key_type session_type;
    uint64_t validity_ns; /* as granted */
    uint64_t expires_mono_ns;
    uint64_t renew_mono_ns;
    /* The issuer's wall clock when it made the session key, and ours when it came: they differ
     * by the skew of the clocks and the age of the reply. */
    uint64_t created_ns, received_ns;
    size_t blob_len; /* bytes of the sealed ticket */
    bool usable;     /* present, not invalidated, not expired */
};
SIGNET_API uint64_t signet_client_global_id(const struct signet_client *client);
/* Tickets by index 0..; -NOT_FOUND past the last. */
SIGNET_MUST SIGNET_API int signet_client_ticket(const struct signet_client *client, size_t index,
                                                struct signet_ticket_info *out);
/* After a daemon refused an authorizer: this service's ticket and the AUTH ticket need renewal
 * (they are kept for the reclaim). */
SIGNET_API void signet_client_invalidate(struct signet_client *client, uint32_t service);
/* Forget the instance: global_id 0, no tickets. After a refused reclaim. */
SIGNET_API void signet_client_reset(struct signet_client *client);

/* --- authorizer: one authentication at one daemon: request -> challenge -> done ----------- */

struct signet_authorizer;

/* Copies what it needs of the ticket. -NO_TICKET when there is no usable ticket. With AUTH_NONE it
 * is name and global_id: request -> done. -STATE before the login. */
SIGNET_MUST SIGNET_API int signet_authorizer_new(struct signet_authorizer **out,
                                                 const struct signet_client *client,
                                                 uint32_t service);
SIGNET_API void signet_authorizer_free(struct signet_authorizer *authorizer);
SIGNET_MUST SIGNET_API int signet_authorizer_request(struct signet_authorizer *authorizer,
                                                     uint8_t *out, size_t cap, size_t *out_len);
/* A second challenge on the same authorizer is an error. */
SIGNET_MUST SIGNET_API int signet_authorizer_challenge(struct signet_authorizer *authorizer,
                                                       uint8_t *out, size_t cap, size_t *out_len,
                                                       const uint8_t *in, size_t in_len,
                                                       struct signet_fail *fail);
/* Verifies nonce + 1 (mutual authentication) and takes the connection secret. */
SIGNET_MUST SIGNET_API int signet_authorizer_done(struct signet_authorizer *authorizer,
                                                  struct signet_auth_result *result,
                                                  uint64_t global_id, enum signet_con_mode mode,
                                                  const uint8_t *in, size_t in_len,
                                                  struct signet_fail *fail);

#ifdef __cplusplus
}
#endif
#endif
