/* SPDX-License-Identifier: MIT */
/* Moves one peer on: events, then output, then input, until nothing moves or others must have
 * their turn. */
#include "msg/loop.h"

#include <errno.h>
#include <sys/socket.h>

#include "msg/conn_internal.h"
#include "msg/driver_socket.h"

enum {
    TURN_BYTES = 1 << 20, /* read, answered and written before others have their turn */
    IOV_NUM = 64,
};

/* Reading stops while too much output waits, unless nothing of it can be written any more. */
static bool may_read(const struct signet_peer *peer)
{
    return peer->write_err != 0 || signet_conn_queued(peer->conn) <= peer->max_queued;
}

static void on_ready(struct signet_peer *peer, const struct signet_event_ready *ready)
{
    loop_not_half_open(peer);
    loop_add(&peer->worker->counts.ready, 1);
    atomic_store_explicit(&peer->open, true, memory_order_release);
    int err = peer->ops.ready != NULL ? peer->ops.ready(peer->arg, peer, ready) : 0;
    if (err != 0) {
        loop_close_err(peer, err);
    }
}

static void on_message(struct signet_peer *peer, const struct signet_message *message)
{
    int err = peer->ops.message != NULL ? peer->ops.message(peer->arg, peer, message) : 0;
    if (err != 0) {
        loop_close_err(peer, err);
    }
}

static void on_event(struct signet_peer *peer, const struct signet_event *event)
{
    switch (event->kind) {
    case SIGNET_EVENT_READY:
        on_ready(peer, &event->ready);
        break;
    case SIGNET_EVENT_MESSAGE:
        on_message(peer, &event->message);
        break;
    case SIGNET_EVENT_FAILED:
        loop_close(peer, event->fail);
        break;
    default:
        if (peer->ops.event != NULL) {
            peer->ops.event(peer->arg, peer, event);
        }
    }
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Gives out what has arrived. Returns whether it stopped because too much output waits, or as much
 * was added as *left says. */
static bool take_events(struct signet_peer *peer, uint64_t *left)
{
    uint64_t stop = signet_conn_queued(peer->conn) + *left;
    for (;;) {
        struct signet_event event;
        int asked = atomic_load_explicit(&peer->close_err, memory_order_acquire);
        if (asked != 0) {
            loop_close_err(peer, asked);
        }
        if (peer->stage != PEER_OPEN) {
            return false;
        }
        *left = less(stop, signet_conn_queued(peer->conn));
        if ((*left == 0 || !may_read(peer)) && signet_conn_failure(peer->conn) == NULL) {
            return true;
        }
        int err = signet_conn_next(peer->conn, &event);
        if (err != 0) {
            loop_close_err(peer, err);
        } else if (event.kind == SIGNET_EVENT_NONE) {
            return false;
        } else {
            on_event(peer, &event);
        }
    }
}

static ssize_t write_once(int fd, struct iovec *iov, int num)
{
    struct msghdr msg = {.msg_iov = iov, .msg_iovlen = (size_t)num};
    return sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* What the peer sent before it closed may say why: it is still read. */
static void write_failed(struct signet_peer *peer, int errnum)
{
    if (errnum == EINTR) {
        return;
    }
    peer->can_write = false;
    if (!signet_socket_later(errnum)) {
        peer->write_err = signet_socket_stream_error(errnum);
        peer->can_read = true;
    }
}

/* Writes what is sealed. Negative: nothing more can be written. */
int loop_write_out(struct signet_peer *peer)
{
    size_t done = 0;
    while (peer->can_write) {
        struct iovec iov[IOV_NUM];
        int num = IOV_NUM;
        int err = signet_conn_output(peer->conn, iov, &num);
        if (err != 0 || num == 0) {
            return err;
        }
        if (done >= TURN_BYTES) {
            loop_run_soon(peer);
            return 0;
        }
        ssize_t n = write_once(peer->fd, iov, num);
        if (n < 0) {
            write_failed(peer, errno);
            continue;
        }
        signet_conn_sent(peer->conn, (size_t)n);
        loop_add(&peer->worker->counts.sent, (uint64_t)n);
        done += (size_t)n;
    }
    return peer->write_err;
}

static void read_failed(struct signet_peer *peer, ssize_t n, int errnum)
{
    if (n < 0 && errnum == EINTR) {
        return;
    }
    peer->can_read = false;
    peer->conn->now_ns = peer->worker->now_ns; /* it may have been silent for long */
    if (n == 0 || !signet_socket_later(errnum)) {
        signet_conn_closed(peer->conn, signet_socket_stream_error(n == 0 ? 0 : errnum));
    } else if (peer->write_err != 0) {
        signet_conn_closed(peer->conn, peer->write_err);
    }
}

/* Reads once. Returns the number of bytes. */
static size_t read_in(struct signet_peer *peer)
{
    uint8_t *p;
    size_t cap;
    if (signet_conn_recv_buffer(peer->conn, &p, &cap) != 0) {
        return 0; /* the conn has failed and says so */
    }
    ssize_t n = recv(peer->fd, p, cap, MSG_DONTWAIT);
    if (n <= 0) {
        read_failed(peer, n, errno);
        return 0;
    }
    if ((size_t)n < cap && !peer->ended && peer->write_err == 0) {
        peer->can_read = false; /* there is no more, or its edge is still to come */
    }
    int err = signet_conn_received(peer->conn, (size_t)n, peer->worker->now_ns);
    if (err != 0) {
        signet_conn_closed(peer->conn, err);
    }
    loop_add(&peer->worker->counts.received, (uint64_t)n);
    return (size_t)n;
}

/* Small buffers always have. */
static bool has_room(struct signet_peer *peer)
{
    return conn_recv_growth(peer->conn) == 0 || loop_may_grow(peer);
}

static void pump_open(struct signet_peer *peer)
{
    uint64_t left = TURN_BYTES;
    for (size_t done = 0; peer->stage == PEER_OPEN;) {
        bool held = take_events(peer, &left);
        if (peer->stage != PEER_OPEN) {
            return;
        }
        int err = loop_write_out(peer);
        if (err != 0 && signet_conn_failure(peer->conn) != NULL) {
            continue; /* its events come first */
        }
        if (held && may_read(peer)) {
            loop_run_soon(peer);
            return;
        }
        if (!peer->can_read || !may_read(peer) || !signet_conn_wants_input(peer->conn) ||
            !has_room(peer)) {
            return;
        }
        if (done >= TURN_BYTES) {
            loop_run_soon(peer);
            return;
        }
        done += read_in(peer);
    }
}

/* Whoever is told -BUSY from here on asks again. */
static void tell_writable(struct signet_peer *peer)
{
    if (atomic_load_explicit(&peer->open, memory_order_relaxed) &&
        signet_conn_queued(peer->conn) <= peer->max_queued / 2 &&
        atomic_exchange(&peer->awaited, false)) {
        peer->ops.writable(peer->arg, peer);
    }
}

static void pump_dialling(struct signet_peer *peer)
{
    const struct signet_fail *fail = signet_conn_failure(peer->conn);
    int asked = atomic_load_explicit(&peer->close_err, memory_order_acquire);
    if (asked != 0) {
        loop_close_err(peer, asked);
    } else if (fail != NULL) {
        loop_close(peer, fail);
    } else if (peer->can_write) {
        loop_connected(peer);
    }
}

void loop_update_timer(struct signet_peer *peer)
{
    uint64_t at =
        peer->stage == PEER_LINGERING ? peer->linger_ns : signet_conn_deadline_ns(peer->conn);
    /* A later one is set when the earlier one runs. */
    if (at != UINT64_MAX && (peer->timer.place == 0 || at < peer->timer.at_ns)) {
        loop_timer_set(&peer->worker->heap, &peer->timer, at);
    }
}

void loop_pump(struct signet_peer *peer)
{
    signet_peer_ref(peer);
    if (peer->stage == PEER_DIALLING) {
        pump_dialling(peer);
    }
    if (peer->stage == PEER_OPEN) {
        pump_open(peer);
        if (atomic_load_explicit(&peer->awaited, memory_order_relaxed)) {
            tell_writable(peer);
        }
    }
    if (peer->stage == PEER_LINGERING) {
        loop_linger(peer);
    }
    if (peer->stage != PEER_CLOSED) {
        loop_take_figures(peer);
        loop_weigh(peer);
        loop_active(peer);
        loop_update_timer(peer);
    }
    signet_peer_unref(peer);
}
