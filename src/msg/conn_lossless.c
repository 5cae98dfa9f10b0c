/* SPDX-License-Identifier: MIT */
/* The tie between a connection and its session. */
#include "msg/conn_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "msg/session_internal.h"

struct signet_session *signet_conn_session(const struct signet_conn *conn)
{
    return conn->session;
}

static void lock_both(struct signet_session *session)
{
    pthread_mutex_lock(&session->table->lock);
    pthread_mutex_lock(&session->lock);
}

static void unlock_both(struct signet_session *session)
{
    pthread_mutex_unlock(&session->lock);
    pthread_mutex_unlock(&session->table->lock);
}

int conn_session_attach(struct signet_conn *conn)
{
    struct signet_session *session = conn->o.session;
    int err = 0;
    lock_both(session);
    if (session->closed) {
        err = -SIGNET_E_SESSION_CLOSED;
    } else if (session->policy == SIGNET_STATEFUL_SERVER) {
        err = -SIGNET_E_INVAL;
    } else if (session->ready) {
        err = -SIGNET_E_STATE;
    } else {
        if (session->own.nonce != 0 || session->own.family != SIGNET_FAMILY_NONE) {
            conn->o.own = session->own;
        }
        session_take(session, conn);
        session->global_seq = sessions_global_seq(session->table, 0);
        conn->session = signet_session_ref(session);
    }
    unlock_both(session);
    return err;
}

/* Half of it for sure, the rest by chance, so that not all come back at once. */
static uint64_t backoff(const struct signet_sessions *table, unsigned failures)
{
    uint64_t wait = table->o.backoff_ns, chance = 0;
    uint8_t random[sizeof(chance)];
    for (unsigned i = 1; i < failures && wait < table->o.max_backoff_ns; i++) {
        wait *= 2;
    }
    wait = wait < table->o.max_backoff_ns ? wait : table->o.max_backoff_ns;
    if (table->o.env.random(table->o.env.arg, random, sizeof(random)) == 0) {
        chance = signet_load_u64(random) % (wait / 2 + 1);
    } else {
        chance = wait / 2;
    }
    return wait - wait / 2 + chance;
}

/* When to connect again: at once if the session held, else later each time. */
static void schedule(struct signet_session *session, const struct signet_conn *conn, int err)
{
    const struct signet_sessions *table = session->table;
    bool held = session->ready && conn->now_ns - session->ready_ns >= table->o.backoff_ns;
    session->failures = held ? 0 : session->failures + 1;
    session->waits = err == -SIGNET_E_SESSION_WAIT;
    session->due_ns = conn->now_ns;
    if (session->waits) {
        session->due_ns += table->o.max_backoff_ns;
    } else if (!held) {
        session->due_ns += backoff(table, session->failures);
    }
}

void conn_session_detach(struct signet_conn *conn, int err)
{
    struct signet_session *session = conn->session, *ended = NULL;
    if (sessions_are_inherited(session->table)) {
        return;
    }
    lock_both(session);
    if (session->holder == conn) {
        schedule(session, conn, err);
        session->holder = NULL;
        session->ready = false;
        session->queue.unsent = session->queue.head;
        session_queue_trim(session);
        sessions_idle(session, conn->now_ns);
        if (session->lossy) {
            ended = session_end(session);
        }
    }
    unlock_both(session);
    signet_session_unref(ended);
}

void conn_session_leave(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    if (!sessions_are_inherited(session->table)) {
        conn_session_release(conn);
        conn_session_detach(conn, 0);
        signet_session_unref(session);
    }
    conn->showing = false;
    conn->session = NULL;
}

int conn_session_check(struct signet_conn *conn)
{
    /* Pairs with the release in part(). */
    int taken = atomic_load_explicit(&conn->taken, memory_order_acquire);
    return taken != 0 ? conn_die(conn, taken) : 0;
}

int conn_session_lost(struct signet_conn *conn)
{
    int err = conn_session_check(conn);
    return err != 0 ? err : conn_die(conn, -SIGNET_E_SESSION_REPLACED);
}

bool conn_session_waits(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    if (conn->waits) {
        pthread_mutex_lock(&session->lock);
        conn->waits = session->holder == conn && session->shower != NULL;
        pthread_mutex_unlock(&session->lock);
    }
    return conn->waits;
}

void conn_session_release(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    if (!conn->showing) {
        return;
    }
    conn->showing = false;
    pthread_mutex_lock(&session->lock);
    session->shower = NULL;
    const struct signet_conn *holder = session->holder;
    if (holder != NULL && holder != conn && holder->o.wake != NULL) {
        holder->o.wake(holder->o.wake_arg);
    }
    pthread_mutex_unlock(&session->lock);
}

int conn_session_deliver(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    pthread_mutex_lock(&session->lock);
    bool ours = session->holder == conn;
    if (ours) {
        session->in_seq = ++conn->in_seq;
        session->shower = conn;
        conn->showing = true;
    }
    pthread_mutex_unlock(&session->lock);
    return ours ? 0 : conn_session_lost(conn);
}

void conn_session_acked(struct signet_conn *conn, uint64_t seq)
{
    struct signet_session *session = conn->session;
    pthread_mutex_lock(&session->lock);
    if (session->holder == conn) {
        session_queue_ack(session, conn->seq_base + seq);
    }
    pthread_mutex_unlock(&session->lock);
}

/* When this fails the nonces, and with them the connection, are lost. */
static int seal(struct signet_conn *conn, const struct session_message *m)
{
    const uint32_t len[SIGNET_SEGMENTS_MAX] = {SIGNET_MESSAGE_HEADER_LEN, (uint32_t)m->m.front.len,
                                               (uint32_t)m->m.middle.len, (uint32_t)m->m.data.len};
    struct iovec data = {.iov_base = (void *)(uintptr_t)m->m.data.p, .iov_len = m->m.data.len};
    struct signet_reserved *slot;
    conn_queue_lock(&conn->out);
    int err = conn_reserve_frame(conn, &slot, len);
    conn_queue_unlock(&conn->out);
    if (err == 0) {
        slot->message = true;
        slot->seq = m->seq - conn->seq_base;
        slot->ack_seq = conn->in_seq;
        conn->out_seq = slot->seq;
        conn->told = slot->ack_seq;
        err = signet_conn_seal_reserved(slot, &m->m, &data, 1);
    }
    return err;
}

int conn_session_flush(struct signet_conn *conn)
{
    struct signet_session *session = conn->session;
    int err = 0;
    pthread_mutex_lock(&session->lock);
    struct session_message *m = session->holder == conn ? session->queue.unsent : NULL;
    while (m != NULL && signet_conn_queued(conn) < CONN_FLUSH_MAX && err == 0) {
        err = seal(conn, m);
        if (err == 0) {
            session->sent = m->seq > session->sent ? m->seq : session->sent;
            session->queue.unsent = m->next;
            m = m->next;
        }
        if (err == 0 && session->lossy) {
            session_queue_ack(session, session->sent); /* nobody will */
        }
    }
    pthread_mutex_unlock(&session->lock);
    return err != 0 ? conn_die(conn, err) : 0;
}

/* Maybe not on the connection's thread: then that one fails it, and seals. */
int conn_session_send(struct signet_conn *conn, const struct signet_message *message,
                      const struct iovec *data, int num, uint64_t *seq)
{
    int gate = atomic_load_explicit(&conn->out.gate, memory_order_relaxed);
    bool shared = conn->out.shared;
    struct session_message *m;
    int err = gate != 0 || shared ? gate : conn_session_check(conn);
    if (err == 0) {
        err = session_message_new(conn->session, &m, message, data, num);
    }
    if (err != 0) {
        return err;
    }
    pthread_mutex_lock(&conn->session->lock);
    bool ours = conn->session->holder == conn;
    err = ours ? session_queue_add(conn->session, m) : -SIGNET_E_SESSION_REPLACED;
    if (err == 0 && seq != NULL) {
        *seq = m->seq;
    }
    pthread_mutex_unlock(&conn->session->lock);
    if (err != 0) {
        session_message_free(m);
        return ours || shared ? err : conn_session_lost(conn);
    }
    return shared ? 0 : conn_session_flush(conn);
}
