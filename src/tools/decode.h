/* SPDX-License-Identifier: MIT */
/* The parts of `signet decode`: one recorded connection, its frames, its authentication. */
#ifndef SIGNET_TOOLS_DECODE_H
#define SIGNET_TOOLS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/cephx.h>
#include <signet/control.h>
#include <signet/frame.h>
#include <signet/key.h>

#include "keys.h"
#include "report.h"

/* --- decode_conn.c: one connection ---------------------------------------------------------- */

/* A whole stream of one side, in memory; frames are opened in place. */
struct decode_input {
    const char *path;
    uint8_t *data;
    size_t len;
};

/* Why streams are refused before anything of them is decoded. */
enum decode_refusal {
    DECODE_DONE, /* they were decoded; what was found is in the report */
    DECODE_MSGR1,
    DECODE_MSGR20,
    DECODE_NOT_CEPH
};

/* *side is who said so, 0: client, 1: server. */
enum decode_refusal decode_connection(struct report *report, struct tool_keys *keys,
                                      const struct decode_input input[2], unsigned *side);

/* --- decode_frame.c: what frames hold -------------------------------------------------------- */

/* Counts what a complete frame has proven by being opened; raw: its bytes as recorded. */
void decode_frame_checks(struct report *report, const struct signet_frame_view *view,
                         const uint8_t *raw);
/* Counts and names a failure of the frame reader. */
void decode_frame_failure(struct report *report, int err, const struct signet_fail *fail);
void decode_control_fields(struct report *report, const struct signet_control *control);
void decode_message_fields(struct report *report, const struct signet_message *message);

/* --- decode_auth.c, decode_ticket.c: the authentication of one connection ----------------------
 */

/* What is known so far. Keys are owned. */
struct decode_auth {
    struct report *report;
    struct tool_keys *keys;
    uint32_t method; /* 0 until AUTH_REQUEST */
    bool to_mon;     /* a login; else an authorizer */
    bool has_name, has_global_id;
    struct signet_name name;
    uint64_t global_id;
    uint64_t server_challenge; /* of the monitor, or of the daemon's authorizer challenge */
    bool has_challenge;
    bool proof_right; /* the last proof was right by the keys file */
    bool wants_more;  /* other_keys of the last request was not 0 */

    struct signet_key *auth_session; /* of the newest AUTH ticket */
    struct signet_key *old_session;  /* of the ticket that the last request presented */
    struct signet_key *session;      /* of this connection */

    uint64_t nonce; /* of the first authorizer */
    bool has_nonce;
    const uint8_t *first_ticket; /* of the first authorizer; its bytes are in the stream */
    size_t first_ticket_len;

    uint8_t secret[64]; /* connection secret */
    size_t secret_len;
};

void decode_auth_init(struct decode_auth *auth, struct report *report, struct tool_keys *keys);
void decode_auth_clear(struct decode_auth *auth);

/* Payloads of the handshake, in the order of the wire. */
void decode_auth_request(struct decode_auth *auth, uint32_t method, struct signet_span payload);
void decode_auth_reply_more(struct decode_auth *auth, struct signet_span payload);
void decode_auth_request_more(struct decode_auth *auth, struct signet_span payload);
void decode_auth_refused(struct decode_auth *auth, int32_t result);
void decode_auth_done(struct decode_auth *auth, uint64_t global_id, uint32_t mode,
                      struct signet_span payload);
/* The signature of one side over what it received. */
void decode_auth_signature(struct decode_auth *auth, const uint8_t *signature,
                           const uint8_t *transcript, size_t len);
/* Fronts of MAuth and MAuthReply (decode_session.c). */
void decode_auth_mauth(struct decode_auth *auth, struct signet_span front);
void decode_auth_mauth_reply(struct decode_auth *auth, struct signet_span front);

/* --- what these files share ----------------------------------------------------------------------
 */

/* Counts the structure check; false when err is a failure. */
bool decode_structure(struct decode_auth *auth, int err, const struct signet_fail *fail);
/* NULL when the keys file has none. */
const struct signet_key *decode_entity_key(const struct decode_auth *auth);
/* The connection secret of a finished authentication. */
void decode_set_secret(struct decode_auth *auth, struct signet_span secret, uint32_t mode);
/* The payload of AUTH_REQUEST_MORE to a monitor, and of an MAuth. */
void decode_cephx_request(struct decode_auth *auth, struct signet_span payload);
/* The answer to GET_AUTH_SESSION_KEY. mode 0: a renewal inside a session. */
void decode_session_reply(struct decode_auth *auth, struct signet_span payload, uint32_t mode);
/* decode_daemon.c: an authorizer, the first or the one after the challenge; and the answers. */
void decode_daemon_request(struct decode_auth *auth, struct signet_span payload, bool first);
void decode_daemon_challenge(struct decode_auth *auth, struct signet_span sealed);
void decode_daemon_reply(struct decode_auth *auth, struct signet_span payload, uint32_t mode);
/* Replaces an owned key. */
void decode_set_key(struct signet_key **slot, struct signet_key *key);

/* Opens the service's half of a ticket where the keys allow it and compares it with what is known.
 * A new reference to its session key, or NULL when that stays unknown. */
struct signet_key *decode_ticket(struct decode_auth *auth, uint32_t service,
                                 const struct signet_ticket_blob *blob);
/* The tickets of one reply, the principal's halves under key (NULL: not known, what names it).
 * Gives the session key of the AUTH ticket among them, if any, to *auth_session. */
void decode_ticket_reply(struct decode_auth *auth, const struct signet_ticket_reply *reply,
                         const struct signet_key *key, const char *what,
                         struct signet_key **auth_session);
/* An authorizer; *key is its session key (new reference) or NULL. False when part B did not open.
 */
bool decode_authorizer(struct decode_auth *auth, const struct signet_authorizer_parts *parts,
                       struct signet_authorize *authorize, struct signet_key **key);

#endif
