/* SPDX-License-Identifier: MIT */
/*
 * The sealed parts of cephx, opened, checked and made: pure functions over buffers and keys,
 * for servers, for tools that read recorded sessions, and for the client itself.
 * Formats and rules: cephx.md 4, 5, 8, 9 of the specification. Any thread.
 */
#ifndef SIGNET_TICKET_H
#define SIGNET_TICKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/cephx.h>
#include <signet/error.h>
#include <signet/key.h>
#include <signet/span.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- one sealed structure ------------------------------------------------------------------- */

/* The plaintext of an opened envelope, in secret memory. Zero it before the first use. */
struct signet_plain {
    uint8_t *p;
    size_t len, cap;
};
/* Wipes and frees; safe on a zeroed or freed one. */
SIGNET_API void signet_plain_free(struct signet_plain *plain);

/*
 * Each SIGNET_SEALED(x) declares two functions:
 *
 *   int signet_x_open(struct signet_x *out, struct signet_plain *plain,
 *                     const struct signet_key *key, struct signet_span sealed,
 *                     struct signet_fail *fail);
 *   int signet_x_seal(uint8_t *out, size_t cap, size_t *out_len, const struct signet_key *key,
 *                     const struct signet_x *in);
 *
 * Both use the usage that the structure has in the protocol; `sealed` is the bare ciphertext.
 * open puts the plaintext in *plain, whose former content is freed; the spans of *out are views
 * into it. -OPEN: the data does not open. What opens but does not decode to its last byte is
 * -OPEN too under a type 1 key, whose plaintext anybody may have bent, and the decoder's error
 * under a type 2 key. On failure *plain is freed and *out is zeroed. -NOMEM.
 * seal writes *out_len bytes or nothing (*out_len 0): -SPACE, -LENGTH, and what sealing gives.
 * With out NULL and cap 0 it writes nothing and *out_len is the length.
 */
#define SIGNET_SEALED(x)                                                                           \
    SIGNET_MUST SIGNET_API int signet_##x##_open(                                                  \
        struct signet_##x *out, struct signet_plain *plain, const struct signet_key *key,          \
        struct signet_span sealed, struct signet_fail *fail);                                      \
    SIGNET_MUST SIGNET_API int signet_##x##_seal(uint8_t *out, size_t cap, size_t *out_len,        \
                                                 const struct signet_key *key,                     \
                                                 const struct signet_##x *in)

SIGNET_SEALED(service_ticket);      /* 0x04: principal's secret (AUTH) or AUTH session key */
SIGNET_SEALED(service_ticket_info); /* 0x30: rotating secret of the service */
SIGNET_SEALED(wrapped_blob);        /* 0x05: the old AUTH session key */
SIGNET_SEALED(connection_secret);   /* 0x03: the new AUTH session key */
SIGNET_SEALED(authorize);           /* 0x10: the ticket's session key */
SIGNET_SEALED(authorize_challenge); /* 0x11: the same */
SIGNET_SEALED(authorize_reply);     /* 0x12: the same */
SIGNET_SEALED(rotating_secrets);    /* 0x20: the daemon's own secret */

/* --- the proof of a login ------------------------------------------------------------------- */

/* The key of CephXAuthenticate for these challenges under the principal's secret. */
SIGNET_MUST SIGNET_API int signet_proof(uint64_t *proof, const struct signet_key *secret,
                                        uint64_t server_challenge, uint64_t client_challenge);
/* 0, -PROOF_WRONG, or -CHALLENGE_ZERO when no challenge was ever sent. Constant time. */
SIGNET_MUST SIGNET_API int signet_proof_check(const struct signet_key *secret,
                                              uint64_t server_challenge,
                                              const struct signet_authenticate *request);

/* --- what a ticket must look like ----------------------------------------------------------- */

struct signet_ticket_limits {
    uint64_t now_ns;  /* wall clock */
    uint64_t skew_ns; /* how far clocks may differ */
    uint64_t span_ns; /* longest life of a ticket of the sealing secret */
    bool allow_weak;  /* type 1 session keys are allowed */
};

/* Whether an opened ticket is one that an honest issuer makes: -TICKET_ALLOW_ALL, -TICKET_AUID,
 * -TICKET_TIME (nanoseconds beyond a second), -TICKET_FUTURE, -TICKET_EXPIRED, -TICKET_LIFETIME,
 * -TICKET_KEY_TIME (the session key was not made with the ticket), -TICKET_CAPS (a NUL in them),
 * -TICKET_KEY_TYPE, -GLOBAL_ID_ZERO. Source: cephx.md 9.2 step 4. fail may be NULL. */
SIGNET_MUST SIGNET_API int signet_ticket_check(const struct signet_service_ticket_info *info,
                                               const struct signet_ticket_limits *limits,
                                               struct signet_fail *fail);

/* --- authorizers, at the daemon ------------------------------------------------------------- */

/* An authorizer that was opened with the secret of its service. */
struct signet_presented {
    struct signet_service_ticket_info info; /* views into plain */
    struct signet_authorize authorize;
    struct signet_key *session_key; /* owned */
    struct signet_plain plain;
};
/* Safe on a zeroed or cleared one. */
SIGNET_API void signet_presented_clear(struct signet_presented *presented);

/* Steps 3 to 5 of cephx.md 9.2: the caller has decoded the parts and found the secret by
 * (service, ticket.secret_id). Opens the ticket and part B. -OPEN, -TICKET_GLOBAL_ID (the ticket
 * is for another one), and those of signet_ticket_check() unless limits is NULL. A peer is told
 * the same for all of them. On failure *out is cleared. */
SIGNET_MUST SIGNET_API int signet_authorizer_open(struct signet_presented *out,
                                                  const struct signet_authorizer_parts *parts,
                                                  const struct signet_key *service_secret,
                                                  const struct signet_ticket_limits *limits,
                                                  struct signet_fail *fail);
/* Step 7: the second authorizer against the challenge that was sent. -CHALLENGE_MISSING: it has
 * none; -CHALLENGE_WRONG. Constant time. */
SIGNET_MUST SIGNET_API int signet_authorizer_check(const struct signet_authorize *authorize,
                                                   uint64_t challenge);
/* Step 8: the payload of AUTH_DONE with nonce + 1, and the secret if secret_len is not 0. */
SIGNET_MUST SIGNET_API int signet_authorizer_reply(uint8_t *out, size_t cap, size_t *out_len,
                                                   const struct signet_key *session_key,
                                                   uint64_t nonce, const uint8_t *secret,
                                                   size_t secret_len);

/* --- replies with tickets, at the monitor --------------------------------------------------- */

/* A ticket to be issued. */
struct signet_grant {
    uint32_t service;
    uint64_t secret_id;
    const struct signet_key *service_secret; /* seals the service's half */
    const struct signet_key *session_key;
    const struct signet_auth_ticket *ticket;
    struct signet_utime validity;
};

/* A ticket reply. reply_key seals the principal's halves; old_key (NULL: none) wraps the blobs,
 * ticket_enc = 1. At most SIGNET_TICKETS_MAX: -COUNT. -SPACE, -LENGTH, -NOMEM, what sealing gives.
 */
SIGNET_MUST SIGNET_API int signet_ticket_reply_make(uint8_t *out, size_t cap, size_t *out_len,
                                                    const struct signet_grant *grants, size_t num,
                                                    const struct signet_key *reply_key,
                                                    const struct signet_key *old_key);

struct signet_session_grant {
    struct signet_grant auth;
    const struct signet_key *principal; /* its secret, whose proof matched */
    const struct signet_key *old_key;   /* of the reclaimed session, or NULL */
    bool more;                          /* other_keys was not 0: the rest is sent */
    bool handshake;                     /* msgr2 handshake: a secret is sent, of secret_len bytes */
    const uint8_t *secret;
    size_t secret_len; /* 64 or 0 */
    const struct signet_grant *extra;
    size_t num_extra;
};
/* The whole answer to GET_AUTH_SESSION_KEY. Errors as signet_ticket_reply_make(). */
SIGNET_MUST SIGNET_API int signet_session_reply_make(uint8_t *out, size_t cap, size_t *out_len,
                                                     const struct signet_session_grant *grant);

#ifdef __cplusplus
}
#endif
#endif
