/* SPDX-License-Identifier: MIT */
/*
 * The structures of cephx as they are on the wire: plain data, decoded and encoded without
 * keys. What is sealed inside them is opened with ticket.h. Format: cephx.md 2, 3, 5, 7-9 of the
 * specification.
 *
 * Each SIGNET_WIRE(x) declares two functions:
 *
 *   int signet_x_decode(struct signet_x *out, const uint8_t *in, size_t len,
 *                       struct signet_fail *fail);
 *   int signet_x_encode(uint8_t *out, size_t cap, size_t *out_len, const struct signet_x *in);
 *
 * decode takes exactly len bytes: -SHORT, -TRAILING, -LENGTH, -COUNT, -VERSION (a structure
 * version that is not known), -VALUE (a field that no sender of the protocol sends), and for keys
 * -KEY_TYPE, -KEY_LENGTH, -KEY_EMPTY. fail may be NULL. The spans of *out are views into `in`.
 * On failure *out is zeroed.
 * encode writes *out_len bytes, or nothing with *out_len 0: -SPACE, -LENGTH (a part is too long).
 * With out NULL and cap 0 it writes nothing and *out_len is the length. A structure that was
 * decoded encodes to the same bytes. Both keep nothing and allocate nothing. Any thread.
 */
#ifndef SIGNET_CEPHX_H
#define SIGNET_CEPHX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>
#include <signet/key.h>
#include <signet/name.h>
#include <signet/span.h>
#include <signet/utime.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIGNET_WIRE(x)                                                                             \
    SIGNET_MUST SIGNET_API int signet_##x##_decode(struct signet_##x *out, const uint8_t *in,      \
                                                   size_t len, struct signet_fail *fail);          \
    SIGNET_MUST SIGNET_API int signet_##x##_encode(uint8_t *out, size_t cap, size_t *out_len,      \
                                                   const struct signet_##x *in)

enum {
    SIGNET_TICKET_BLOB_MAX = 16384,  /* bytes of a sealed ticket */
    SIGNET_TICKETS_MAX = 32,         /* tickets in one reply */
    SIGNET_ROTATING_MAX = 8,         /* secrets of one service; Ceph keeps 3 */
    SIGNET_AUTH_METHODS_MAX = 32,    /* methods in the first message of msgr1 */
    SIGNET_MAUTH_PAYLOAD_MAX = 65536 /* bytes of the payload inside MAuth and MAuthReply */
};

/* First byte of an msgr2 authentication payload. An authorizer's is its version, also 1. */
enum { SIGNET_AUTH_MODE_AUTHORIZER = 1, SIGNET_AUTH_MODE_MON = 10 };

enum signet_request_type {
    SIGNET_GET_AUTH_SESSION_KEY = 0x0100,
    SIGNET_GET_PRINCIPAL_SESSION_KEY = 0x0200,
    SIGNET_GET_ROTATING_KEY = 0x0400,
};

/* --- elements ------------------------------------------------------------------------------ */

/* nsec beyond a second counts as it is. */
SIGNET_API uint64_t signet_utime_ns(struct signet_utime t);
/* Seconds that do not fit u32 give the largest. */
SIGNET_API struct signet_utime signet_utime_from_ns(uint64_t ns);

/* A CryptoKey inside a structure; type and length of the secret fit each other. */
struct signet_key_view {
    uint16_t type; /* SIGNET_KEY_AES or SIGNET_KEY_AES256K */
    struct signet_utime created;
    struct signet_span secret;
};
SIGNET_WIRE(key_view);
/* A usable key from a view, on the current handler. *out is NULL on failure. */
SIGNET_MUST SIGNET_API int signet_key_from_view(struct signet_key **out,
                                                const struct signet_key_view *view);
/* The view of a key; its wire form is put in buf, which the view points into. Wipe it. */
SIGNET_MUST SIGNET_API int signet_key_to_view(struct signet_key_view *out,
                                              uint8_t buf[SIGNET_KEY_WIRE_MAX],
                                              const struct signet_key *key);

/* CephXServerChallenge. 0 is decoded: refusing it is the client's part. */
struct signet_server_challenge {
    uint64_t challenge;
};
SIGNET_WIRE(server_challenge);

struct signet_response_header {
    uint16_t type;  /* of the request */
    int32_t status; /* 0 or a negative errno */
};
SIGNET_WIRE(response_header);

/* CephXTicketBlob: a ticket, sealed for its service. "No ticket": secret_id 0, no bytes. */
struct signet_ticket_blob {
    uint64_t secret_id;
    struct signet_span sealed; /* service_ticket_info; at most SIGNET_TICKET_BLOB_MAX */
};
SIGNET_WIRE(ticket_blob);

/* --- what is inside sealed parts ------------------------------------------------------------ */

/* CephXServiceTicket: the principal's half of a ticket. Secret. */
struct signet_service_ticket {
    struct signet_key_view session_key;
    struct signet_utime validity; /* a duration; nsec < 10^9 */
};
SIGNET_WIRE(service_ticket);

/* AuthCapsInfo. */
struct signet_auth_caps {
    uint8_t allow_all;       /* as found; signet_ticket_check() refuses all but 0 */
    bool present;            /* false: no caps at all; text is then empty */
    struct signet_span text; /* "allow r"; any bytes, no NUL behind it */
};
SIGNET_WIRE(auth_caps);

/* AuthTicket, version 2. */
struct signet_auth_ticket {
    struct signet_name name;
    uint64_t global_id;
    uint64_t auid; /* 2^64-1 in all tickets minted today */
    struct signet_utime created, expires;
    struct signet_auth_caps caps;
    uint32_t flags;
};
SIGNET_WIRE(auth_ticket);

/* CephXServiceTicketInfo: the service's half of a ticket. Secret. */
struct signet_service_ticket_info {
    struct signet_auth_ticket ticket;
    struct signet_key_view session_key;
};
SIGNET_WIRE(service_ticket_info);

/* ExpiringCryptoKey. Secret. */
struct signet_expiring_key {
    struct signet_key_view key;
    struct signet_utime expiration;
};
SIGNET_WIRE(expiring_key);

/* RotatingSecrets of one service, ascending ids as sent. Secret. */
struct signet_rotating_secrets {
    uint32_t num;
    struct {
        uint64_t id;
        struct signet_expiring_key secret;
    } entry[SIGNET_ROTATING_MAX];
    uint64_t max_ver;
};
SIGNET_WIRE(rotating_secrets);

/* The connection secret of a monitor's reply: a string of 0 or 64 bytes. Secret. */
struct signet_connection_secret {
    struct signet_span secret;
};
SIGNET_WIRE(connection_secret);

/* A ticket blob behind its length, as it is sealed when ticket_enc is 1. */
struct signet_wrapped_blob {
    struct signet_ticket_blob blob;
};
SIGNET_WIRE(wrapped_blob);

/* CephXAuthorize, part B of an authorizer. Version 1 holds only the nonce. */
struct signet_authorize {
    uint8_t version; /* 1 or 2 */
    uint64_t nonce;
    uint8_t have_challenge; /* 0 or 1 */
    uint64_t challenge_plus_one;
};
SIGNET_WIRE(authorize);

/* CephXAuthorizeChallenge. */
struct signet_authorize_challenge {
    uint64_t challenge;
};
SIGNET_WIRE(authorize_challenge);

/* CephXAuthorizeReply. Version 2 is followed by a connection secret. Secret. */
struct signet_authorize_reply {
    uint8_t version; /* 1 or 2 */
    uint64_t nonce_plus_one;
    struct signet_span secret; /* empty in version 1 */
};
SIGNET_WIRE(authorize_reply);

/* --- payloads: client to server ------------------------------------------------------------- */

/* msgr2, first payload to a monitor: mode 10. With method NONE also the authorizer: mode 1. */
struct signet_auth_start {
    uint8_t mode;
    struct signet_name name;
    uint64_t global_id;
};
SIGNET_WIRE(auth_start);

/* msgr1, payload of the first MAuth (protocol 0). */
struct signet_auth_start_v1 {
    uint32_t num_methods;
    uint32_t methods[SIGNET_AUTH_METHODS_MAX];
    struct signet_name name;
    uint64_t global_id;
};
SIGNET_WIRE(auth_start_v1);

/* An authorizer: part A and sealed part B. */
struct signet_authorizer_parts {
    uint64_t global_id;
    uint32_t service;
    struct signet_ticket_blob ticket;
    struct signet_span sealed; /* authorize */
};
SIGNET_WIRE(authorizer_parts);

/* CephXAuthenticate. Version 1 has no other_keys; version 3 promises to present the old ticket. */
struct signet_authenticate {
    uint8_t version; /* 1, 2 or 3 */
    uint64_t client_challenge;
    uint64_t key; /* the proof */
    struct signet_ticket_blob old_ticket;
    uint32_t other_keys; /* mask of services */
};
SIGNET_WIRE(authenticate);

/* CephXServiceTicketRequest. */
struct signet_service_ticket_request {
    uint32_t keys; /* mask of services */
};
SIGNET_WIRE(service_ticket_request);

/* CephXRequestHeader and what follows it; only the members of its type are used. An unknown type
 * is -VALUE. */
struct signet_auth_request {
    uint16_t type;                             /* enum signet_request_type */
    struct signet_authenticate authenticate;   /* GET_AUTH_SESSION_KEY */
    struct signet_authorizer_parts authorizer; /* GET_PRINCIPAL_SESSION_KEY, for service AUTH */
    struct signet_service_ticket_request want; /* GET_PRINCIPAL_SESSION_KEY */
};
SIGNET_WIRE(auth_request);

/* --- payloads: server to client ------------------------------------------------------------- */

/* One ticket of a reply. */
struct signet_ticket_entry {
    uint32_t service;
    struct signet_span sealed; /* service_ticket */
    uint8_t enc;               /* 1: `ticket` is a sealed wrapped_blob, 0: an encoded ticket_blob */
    struct signet_span ticket;
};

struct signet_ticket_reply {
    uint32_t num;
    struct signet_ticket_entry entry[SIGNET_TICKETS_MAX];
};
SIGNET_WIRE(ticket_reply);

/* The answer to GET_AUTH_SESSION_KEY. */
struct signet_session_reply {
    struct signet_response_header header;
    struct signet_ticket_reply tickets; /* one, of service AUTH */
    bool more;                          /* the next two are there: other_keys was not 0 */
    bool has_secret;                    /* a sealed secret is there (msgr2 handshake) */
    struct signet_span secret;          /* sealed connection_secret */
    struct signet_span extra;           /* an encoded ticket_reply, or empty */
};
SIGNET_WIRE(session_reply);

/* The answer to GET_PRINCIPAL_SESSION_KEY. */
struct signet_principal_reply {
    struct signet_response_header header;
    struct signet_ticket_reply tickets;
};
SIGNET_WIRE(principal_reply);

/* The answer to GET_ROTATING_KEY. */
struct signet_rotating_reply {
    struct signet_response_header header;
    struct signet_span sealed; /* rotating_secrets */
};
SIGNET_WIRE(rotating_reply);

/* The payload of a daemon's challenge and of its final reply: a length and a sealed structure.
 * The challenge (msgr2 AUTH_REPLY_MORE) has no length of its own: it is the whole payload. */
struct signet_sealed {
    struct signet_span sealed; /* authorize_reply */
};
SIGNET_WIRE(sealed);

/* --- fronts of the messages that carry payloads inside a session ---------------------------- */

/* MAuth, type 17. */
struct signet_mauth {
    uint64_t have_version;      /* 0 */
    uint16_t session_mon;       /* 0xffff */
    uint64_t session_tid;       /* 0 */
    uint32_t protocol;          /* 0 in the first one of msgr1, else the method */
    struct signet_span payload; /* auth_start_v1 or auth_request */
    bool has_epoch;             /* old senders leave it out */
    uint32_t monmap_epoch;
};
SIGNET_WIRE(mauth);

/* MAuthReply, type 18. */
struct signet_mauth_reply {
    uint32_t protocol;
    int32_t result;
    uint64_t global_id;
    struct signet_span payload;
    struct signet_span message; /* for people; any bytes */
};
SIGNET_WIRE(mauth_reply);

#ifdef __cplusplus
}
#endif
#endif
