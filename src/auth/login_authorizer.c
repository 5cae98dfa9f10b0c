/* SPDX-License-Identifier: MIT */
/* Authorizers at a daemon. The challenge is unconditional. Source: cephx.md 9.2. */
#include <string.h>

#include "auth/login.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "base/rcu.h"
#include "base/secret.h"

/* Tickets of the own service only; the fixed secret (-1) is of no service here. */
static int open_presented(const struct signet_login *login, const struct snapshot *now,
                          struct signet_span in, struct signet_presented *out,
                          struct signet_fail *fail)
{
    struct signet_authorizer_parts parts = {.service = 0};
    int err = signet_authorizer_parts_decode(&parts, in.p, in.len, fail);
    if (err != 0) {
        return err;
    }
    if (parts.service != login->service) {
        return signet_fail_set(fail, -SIGNET_E_SERVICE_WRONG, "authorizer", 0,
                               "the authorizer is for service 0x%02x, this is 0x%02x",
                               parts.service, login->service);
    }
    const struct rotating_set *set = &now->rotating[rotating_index(login->service)];
    const struct rotating_secret *secret = rotating_find(set, parts.ticket.secret_id);
    if (secret == NULL) {
        return signet_fail_set(fail, -SIGNET_E_SECRET_ID, "authorizer", 0,
                               "no secret %llu; known are %llu to %llu",
                               (unsigned long long)parts.ticket.secret_id,
                               set->num > 0 ? (unsigned long long)set->secret[0].id : 0,
                               (unsigned long long)set->max_ver);
    }
    struct signet_ticket_limits limits = login_limits(login);
    return signet_authorizer_open(out, &parts, secret->key, &limits, fail);
}

static int send_challenge(struct signet_login *login, const struct signet_presented *who,
                          struct login_out *out, struct signet_fail *fail)
{
    if (who->authorize.have_challenge != 0) {
        return signet_fail_set(fail, -SIGNET_E_CHALLENGE_WRONG, "authorizer", 0,
                               "the first authorizer answers a challenge that was not sent");
    }
    struct signet_authorize_challenge challenge;
    int err = login_random(login, &challenge.challenge);
    if (err == 0) {
        err = signet_authorize_challenge_seal(out->p, out->cap, out->len, who->session_key,
                                              &challenge);
    }
    login->server_challenge = err == 0 ? challenge.challenge : 0;
    return err;
}

static int accept(struct signet_login *login, struct signet_presented *who,
                  enum signet_con_mode mode, struct login_out *out)
{
    const struct signet_auth_ticket *t = &who->info.ticket;
    struct signet_auth_result result = {.global_id = t->global_id};
    int err =
        login_identify(login, &t->name, t->global_id, t->caps.text, signet_utime_ns(t->expires));
    if (err == 0) {
        err = login_draw_secret(login, mode, &result);
    }
    if (err == 0) {
        err = signet_authorizer_reply(out->p, out->cap, out->len, who->session_key,
                                      who->authorize.nonce, result.secret, result.secret_len);
    }
    if (err == 0) {
        result.session_key = signet_key_ref(who->session_key);
        login->result = result;
        login->has_result = true;
        login->name = t->name;
        login->global_id = t->global_id;
        keyserver_count(login->server, STAT_AUTHORIZER);
    }
    signet_wipe(&result, sizeof(result));
    return err;
}

/* One attempt: the challenge is forgotten whatever comes. */
static int finish(struct signet_login *login, struct signet_presented *who,
                  enum signet_con_mode mode, struct login_out *out, struct signet_fail *fail)
{
    uint64_t challenge = login->server_challenge;
    login->server_challenge = 0;
    int err = signet_authorizer_check(&who->authorize, challenge);
    if (err != 0) {
        return signet_fail_set(fail, err, "authorizer", 0, "%s", signet_strerror(err));
    }
    return accept(login, who, mode, out);
}

static int answer(struct signet_login *login, struct signet_presented *who,
                  enum signet_con_mode mode, struct login_out *out, enum signet_verdict *verdict,
                  struct signet_fail *fail)
{
    if (login->stage == LOGIN_START) {
        login->stage = LOGIN_CHALLENGED;
        *verdict = SIGNET_VERDICT_MORE;
        return send_challenge(login, who, out, fail);
    }
    login->stage = LOGIN_DONE;
    *verdict = SIGNET_VERDICT_DONE;
    return finish(login, who, mode, out, fail);
}

int login_authorizer(struct signet_login *login, enum signet_con_mode mode, struct login_out *out,
                     struct signet_span in, enum signet_verdict *verdict, struct signet_fail *fail)
{
    if (login->stage > LOGIN_CHALLENGED) {
        return signet_fail_set(fail, -SIGNET_E_LOGIN_STEP, "authorizer", 0,
                               "a request after the end of the authentication");
    }
    struct signet_presented who = {.session_key = NULL};
    signet_rcu_enter();
    int err = open_presented(login, keyserver_read(login->server), in, &who, fail);
    signet_rcu_leave();
    if (err == 0) {
        err = answer(login, &who, mode, out, verdict, fail);
        signet_presented_clear(&who);
    }
    return err;
}
