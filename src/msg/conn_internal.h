/* SPDX-License-Identifier: MIT */
/*
 * Inside a connection. conn.c makes it, conn_recv.c holds what comes, conn_next.c reads it by
 * the table of state x tag, conn_hello.c, conn_auth.c and conn_session.c hold the rules of that
 * table, conn_send.c and conn_queue.c send, conn_time.c keeps the deadlines, conn_figures.c counts.
 *
 * A connection has two halves. All belongs to the thread that drives it, but for what reserving
 * needs: the end of the queue, the buffers kept for it, the nonces and the sequence numbers. With
 * options.senders these are under out.lock, which is never held while something is opened, sealed
 * or written. Sealing takes no lock: a slot belongs to whoever reserved it until it is published.
 */
#ifndef SIGNET_MSG_CONN_INTERNAL_H
#define SIGNET_MSG_CONN_INTERNAL_H

#include <signet/conn.h>

#include <pthread.h>
#include <stdatomic.h>

/* Connecting states, the two that both sides have, accepting states. */
enum conn_state {
    CONN_BANNER_CONNECTING,
    CONN_HELLO_CONNECTING,
    CONN_AUTH_CONNECTING,
    CONN_AUTH_CONNECTING_SIGN,
    CONN_SESSION_CONNECTING,
    CONN_SESSION_RECONNECTING,
    CONN_READY,
    CONN_FAILED,
    CONN_BANNER_ACCEPTING,
    CONN_HELLO_ACCEPTING,
    CONN_AUTH_ACCEPTING,
    CONN_AUTH_ACCEPTING_MORE,
    CONN_AUTH_ACCEPTING_SIGN,
    CONN_SESSION_ACCEPTING,
    CONN_STATES
};

enum {
    CONN_PREAUTH_FRAMES = 16,       /* received before authentication, at most */
    CONN_PREAUTH_BYTES = 256 << 10, /* of those under the signature */
    CONN_RECV_MIN = 32768,          /* first size of the receive buffer in an open session */
    CONN_RECV_PREAUTH = 4096,       /* and before */
    CONN_CLASSES = 19,              /* output buffers of 512 << class bytes */
    CONN_CLASS_MIN = 512,
    CONN_KEEP_MAX = 8 << 20,  /* bytes of free output buffers that are kept */
    CONN_REFUSALS = 4,        /* answers of a server that let the peer try again */
    CONN_FLUSH_MAX = 1 << 20, /* bytes of output above which a session's messages wait */
    CONN_PONGS = 16,          /* keepalives without answer, at most */
};

enum slot_state { SLOT_RESERVED, SLOT_SEALED, SLOT_ABANDONED };

struct signet_reserved;
/* The driving thread follows these without the lock. */
typedef _Atomic(struct signet_reserved *) conn_link;

/* A frame in the output queue. Filled by whoever seals it, then published by its state. */
struct signet_reserved {
    conn_link next;
    const struct signet_stream *stream; /* NULL: crc layout */
    uint64_t nonce, seq, ack_seq;
    uint32_t segment_len[SIGNET_SEGMENTS_MAX];
    size_t len;  /* bytes of the frame; set when reserved */
    size_t used; /* the most bytes that it ever had: what lies in memory */
    unsigned size_class;
    bool message;
    bool plain;                           /* it once had a frame that was not sealed: to be wiped */
    const struct signet_handler *handler; /* that sealed it */
    _Atomic int state;                    /* enum slot_state */
    uint8_t buf[];
};

struct conn_queue {
    bool shared;      /* others reserve: what follows is under the lock, but for sent */
    _Atomic int gate; /* 0: messages may be reserved; else why not */
    conn_link head, *tail;
    size_t sent;             /* bytes of the head that are written */
    _Atomic uint64_t queued; /* bytes not written yet */
    struct signet_reserved *kept[CONN_CLASSES];
    uint32_t kept_num[CONN_CLASSES];
    uint32_t kept_low[CONN_CLASSES]; /* the least of kept_num since the last trim */
    size_t kept_bytes;
    _Atomic uint64_t held; /* bytes of memory that its buffers take, kept ones included */
    pthread_mutex_t lock;
};

/* The raw bytes of one direction that AUTH_SIGNATURE covers. */
struct conn_transcript {
    uint8_t *p;
    size_t len, cap;
};

struct conn_recv {
    uint8_t *p;
    size_t cap;
    size_t head; /* start of the present frame */
    size_t len;  /* end of what has arrived */
    size_t need; /* bytes from head on that the next step needs */
    size_t view; /* bytes at head that an event still shows */
    size_t peak; /* the largest need or frame since the last trim */
    size_t top;  /* bytes that ever were there: to be wiped */
};

struct conn_pong {
    struct signet_utime stamp;
    uint64_t sent_ns;
};

struct signet_conn {
    enum conn_state state;
    struct signet_conn_options o; /* defaults filled in */
    uint32_t method;              /* of client or login: CEPHX or NONE */
    struct conn_recv in;
    struct signet_frame_reader *reader;
    struct conn_queue out;
    struct signet_stream *seal, *open; /* NULL: crc layout */

    /* until authenticated */
    struct signet_authorizer *authorizer;
    struct signet_auth_result result;
    struct conn_transcript rx, tx;
    uint8_t *scratch; /* an auth payload, then an encoded control frame */
    unsigned frames;
    enum signet_con_mode mode;
    unsigned refusals;
    enum signet_err refused; /* SERVER: why the last one */
    bool farewell;           /* failed, but what is queued may still be sent */

    /* session */
    struct signet_ident peer;
    bool lossy;
    _Atomic uint64_t in_seq, out_seq;
    _Atomic uint64_t told; /* in_seq as last told to the peer */
    uint64_t acked;        /* out_seq as last acknowledged by the peer */
    bool ack_event;        /* acked is news for the caller */
    int64_t gid;           /* CLIENT: for the ident */

    /* lossless; in_seq, out_seq and acked are then those of the wire */
    struct signet_session *session;
    _Atomic int taken; /* why the session left this connection: negative; set by any thread */
    bool waits;        /* a caller is still busy with a message of the connection before this one */
    bool showing;      /* our caller is busy with one */
    bool resumed, ready_event; /* READY is still to be told */
    uint64_t seq_base;         /* the caller's number of a message sent minus that on the wire */

    uint64_t now_ns, deadline_ns; /* deadline: of the handshake */
    uint64_t keepalive_ns;        /* when the next one is due; UINT64_MAX: never */
    uint64_t answer_ns;           /* when the peer's last one is to be answered; UINT64_MAX: none */
    struct signet_utime answer;
    struct conn_pong pongs[CONN_PONGS];
    unsigned num_pongs;
    struct signet_utime last_stamp;

    struct signet_conn_figures figures; /* of the driving thread */

    int closed; /* what signet_conn_closed() was told */
    struct signet_fail fail;
    bool fail_told;
};

/* Before the peer's signature was verified. */
bool conn_is_preauth(enum conn_state state);
/* While frames are still under the signatures. */
bool conn_is_signed(enum conn_state state);

/* --- failing --- */

/* Fills conn->fail and returns err. The rules of the table return it. */
int conn_fault(struct signet_conn *conn, int err, const char *format, ...) SIGNET_PRINTF(3, 4);
/* Makes err (already told by conn_fault, or else its usual text) the end of the connection. */
int conn_die(struct signet_conn *conn, int err);
/* Forgets all that only authentication needs. */
void conn_forget_auth(struct signet_conn *conn);

/* --- receiving --- */

/* Drops the bytes that the last event showed. */
void conn_recv_release(struct signet_conn *conn);
void conn_recv_trim(struct signet_conn *conn);
/* Gives back a large buffer in which nothing waits. Ends the life of views. */
void conn_recv_shrink(struct signet_conn *conn);
void conn_recv_free(struct signet_conn *conn);
/* Bytes that the next read makes its buffer larger by; 0 for small buffers. */
static inline size_t conn_recv_growth(const struct signet_conn *conn)
{
    size_t cap = conn->in.cap > CONN_RECV_MIN ? conn->in.cap : CONN_RECV_MIN;
    return conn->in.need > cap ? conn->in.need - conn->in.cap : 0;
}
/* Memory that what came takes, and what is kept of it for the signature. */
static inline size_t conn_recv_memory(const struct signet_conn *conn)
{
    return conn->in.cap + conn->rx.cap + conn->tx.cap;
}

/* --- sending --- */

void conn_queue_init(struct conn_queue *queue, bool shared);
void conn_queue_free(struct conn_queue *queue);
void conn_queue_lock(struct conn_queue *queue);
void conn_queue_unlock(struct conn_queue *queue);
/* Sets why nothing may be reserved (0: it may); the first failure stays. */
void conn_queue_gate(struct conn_queue *queue, int err);
/* Under the lock: a slot at the end of the queue for a frame of len bytes; NULL: out of memory. */
struct signet_reserved *conn_queue_add(struct signet_conn *conn, size_t len);
/* Of a connection that is over, whatever nobody seals at the moment. */
void conn_queue_drop(struct conn_queue *queue);
/* Buffers that were not needed since the last call. */
void conn_queue_trim(struct conn_queue *queue);
/* All that are free. */
void conn_queue_trim_all(struct conn_queue *queue);
/* Under the lock: a slot with its nonces for a frame with the segments of segment_len. */
int conn_reserve_frame(struct signet_conn *conn, struct signet_reserved **out,
                       const uint32_t segment_len[SIGNET_SEGMENTS_MAX]);
/* A frame was written or received: for the figures. */
void conn_count_sent(struct signet_conn *conn, const struct signet_reserved *slot);
void conn_count_received(struct signet_conn *conn, const struct signet_frame_view *view);
int conn_send_control(struct signet_conn *conn, const struct signet_control *control);
int conn_send_banner(struct signet_conn *conn);
int conn_answer_keepalive(struct signet_conn *conn);
int conn_transcribe(struct conn_transcript *t, const uint8_t *p, size_t len);
void conn_transcript_free(struct conn_transcript *t);

/* --- the table --- */

typedef int conn_rule(struct signet_conn *conn, const struct signet_frame_view *view,
                      struct signet_event *event);
conn_rule conn_on_hello, conn_on_bad_method, conn_on_reply_more, conn_on_done, conn_on_signature,
    conn_on_server_ident, conn_on_missing_features, conn_on_wait, conn_on_message, conn_on_ack,
    conn_on_reset, conn_on_retry, conn_on_retry_global, conn_on_reconnect_ok, conn_on_keepalive,
    conn_on_keepalive_ack, conn_on_client_hello, conn_on_auth_request, conn_on_auth_request_more,
    conn_on_client_signature, conn_on_client_ident, conn_on_reconnect;
/* Decodes segment 0 into *control; faults. */
int conn_decode(struct signet_conn *conn, const struct signet_frame_view *view,
                struct signet_control *control);
int conn_start_auth(struct signet_conn *conn);
int conn_start_session(struct signet_conn *conn);
/* Both sides: whether the mode was offered (or is allowed here); the streams of SECURE from the
 * connection secret, own role's way round; the signatures. */
bool conn_has_mode(const struct signet_conn *conn, uint32_t mode);
int conn_go_secure(struct signet_conn *conn);
int conn_send_signature(struct signet_conn *conn);
int conn_check_signature(struct signet_conn *conn, const struct signet_frame_view *view);
void conn_tell_authenticated(const struct signet_conn *conn, struct signet_event *event);
/* The session is open: READY. peer NULL: as conn->peer has it. */
void conn_open_session(struct signet_conn *conn, const struct signet_ident *peer, bool lossy,
                       struct signet_event *event);
void conn_tell_ready(struct signet_conn *conn, struct signet_event *event);
int conn_check_peer(struct signet_conn *conn, const struct signet_ident *peer);
int conn_send_client_ident(struct signet_conn *conn, uint64_t global_seq, uint64_t cookie);
/* SERVER: cookie 0: lossy. */
int conn_send_server_ident(struct signet_conn *conn, uint64_t global_seq, uint64_t cookie);
/* SERVER: the peer went away after it was refused; faults with why. */
int conn_refused_fault(struct signet_conn *conn);
/* "cephx", "none". */
const char *conn_method_name(uint32_t method);
/* One more answer that asks for another try; faults when there were too many. */
int conn_count_refusal(struct signet_conn *conn);

/* --- lossless: what a session adds; session is not NULL --- */

/* CLIENT, when it is made. */
int conn_session_attach(struct signet_conn *conn);
/* The connection is over, for cause err. */
void conn_session_detach(struct signet_conn *conn, int err);
/* Before it is freed. */
void conn_session_leave(struct signet_conn *conn);
/* Dies if the session is taken. */
int conn_session_check(struct signet_conn *conn);
/* It is not ours any more: dies for the cause that was left. */
int conn_session_lost(struct signet_conn *conn);
/* Whether messages must wait for the caller of the connection before this one. */
bool conn_session_waits(struct signet_conn *conn);
/* The caller is done with the message shown last. */
void conn_session_release(struct signet_conn *conn);
/* A message with the next number has come. */
int conn_session_deliver(struct signet_conn *conn);
/* Everything up to seq (on the wire) has been acknowledged. */
void conn_session_acked(struct signet_conn *conn, uint64_t seq);
/* Seals what is queued, up to CONN_FLUSH_MAX of output. */
int conn_session_flush(struct signet_conn *conn);
int conn_session_send(struct signet_conn *conn, const struct signet_message *message,
                      const struct iovec *data, int num, uint64_t *seq);
/* CLIENT: CLIENT_IDENT or SESSION_RECONNECT; what SERVER_IDENT says. */
int conn_session_start(struct signet_conn *conn);
int conn_session_established(struct signet_conn *conn, const struct signet_ident *peer);
/* SERVER: what the table says to CLIENT_IDENT and SESSION_RECONNECT. */
int conn_session_accept_ident(struct signet_conn *conn, const struct signet_ident *ident,
                              struct signet_event *event);
int conn_session_accept_reconnect(struct signet_conn *conn, const struct signet_reconnect *ask,
                                  struct signet_event *event);

#endif
