/* SPDX-License-Identifier: MIT */
/*
 * Lossless sessions: what outlives a connection (conn.h). A session numbers the messages of both
 * directions and keeps copies of those that the peer has not acknowledged; when a connection breaks
 * they go out again on the next one, and nothing is delivered twice. Rules: msgr2.md 9.
 *
 * Who dials: makes a session with signet_session_new(), gives it to each new connection
 * (signet_conn_options.session) and asks signet_session_dial_ns() when the next one is due.
 * Who accepts: gives the table to all its connections (signet_conn_options.sessions); sessions come
 * and go there. Peers that dial each other do both with one table.
 *
 * At any time one connection at most holds a session. A newer one takes it away; the older one then
 * fails with -SESSION_REPLACED at its next call, and what it had not acknowledged is sent on the
 * newer one. Functions of tables and sessions: any thread. A forked child must leave them alone:
 * two processes would speak for one session. It may free what it has, which then does nothing.
 */
#ifndef SIGNET_SESSION_H
#define SIGNET_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <signet/addr.h>
#include <signet/control.h>
#include <signet/env.h>
#include <signet/error.h>
#include <signet/name.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sessions of one entity, and its global_seq: a process that dials from one address has one
 * table for it. */
struct signet_sessions;
struct signet_session_status;
/* Reference counted: connections, the table and the caller of signet_session_new() hold one. */
struct signet_session;

/* Zero means the default, where one is named. */
struct signet_sessions_options {
    struct signet_env env; /* random for cookies and jitter; may be called on any thread */
    uint32_t lossless;     /* accepting: types of peers (mask of enum signet_service) whose sessions
                            * are kept, others are lossy; default: all */
    uint32_t peers;        /* of these: types that dial us and are dialled (policy "lossless peer");
                            * default: none, we only accept */
    bool keep_on_restart;  /* policy.resetcheck off: what waits for a peer that has lost its session
                            * goes to its new one, and is not dropped */
    uint32_t max_sessions; /* of the table; default 65536 */
    uint32_t max_per_client; /* accepted ones of one global_id; default 32. One more takes the place
                              * of the one that has been without connection for longest; when all
                              * have one it is refused (-SESSION_CLIENT_LIMIT) */
    uint64_t max_queued; /* bytes of memory that one session keeps messages in; default 64 MiB */
    uint64_t max_total;  /* that all keep; default 1 GiB */
    uint64_t standby_ns; /* an accepted session without connection is dropped after this; default
                          * 10 min */
    uint64_t backoff_ns; /* before the second attempt to connect, doubling; default 0.2 s */
    uint64_t max_backoff_ns; /* up to this; default 15 s */
    /* The table drops a session for its age or for another one of its client, and num_queued
     * messages with it; NULL: nobody is told. On any thread, with locks held: it must not call into
     * signet. */
    void (*dropped)(void *arg, const struct signet_session_status *session);
    void *arg;
};

/* -INVAL, -NOMEM, -RANDOM (the table's places are not for peers to foresee). */
SIGNET_MUST SIGNET_API int signet_sessions_new(struct signet_sessions **out,
                                               const struct signet_sessions_options *options);
/* Closes all sessions that an incoming connection could find; their connections fail at their next
 * call. Those of LOSSLESS_CLIENT stay usable until their last reference goes. NULL is fine. */
SIGNET_API void signet_sessions_free(struct signet_sessions *sessions);
/* Drops what is without connection for too long. Whoever asks for a session does it too, and a
 * messenger does it in time for the tables of its listeners; others call it now and then. Returns
 * when something may be due next; UINT64_MAX: nothing. */
SIGNET_API uint64_t signet_sessions_expire(struct signet_sessions *sessions, uint64_t now_ns);
/* Sessions that an incoming connection could find, and bytes kept by all. */
SIGNET_API uint32_t signet_sessions_num(struct signet_sessions *sessions);
SIGNET_API uint64_t signet_sessions_queued(struct signet_sessions *sessions);

enum signet_session_policy {
    SIGNET_LOSSLESS_CLIENT = 0, /* we dial, the peer never does */
    SIGNET_LOSSLESS_PEER,       /* both dial */
    SIGNET_STATEFUL_SERVER,     /* the peer dials: made by the table alone */
};

struct signet_session_options {
    enum signet_session_policy policy;
    uint32_t peer_type;      /* enum signet_service */
    struct signet_addr peer; /* what is dialled; LOSSLESS_PEER: with the peer's nonce */
    struct signet_addr own;  /* as in signet_conn_options, but for all connections; LOSSLESS_PEER:
                              * where the peer dials us */
    struct signet_name name; /* LOSSLESS_PEER: who the peer must prove to be when it dials */
    bool stay; /* a connection is wanted also while nothing is queued, e.g. for what the peer sends:
                * no STANDBY */
    /* Dialling is due before signet_session_dial_ns() said so, or a message was queued on some
     * thread while there is no connection; may be NULL. Called with locks held: only wake a thread
     * of yours. */
    void (*due)(void *arg);
    void *arg;
};

/* -INVAL; -SESSION_LIMIT: LOSSLESS_PEER and the table is full; -NOMEM. */
SIGNET_MUST SIGNET_API int signet_session_new(struct signet_session **out,
                                              struct signet_sessions *sessions,
                                              const struct signet_session_options *options);
SIGNET_API struct signet_session *signet_session_ref(struct signet_session *session);
SIGNET_API void signet_session_unref(struct signet_session *session);
/* Ends it: what is queued is dropped, its connection fails with -SESSION_CLOSED. */
SIGNET_API void signet_session_close(struct signet_session *session);

/* Queues a copy of the message (see signet_conn_send()). It is sealed by the connection: with the
 * next signet_conn_output() if there is one that is READY, else by the first that will be.
 * -SESSION_CLOSED; -SESSION_FULL: as many bytes wait as may; -LENGTH, -NOMEM. */
SIGNET_MUST SIGNET_API int signet_session_send(struct signet_session *session,
                                               const struct signet_message *message,
                                               const struct iovec *data, int num, uint64_t *seq);

/* When the caller should make the next connection (time of signet_conn_*): 0: at once;
 * UINT64_MAX: not now, since there is one, or nothing is queued (STANDBY), or the peer dials. */
SIGNET_API uint64_t signet_session_dial_ns(struct signet_session *session);

enum signet_session_state {
    SIGNET_SESSION_STANDBY,    /* no connection, and none is needed */
    SIGNET_SESSION_BACKOFF,    /* no connection, but messages wait for one */
    SIGNET_SESSION_WAIT,       /* no connection: the peer said that it dials us */
    SIGNET_SESSION_CONNECTING, /* a connection of ours is on its way */
    SIGNET_SESSION_READY,
    SIGNET_SESSION_CLOSED,
};

/* For logs and tests. */
struct signet_session_status {
    enum signet_session_state state;
    enum signet_session_policy policy;
    uint64_t client_cookie, server_cookie, global_seq, peer_global_seq, connect_seq;
    uint64_t in_seq;         /* last message given out, as numbered on the wire */
    uint64_t out_seq, acked; /* last message queued; last one that was acknowledged, or lost */
    uint64_t queued;         /* bytes kept for messages acked + 1 to out_seq */
    uint64_t num_queued;     /* and their number */
    unsigned failures;       /* attempts in vain since the last session that held */
    struct signet_addr peer;
    uint32_t peer_type;
    struct signet_name name; /* as authenticated, or as demanded; type 0: not known */
    uint64_t global_id;      /* as authenticated; 0: not known */
};
SIGNET_API void signet_session_status(struct signet_session *session,
                                      struct signet_session_status *out);

#ifdef __cplusplus
}
#endif
#endif
