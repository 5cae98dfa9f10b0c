/* SPDX-License-Identifier: MIT */
/* GET_AUTH_SESSION_KEY: proof, global_id, ticket. Source: cephx.md 5.1, 5.2, 6. */
#include <string.h>

#include "auth/login.h"
#include "base/fail.h"
#include "base/rcu.h"
#include "base/secret.h"

/* One login at work. Lives inside one read section. */
struct work {
    struct signet_login *login;
    const struct signet_authenticate *request;
    const struct snapshot *now;
    const struct principal *principal;
    const struct signet_key *secret; /* the one whose proof matched */
    struct signet_key *old_key;      /* of the session that is reclaimed; owned */
    struct signet_key *used_pending; /* secret, if it was the pending one; owned */
    struct login_grant auth, extra[ROTATING_SERVICES];
    size_t num_extra;
    struct signet_auth_result result;
    struct signet_fail *fail;
};

static int bad(struct work *w, enum signet_err err)
{
    return signet_fail_set(w->fail, -(int)err, "CephXAuthenticate", 0, "%s",
                           signet_strerror((int)err));
}

/* One proof is computed whoever asks: an unknown name is checked against a key of nobody, so
 * that the answer and its time are those of a wrong key. */
static int check_proof(struct work *w)
{
    struct signet_login *login = w->login;
    const struct principal *p = w->principal;
    const struct signet_key *key = p != NULL ? p->key : login->server->dummy;
    int err = signet_proof_check(key, login->server_challenge, w->request);
    if (p == NULL) {
        return bad(w, SIGNET_E_UNKNOWN_ENTITY);
    }
    if (err == -SIGNET_E_PROOF_WRONG && p->pending != NULL) {
        key = p->pending;
        err = signet_proof_check(key, login->server_challenge, w->request);
        w->used_pending = err == 0 ? signet_key_ref(p->pending) : NULL;
    }
    if (err != 0) {
        return bad(w, (enum signet_err) - err);
    }
    w->secret = key;
    login->secret_type = signet_key_type(key);
    return keyserver_allows(login->server, signet_key_type(key)) ? 0 : bad(w, SIGNET_E_CIPHER);
}

/* The old ticket proves that the global_id is the client's. Its time is not looked at: a client
 * that was away may come back as long as the secret is kept. */
static int open_old_ticket(struct work *w)
{
    const struct signet_ticket_blob *blob = &w->request->old_ticket;
    const struct rotating_set *set = &w->now->rotating[rotating_index(SIGNET_AUTH)];
    const struct rotating_secret *secret = rotating_find(set, blob->secret_id);
    if (secret == NULL || blob->sealed.len == 0) {
        return -SIGNET_E_RECLAIM;
    }
    struct signet_service_ticket_info info;
    struct signet_plain plain = {.p = NULL};
    int err = signet_service_ticket_info_open(&info, &plain, secret->key, blob->sealed, NULL);
    if (err == 0 && (info.ticket.global_id != w->login->global_id ||
                     signet_name_compare(&info.ticket.name, &w->login->name) != 0 ||
                     info.ticket.caps.allow_all != 0)) {
        err = -SIGNET_E_RECLAIM;
    }
    if (err == 0) {
        err = signet_key_from_view(&w->old_key, &info.session_key);
    }
    signet_plain_free(&plain);
    return err == 0 ? 0 : -SIGNET_E_RECLAIM;
}

static bool is_fresh(const struct signet_login *login, bool handshake)
{
    return handshake && !login->reclaim;
}

/* Only now: a stranger who cannot prove anything takes no number and waits for no lock. */
static int take_global_id(struct work *w)
{
    int err = keyserver_new_id(w->login->server, &w->login->global_id);
    return err == 0 ? 0 : bad(w, (enum signet_err) - err);
}

static int check_global_id(struct work *w, bool handshake)
{
    if (is_fresh(w->login, handshake)) {
        return w->request->old_ticket.sealed.len == 0 ? take_global_id(w)
                                                      : bad(w, SIGNET_E_OLD_TICKET_UNWANTED);
    }
    int err = open_old_ticket(w);
    bool legacy = w->request->version < 3;
    if (err == 0 || (legacy && w->login->server->options.allow_insecure_reclaim)) {
        return 0;
    }
    return bad(w, SIGNET_E_RECLAIM);
}

static int make_tickets(struct work *w)
{
    if (principal_cap(w->principal, "mon")[0] == 0) {
        return bad(w, SIGNET_E_NO_MON_CAPS);
    }
    int err = login_make_grant(w->login, w->now, w->principal, SIGNET_AUTH, &w->auth);
    if (err == 0) {
        err = login_make_grants(w->login, w->now, w->principal, w->request->other_keys, w->extra,
                                &w->num_extra);
    }
    return err == 0 ? 0 : bad(w, (enum signet_err) - err);
}

static int make_reply(struct work *w, bool handshake, enum signet_con_mode mode,
                      struct login_out *out)
{
    struct signet_grant extra[ROTATING_SERVICES];
    for (size_t i = 0; i < w->num_extra; i++) {
        extra[i] = w->extra[i].grant;
    }
    int err = handshake ? login_draw_secret(w->login, mode, &w->result) : 0;
    struct signet_session_grant grant = {
        .auth = w->auth.grant,
        .principal = w->secret,
        .old_key = w->old_key,
        .more = w->request->other_keys != 0,
        .handshake = handshake,
        .secret = w->result.secret,
        .secret_len = w->result.secret_len,
        .extra = extra,
        .num_extra = w->num_extra,
    };
    err = err == 0 ? signet_session_reply_make(out->p, out->cap, out->len, &grant) : err;
    return err == 0 ? 0 : bad(w, (enum signet_err) - err);
}

static int run(struct work *w, bool handshake, enum signet_con_mode mode, struct login_out *out)
{
    int err = check_proof(w);
    err = err == 0 ? check_global_id(w, handshake) : err;
    err = err == 0 ? make_tickets(w) : err;
    err = err == 0 ? make_reply(w, handshake, mode, out) : err;
    if (err == 0 && handshake) { /* a renewal leaves the identity, which sessions hold, alone */
        const char *caps = principal_cap(w->principal, "mon");
        struct signet_span text = {(const uint8_t *)caps, strlen(caps)};
        err = login_identify(w->login, &w->login->name, w->login->global_id, text, UINT64_MAX);
    }
    return err;
}

static void hand_over(struct work *w, bool handshake)
{
    struct signet_login *login = w->login;
    if (handshake) {
        signet_auth_result_clear(&login->result);
        login->result = w->result;
        login->result.session_key = signet_key_ref(w->auth.session_key);
        login->result.global_id = login->global_id;
        login->has_result = true;
    }
    bool reclaimed = handshake && login->reclaim;
    keyserver_count(login->server, handshake ? STAT_LOGIN : STAT_RENEWAL);
    if (reclaimed) {
        keyserver_count(login->server, STAT_RECLAIM);
    }
    for (size_t i = 0; i <= w->num_extra; i++) {
        keyserver_count(login->server, STAT_TICKET);
    }
}

int login_session(struct signet_login *login, const struct signet_authenticate *request,
                  bool handshake, enum signet_con_mode mode, struct login_out *out,
                  struct signet_fail *fail)
{
    struct work w = {.login = login, .request = request, .fail = fail};
    int err = is_fresh(login, handshake) ? keyserver_provide_ids(login->server) : 0;
    if (err != 0) {
        return bad(&w, (enum signet_err) - err);
    }
    signet_rcu_enter();
    w.now = keyserver_read(login->server);
    w.principal = keyserver_lookup(w.now, &login->name);
    err = run(&w, handshake, mode, out);
    signet_rcu_leave();
    if (err == 0) {
        hand_over(&w, handshake);
    }
    if (err == 0 && w.used_pending != NULL) {
        err = keyserver_commit_pending(login->server, &login->name, w.used_pending);
    }
    login_drop_grants(&w.auth, 1);
    login_drop_grants(w.extra, w.num_extra);
    signet_key_unref(w.old_key);
    signet_key_unref(w.used_pending);
    signet_wipe(&w, sizeof(w));
    return err;
}
