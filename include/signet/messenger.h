/* SPDX-License-Identifier: MIT */
/*
 * The messenger loop: worker threads with epoll that drive connections (conn.h) over TCP. Optional:
 * a program with a loop of its own drives signet_conn itself.
 *
 * A connection is pinned to one worker for its life. Each listener has one listening socket per
 * worker (SO_REUSEPORT), so that accepting takes no shared lock. The callbacks of a peer run on its
 * worker, one at a time; they must not block. Frames are sealed by the thread that sends: on the
 * worker itself inside a callback, else on the caller's thread between a short reservation and a
 * wake-up of the worker; never under a lock that other connections share. On a lossless session
 * (session.h) its worker seals copies.
 */
#ifndef SIGNET_MESSENGER_H
#define SIGNET_MESSENGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <signet/addr.h>
#include <signet/conn.h>
#include <signet/env.h>
#include <signet/error.h>
#include <signet/keyserver.h>
#include <signet/server.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

struct signet_messenger;
/* One connection. Reference counted: the messenger holds one reference from accepting or dialling
 * until `closed` has returned; others take theirs with signet_peer_ref(). */
struct signet_peer;

/* What happens to a peer. Any may be NULL. `arg` is that of the listener or of the dial. */
struct signet_peer_ops {
    /* Each event of the connection that is none of the three below (BANNER, HELLO, AUTHENTICATED,
     * KEEPALIVE, ...): for logs. */
    void (*event)(void *arg, struct signet_peer *peer, const struct signet_event *event);
    /* The session is open: sending is allowed from here on. Not 0: close it for that cause. */
    int (*ready)(void *arg, struct signet_peer *peer, const struct signet_event_ready *ready);
    /* Views are valid during the call. Not 0: close it for that cause once all output is written
     * (or after linger_ns). */
    int (*message)(void *arg, struct signet_peer *peer, const struct signet_message *message);
    /* There is room again: once after one or more signet_peer_send() said -BUSY, as soon as half of
     * max_queued or less waits. On the worker, as the others; not after the peer began to close.
     * Whoever heard -BUSY may sleep until this or `closed`: one of them comes. There is no promise
     * that the room is still there when some thread sends. */
    void (*writable)(void *arg, struct signet_peer *peer);
    /* The last call of each peer, also of one that never was ready: its cause. -PEER_CLOSED: the
     * peer ended it; -SHUTDOWN: signet_messenger_drain(). */
    void (*closed)(void *arg, struct signet_peer *peer, const struct signet_fail *why);
};

/* Zero means the default. */
struct signet_messenger_options {
    unsigned threads; /* workers; default: the number of processors that this process may use */
    struct signet_env env;  /* mono_ns is that of all deadlines; default: the system's */
    uint32_t max_peers;     /* of all listeners together; default 65536. Above, a new one is closed
                             * at once and counted (-PEER_LIMIT) */
    uint32_t max_half_open; /* accepted but not READY; default 1024. Above, the oldest of the same
                             * worker that is not READY is closed (-HALF_OPEN_LIMIT) */
    uint64_t max_queued;    /* bytes of output of one peer; default 16 MiB. Above it nothing is read
                             * from this peer, and signet_peer_send() is -BUSY for other threads */
    /* Bytes of memory that output and input of all peers may take, in equal shares of the workers;
     * default 512 MiB for each worker. Above max_output the peer of the worker for which most is
     * held is closed at once (-OUTPUT_LIMIT): it reads too slowly, or not at all. It is looked at
     * when a peer has had its turn, so that up to 1 MiB and an answer may come on top. A
     * message that max_input has no room for waits unread until others are through; when for two
     * seconds none gets room, the peer with most input is closed (-INPUT_LIMIT), and so is at once
     * who announces a message that is larger than the share. Buffers below 32 KiB are counted but
     * never wait. */
    uint64_t max_output, max_input;
    uint64_t linger_ns; /* longest time to write what is queued before closing; default 2 s */
    /* Called on each worker before its first and after its last callback; may be NULL. */
    void (*worker_begin)(void *arg, unsigned index);
    void (*worker_end)(void *arg, unsigned index);
    void *arg;
};

/* Starts the workers. -NOMEM, -SOCKET (epoll, eventfd), -INVAL. Signals are blocked in workers, but
 * for those of faults. Not inside a callback. A fork() waits until no worker is inside a callback.
 */
SIGNET_MUST SIGNET_API int signet_messenger_new(struct signet_messenger **out,
                                                const struct signet_messenger_options *options);

struct signet_listener_options {
    /* ip, port (0: any free one) and nonce as clients dial it; an ip of zeros: all of this host,
     * and a connection's own address is then the one that was dialled. */
    struct signet_addr addr;
    uint32_t service;              /* SIGNET_MON: logins; another: authorizers of that service */
    struct signet_keyserver *keys; /* borrowed until the messenger is freed */
    /* Template of each connection: modes, features, gid, time-outs, limits, pin, sessions. Its
     * role, own, own_type, login, env, senders and wake are set by the messenger, which also drops
     * in time what its sessions hold for peers that do not come back (signet_sessions_expire()). */
    struct signet_conn_options conn;
    struct signet_peer_ops ops;
    void *arg;
};
/* Starts accepting on all workers. bound (may be NULL): the address with the port that was taken.
 * -ADDR_IN_USE, -SOCKET, -INVAL, -NOMEM: told in fail (may be NULL); -STATE after drain. */
SIGNET_MUST SIGNET_API int signet_messenger_listen(struct signet_messenger *messenger,
                                                   const struct signet_listener_options *options,
                                                   struct signet_addr *bound,
                                                   struct signet_fail *fail);

struct signet_dial_options {
    struct signet_conn_options conn; /* role CLIENT, whole; target is dialled. Its client must not
                                      * be used by anyone else until AUTHENTICATED or closed */
    struct signet_peer_ops ops;
    void *arg;
    void *user; /* what signet_peer_user() gives from the start */
    int worker; /* index; -1: the one with the fewest peers */
};
/* Connects without waiting; conn.handshake_timeout_ns includes it. Returns with a reference for the
 * caller in *out (may be NULL: none). Failures to connect arrive in `closed`: -CONNECT_REFUSED,
 * -UNREACHABLE, -HANDSHAKE_TIMEOUT, ... Returned are those of signet_conn_new(); -STATE after
 * drain. */
SIGNET_MUST SIGNET_API int signet_messenger_dial(struct signet_messenger *messenger,
                                                 const struct signet_dial_options *options,
                                                 struct signet_peer **out);

/* Stops accepting, lets each worker write what is queued and closes all peers (-SHUTDOWN), at the
 * latest after timeout_ns. 0 when all were written, -TIMEOUT when some were cut. Once, and not on a
 * worker: else -STATE. */
SIGNET_MUST SIGNET_API int signet_messenger_drain(struct signet_messenger *messenger,
                                                  uint64_t timeout_ns);
/* Drains with 0 if that was not done, joins the workers. References that others hold stay valid as
 * memory, sending through them is -STATE. NULL is fine. Not inside a callback. A forked child may
 * call this and signet_peer_unref(), nothing else: there they free memory alone, since workers and
 * connections stay the parent's. */
SIGNET_API void signet_messenger_free(struct signet_messenger *messenger);

/* --- peers: any thread, except where said -------------------------------------------------- */

SIGNET_API struct signet_peer *signet_peer_ref(struct signet_peer *peer);
SIGNET_API void signet_peer_unref(struct signet_peer *peer);
/* Owner's data; on the worker only. */
SIGNET_API void *signet_peer_user(const struct signet_peer *peer);
SIGNET_API void signet_peer_set_user(struct signet_peer *peer, void *user);
/* On the worker only: accepted peers have a login, dialled ones NULL. */
SIGNET_API struct signet_login *signet_peer_login(struct signet_peer *peer);
SIGNET_API struct signet_conn *signet_peer_conn(struct signet_peer *peer);
/* Number of this peer in its messenger, from 1, never used again. */
SIGNET_API uint64_t signet_peer_id(const struct signet_peer *peer);
/* Address of the socket's other end. */
SIGNET_API const struct signet_addr *signet_peer_addr(const struct signet_peer *peer);
SIGNET_API unsigned signet_peer_worker(const struct signet_peer *peer);

/* As signet_conn_send(). Order: messages of one thread stay in order. On the peer's worker output
 * is written when the callback has returned; elsewhere the worker is woken when it sleeps. -STATE:
 * not READY or closed (the cause was told by `closed`); -BUSY: more than max_queued waits (other
 * threads only: a worker may always answer), see `writable`. On a lossless session also those of
 * signet_session_send(). When the socket takes nothing more, while what came before its end is
 * still given out, an answer from the worker is dropped with *seq 0, as if it had been lost on the
 * way; a lossless session keeps it. */
SIGNET_MUST SIGNET_API int signet_peer_send(struct signet_peer *peer,
                                            const struct signet_message *message,
                                            const struct iovec *data, int num, uint64_t *seq);
SIGNET_API uint64_t signet_peer_queued(const struct signet_peer *peer);
/* Closes it for cause err (negative code) when what is queued was written and has arrived, or after
 * linger_ns. The first cause counts. */
SIGNET_API void signet_peer_close(struct signet_peer *peer, int err);

/* Runs fn on a worker soon. -STATE after drain, -NOMEM. */
SIGNET_MUST SIGNET_API int signet_messenger_post(struct signet_messenger *messenger,
                                                 unsigned worker, void (*fn)(void *arg), void *arg);

/* --- figures ------------------------------------------------------------------------------- */

enum { SIGNET_MESSENGER_HANDLERS = 4 };
/* Sums over workers since the start, relaxed; half_open and peers: now. */
struct signet_messenger_stats {
    uint64_t accepted, dialled, ready;
    uint64_t peers, half_open;
    uint64_t received, sent; /* bytes on the wire */
    uint64_t messages_in, messages_out;
    uint64_t output_bytes, input_bytes; /* of memory, now: see max_output */
    uint64_t accept_errors; /* the system refused to accept: no descriptor or memory was left */
    uint64_t closed[SIGNET_E_NUM_]; /* by cause: enum signet_err */
    /* Bytes of plaintext sealed and opened on secure connections, by handler (NULL: unused row). */
    struct {
        const struct signet_handler *handler;
        uint64_t sealed, opened;
    } by_handler[SIGNET_MESSENGER_HANDLERS];
    uint64_t nonces_left; /* the least that one direction of a live secure connection had left about
                           * a second ago; UINT64_MAX: there is none */
};
SIGNET_API void signet_messenger_stats(const struct signet_messenger *messenger,
                                       struct signet_messenger_stats *out);

#ifdef __cplusplus
}
#endif
#endif
