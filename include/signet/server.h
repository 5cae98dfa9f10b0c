/* SPDX-License-Identifier: MIT */
/*
 * The server side of one connection's authentication: a login at a monitor, or an authorizer at
 * a daemon. Pure over buffers; clock, random and keys come from the key server.
 * Rules: cephx.md 5-9 of the specification. One thread at a time per object.
 */
#ifndef SIGNET_SERVER_H
#define SIGNET_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/client.h>
#include <signet/error.h>
#include <signet/keyserver.h>
#include <signet/name.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lives as long as its connection: renewals inside the session use the same challenge. */
struct signet_login;

/* service: what this side is: SIGNET_MON answers logins, any other type authorizers for tickets
 * of that type. The key server is borrowed. */
SIGNET_MUST SIGNET_API int signet_login_new(struct signet_login **out,
                                            struct signet_keyserver *server, uint32_t service);
SIGNET_API void signet_login_free(struct signet_login *login);

/* SIGNET_AUTH_CEPHX, or SIGNET_AUTH_NONE by the key server's policy: the one method that it takes.
 * With AUTH_NONE the first step ends it, with nothing to send in AUTH_DONE. */
SIGNET_API uint32_t signet_login_method(const struct signet_login *login);

enum signet_verdict {
    SIGNET_VERDICT_MORE,    /* send out as AUTH_REPLY_MORE */
    SIGNET_VERDICT_DONE,    /* send out as AUTH_DONE; signet_login_take() has the rest */
    SIGNET_VERDICT_REFUSED, /* send AUTH_BAD_METHOD with signet_login_errno(), then close */
    SIGNET_VERDICT_BUSY,    /* close without a frame: the peer tries again */
};

/* The payload of AUTH_REQUEST (first) or AUTH_REQUEST_MORE, and the mode that was chosen among the
 * client's. Returns 0 with MORE or DONE; else the cause, which is for logs and counters only: all
 * the peer may learn is the verdict. A refused login stays refused. out and cap: at least
 * SIGNET_AUTH_PAYLOAD_MAX. */
SIGNET_MUST SIGNET_API int signet_login_step(struct signet_login *login, enum signet_con_mode mode,
                                             uint8_t *out, size_t cap, size_t *out_len,
                                             const uint8_t *in, size_t in_len,
                                             enum signet_verdict *verdict,
                                             struct signet_fail *fail);
/* Negative errno for the wire after REFUSED: -13, or what cephx.md 11 names. */
SIGNET_API int32_t signet_login_errno(const struct signet_login *login);

/* Who logged in. Does not change after DONE, renewals included; valid until the login is freed. */
struct signet_identity {
    struct signet_name name;
    uint64_t global_id;
    const char *caps;         /* for this side's service; "" if none */
    uint64_t expires_real_ns; /* of the ticket presented; UINT64_MAX for a login and AUTH_NONE */
};
/* After DONE, once: what the connection needs. The caller owns *result. -STATE otherwise. */
SIGNET_MUST SIGNET_API int signet_login_take(struct signet_login *login,
                                             struct signet_auth_result *result);
/* NULL before DONE. */
SIGNET_API const struct signet_identity *signet_login_identity(const struct signet_login *login);
/* Who the peer says it is, for logs: nothing is proved before DONE. NULL before it has said so, and
 * for an authorizer that is not accepted. Valid until the login is freed. */
SIGNET_API const struct signet_name *signet_login_claimed(const struct signet_login *login);

/* The front of an MAuth inside an authenticated monitor session (renewal of AUTH or service
 * tickets, rotating secrets); out is the front of the MAuthReply to be sent, also when the
 * request was refused (then the cause is returned beside it). A wrong proof asks for closing:
 * *verdict is REFUSED; else DONE. */
SIGNET_MUST SIGNET_API int signet_login_mauth(struct signet_login *login, uint8_t *out, size_t cap,
                                              size_t *out_len, const uint8_t *in, size_t in_len,
                                              enum signet_verdict *verdict,
                                              struct signet_fail *fail);

#ifdef __cplusplus
}
#endif
#endif
