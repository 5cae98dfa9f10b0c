/* SPDX-License-Identifier: MIT */
/* What an incoming connection gets that asks for a session. Source: msgr2.md 9.2. */
#include "msg/session_internal.h"

/* Whether the process at the other end is another one than the session was made with. */
static bool other_process(const struct signet_session *e, const struct session_claim *claim)
{
    return e->bound && e->global_id != claim->global_id;
}

/* Both dial: of two addresses the smaller one keeps its own connection. */
static bool peer_wins(const struct signet_session *e, const struct session_claim *claim)
{
    return e->policy == SIGNET_STATEFUL_SERVER ||
           signet_addr_compare(&claim->addrs->addr[0], claim->own) < 0;
}

static enum session_answer judge_ident(const struct signet_session *e,
                                       const struct session_claim *claim)
{
    if (session_is_replaced(e)) {
        return SESSION_WAIT;
    }
    if (other_process(e, claim)) {
        return SESSION_RESTARTED;
    }
    if (e->peer_global_seq > claim->global_seq) {
        return SESSION_STALE;
    }
    if (e->lossy) {
        return SESSION_RENEW;
    }
    if (e->client_cookie == claim->client_cookie) {
        return SESSION_REUSE;
    }
    if (e->client_cookie != 0 && e->server_cookie != 0) {
        return SESSION_RESTARTED;
    }
    enum signet_session_state state = session_state(e);
    if (state == SIGNET_SESSION_READY || state == SIGNET_SESSION_STANDBY || peer_wins(e, claim)) {
        return SESSION_REUSE;
    }
    return SESSION_WAIT;
}

/* Whether the session is the one that the peer has, as far as cookies tell. */
static enum session_answer judge_cookies(const struct signet_session *e,
                                         const struct session_claim *claim, bool resetcheck)
{
    if (e->client_cookie != claim->client_cookie) {
        return resetcheck ? SESSION_RESET_FULL : SESSION_RESET_PART;
    }
    if (e->server_cookie == 0) {
        return SESSION_RESET_PART;
    }
    return e->server_cookie == claim->server_cookie ? SESSION_RESUME : SESSION_RESET_FULL;
}

static enum session_answer judge_reconnect(const struct signet_session *e,
                                           const struct session_claim *claim, bool resetcheck)
{
    if (session_is_replaced(e)) {
        return SESSION_RETRY_GLOBAL;
    }
    if (other_process(e, claim) || e->lossy) {
        return SESSION_RESET_FULL;
    }
    enum session_answer same = judge_cookies(e, claim, resetcheck);
    if (same != SESSION_RESUME) {
        return same;
    }
    if (e->peer_global_seq > claim->global_seq) {
        return SESSION_RETRY_GLOBAL;
    }
    if (e->connect_seq > claim->connect_seq) {
        return SESSION_RETRY;
    }
    if (e->connect_seq == claim->connect_seq && e->policy != SIGNET_STATEFUL_SERVER &&
        signet_addr_compare(&claim->addrs->addr[0], claim->own) > 0) {
        return SESSION_WAIT;
    }
    /* It must have had no more than was sent, and no less than it acknowledged. */
    bool fits = claim->msg_seq >= e->acked - e->base && claim->msg_seq <= e->sent - e->base;
    return fits ? SESSION_RESUME : SESSION_RESET_FULL;
}

enum session_answer session_judge(const struct signet_session *existing,
                                  const struct session_claim *claim, bool resetcheck)
{
    if (existing == NULL || existing->closed) {
        return claim->reconnect ? SESSION_RESET_FULL : SESSION_NEW;
    }
    return claim->reconnect ? judge_reconnect(existing, claim, resetcheck)
                            : judge_ident(existing, claim);
}
