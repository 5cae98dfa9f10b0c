/* SPDX-License-Identifier: MIT */
/* What everybody may do with a peer. */
#include "msg/loop.h"

#include <stdlib.h>

#include "msg/conn_internal.h"

struct signet_peer *signet_peer_ref(struct signet_peer *peer)
{
    atomic_fetch_add_explicit(&peer->refs, 1, memory_order_relaxed);
    return peer;
}

void signet_peer_unref(struct signet_peer *peer)
{
    /* Release: what was done with it is done; acquire: by all, before it is freed. */
    if (peer != NULL && atomic_fetch_sub_explicit(&peer->refs, 1, memory_order_acq_rel) == 1) {
        struct signet_messenger *messenger = peer->messenger;
        signet_conn_free(peer->conn);
        free(peer);
        loop_messenger_unref(messenger);
    }
}

static void run_woken(struct worker *worker, struct loop_note *note)
{
    struct signet_peer *peer = caa_container_of(note, struct signet_peer, note);
    (void)worker;
    /* From here on whoever seals wakes again. Read and write: what was sealed before a wake-up that
     * found it woken is seen by the pump. */
    atomic_exchange(&peer->woken, false);
    if (peer->stage != PEER_CLOSED) {
        loop_run_soon(peer);
    }
    signet_peer_unref(peer);
}

struct signet_peer *loop_peer_new(struct worker *worker, const struct signet_peer_ops *ops,
                                  void *arg)
{
    struct signet_messenger *m = worker->messenger;
    struct signet_peer *peer = calloc(1, sizeof(*peer));
    if (peer == NULL) {
        return NULL;
    }
    atomic_init(&peer->refs, 1);
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    peer->source.kind = SOURCE_PEER;
    peer->messenger = m;
    peer->worker = worker;
    peer->id = atomic_fetch_add_explicit(&m->last_id, 1, memory_order_relaxed) + 1;
    peer->note.run = run_woken;
    peer->fd = -1;
    peer->ops = *ops;
    peer->arg = arg;
    peer->max_queued = m->o.max_queued;
    peer->nonces_left = UINT64_MAX;
    CDS_INIT_LIST_HEAD(&peer->in_peers);
    CDS_INIT_LIST_HEAD(&peer->in_half_open);
    CDS_INIT_LIST_HEAD(&peer->in_run);
    CDS_INIT_LIST_HEAD(&peer->in_hungry);
    return peer;
}

void loop_peer_wake(struct signet_peer *peer)
{
    if (atomic_exchange(&peer->woken, true)) {
        return; /* on the way already */
    }
    signet_peer_ref(peer);
    if (!loop_post(peer->worker, &peer->note)) {
        signet_peer_unref(peer); /* the worker has ended: it stays woken */
    }
}

/* By a session, which holds locks: the worker's reference is still there, since the conn leaves its
 * session before the peer is let go. */
static void wake_by_session(void *arg)
{
    loop_peer_wake(arg);
}

void loop_peer_set_options(struct signet_peer *peer, struct signet_conn_options *o)
{
    o->senders = true;
    o->wake = wake_by_session;
    o->wake_arg = peer;
}

void loop_peer_begin_notes(struct signet_peer *peer)
{
    peer->note.run = run_woken;
    atomic_exchange(&peer->woken, false);
}

/* A sender that was inside the queue when the process forked left it as it was: unusable. */
void loop_peer_abandon(struct signet_peer *peer)
{
    signet_login_free(peer->login);
    peer->login = NULL;
    if (pthread_mutex_trylock(&peer->conn->out.lock) == 0) {
        pthread_mutex_unlock(&peer->conn->out.lock);
        signet_peer_unref(peer);
    }
}

void loop_note_abandon(struct loop_note *note)
{
    if (note->run == run_woken) {
        signet_peer_unref(caa_container_of(note, struct signet_peer, note));
    }
}

void *signet_peer_user(const struct signet_peer *peer)
{
    return peer->user;
}

void signet_peer_set_user(struct signet_peer *peer, void *user)
{
    peer->user = user;
}

struct signet_login *signet_peer_login(struct signet_peer *peer)
{
    return peer->login;
}

struct signet_conn *signet_peer_conn(struct signet_peer *peer)
{
    return peer->conn;
}

uint64_t signet_peer_id(const struct signet_peer *peer)
{
    return peer->id;
}

const struct signet_addr *signet_peer_addr(const struct signet_peer *peer)
{
    return &peer->addr;
}

unsigned signet_peer_worker(const struct signet_peer *peer)
{
    return peer->worker->index;
}

uint64_t signet_peer_queued(const struct signet_peer *peer)
{
    return signet_conn_queued(peer->conn);
}

/* The cause of what fails here is told by `closed`. */
static int hide_cause(const struct signet_peer *peer, int err)
{
    return atomic_load_explicit(&peer->conn->out.gate, memory_order_relaxed) != 0 &&
                   err != -SIGNET_E_NOMEM
               ? -SIGNET_E_STATE
               : err;
}

/* What a peer sent before it was gone is still read, but answers to it would only pile up: nothing
 * takes them off the queue, nor do they stop the reading. A session keeps its own, up to its limit.
 */
static bool goes_nowhere(const struct signet_peer *peer)
{
    return peer->write_err != 0 && signet_conn_session(peer->conn) == NULL;
}

/* The worker looks after it has seen that somebody waits: if there is room by now, it says so. */
static int busy(struct signet_peer *peer)
{
    if (peer->ops.writable != NULL && !atomic_exchange(&peer->awaited, true)) {
        loop_peer_wake(peer);
    }
    return -SIGNET_E_BUSY;
}

int signet_peer_send(struct signet_peer *peer, const struct signet_message *message,
                     const struct iovec *data, int num, uint64_t *seq)
{
    if (!atomic_load_explicit(&peer->open, memory_order_acquire)) {
        return -SIGNET_E_STATE;
    }
    bool mine = loop_is_worker(peer->worker);
    if (!mine && signet_conn_queued(peer->conn) > peer->max_queued) {
        return busy(peer);
    }
    if (mine && goes_nowhere(peer)) {
        if (seq != NULL) {
            *seq = 0;
        }
        return 0; /* as if it had been lost on the way */
    }
    int err = signet_conn_send(peer->conn, message, data, num, seq);
    if (err == -SIGNET_E_LENGTH) {
        return err; /* nothing was reserved */
    }
    err = err == 0 ? 0 : hide_cause(peer, err);
    if (mine) {
        loop_run_soon(peer);
    } else {
        loop_peer_wake(peer);
    }
    return err;
}

void signet_peer_close(struct signet_peer *peer, int err)
{
    bool known = err < 0 && err > -(int)SIGNET_E_NUM_;
    int none = 0;
    if (!atomic_compare_exchange_strong(&peer->close_err, &none, known ? err : -SIGNET_E_INVAL)) {
        return;
    }
    if (loop_is_worker(peer->worker) && peer->stage != PEER_NEW) {
        if (peer->stage != PEER_CLOSED) {
            loop_run_soon(peer);
        }
    } else {
        loop_peer_wake(peer);
    }
}
