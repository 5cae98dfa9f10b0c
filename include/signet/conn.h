/* SPDX-License-Identifier: MIT */
/*
 * One msgr2.1 connection as a state machine without sockets. The caller moves bytes and time:
 *
 *   signet_conn_recv_buffer / _received   what the peer sent (no copy: the frames are opened there)
 *   signet_conn_next                      does the work, one event at a time, until NONE
 *   signet_conn_output / _sent            what to send
 *   signet_conn_deadline_ns / _tick       when to call again though nothing came
 *
 * Rules: msgr2.md 6-9, 11, 12. All times are monotonic nanoseconds on one scale of the caller's
 * (env.mono_ns is not called). One thread at a time, the same one that uses the client meanwhile:
 * the one that drives it. Only signet_conn_seal_reserved() and signet_conn_abandon() may run on any
 * thread; with options.senders also signet_conn_reserve(), signet_conn_send() and
 * signet_conn_queued(), at any time between new and free. They take no lock to seal.
 */
#ifndef SIGNET_CONN_H
#define SIGNET_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <signet/addr.h>
#include <signet/client.h>
#include <signet/control.h>
#include <signet/env.h>
#include <signet/error.h>
#include <signet/frame.h>
#include <signet/server.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

struct signet_conn;
struct signet_session; /* session.h */
struct signet_sessions;

/* The masks of msgr2.md 9.3: what Ceph 16 announces, and what a client asks of mon and osd. */
#define SIGNET_FEATURES_SUPPORTED UINT64_C(0x3f01cfbdfffdffff)
#define SIGNET_FEATURES_REQUIRED  UINT64_C(0x0800000000001000)
/* What our side of a server asks of clients. */
#define SIGNET_FEATURES_REQUIRED_SERVER UINT64_C(0x0800000000000000)

/* Zero means the default, where one is named. */
struct signet_conn_options {
    enum signet_role role;
    uint32_t own_type;            /* enum signet_service; default CLIENT; a server must say */
    uint32_t peer_type;           /* CLIENT: the service dialled: MON (login) or another
                                   * (authorizer) */
    struct signet_addr own;       /* CLIENT: blank ip: learned from HELLO; nonce 0: a random one.
                                   * SERVER: as clients dial it, with its nonce */
    struct signet_addr target;    /* as dialled; nonce 0 matches any at a monitor and a daemon with
                                   * nonce 0 only: daemons compare it with their own */
    struct signet_client *client; /* CLIENT: borrowed until AUTHENTICATED or FAILED */
    struct signet_login *login;   /* SERVER: of this connection alone, borrowed as long as it */
    int64_t gid;                  /* SERVER: number of the daemon, shown in its ident */
    uint32_t modes[2];            /* enum signet_con_mode by preference (SERVER: those allowed);
                                   * default SECURE alone */
    unsigned num_modes;
    struct signet_env env;          /* random for nonces, real_ns for keepalive stamps */
    uint64_t global_seq;            /* of the caller's process; default 1 */
    uint64_t supported, required;   /* connection features */
    uint64_t handshake_timeout_ns;  /* from new to READY; default 10 s */
    uint64_t keepalive_interval_ns; /* after READY; default: none are sent by itself */
    uint64_t keepalive_timeout_ns;  /* longest wait for an answer; default 30 s */
    /* How long the answer to a keepalive of the peer waits; default: not at all. Of several that
     * came meanwhile the last one is answered, which answers all. For monitors about 1 ms: Ceph's
     * clients take the time, send the keepalive with a later stamp, and read the stamp of the last
     * answer; when that is back already it is later than their time, they find that nothing came
     * for 136 years, and connect anew. */
    uint64_t keepalive_answer_ns;
    uint64_t max_nonces; /* per direction, then the connection fails; default: the stream's own */
    struct signet_frame_limits limits; /* after authentication; default when control is 0 */
    const struct signet_handler *pin;  /* for the streams; NULL: the current handler */
    /* Other threads send beside the one that drives it, which must then be woken to write. What
     * fails the connection there is told to the driving thread by its next call. Costs a lock
     * without contention for each message. */
    bool senders;

    /* CLIENT: goes on with this session, whose peer, peer_type and own address count. NULL: lossy.
     * SERVER: the table of sessions; NULL: all are lossy. A reference is taken. */
    struct signet_session *session;
    struct signet_sessions *sessions; /* borrowed until the connection is freed */
    /* Sessions only; may be NULL: the connection has something to do, though nothing came from its
     * peer: another thread queued a message, took the session, or finished what this one had to
     * wait for. On any thread, with locks held: only wake the connection's own thread, which then
     * calls signet_conn_next() and signet_conn_output(). */
    void (*wake)(void *arg);
    void *wake_arg;
};

/* Own banner is ready for output at once. The authentication method is that of the client or the
 * login; with AUTH_NONE the modes must be CRC alone: else -NONE_SECURE. -STATE: the session has a
 * connection that is READY; -SESSION_CLOSED. */
SIGNET_MUST SIGNET_API int signet_conn_new(struct signet_conn **out,
                                           const struct signet_conn_options *options,
                                           uint64_t now_ns);
/* All reservations must be sealed or abandoned. NULL is fine. Wipes. */
SIGNET_API void signet_conn_free(struct signet_conn *conn);

/* --- bytes ------------------------------------------------------------------------------- */

/* Room for received bytes: at least one byte, all of the present frame if its length is known.
 * Ends the life of views given out by events. Fails as the connection has, or -NOMEM. */
SIGNET_MUST SIGNET_API int signet_conn_recv_buffer(struct signet_conn *conn, uint8_t **p,
                                                   size_t *cap);
/* Whether more input is of use. False while a session's messages wait for the caller of the
 * connection that had it before (wake tells when that is over): who reads on grows the buffer. */
SIGNET_API bool signet_conn_wants_input(const struct signet_conn *conn);
/* n bytes were put there. -INVAL if that is more than there was room. */
SIGNET_MUST SIGNET_API int signet_conn_received(struct signet_conn *conn, size_t n,
                                                uint64_t now_ns);
/* The stream has ended: err is -PEER_CLOSED, or why reading or writing failed. What arrived before
 * is still given out, then FAILED. */
SIGNET_API void signet_conn_closed(struct signet_conn *conn, int err);
/* Up to *num pieces to be written, in order; *num becomes the number set, 0: nothing to write (also
 * while the next frame is reserved but not sealed). Valid until the next call that takes conn. */
SIGNET_MUST SIGNET_API int signet_conn_output(struct signet_conn *conn, struct iovec *iov,
                                              int *num);
/* The first n bytes of them were written. */
SIGNET_API void signet_conn_sent(struct signet_conn *conn, size_t n);
/* Bytes that wait for output, sealed or reserved. A caller that does not read while this is large
 * keeps a peer from growing the output by keepalives that it does not fetch the answers of. */
SIGNET_API uint64_t signet_conn_queued(const struct signet_conn *conn);

/* Gives back buffers that were not needed since the last call: all of them if it was idle. For
 * loops with many connections, once in a while for each. Ends the life of views. */
SIGNET_API void signet_conn_trim(struct signet_conn *conn);

/* --- time -------------------------------------------------------------------------------- */

/* When signet_conn_tick() must be called at the latest; UINT64_MAX: no deadline. */
SIGNET_API uint64_t signet_conn_deadline_ns(const struct signet_conn *conn);
/* Sends a due keepalive; -HANDSHAKE_TIMEOUT, -KEEPALIVE_TIMEOUT (FAILED follows as event), or the
 * failure of before. Early calls are harmless. */
SIGNET_MUST SIGNET_API int signet_conn_tick(struct signet_conn *conn, uint64_t now_ns);

/* --- events ------------------------------------------------------------------------------ */

enum signet_event_kind {
    SIGNET_EVENT_NONE = 0,      /* nothing more until bytes or time come */
    SIGNET_EVENT_BANNER,        /* banner: the peer's, accepted */
    SIGNET_EVENT_HELLO,         /* hello: the peer's, accepted */
    SIGNET_EVENT_REFUSED,       /* refused: AUTH_BAD_METHOD; FAILED follows with its cause */
    SIGNET_EVENT_AUTHENTICATED, /* auth: both signatures are right; the client is not used any more
                                 */
    SIGNET_EVENT_READY,         /* ready */
    SIGNET_EVENT_MESSAGE,       /* message */
    SIGNET_EVENT_ABORTED,       /* the peer aborted a message; nothing else is known of it */
    SIGNET_EVENT_ACK,           /* acked: all sent messages up to this seq are delivered */
    SIGNET_EVENT_RESET,         /* reset: a session starts anew, READY follows */
    SIGNET_EVENT_KEEPALIVE,     /* stamp: the peer's, answered already or in time */
    SIGNET_EVENT_KEEPALIVE_ACK, /* pong */
    SIGNET_EVENT_FAILED,        /* fail: given once; the connection is dead. When a server refused
                                 * its peer the output still holds what tells it so: write that,
                                 * then close */
};

struct signet_event_auth {
    uint64_t global_id;
    enum signet_con_mode mode;
    size_t received, sent; /* bytes under the two signatures */
};
struct signet_event_ready {
    const struct signet_ident *peer; /* SERVER_IDENT */
    const struct signet_addr *own;   /* what was announced */
    uint64_t features;               /* supported by both */
    bool lossy;                      /* as the peer decided */
    bool resumed;                    /* a session goes on where it stopped */
};
struct signet_event_reset {
    bool full;     /* the peer has nothing left of the session */
    uint64_t lost; /* messages that were queued for it and are dropped */
};
struct signet_event_pong {
    struct signet_utime stamp;
    uint64_t rtt_ns; /* UINT64_MAX: not a stamp of ours; it does not count as an answer */
};

/* The pointers and views in it are valid until the next call that takes conn. */
struct signet_event {
    enum signet_event_kind kind;
    union {
        struct signet_banner banner;
        struct signet_hello hello;
        struct signet_auth_bad_method refused;
        struct signet_event_auth auth;
        struct signet_event_ready ready;
        struct signet_message message;
        uint64_t acked;
        struct signet_event_reset reset;
        struct signet_utime stamp;
        struct signet_event_pong pong;
        const struct signet_fail *fail;
    };
};

/* The next event. Returns 0 also for FAILED; after that one only NONE. Causes of FAILED, beside
 * those of the frame reader, the banner, the codecs and the client:
 *   -UNEXPECTED_TAG   a tag that is not allowed in the state
 *   -PREAUTH_LIMIT    too many frames before authentication
 *   -PEER_TYPE        HELLO names another entity type than the one dialled
 *   -AUTH_METHOD, -AUTH_MODE, -AUTH_DENIED   the server's refusal: no common method, no common
 *                     connection mode, wrong credentials (or unknown entity, cipher not allowed);
 *                     SERVER: the peer asked again and again, or went away, after the first two
 *   -MODE_NOT_OFFERED, -CONN_SECRET, -NONCE_CLASH   AUTH_DONE that must not be accepted
 *   -AUTH_SIGNATURE   the peer's signature does not match what was sent
 *   -MISSING_FEATURES, -PEER_FEATURES   the server lacks ours, we lack the server's
 *   -PEER_ADDR        the address dialled is none of the server's
 *   -SESSION_WAIT     the server answered WAIT
 *   -SESSION_REPLACED, -SESSION_CLOSED, -SESSION_STALE   the session went to a newer connection,
 * was closed; this connection is older than the one that the session knows -SESSION_LIMIT    the
 * table of sessions is full -SESSION_RETRIES  no agreement on the session after several rounds
 *   -SEQ_GAP, -ACK_RANGE   a message was lost; an ack of what was never sent
 *   -HANDSHAKE_TIMEOUT, -KEEPALIVE_TIMEOUT, -ABANDONED, -NONCES_SPENT, -PEER_CLOSED
 */
SIGNET_MUST SIGNET_API int signet_conn_next(struct signet_conn *conn, struct signet_event *event);

enum { SIGNET_CONN_HANDLERS = 4 };
/* What a connection did. Bytes are those of the segments of its secure frames, by the handler that
 * was current (NULL: unused row). */
struct signet_conn_figures {
    uint64_t messages_in, messages_out; /* given out; written to their last byte */
    struct {
        const struct signet_handler *handler;
        uint64_t sealed, opened;
    } by_handler[SIGNET_CONN_HANDLERS];
    uint64_t nonces_left; /* now, of the direction that has less; UINT64_MAX: not secure */
};
/* What was done since the last call. */
SIGNET_API void signet_conn_take_figures(struct signet_conn *conn, struct signet_conn_figures *out);
/* The failure, or NULL while there is none. */
SIGNET_API const struct signet_fail *signet_conn_failure(const struct signet_conn *conn);
/* The session it has, or had when it failed; NULL: none. Borrowed until the connection is freed. */
SIGNET_API struct signet_session *signet_conn_session(const struct signet_conn *conn);
/* "HELLO_CONNECTING", "READY", ... the names of msgr2.md 9.1, or "FAILED". */
SIGNET_API const char *signet_conn_state(const struct signet_conn *conn);

/* --- sending (only after READY: else -STATE, or the failure) ------------------------------- */

/* Seals the message with its front and middle, and with the concatenation of data (its own data
 * member is not used), into the output; nothing is kept of the arguments. *seq (may be NULL) is
 * what an ACK will name. -LENGTH: a part above the default limits. On a session it is
 * signet_session_send(), with its errors, and sealed at once unless much output waits already. */
SIGNET_MUST SIGNET_API int signet_conn_send(struct signet_conn *conn,
                                            const struct signet_message *message,
                                            const struct iovec *data, int num, uint64_t *seq);
/* KEEPALIVE2 now. */
SIGNET_MUST SIGNET_API int signet_conn_keepalive(struct signet_conn *conn, uint64_t now_ns);
/* ACK of all messages given out so far. Done by itself when the session is not lossy and there is
 * nothing more to read. */
SIGNET_MUST SIGNET_API int signet_conn_ack(struct signet_conn *conn);

/* A place in the output, with sequence number, nonces and buffer, for a message that some other
 * thread seals. Whatever is sent later is written after it. */
struct signet_reserved;

/* The lengths must be those of the message to come. Allocates nothing after warm-up. On a session
 * -STATE: other threads use signet_session_send() there. */
SIGNET_MUST SIGNET_API int signet_conn_reserve(struct signet_conn *conn,
                                               struct signet_reserved **out, uint32_t front_len,
                                               uint32_t middle_len, uint32_t data_len);
SIGNET_API uint64_t signet_reserved_seq(const struct signet_reserved *reserved);
/* As signet_conn_send. Once per reservation, on any thread, in any order; the reservation belongs
 * to the connection again. The caller then wakes the thread that does the output. -LENGTH: other
 * lengths than reserved. A failure counts as abandoned. */
SIGNET_MUST SIGNET_API int signet_conn_seal_reserved(struct signet_reserved *reserved,
                                                     const struct signet_message *message,
                                                     const struct iovec *data, int num);
/* Instead of sealing: the connection fails with -ABANDONED at its next call. */
SIGNET_API void signet_conn_abandon(struct signet_reserved *reserved);

#ifdef __cplusplus
}
#endif
#endif
