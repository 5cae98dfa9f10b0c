/* SPDX-License-Identifier: MIT */
/* The connecting side of sessions. Source: msgr2.md 9.1. */
#include "msg/conn_internal.h"

#include "msg/session_internal.h"

/* Locks the session; a fault, and no lock, if it is another connection's by now. */
static int lock_ours(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    pthread_mutex_lock(&session->lock);
    if (session->holder == conn) {
        return 0;
    }
    pthread_mutex_unlock(&session->lock);
    return conn_session_lost(conn);
}

static int send_reconnect(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    struct signet_control c = {.tag = SIGNET_TAG_SESSION_RECONNECT};
    int err = lock_ours(conn);
    if (err != 0) {
        return err;
    }
    c.reconnect.addrs.num = 1;
    c.reconnect.addrs.addr[0] = session->own;
    c.reconnect.client_cookie = session->client_cookie;
    c.reconnect.server_cookie = session->server_cookie;
    c.reconnect.global_seq = session->global_seq;
    c.reconnect.connect_seq = session->connect_seq;
    c.reconnect.msg_seq = session->in_seq;
    pthread_mutex_unlock(&session->lock);
    return conn_send_control(conn, &c);
}

static int send_ident(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    int err = lock_ours(conn);
    if (err != 0) {
        return err;
    }
    if (session->client_cookie == 0) {
        err = session_cookie(session->table, &session->client_cookie);
    }
    uint64_t global_seq = session->global_seq, cookie = session->client_cookie;
    session->dial_cookie = cookie;
    pthread_mutex_unlock(&session->lock);
    conn->state = CONN_SESSION_CONNECTING;
    return err == 0 ? conn_send_client_ident(conn, global_seq, cookie) : err;
}

int conn_session_start(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    int err = lock_ours(conn);
    if (err != 0) {
        return err;
    }
    session->own = conn->o.own; /* what HELLO taught; the same from now on */
    bool resume = session->server_cookie != 0;
    session->connect_seq += resume ? 1 : 0;
    pthread_mutex_unlock(&session->lock);
    if (!resume) {
        return send_ident(conn);
    }
    conn->state = CONN_SESSION_RECONNECTING;
    return send_reconnect(conn);
}

int conn_session_established(struct signet_conn *conn, const struct signet_ident *peer)
{
    struct signet_session *session = conn->session;
    int err = lock_ours(conn);
    if (err != 0) {
        return err;
    }
    session->lossy = (peer->flags & SIGNET_IDENT_LOSSY) != 0 || peer->cookie == 0;
    session->server_cookie = session->lossy ? 0 : peer->cookie;
    session->peer_global_seq = peer->global_seq;
    session->peer = *peer;
    session_renumber(session);
    session_tie(session, conn);
    conn->lossy = session->lossy;
    pthread_mutex_unlock(&session->lock);
    return 0;
}

int conn_count_refusal(struct signet_conn *conn)
{
    if (++conn->refusals > CONN_REFUSALS) {
        return conn_fault(conn, -SIGNET_E_SESSION_RETRIES,
                          "both sides do not agree on the session after %u rounds",
                          conn->refusals - 1);
    }
    return 0;
}

/* The answers that ask for another round. */
static int read_answer(struct signet_conn *conn, const struct signet_frame_view *view,
                       struct signet_control *c)
{
    int err = conn_decode(conn, view, c);
    if (err == 0 && c->tag != SIGNET_TAG_SESSION_RESET && c->value >= SESSION_SEQ_MAX) {
        err = conn_fault(conn, -SIGNET_E_VALUE, "a sequence of %llu attempts is absurd",
                         (unsigned long long)c->value);
    }
    return err == 0 ? conn_count_refusal(conn) : err;
}

/* The same, with the session locked when it returns 0. */
static int take_answer(struct signet_conn *conn, const struct signet_frame_view *view,
                       struct signet_control *c)
{
    int err = read_answer(conn, view, c);
    return err == 0 ? lock_ours(conn) : err;
}

int conn_on_reset(struct signet_conn *conn, const struct signet_frame_view *view,
                  struct signet_event *event)
{
    struct signet_session *session = conn->session;
    struct signet_control c;
    uint64_t lost = 0;
    int err = take_answer(conn, view, &c);
    if (err != 0) {
        return err;
    }
    if (c.full != 0) {
        lost = session_reset(session);
    } else {
        session->server_cookie = 0;
        session_renumber(session);
    }
    pthread_mutex_unlock(&session->lock);
    event->kind = SIGNET_EVENT_RESET;
    event->reset = (struct signet_event_reset){.full = c.full != 0, .lost = lost};
    return send_ident(conn);
}

int conn_on_retry(struct signet_conn *conn, const struct signet_frame_view *view,
                  struct signet_event *event)
{
    struct signet_control c;
    (void)event;
    int err = take_answer(conn, view, &c);
    if (err != 0) {
        return err;
    }
    conn->session->connect_seq = c.value + 1;
    pthread_mutex_unlock(&conn->session->lock);
    return send_reconnect(conn);
}

int conn_on_retry_global(struct signet_conn *conn, const struct signet_frame_view *view,
                         struct signet_event *event)
{
    struct signet_control c;
    (void)event;
    int err = take_answer(conn, view, &c);
    if (err != 0) {
        return err;
    }
    conn->session->global_seq = sessions_global_seq(conn->session->table, c.value);
    pthread_mutex_unlock(&conn->session->lock);
    return send_reconnect(conn);
}

/* The peer has all up to msg_seq. Locked. */
static int resume(struct signet_conn *conn, uint64_t msg_seq)
{
    struct signet_session *session = conn->session;
    uint64_t least = session->acked - session->base, most = session->sent - session->base;
    if (msg_seq < least || msg_seq > most) {
        session_reset(session); /* nothing else would ever fit */
        return conn_fault(conn, -SIGNET_E_ACK_RANGE,
                          "the peer has %llu messages of the session, not %llu to %llu",
                          (unsigned long long)msg_seq, (unsigned long long)least,
                          (unsigned long long)most);
    }
    conn->ack_event = msg_seq > least;
    session_queue_ack(session, session->base + msg_seq);
    session->queue.unsent = session->queue.head;
    conn->peer = session->peer;
    session_tie(session, conn);
    return 0;
}

int conn_on_reconnect_ok(struct signet_conn *conn, const struct signet_frame_view *view,
                         struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err == 0) {
        err = lock_ours(conn);
    }
    if (err != 0) {
        return err;
    }
    err = resume(conn, c.value);
    pthread_mutex_unlock(&conn->session->lock);
    if (err == 0) {
        conn->resumed = true;
        conn_open_session(conn, NULL, false, event);
    }
    return err;
}
