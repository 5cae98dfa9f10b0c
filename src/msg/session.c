/* SPDX-License-Identifier: MIT */
#include "msg/session_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "msg/conn_internal.h"

struct signet_session *session_make(struct signet_sessions *table)
{
    struct signet_session *session = calloc(1, sizeof(*session));
    if (session != NULL) {
        pthread_mutex_init(&session->lock, NULL);
        atomic_init(&session->refs, 1);
        session->queue.tail = &session->queue.head;
        session->table = table;
        atomic_fetch_add_explicit(&table->refs, 1, memory_order_relaxed);
    }
    return session;
}

static bool options_valid(const struct signet_session_options *o)
{
    bool peer = o->policy == SIGNET_LOSSLESS_PEER;
    return (peer || o->policy == SIGNET_LOSSLESS_CLIENT) && o->peer_type != 0 &&
           o->peer_type <= UINT8_MAX && o->peer.family != SIGNET_FAMILY_NONE &&
           (!peer || (o->name.type == o->peer_type && o->own.family != SIGNET_FAMILY_NONE));
}

int signet_session_new(struct signet_session **out, struct signet_sessions *sessions,
                       const struct signet_session_options *options)
{
    *out = NULL;
    if (!options_valid(options)) {
        return -SIGNET_E_INVAL;
    }
    struct signet_session *session = session_make(sessions);
    if (session == NULL) {
        return -SIGNET_E_NOMEM;
    }
    session->policy = options->policy;
    session->peer_addr = options->peer;
    session->peer_type = options->peer_type;
    session->made_here = true;
    session->stay = options->stay;
    session->due = options->due;
    session->due_arg = options->arg;
    session->own = options->own;
    session->name = options->name;
    session->named = options->name.type != 0;
    int err = 0;
    if (options->policy == SIGNET_LOSSLESS_PEER) { /* an incoming connection must find it */
        pthread_mutex_lock(&sessions->lock);
        err = sessions_link(sessions, session);
        pthread_mutex_unlock(&sessions->lock);
    }
    if (err != 0) {
        signet_session_unref(session);
        return err;
    }
    *out = session;
    return 0;
}

struct signet_session *signet_session_ref(struct signet_session *session)
{
    atomic_fetch_add_explicit(&session->refs, 1, memory_order_relaxed);
    return session;
}

void signet_session_unref(struct signet_session *session)
{
    /* The last one sees what the others did before they let go. */
    if (session == NULL ||
        atomic_fetch_sub_explicit(&session->refs, 1, memory_order_acq_rel) != 1) {
        return;
    }
    session_queue_clear(session);
    session_queue_trim(session);
    sessions_unref(session->table);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

int session_cookie(const struct signet_sessions *table, uint64_t *cookie)
{
    uint8_t random[sizeof(*cookie)];
    int err;
    do {
        err = table->o.env.random(table->o.env.arg, random, sizeof(random));
        *cookie = err == 0 ? signet_load_u64(random) : 0;
    } while (err == 0 && *cookie == 0);
    return err;
}

enum signet_session_state session_state(const struct signet_session *session)
{
    if (session->closed) {
        return SIGNET_SESSION_CLOSED;
    }
    if (session->holder != NULL) {
        return session->ready ? SIGNET_SESSION_READY : SIGNET_SESSION_CONNECTING;
    }
    if (session->waits) {
        return SIGNET_SESSION_WAIT;
    }
    bool needed = session->queue.num > 0 || session->stay;
    bool dials = session->policy != SIGNET_STATEFUL_SERVER && needed;
    return dials ? SIGNET_SESSION_BACKOFF : SIGNET_SESSION_STANDBY;
}

bool session_is_replaced(const struct signet_session *session)
{
    return session->holder != NULL && session->shower != NULL && session->shower != session->holder;
}

static void wake(const struct signet_conn *conn)
{
    if (conn != NULL && conn->o.wake != NULL) {
        conn->o.wake(conn->o.wake_arg);
    }
}

/* Tells a connection that the session is not its own any more. */
static void part(struct signet_session *session, int why)
{
    struct signet_conn *former = session->holder;
    session->holder = NULL;
    session->ready = false;
    session->queue.unsent = session->queue.head;
    if (former != NULL) {
        /* Pairs with the acquire in conn_session_check(). */
        atomic_store_explicit(&former->taken, why, memory_order_release);
        wake(former);
    }
}

void session_take(struct signet_session *session, struct signet_conn *conn)
{
    part(session, -SIGNET_E_SESSION_REPLACED);
    sessions_not_idle(session);
    session->holder = conn;
    session->waits = false;
    conn->waits = session->shower != NULL;
}

struct signet_session *session_end(struct signet_session *session)
{
    session->closed = true;
    part(session, -SIGNET_E_SESSION_CLOSED);
    session_queue_clear(session);
    session_queue_trim(session);
    return sessions_unlink(session);
}

void signet_session_close(struct signet_session *session)
{
    if (sessions_are_inherited(session->table)) {
        return;
    }
    pthread_mutex_lock(&session->table->lock);
    pthread_mutex_lock(&session->lock);
    struct signet_session *ours = session_end(session);
    pthread_mutex_unlock(&session->lock);
    pthread_mutex_unlock(&session->table->lock);
    signet_session_unref(ours);
}

void session_renumber(struct signet_session *session)
{
    session->in_seq = 0;
    session->connect_seq = 0;
    session->base = session->sent = session->acked;
    session->queue.unsent = session->queue.head;
}

uint64_t session_reset(struct signet_session *session)
{
    uint64_t lost = session_queue_clear(session);
    session->client_cookie = session->server_cookie = 0;
    session_renumber(session);
    return lost;
}

int signet_session_send(struct signet_session *session, const struct signet_message *message,
                        const struct iovec *data, int num, uint64_t *seq)
{
    struct session_message *m;
    int err = session_message_new(session, &m, message, data, num);
    if (err != 0) {
        return err;
    }
    pthread_mutex_lock(&session->lock);
    err = session_queue_add(session, m);
    if (err == 0 && seq != NULL) {
        *seq = m->seq;
    }
    if (err == 0 && session->ready) {
        wake(session->holder);
    } else if (err == 0 && session->holder == NULL && session->due != NULL) {
        session->due(session->due_arg);
    }
    pthread_mutex_unlock(&session->lock);
    if (err != 0) {
        session_message_free(m);
    }
    return err;
}

uint64_t signet_session_dial_ns(struct signet_session *session)
{
    pthread_mutex_lock(&session->lock);
    enum signet_session_state state = session_state(session);
    bool due = state == SIGNET_SESSION_BACKOFF || state == SIGNET_SESSION_WAIT;
    uint64_t when = due ? session->due_ns : UINT64_MAX;
    pthread_mutex_unlock(&session->lock);
    return when;
}

void signet_session_status(struct signet_session *session, struct signet_session_status *out)
{
    pthread_mutex_lock(&session->lock);
    *out = (struct signet_session_status){
        .state = session_state(session),
        .policy = session->policy,
        .client_cookie = session->client_cookie,
        .server_cookie = session->server_cookie,
        .global_seq = session->global_seq,
        .peer_global_seq = session->peer_global_seq,
        .connect_seq = session->connect_seq,
        .in_seq = session->in_seq,
        .out_seq = session->out_seq,
        .acked = session->acked,
        .queued = session->queue.bytes,
        .num_queued = session->queue.num,
        .failures = session->failures,
        .peer = session->peer_addr,
        .peer_type = session->peer_type,
        .name = session->name,
        .global_id = session->global_id,
    };
    pthread_mutex_unlock(&session->lock);
}
