/* SPDX-License-Identifier: MIT */
/*
 * Inside the messenger. messenger.c makes and ends it, loop_worker.c is what a worker does over and
 * over, loop_notes.c wakes it, loop_listen.c accepts, loop_dial.c connects, loop_pump.c moves one
 * peer on, loop_close.c ends it, loop_peer.c is what others may do with it, loop_memory.c bounds
 * what all of them hold, loop_timer.c keeps deadlines, loop_figures.c counts, loop_fork.c holds
 * workers over a fork.
 *
 * Whatever has no other rule belongs to the worker, which holds `turn` whenever it does not wait.
 */
#ifndef SIGNET_MSG_LOOP_H
#define SIGNET_MSG_LOOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <signet/messenger.h>

#include <urcu/list.h>

struct worker;

/* --- work for a worker ------------------------------------------------------------------- */

/* Something that another thread wants done; lies in what it is about. */
struct loop_note {
    struct loop_note *next;
    void (*run)(struct worker *worker, struct loop_note *note);
};

enum { WORKER_AWAKE, WORKER_ASLEEP };

/* What epoll tells about; first in what it is part of. */
struct loop_source {
    enum loop_kind { SOURCE_WAKE, SOURCE_LISTENER, SOURCE_PEER } kind;
};

/* --- deadlines --------------------------------------------------------------------------- */

struct loop_timer {
    uint64_t at_ns;
    size_t place; /* in the heap, from 1; 0: not there */
};
struct loop_heap {
    struct loop_timer **v; /* v[0] is not used */
    size_t num, cap;
};

/* --- figures ----------------------------------------------------------------------------- */

/* Written by the worker alone, read by all: relaxed. */
typedef _Atomic uint64_t loop_count;

struct loop_counts {
    loop_count accepted, dialled, ready, received, sent, messages_in, messages_out, accept_errors;
    loop_count nonces_left;   /* as of the last sweep */
    loop_count output, input; /* bytes of memory that the peers' buffers take now */
    loop_count closed[SIGNET_E_NUM_];
    struct {
        _Atomic(const struct signet_handler *) handler;
        loop_count sealed, opened;
    } by_handler[SIGNET_MESSENGER_HANDLERS];
};

/* --- peers ------------------------------------------------------------------------------- */

enum peer_stage {
    PEER_NEW,       /* dialled, but its worker does not know it yet */
    PEER_DIALLING,  /* connect(2) is under way */
    PEER_OPEN,      /* handshake or session */
    PEER_LINGERING, /* nothing is read any more, the rest is written */
    PEER_CLOSED,
};

struct signet_peer {
    struct loop_source source;
    /* of everybody */
    atomic_uint refs;
    atomic_bool open;                   /* sending is allowed */
    atomic_bool woken;                  /* its note is on the way */
    atomic_bool awaited;                /* a sender was told that there is no room */
    _Atomic int close_err;              /* what signet_peer_close() was told */
    struct signet_messenger *messenger; /* a reference to it */
    struct worker *worker;
    struct signet_conn *conn;
    struct signet_addr addr;
    uint64_t id, max_queued;
    struct loop_note note;

    /* of the worker */
    enum peer_stage stage;
    int fd;
    bool accepted, half_open;
    bool can_read, can_write; /* not known to be otherwise */
    bool ended;               /* the peer sends nothing more: read to the end */
    int write_err;            /* why the socket takes nothing more */
    uint8_t trims;            /* until its buffers are all gone, if it stays idle */
    struct signet_login *login;
    struct signet_peer_ops ops;
    void *arg, *user;
    struct signet_fail why;
    uint64_t linger_ns; /* when lingering ends */
    bool written;       /* all of its output; not necessarily received */
    uint64_t nonces_left;
    uint64_t output, input; /* its part of what the worker counts */
    uint64_t hungry_ns;     /* since when it waits for room */
    bool fed;               /* it may have the room that it waited for */
    struct loop_timer timer;
    struct cds_list_head in_hungry;
    struct cds_list_head in_peers, in_half_open, in_run;
};

/* --- workers ----------------------------------------------------------------------------- */

struct listener;

/* One worker's socket of a listener. */
struct listener_socket {
    struct loop_source source;
    struct listener *listener;
    int fd;
    bool can_accept;
    struct cds_list_head in_sockets;
    struct loop_note note;
};

struct listener {
    struct signet_listener_options o;
    bool any; /* ip is a wildcard: what was dialled is known of each socket only */
    struct cds_list_head in_listeners;
    struct listener_socket socket[]; /* one of each worker */
};

struct worker {
    struct signet_messenger *messenger;
    unsigned index;
    pthread_t thread;
    struct loop_source source; /* of wake */
    bool running;
    int epoll, wake;

    /* what others write, and what the worker does, on lines of their own */
    _Alignas(64) _Atomic(struct loop_note *) inbox;
    _Atomic int sleeping; /* WORKER_AWAKE, WORKER_ASLEEP */
    atomic_uint num_peers;

    _Alignas(64) pthread_mutex_t turn;
    struct loop_note drain, stop;
    bool draining, drained, stopping;
    uint64_t now_ns, drain_ns;
    uint64_t accept_ns; /* when accepting is tried again after the system refused; UINT64_MAX */
    uint64_t sweep_ns;  /* when idle peers are looked at; UINT64_MAX */
    uint64_t expire_ns; /* when sessions of listeners are looked at; UINT64_MAX */
    uint64_t max_output, max_input; /* its share */
    uint64_t fed_ns;                /* when one of hungry last got room */
    struct cds_list_head peers, half_open, run, sockets;
    struct cds_list_head hungry; /* whose messages wait for room, in the order of their coming */
    struct loop_heap heap;
    struct loop_counts counts;
};

struct signet_messenger {
    atomic_uint refs; /* its owner, and each peer */
    pid_t pid;
    struct signet_messenger_options o;
    atomic_uint num_accepted, num_half_open;
    _Atomic uint64_t last_id;
    atomic_bool draining;
    pthread_mutex_t lock; /* listeners, and what draining waits for */
    pthread_cond_t drained;
    unsigned num_drained, num_cut;
    struct cds_list_head listeners, in_messengers;
    unsigned num_workers;
    struct worker worker[];
};

/* Whether the calling thread is the worker. */
static inline bool loop_is_worker(const struct worker *worker)
{
    return pthread_equal(pthread_self(), worker->thread) != 0;
}

static inline void loop_add(loop_count *count, uint64_t n)
{
    uint64_t now = atomic_load_explicit(count, memory_order_relaxed);
    atomic_store_explicit(count, now + n, memory_order_relaxed);
}

/* --- loop_worker.c */
int loop_worker_init(struct worker *worker, struct signet_messenger *messenger, unsigned index);
int loop_worker_start(struct worker *worker);
/* Closes what it has, but for wake; its peers are gone. */
void loop_worker_fini(struct worker *worker);
/* In a forked child, where it does not run. */
void loop_worker_abandon(struct worker *worker);
/* Its turn comes in this round or the next. */
void loop_run_soon(struct signet_peer *peer);
/* Edges of reading and writing. -SOCKET. */
int loop_watch(struct worker *worker, int fd, struct loop_source *source);
/* Ends the connection or the listening, and closes *fd if it is one. A forked child may have a
 * copy, which must keep neither the other end nor epoll busy. */
void loop_close_fd(struct worker *worker, int *fd);

/* --- messenger.c */
uint64_t loop_now(const struct signet_messenger *messenger);
void loop_messenger_unref(struct signet_messenger *messenger);

/* --- loop_notes.c */
void loop_inbox_init(struct worker *worker);
/* Any thread. False: the worker has ended. The note may be gone when it returns. */
bool loop_post(struct worker *worker, struct loop_note *note);
/* Runs all there are, in order. */
void loop_take_notes(struct worker *worker);
/* The same for the last time: from here on loop_post() fails. */
void loop_close_inbox(struct worker *worker);
/* Around waiting. False when there is something to do. */
bool loop_may_sleep(struct worker *worker);
void loop_woke_up(struct worker *worker);

/* --- loop_timer.c */
/* Room for num timers. -NOMEM. */
int loop_heap_reserve(struct loop_heap *heap, size_t num);
/* Sets or moves it; UINT64_MAX takes it out. There must be room. */
void loop_timer_set(struct loop_heap *heap, struct loop_timer *timer, uint64_t at_ns);
/* The earliest; NULL: none. */
struct loop_timer *loop_timer_first(const struct loop_heap *heap);

/* --- loop_peer.c */
/* With one reference, that of its worker. What is not given is to be set. */
struct signet_peer *loop_peer_new(struct worker *worker, const struct signet_peer_ops *ops,
                                  void *arg);
/* What the options of each conn need. */
void loop_peer_set_options(struct signet_peer *peer, struct signet_conn_options *o);
/* Another thread has something for its worker. */
void loop_peer_wake(struct signet_peer *peer);
/* From now on its note is for waking; whoever tried before is heard by what he set. */
void loop_peer_begin_notes(struct signet_peer *peer);
/* In a forked child: gives back memory alone. */
void loop_peer_abandon(struct signet_peer *peer);
void loop_note_abandon(struct loop_note *note);

/* --- loop_pump.c */
/* Does what can be done for it. */
void loop_pump(struct signet_peer *peer);
void loop_update_timer(struct signet_peer *peer);
/* Writes what is sealed. Negative: nothing more can be written. */
int loop_write_out(struct signet_peer *peer);

/* --- loop_memory.c */
/* Its buffers may have changed. Ends the life of views. */
void loop_weigh(struct signet_peer *peer);
/* There is too much: closes who holds most. */
void loop_bound_output(struct worker *worker);
/* It is closed. */
void loop_unweigh(struct signet_peer *peer);
/* Whether the message that comes may have the room that it takes; else it is read later. */
bool loop_may_grow(struct signet_peer *peer);
/* Lets the first go on that waits for room, if there is some. */
void loop_feed(struct worker *worker);
/* Now and then: closes somebody if that takes too long. Whether to look again. */
bool loop_sweep_hungry(struct worker *worker);

/* --- loop_close.c */
/* Into the lists of its worker. -NOMEM. */
int loop_join(struct signet_peer *peer);
/* What is queued is written first. */
void loop_close(struct signet_peer *peer, const struct signet_fail *why);
void loop_close_err(struct signet_peer *peer, int err);
/* A step of that. */
void loop_linger(struct signet_peer *peer);
/* At once. The peer may be gone afterwards. */
void loop_finish(struct signet_peer *peer);
void loop_finish_err(struct signet_peer *peer, int err);
void loop_not_half_open(struct signet_peer *peer);
void loop_drain(struct worker *worker, uint64_t deadline_ns);

/* --- loop_listen.c, loop_dial.c */
void loop_accept(struct worker *worker, struct listener_socket *socket);
void loop_stop_listening(struct worker *worker);
void loop_listeners_free(struct signet_messenger *messenger);
/* Drops sessions of its listeners that nobody took up again. */
void loop_expire(struct worker *worker);
/* The connect has an outcome. */
void loop_connected(struct signet_peer *peer);

/* --- loop_figures.c */
void loop_count_closed(struct worker *worker, int err);
void loop_take_figures(struct signet_peer *peer);
/* It did something: once it is idle its buffers are let go. */
void loop_active(struct signet_peer *peer);
void loop_sweep(struct worker *worker);

/* --- loop_fork.c */
void loop_fork_join(struct signet_messenger *messenger);
void loop_fork_part(struct signet_messenger *messenger);
/* Lets those go first who are about to fork; not while it has its turn. */
void loop_fork_let(void);

#endif
