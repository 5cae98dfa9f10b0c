/* SPDX-License-Identifier: MIT */
/* Giving sessions to incoming connections. Source: msgr2.md 9.2. */
#include "msg/session_internal.h"

#include <stdlib.h>

#include "msg/conn_internal.h"

static struct signet_session *make(struct signet_sessions *table, const struct session_claim *claim)
{
    struct signet_session *session = session_make(table);
    if (session != NULL) {
        bool peer = (table->o.peers & claim->name->type) != 0;
        session->policy = peer ? SIGNET_LOSSLESS_PEER : SIGNET_STATEFUL_SERVER;
        session->peer_addr = claim->addrs->addr[0];
        session->peer_type = claim->name->type;
        session->own = *claim->own;
        session->name = *claim->name;
        session->named = session->bound = true;
        session->global_id = claim->global_id;
    }
    return session;
}

/* A new session, linked and locked. */
static int make_linked(struct signet_sessions *table, const struct session_claim *claim,
                       struct signet_session **out)
{
    *out = NULL;
    int err = sessions_client_room(table, claim->global_id);
    struct signet_session *session = err == 0 ? make(table, claim) : NULL;
    if (session == NULL) {
        return err != 0 ? err : -SIGNET_E_NOMEM;
    }
    err = sessions_link(table, session);
    if (err == 0) {
        pthread_mutex_lock(&session->lock);
        *out = session;
    }
    signet_session_unref(session); /* the table has its own reference */
    return err;
}

void session_tie(struct signet_session *session, struct signet_conn *conn)
{
    session->ready = true;
    session->ready_ns = conn->now_ns;
    conn->seq_base = session->base;
    conn->in_seq = session->in_seq;
    conn->told = session->in_seq;
    conn->acked = session->acked - session->base;
    conn->out_seq = conn->acked;
    if (conn->session == NULL) {
        conn->session = signet_session_ref(session);
    }
}

static void start(struct signet_session *session, const struct session_claim *claim,
                  const struct signet_ident *ident, struct session_grant *grant, bool reset)
{
    bool other = session->bound && session->global_id != claim->global_id;
    bool full = reset && (other || !session->table->o.keep_on_restart);
    grant->reset = reset;
    grant->full = full;
    grant->lost = full ? session_reset(session) : 0;
    session_renumber(session);
    session->client_cookie = claim->client_cookie;
    session->server_cookie = grant->cookie;
    session->peer = *ident;
}

static void resume(struct signet_session *session, const struct session_claim *claim,
                   struct session_grant *grant)
{
    session->connect_seq = claim->connect_seq;
    session_queue_ack(session, session->base + claim->msg_seq);
    grant->value = session->in_seq;
}

/* Our own attempt shall go on: at once, if it only waits for its time. */
static void nudge(struct signet_session *session)
{
    if (session->holder == NULL && session->policy != SIGNET_STATEFUL_SERVER) {
        session->due_ns = 0;
        if (session->due != NULL) {
            session->due(session->due_arg);
        }
    }
}

static void give(struct signet_session *session, struct signet_conn *conn,
                 const struct session_claim *claim)
{
    session->peer_global_seq = claim->global_seq;
    session->bound = true;
    if (session->global_id != claim->global_id) {
        sessions_client_unlink(session);
        session->global_id = claim->global_id;
        sessions_client_link(session);
    }
    session_take(session, conn);
    session_tie(session, conn);
}

/* Does what was judged; the session and the table are locked. */
static void carry_out(struct signet_session *session, struct signet_conn *conn,
                      const struct session_claim *claim, const struct signet_ident *ident,
                      enum session_answer answer, struct session_grant *grant)
{
    switch (answer) {
    case SESSION_NEW:
    case SESSION_REUSE:
    case SESSION_RESTARTED:
        start(session, claim, ident, grant, answer == SESSION_RESTARTED);
        give(session, conn, claim);
        break;
    case SESSION_RESUME:
        conn->peer = session->peer;
        resume(session, claim, grant);
        give(session, conn, claim);
        break;
    case SESSION_WAIT:
        nudge(session);
        break;
    case SESSION_RETRY:
        grant->value = session->connect_seq;
        break;
    case SESSION_RETRY_GLOBAL:
        grant->value = session->peer_global_seq;
        break;
    default: /* nothing changes */
        break;
    }
}

int session_accept(struct signet_conn *conn, const struct session_claim *claim,
                   const struct signet_ident *ident, enum session_answer *answer,
                   struct session_grant *grant)
{
    struct signet_sessions *table = conn->o.sessions;
    struct signet_session *ended = NULL;
    *grant = (struct session_grant){0};
    int err = session_cookie(table, &grant->cookie);
    if (err != 0) {
        return err;
    }
    pthread_mutex_lock(&table->lock);
    sessions_expire(table, conn->now_ns);
    struct signet_session *e = sessions_find(table, claim->addrs, claim->name, claim->global_id);
    if (e != NULL) {
        pthread_mutex_lock(&e->lock);
    }
    *answer = session_judge(e, claim, !table->o.keep_on_restart);
    if (*answer == SESSION_RENEW && e != NULL) {
        ended = session_end(e);
        pthread_mutex_unlock(&e->lock);
        *answer = SESSION_NEW;
    }
    if (*answer == SESSION_NEW) {
        err = make_linked(table, claim, &e);
    }
    if (e != NULL) {
        carry_out(e, conn, claim, ident, *answer, grant);
        pthread_mutex_unlock(&e->lock);
    }
    pthread_mutex_unlock(&table->lock);
    signet_session_unref(ended);
    return err;
}
