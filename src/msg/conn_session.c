/* SPDX-License-Identifier: MIT */
/* Idents and what goes on in an open session. Source: msgr2.md 8, 9, 12. */
#include "msg/conn_internal.h"

#include <string.h>

int conn_send_client_ident(struct signet_conn *conn, uint64_t global_seq, uint64_t cookie)
{
    struct signet_control c = {.tag = SIGNET_TAG_CLIENT_IDENT};
    struct signet_ident *i = &c.ident;
    i->addrs.num = 1;
    i->addrs.addr[0] = conn->o.own;
    i->target = conn->o.target;
    i->gid = conn->gid;
    i->global_seq = global_seq;
    i->supported = conn->o.supported;
    i->required = conn->o.required;
    i->flags = cookie == 0 ? SIGNET_IDENT_LOSSY : 0;
    i->cookie = cookie;
    return conn_send_control(conn, &c);
}

/* Who we are: a daemon its number, a client its global_id, once it has one. */
static int64_t own_gid(const struct signet_conn *conn)
{
    if (conn->o.own_type != SIGNET_CLIENT) {
        return conn->o.gid;
    }
    return conn->o.peer_type == SIGNET_MON ? -1 : (int64_t)conn->result.global_id;
}

int conn_start_session(struct signet_conn *conn)
{
    conn->gid = own_gid(conn);
    return conn->session != NULL ? conn_session_start(conn)
                                 : conn_send_client_ident(conn, conn->o.global_seq, 0);
}

/* The address dialled, its nonce only if we know one. */
static bool has_target(const struct signet_conn *conn, const struct signet_addrvec *addrs)
{
    const struct signet_addr *target = &conn->o.target;
    for (uint32_t i = 0; i < addrs->num; i++) {
        if (signet_addr_same_endpoint(target, &addrs->addr[i]) &&
            (target->nonce == 0 || target->nonce == addrs->addr[i].nonce)) {
            return true;
        }
    }
    return false;
}

int conn_check_peer(struct signet_conn *conn, const struct signet_ident *peer)
{
    uint64_t we_lack = peer->required & ~conn->o.supported;
    uint64_t they_lack = conn->o.required & ~peer->supported;
    if (we_lack != 0 || they_lack != 0) {
        return conn_fault(conn, -SIGNET_E_PEER_FEATURES,
                          "the peer requires 0x%llx that we lack, we require 0x%llx that it lacks",
                          (unsigned long long)we_lack, (unsigned long long)they_lack);
    }
    if (!has_target(conn, &peer->addrs)) {
        char dialled[SIGNET_ADDR_TEXT_MAX], first[SIGNET_ADDR_TEXT_MAX];
        struct signet_addr none = {0};
        return conn_fault(
            conn, -SIGNET_E_PEER_ADDR, "dialled %s, but the peer is %s",
            signet_addr_print(&conn->o.target, dialled),
            signet_addr_print(peer->addrs.num > 0 ? &peer->addrs.addr[0] : &none, first));
    }
    return 0;
}

int conn_on_server_ident(struct signet_conn *conn, const struct signet_frame_view *view,
                         struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err == 0) {
        err = conn_check_peer(conn, &c.ident);
    }
    bool lossy = (c.ident.flags & SIGNET_IDENT_LOSSY) != 0;
    if (err == 0 && conn->session != NULL) {
        err = conn_session_established(conn, &c.ident);
        lossy = conn->lossy;
    }
    if (err == 0) {
        conn_open_session(conn, &c.ident, lossy, event);
    }
    return err;
}

void conn_tell_ready(struct signet_conn *conn, struct signet_event *event)
{
    event->kind = SIGNET_EVENT_READY;
    event->ready = (struct signet_event_ready){.peer = &conn->peer,
                                               .own = &conn->o.own,
                                               .features = conn->o.supported & conn->peer.supported,
                                               .lossy = conn->lossy,
                                               .resumed = conn->resumed};
}

void conn_open_session(struct signet_conn *conn, const struct signet_ident *peer, bool lossy,
                       struct signet_event *event)
{
    if (peer != NULL) {
        conn->peer = *peer;
    }
    conn->lossy = lossy;
    conn->state = CONN_READY;
    conn_queue_gate(&conn->out, 0);
    if (conn->o.keepalive_interval_ns != 0) {
        conn->keepalive_ns = conn->now_ns + conn->o.keepalive_interval_ns;
    }
    conn_tell_ready(conn, event);
}

int conn_on_missing_features(struct signet_conn *conn, const struct signet_frame_view *view,
                             struct signet_event *event)
{
    struct signet_control c;
    (void)event;
    int err = conn_decode(conn, view, &c);
    if (err == 0) {
        err = conn_fault(conn, -SIGNET_E_MISSING_FEATURES, "the peer misses features 0x%llx",
                         (unsigned long long)c.value);
    }
    return err;
}

int conn_on_wait(struct signet_conn *conn, const struct signet_frame_view *view,
                 struct signet_event *event)
{
    (void)view;
    (void)event;
    return conn_fault(conn, -SIGNET_E_SESSION_WAIT,
                      "the peer answered WAIT: it connects to us at the same time");
}

static int take_ack(struct signet_conn *conn, uint64_t seq)
{
    if (seq > conn->out_seq) {
        return conn_fault(conn, -SIGNET_E_ACK_RANGE, "an ack of %llu, but %llu was the last sent",
                          (unsigned long long)seq, (unsigned long long)conn->out_seq);
    }
    if (seq > conn->acked) {
        conn->acked = seq;
        conn->ack_event = true;
        if (conn->session != NULL) {
            conn_session_acked(conn, seq);
        }
    }
    return 0;
}

int conn_on_ack(struct signet_conn *conn, const struct signet_frame_view *view,
                struct signet_event *event)
{
    struct signet_control c;
    (void)event;
    int err = conn_decode(conn, view, &c);
    return err == 0 ? take_ack(conn, c.value) : err;
}

int conn_on_message(struct signet_conn *conn, const struct signet_frame_view *view,
                    struct signet_event *event)
{
    int err = signet_message_decode(&event->message, view);
    if (err == 0) {
        err = take_ack(conn, event->message.ack_seq);
    }
    if (err != 0 || event->message.seq <= conn->in_seq) {
        return err; /* delivered before: dropped */
    }
    if (event->message.seq != conn->in_seq + 1) {
        return conn_fault(conn, -SIGNET_E_SEQ_GAP, "message %llu follows message %llu",
                          (unsigned long long)event->message.seq, (unsigned long long)conn->in_seq);
    }
    if (conn->session != NULL) {
        err = conn_session_deliver(conn);
    } else {
        /* Only this thread writes it; senders read it. */
        atomic_store_explicit(&conn->in_seq, event->message.seq, memory_order_relaxed);
    }
    if (err == 0) {
        event->kind = SIGNET_EVENT_MESSAGE;
        conn->figures.messages_in++;
    }
    return err;
}

int conn_on_keepalive(struct signet_conn *conn, const struct signet_frame_view *view,
                      struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err != 0) {
        return err;
    }
    event->kind = SIGNET_EVENT_KEEPALIVE;
    event->stamp = conn->answer = c.stamp;
    if (conn->answer_ns == UINT64_MAX) {
        conn->answer_ns = conn->now_ns + conn->o.keepalive_answer_ns;
    }
    return conn->o.keepalive_answer_ns == 0 ? conn_answer_keepalive(conn) : 0;
}

/* How many of our keepalives this stamp answers: all up to its own; 0 if it is not ours. */
static unsigned answered(const struct signet_conn *conn, const struct signet_utime *stamp)
{
    for (unsigned i = 0; i < conn->num_pongs; i++) {
        const struct signet_utime *sent = &conn->pongs[i].stamp;
        if (sent->sec == stamp->sec && sent->nsec == stamp->nsec) {
            return i + 1;
        }
    }
    return 0;
}

int conn_on_keepalive_ack(struct signet_conn *conn, const struct signet_frame_view *view,
                          struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err != 0) {
        return err;
    }
    unsigned num = answered(conn, &c.stamp);
    event->kind = SIGNET_EVENT_KEEPALIVE_ACK;
    event->pong.stamp = c.stamp;
    event->pong.rtt_ns = num > 0 ? conn->now_ns - conn->pongs[num - 1].sent_ns : UINT64_MAX;
    conn->num_pongs -= num;
    memmove(conn->pongs, conn->pongs + num, conn->num_pongs * sizeof(conn->pongs[0]));
    return 0;
}
