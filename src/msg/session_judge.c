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

/* Nothing has gone through in either direction since the session started, as far as we know. */
static bool unused(const struct signet_session *e, const struct session_claim *claim)
{
    return e->in_seq == 0 && e->acked == e->base && claim->msg_seq == 0;
}

/*
 * Two attempts to start the session have crossed so that each side took the other's and gave up its
 * own: both count it as open, with different cookies. Neither has delivered anything then, so that
 * they can start again and lose nothing. The reference does not compare server cookies and so goes
 * on with a pair that does not match.
 */
static bool crossed(const struct signet_session *e, const struct session_claim *claim)
{
    return e->dial_cookie != 0 && claim->client_cookie == e->dial_cookie && unused(e, claim);
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
    if (e->client_cookie == claim->client_cookie || crossed(e, claim)) {
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
        bool full = resetcheck && !crossed(e, claim);
        return full ? SESSION_RESET_FULL : SESSION_RESET_PART;
    }
    if (e->server_cookie == 0) {
        return SESSION_RESET_PART;
    }
    if (e->server_cookie != claim->server_cookie) {
        return unused(e, claim) ? SESSION_RESET_PART : SESSION_RESET_FULL;
    }
    return SESSION_RESUME;
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
