/* SPDX-License-Identifier: MIT */
/*
 * Inside of sessions. session.c is the object, session_queue.c its messages, session_table.c the
 * table, session_client.c what one client has of it, session_judge.c the rules of msgr2.md 9.2 as
 * functions of facts, session_accept.c does what they say, conn_lossless.c is the connection's
 * side.
 *
 * Locks: the table's before the session's. Making or breaking the tie between a session and a
 * connection takes both; a message takes the session's alone.
 */
#ifndef SIGNET_MSG_SESSION_INTERNAL_H
#define SIGNET_MSG_SESSION_INTERNAL_H

#include <signet/session.h>

#include <signet/frame.h>

#include <pthread.h>
#include <sys/types.h>
#include <stdatomic.h>

enum {
    SESSION_BUCKETS = 1024, /* a power of two */
    SESSION_CLASSES = 9,    /* messages of 256 << class bytes are kept for the next ones */
    SESSION_CLASS_MIN = 256,
    SESSION_KEEP_MAX = 1 << 18, /* bytes of those, at most, while there is a connection */
};
/* No counter of a process gets there: a peer that names one is refused. */
#define SESSION_SEQ_MAX (UINT64_C(1) << 48)

struct signet_conn;

/* A message that waits for its acknowledgement; its parts are in buf. */
struct session_message {
    struct session_message *next;
    uint64_t seq;   /* as the caller knows it: never used again, unlike that on the wire */
    uint64_t bytes; /* of the whole; that of its class if it has one */
    uint64_t used;  /* the most bytes of buf that were ever used: to be wiped */
    struct signet_message m;
    uint8_t buf[];
};

struct session_queue {
    struct session_message *head, **tail;
    struct session_message *unsent; /* first one not yet on the present connection */
    uint64_t bytes, num;
    struct session_message *kept[SESSION_CLASSES]; /* free ones */
    uint64_t kept_bytes;
};

struct signet_session {
    pthread_mutex_t lock;
    _Atomic uint32_t refs;
    struct signet_sessions *table; /* referenced */

    /* never change */
    enum signet_session_policy policy;
    struct signet_addr peer_addr;
    uint32_t peer_type;
    bool made_here; /* by signet_session_new() */
    bool stay;      /* no standby */
    void (*due)(void *arg);
    void *due_arg;

    /* under the table's lock */
    bool linked;                           /* in a bucket, which holds a reference */
    struct signet_session *next;           /* of the bucket */
    struct signet_session *next_of_client; /* accepted ones, by global_id */
    struct signet_session *older, *newer;  /* without connection, by the time since when */
    bool idle;                             /* in that list */
    uint64_t idle_ns;

    /* under the lock */
    bool closed, ready, waits, lossy;
    struct signet_conn *holder; /* the connection that has it; only compared, woken and marked */
    struct signet_conn *shower; /* whose caller is still busy with a message */
    struct signet_addr own;
    struct signet_name name;
    bool named, bound; /* name, global_id are known */
    uint64_t global_id;
    uint64_t client_cookie, server_cookie, global_seq, peer_global_seq, connect_seq;
    uint64_t dial_cookie; /* of our own last CLIENT_IDENT */
    uint64_t in_seq;      /* on the wire */
    uint64_t out_seq;     /* last one queued, as the caller counts */
    uint64_t sent;        /* last one that was on a connection */
    uint64_t acked;
    uint64_t base; /* what was queued before the numbers on the wire began at 1 */
    struct session_queue queue;
    struct signet_ident peer; /* its last ident */
    unsigned failures;
    uint64_t due_ns, ready_ns;
};

struct signet_sessions {
    pthread_mutex_t lock;
    pid_t pid;       /* of the process that made it */
    uint64_t key[2]; /* of both kinds of buckets */
    _Atomic uint32_t refs;
    _Atomic uint64_t global_seq, queued;
    struct signet_sessions_options o; /* defaults filled in */
    uint32_t num;
    struct signet_session *oldest, *newest;            /* without connection */
    struct signet_session *bucket[SESSION_BUCKETS];    /* by address */
    struct signet_session *of_client[SESSION_BUCKETS]; /* by global_id */
};

/* --- table (its lock is held, but for ref, unref and global_seq) --- */

void sessions_ref(struct signet_sessions *table);
void sessions_unref(struct signet_sessions *table);
/* In a forked child: some thread of the parent may have held any lock. */
bool sessions_are_inherited(const struct signet_sessions *table);
/* A number above any that was used, and above floor. */
uint64_t sessions_global_seq(struct signet_sessions *table, uint64_t floor);
int sessions_link(struct signet_sessions *table, struct signet_session *session);
/* Gives back the table's reference: NULL if there was none. */
struct signet_session *sessions_unlink(struct signet_session *session);
void sessions_idle(struct signet_session *session, uint64_t now_ns);
void sessions_not_idle(struct signet_session *session);
void sessions_expire(struct signet_sessions *table, uint64_t now_ns);
/* Ends it and tells so. The table's lock alone. */
void sessions_drop(struct signet_session *session);
/* signet_sessions_expire(), and when to call again at the latest, whatever happens meanwhile. */
uint64_t sessions_expire_next(struct signet_sessions *sessions, uint64_t now_ns);
/* The session with one of these addresses whose peer is the one that has proven its name. */
struct signet_session *sessions_find(struct signet_sessions *table,
                                     const struct signet_addrvec *addrs,
                                     const struct signet_name *name, uint64_t global_id);

/* Room for one more of a client: drops one if need be. -SESSION_CLIENT_LIMIT. */
int sessions_client_room(struct signet_sessions *table, uint64_t global_id);
/* As the session's global_id says, for those that were accepted; around changing it. */
void sessions_client_link(struct signet_session *session);
void sessions_client_unlink(struct signet_session *session);

/* --- session (its lock is held, but for make) --- */

struct signet_session *session_make(struct signet_sessions *table);
/* Random, not 0. */
int session_cookie(const struct signet_sessions *table, uint64_t *cookie);
enum signet_session_state session_state(const struct signet_session *session);
/* Whether some thread is still busy with a message of a connection that lost the session. */
bool session_is_replaced(const struct signet_session *session);
/* conn becomes its holder; the former one is told. Both locks. */
void session_take(struct signet_session *session, struct signet_conn *conn);
/* Ends it, both locks held; what sessions_unlink() says. */
struct signet_session *session_end(struct signet_session *session);
/* Number 1 comes next on the wire, in both directions; what waits stays. */
void session_renumber(struct signet_session *session);
/* Forgets all that both sides have agreed on, and all that is queued. Returns how many. */
uint64_t session_reset(struct signet_session *session);

/* --- queue (the session's lock is held, but for new and free) --- */

/* A copy; its memory may be that of a former one of this session. */
int session_message_new(struct signet_session *session, struct session_message **out,
                        const struct signet_message *message, const struct iovec *data, int num);
void session_message_free(struct session_message *message);
int session_queue_add(struct signet_session *session, struct session_message *message);
/* Frees all up to seq. */
void session_queue_ack(struct signet_session *session, uint64_t seq);
uint64_t session_queue_clear(struct signet_session *session);
/* Gives back what is kept for next messages. */
void session_queue_trim(struct signet_session *session);

/* --- what an incoming connection asks for --- */

struct session_grant {
    uint64_t cookie;  /* of the server, if the session starts */
    uint64_t value;   /* of RETRY, RETRY_GLOBAL, RECONNECT_OK */
    bool reset, full; /* the session that was there starts anew */
    uint64_t lost;    /* what was queued in it */
};

struct session_claim {
    bool reconnect;
    const struct signet_name *name; /* authenticated */
    uint64_t global_id;
    const struct signet_addrvec *addrs;
    const struct signet_addr *own;
    uint64_t client_cookie, server_cookie, global_seq, connect_seq, msg_seq;
};

enum session_answer {
    SESSION_NEW,       /* none there: make it */
    SESSION_RENEW,     /* end the one there, make a new one */
    SESSION_REUSE,     /* numbers start again, what waits is sent */
    SESSION_RESTARTED, /* the same, but the peer has lost what it had */
    SESSION_RESUME,    /* go on where it stopped */
    SESSION_STALE,     /* a newer attempt is known: close */
    SESSION_WAIT,
    SESSION_RESET_FULL,
    SESSION_RESET_PART,
    SESSION_RETRY,
    SESSION_RETRY_GLOBAL,
};

/* The rules of msgr2.md 9.2 in their order, for CLIENT_IDENT and SESSION_RECONNECT. existing: NULL
 * or locked. */
enum session_answer session_judge(const struct signet_session *existing,
                                  const struct session_claim *claim, bool resetcheck);
/* Finds or makes the session and, for the five answers that give it, ties conn to it. ident: of
 * CLIENT_IDENT, else NULL. */
int session_accept(struct signet_conn *conn, const struct session_claim *claim,
                   const struct signet_ident *ident, enum session_answer *answer,
                   struct session_grant *grant);
/* What conn needs of the session that it holds now. Both locks. */
void session_tie(struct signet_session *session, struct signet_conn *conn);

#endif
