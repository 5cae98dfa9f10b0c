/* SPDX-License-Identifier: MIT */
/* The accepting side's idents. Source: msgr2.md 7.3, 9.2. */
#include "msg/conn_internal.h"

#include "msg/session_internal.h"

static bool is_default(const struct signet_addr *addr)
{
    return addr->type == SIGNET_ADDR_NONE && addr->nonce == 0 && addr->family == SIGNET_FAMILY_NONE;
}

static int check_addrs(struct signet_conn *conn, const struct signet_ident *client)
{
    if (client->addrs.num == 0 || is_default(&client->addrs.addr[0])) {
        return conn_fault(conn, -SIGNET_E_PEER_ADDR, "the client names no address of its own");
    }
    const struct signet_addr *own = &conn->o.own;
    if (!signet_addr_same_endpoint(&client->target, own) || client->target.nonce != own->nonce) {
        char dialled[SIGNET_ADDR_TEXT_MAX], ours[SIGNET_ADDR_TEXT_MAX];
        return conn_fault(conn, -SIGNET_E_PEER_ADDR, "the client dialled %s, this is %s",
                          signet_addr_print(&client->target, dialled),
                          signet_addr_print(own, ours));
    }
    return 0;
}

static int send_missing(struct signet_conn *conn, uint64_t missing)
{
    struct signet_control c = {.tag = SIGNET_TAG_IDENT_MISSING_FEATURES, .value = missing};
    if (++conn->refusals > CONN_REFUSALS) {
        return conn_fault(conn, -SIGNET_E_PEER_FEATURES, "the client misses features 0x%llx",
                          (unsigned long long)missing);
    }
    return conn_send_control(conn, &c);
}

int conn_send_server_ident(struct signet_conn *conn, uint64_t global_seq, uint64_t cookie)
{
    struct signet_control c = {.tag = SIGNET_TAG_SERVER_IDENT};
    struct signet_ident *i = &c.ident;
    i->addrs.num = 1;
    i->addrs.addr[0] = conn->o.own;
    i->gid = conn->o.gid;
    i->global_seq = global_seq;
    i->supported = conn->o.supported;
    i->required = conn->o.required;
    i->flags = cookie == 0 ? SIGNET_IDENT_LOSSY : 0;
    i->cookie = cookie;
    return conn_send_control(conn, &c);
}

int conn_on_client_ident(struct signet_conn *conn, const struct signet_frame_view *view,
                         struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err == 0) {
        err = check_addrs(conn, &c.ident);
    }
    if (err != 0) {
        return err;
    }
    uint64_t we_lack = c.ident.required & ~conn->o.supported;
    uint64_t it_lacks = conn->o.required & ~c.ident.supported;
    if (we_lack != 0) {
        return conn_fault(conn, -SIGNET_E_PEER_FEATURES, "the client requires 0x%llx that we lack",
                          (unsigned long long)we_lack);
    }
    if (it_lacks != 0) {
        return send_missing(conn, it_lacks);
    }
    if (conn->o.sessions != NULL) {
        return conn_session_accept_ident(conn, &c.ident, event);
    }
    err = conn_send_server_ident(conn, conn->o.global_seq, 0);
    if (err == 0) {
        conn_open_session(conn, &c.ident, true, event);
    }
    return err;
}

static struct session_claim claim_of(const struct signet_conn *conn,
                                     const struct signet_addrvec *addrs)
{
    const struct signet_identity *who = signet_login_identity(conn->o.login);
    return (struct session_claim){
        .name = &who->name, .global_id = who->global_id, .addrs = addrs, .own = &conn->o.own};
}

static bool keeps(const struct signet_conn *conn, const struct session_claim *claim)
{
    return (conn->o.sessions->o.lossless & claim->name->type) != 0;
}

static int send_answer(struct signet_conn *conn, uint8_t tag, uint64_t value)
{
    struct signet_control c = {.tag = tag};
    int err = conn_count_refusal(conn);
    if (tag == SIGNET_TAG_SESSION_RESET) {
        c.full = (uint8_t)value;
    } else if (tag != SIGNET_TAG_WAIT) {
        c.value = value;
    }
    return err == 0 ? conn_send_control(conn, &c) : err;
}

/* What the answers say that give no session. */
static int refuse(struct signet_conn *conn, enum session_answer answer, uint64_t value)
{
    switch (answer) {
    case SESSION_WAIT:
        return send_answer(conn, SIGNET_TAG_WAIT, 0);
    case SESSION_RETRY:
        return send_answer(conn, SIGNET_TAG_SESSION_RETRY, value);
    case SESSION_RETRY_GLOBAL:
        return send_answer(conn, SIGNET_TAG_SESSION_RETRY_GLOBAL, value);
    case SESSION_STALE:
        return conn_fault(conn, -SIGNET_E_SESSION_STALE,
                          "the client has made a newer attempt to connect already");
    default:
        return send_answer(conn, SIGNET_TAG_SESSION_RESET, answer == SESSION_RESET_FULL);
    }
}

/* Why there is no session for it. */
static int no_session(struct signet_conn *conn, const struct session_claim *claim, int err)
{
    if (err == -SIGNET_E_SESSION_CLIENT_LIMIT) {
        return conn_fault(conn, err,
                          "global_id %llu has %u sessions already, all of them with a connection: "
                          "does it take a new nonce each time?",
                          (unsigned long long)claim->global_id, conn->o.sessions->o.max_per_client);
    }
    return err;
}

int conn_session_accept_ident(struct signet_conn *conn, const struct signet_ident *ident,
                              struct signet_event *event)
{
    struct session_claim claim = claim_of(conn, &ident->addrs);
    struct session_grant grant = {0};
    enum session_answer answer = SESSION_NEW;
    claim.client_cookie = ident->cookie;
    claim.global_seq = ident->global_seq;
    bool lossy =
        (ident->flags & SIGNET_IDENT_LOSSY) != 0 || ident->cookie == 0 || !keeps(conn, &claim);
    if (!lossy) {
        int err = session_accept(conn, &claim, ident, &answer, &grant);
        if (err != 0) {
            return no_session(conn, &claim, err);
        }
    }
    if (answer != SESSION_NEW && answer != SESSION_REUSE && answer != SESSION_RESTARTED) {
        return refuse(conn, answer, grant.value);
    }
    int err = conn_send_server_ident(conn, sessions_global_seq(conn->o.sessions, 0), grant.cookie);
    if (err != 0) {
        return err;
    }
    conn_open_session(conn, ident, lossy, event); /* from here on others may send */
    if (grant.reset) {
        event->kind = SIGNET_EVENT_RESET;
        event->reset = (struct signet_event_reset){.full = grant.full, .lost = grant.lost};
        conn->ready_event = true;
    }
    return 0;
}

int conn_session_accept_reconnect(struct signet_conn *conn, const struct signet_reconnect *ask,
                                  struct signet_event *event)
{
    struct session_claim claim = claim_of(conn, &ask->addrs);
    struct session_grant grant = {0};
    enum session_answer answer = SESSION_RESET_FULL;
    claim.reconnect = true;
    claim.client_cookie = ask->client_cookie;
    claim.server_cookie = ask->server_cookie;
    claim.global_seq = ask->global_seq;
    claim.connect_seq = ask->connect_seq;
    claim.msg_seq = ask->msg_seq;
    if (keeps(conn, &claim)) {
        int err = session_accept(conn, &claim, NULL, &answer, &grant);
        if (err != 0) {
            return err;
        }
    }
    if (answer != SESSION_RESUME) {
        return refuse(conn, answer, grant.value);
    }
    struct signet_control c = {.tag = SIGNET_TAG_SESSION_RECONNECT_OK, .value = grant.value};
    int err = conn_send_control(conn, &c);
    if (err == 0) {
        conn->resumed = true;
        conn_open_session(conn, NULL, false, event);
    }
    return err;
}

int conn_on_reconnect(struct signet_conn *conn, const struct signet_frame_view *view,
                      struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err != 0) {
        return err;
    }
    if (c.reconnect.addrs.num == 0 || is_default(&c.reconnect.addrs.addr[0])) {
        return conn_fault(conn, -SIGNET_E_PEER_ADDR, "the client names no address of its own");
    }
    /* Without a table no session outlives its connection: the client starts a new one. */
    return conn->o.sessions != NULL ? conn_session_accept_reconnect(conn, &c.reconnect, event)
                                    : refuse(conn, SESSION_RESET_FULL, 0);
}
