/* SPDX-License-Identifier: MIT */
/* Beginning and end of a peer at its worker, and the end of all of them. */
#include "msg/loop.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/fail.h"
#include "msg/conn_internal.h"
#include "msg/driver_socket.h"

enum { DISCARDS = 64, DISCARD_BYTES = 64 << 10 };

int loop_join(struct signet_peer *peer)
{
    struct worker *worker = peer->worker;
    /* num_peers counts this one already. */
    int err = loop_heap_reserve(&worker->heap, worker->heap.num + atomic_load(&worker->num_peers));
    if (err == 0) {
        cds_list_add_tail(&peer->in_peers, &worker->peers);
    }
    return err;
}

void loop_not_half_open(struct signet_peer *peer)
{
    if (peer->half_open) {
        peer->half_open = false;
        cds_list_del_init(&peer->in_half_open);
        atomic_fetch_sub_explicit(&peer->messenger->num_half_open, 1, memory_order_relaxed);
    }
}

/* err may come from a callback. */
static void set_why(const struct signet_peer *peer, struct signet_fail *why, int err)
{
    err = err > 0 ? -err : err;
    err = err == 0 || err <= -(int)SIGNET_E_NUM_ ? -SIGNET_E_INVAL : err;
    signet_fail_set(why, err, signet_conn_state(peer->conn), 0, "%s", signet_strerror(err));
}

void loop_close(struct signet_peer *peer, const struct signet_fail *why)
{
    struct worker *worker = peer->worker;
    if (peer->stage >= PEER_LINGERING) {
        return;
    }
    peer->why = *why;
    atomic_store_explicit(&peer->open, false, memory_order_release);
    loop_not_half_open(peer);
    cds_list_del_init(&peer->in_hungry); /* it reads no more */
    if (peer->stage != PEER_OPEN) {
        loop_finish(peer);
        return;
    }
    peer->stage = PEER_LINGERING;
    peer->linger_ns = worker->now_ns + worker->messenger->o.linger_ns;
    if (worker->draining && worker->drain_ns < peer->linger_ns) {
        peer->linger_ns = worker->drain_ns;
    }
    loop_run_soon(peer);
}

void loop_close_err(struct signet_peer *peer, int err)
{
    struct signet_fail why;
    if (peer->stage < PEER_LINGERING) {
        set_why(peer, &why, err);
        loop_close(peer, &why);
    }
}

void loop_finish_err(struct signet_peer *peer, int err)
{
    set_why(peer, &peer->why, err);
    loop_finish(peer);
}

/* The other end's system has all that was written. */
static bool is_received(const struct signet_peer *peer)
{
    int waiting = 0;
    return ioctl(peer->fd, SIOCOUTQ, &waiting) != 0 || waiting == 0;
}

/* Drops what comes. True: nothing more will. */
static bool discard(const struct signet_peer *peer)
{
    uint8_t sink[DISCARD_BYTES];
    for (unsigned i = 0; i < DISCARDS; i++) {
        ssize_t n = recv(peer->fd, sink, sizeof(sink), MSG_DONTWAIT);
        if (n <= 0) {
            return n == 0 || !signet_socket_later(errno);
        }
    }
    return false;
}

/* The rest of the output, then the end. Bytes that nobody reads, or that come after close(2), make
 * the system reset the connection and drop what it has not sent yet: so they are read, until all
 * is received. A conn that has failed may still have something to say. */
void loop_linger(struct signet_peer *peer)
{
    int none = 0;
    conn_recv_release(peer->conn); /* done with the message that it may have closed for */
    if (signet_conn_output(peer->conn, NULL, &none) != 0 || loop_write_out(peer) != 0 ||
        peer->worker->now_ns >= peer->linger_ns) {
        loop_finish(peer);
        return;
    }
    if (signet_conn_queued(peer->conn) > 0) {
        return;
    }
    if (!peer->written) {
        peer->written = true;
        (void)shutdown(peer->fd, SHUT_WR);
    }
    if (discard(peer) || is_received(peer)) {
        loop_finish(peer);
    }
}

static void leave(struct signet_peer *peer)
{
    struct worker *worker = peer->worker;
    loop_not_half_open(peer);
    loop_unweigh(peer);
    loop_timer_set(&worker->heap, &peer->timer, UINT64_MAX);
    cds_list_del_init(&peer->in_run);
    cds_list_del_init(&peer->in_peers);
    atomic_fetch_sub_explicit(&worker->num_peers, 1, memory_order_relaxed);
    if (peer->accepted) {
        atomic_fetch_sub_explicit(&peer->messenger->num_accepted, 1, memory_order_relaxed);
    }
}

static void drain_done(struct worker *worker)
{
    struct signet_messenger *m = worker->messenger;
    if (worker->draining && !worker->drained && cds_list_empty(&worker->peers)) {
        worker->drained = true;
        pthread_mutex_lock(&m->lock);
        m->num_drained++;
        pthread_cond_broadcast(&m->drained);
        pthread_mutex_unlock(&m->lock);
    }
}

static void note_cut(struct signet_peer *peer)
{
    struct signet_messenger *m = peer->messenger;
    if (peer->worker->draining && peer->stage == PEER_LINGERING && peer->write_err == 0 &&
        signet_conn_failure(peer->conn) == NULL && signet_conn_queued(peer->conn) > 0) {
        pthread_mutex_lock(&m->lock);
        m->num_cut++;
        pthread_mutex_unlock(&m->lock);
    }
}

void loop_finish(struct signet_peer *peer)
{
    struct worker *worker = peer->worker;
    if (peer->stage == PEER_CLOSED) {
        return;
    }
    note_cut(peer);
    peer->stage = PEER_CLOSED;
    atomic_store_explicit(&peer->open, false, memory_order_release);
    leave(peer);
    loop_close_fd(worker, &peer->fd);
    loop_take_figures(peer);
    loop_count_closed(worker, peer->why.err);
    if (peer->ops.closed != NULL) {
        peer->ops.closed(peer->arg, peer, &peer->why);
    }
    signet_login_free(peer->login);
    peer->login = NULL;
    peer->conn->now_ns = worker->now_ns;
    conn_die(peer->conn, peer->why.err); /* a session goes on without it */
    conn_recv_free(peer->conn);
    conn_queue_drop(&peer->conn->out); /* others may keep the peer for long */
    signet_peer_unref(peer);
    drain_done(worker);
}

void loop_drain(struct worker *worker, uint64_t deadline_ns)
{
    struct signet_peer *peer, *next;
    worker->draining = true;
    worker->drain_ns = deadline_ns;
    loop_stop_listening(worker);
    cds_list_for_each_entry_safe(peer, next, &worker->peers, in_peers)
    {
        if (peer->stage == PEER_LINGERING) {
            peer->linger_ns = deadline_ns < peer->linger_ns ? deadline_ns : peer->linger_ns;
            loop_run_soon(peer);
        } else if (peer->half_open) {
            loop_finish_err(peer, -SIGNET_E_SHUTDOWN);
        } else {
            loop_close_err(peer, -SIGNET_E_SHUTDOWN);
        }
    }
    drain_done(worker);
}
