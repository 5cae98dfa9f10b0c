/* SPDX-License-Identifier: MIT */
/* The steps of one authentication, seen from the server. Source: cephx.md 3, 5, 11. */
#include "auth/login.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/secret.h"

/* A random source that gives the same again and again has failed. */
#define DRAWS 8

int signet_login_new(struct signet_login **out, struct signet_keyserver *server, uint32_t service)
{
    *out = NULL;
    if (rotating_index(service) < 0 || service == SIGNET_AUTH) {
        return -SIGNET_E_INVAL;
    }
    struct signet_login *login = calloc(1, sizeof(*login));
    if (login == NULL) {
        return -SIGNET_E_NOMEM;
    }
    login->server = server;
    login->service = service;
    *out = login;
    return 0;
}

void signet_login_free(struct signet_login *login)
{
    if (login == NULL) {
        return;
    }
    signet_auth_result_clear(&login->result);
    free(login->caps);
    signet_wipe(login, sizeof(*login));
    free(login);
}

uint32_t signet_login_method(const struct signet_login *login)
{
    return login->server->options.auth_none ? SIGNET_AUTH_NONE : SIGNET_AUTH_CEPHX;
}

int32_t signet_login_errno(const struct signet_login *login)
{
    return login->wire_errno;
}

int signet_login_take(struct signet_login *login, struct signet_auth_result *result)
{
    if (!login->has_result) {
        memset(result, 0, sizeof(*result));
        return -SIGNET_E_STATE;
    }
    *result = login->result;
    signet_wipe(&login->result, sizeof(login->result));
    login->has_result = false;
    return 0;
}

const struct signet_identity *signet_login_identity(const struct signet_login *login)
{
    return login->stage == LOGIN_DONE ? &login->identity : NULL;
}

const struct signet_name *signet_login_claimed(const struct signet_login *login)
{
    return login->name.type != 0 ? &login->name : NULL;
}

int login_identify(struct signet_login *login, const struct signet_name *name, uint64_t global_id,
                   struct signet_span caps, uint64_t expires_real_ns)
{
    char *text = realloc(login->caps, caps.len + 1);
    if (text == NULL) {
        return -SIGNET_E_NOMEM;
    }
    if (caps.len > 0) {
        memcpy(text, caps.p, caps.len);
    }
    text[caps.len] = 0;
    login->caps = text;
    login->identity = (struct signet_identity){
        .name = *name, .global_id = global_id, .caps = text, .expires_real_ns = expires_real_ns};
    return 0;
}

static int draw(const struct signet_login *login, uint8_t *out, size_t len)
{
    const struct signet_env *env = &login->server->options.env;
    return env->random(env->arg, out, len);
}

int login_random(const struct signet_login *login, uint64_t *out)
{
    uint8_t bytes[8];
    int err = 0;
    *out = 0;
    for (int i = 0; err == 0 && *out == 0 && i < DRAWS; i++) {
        err = draw(login, bytes, sizeof(bytes));
        *out = err == 0 ? signet_load_u64(bytes) : 0;
    }
    return err == 0 && *out == 0 ? -SIGNET_E_RANDOM : err;
}

int login_draw_secret(const struct signet_login *login, enum signet_con_mode mode,
                      struct signet_auth_result *result)
{
    uint8_t *cs = result->secret;
    bool clash = true;
    int err = 0;
    result->secret_len = 0;
    if (mode != SIGNET_MODE_SECURE) {
        return 0;
    }
    for (int i = 0; err == 0 && clash && i < DRAWS; i++) {
        err = draw(login, cs, SIGNET_CONNECTION_SECRET_LEN);
        clash = err == 0 && signet_equal(cs + 16, cs + 28, 4);
    }
    err = err == 0 && clash ? -SIGNET_E_RANDOM : err;
    result->secret_len = err == 0 ? SIGNET_CONNECTION_SECRET_LEN : 0;
    return err;
}

struct signet_ticket_limits login_limits(const struct signet_login *login)
{
    const struct signet_keyserver_options *o = &login->server->options;
    uint64_t ttl = o->auth_ttl_ns > o->service_ttl_ns ? o->auth_ttl_ns : o->service_ttl_ns;
    return (struct signet_ticket_limits){
        .now_ns = keyserver_now_ns(login->server),
        .skew_ns = o->skew_ns,
        .span_ns = ROTATING_KEEP * ttl,
        .allow_weak = (o->allowed_ciphers & SIGNET_CIPHER(SIGNET_KEY_AES)) != 0,
    };
}

/* First payload of a login: who it is, and the number that it claims. */
static int start(struct signet_login *login, struct login_out *out, struct signet_span in,
                 struct signet_fail *fail)
{
    struct signet_auth_start hello;
    int err = signet_auth_start_decode(&hello, in.p, in.len, fail);
    if (err == 0 && hello.mode != SIGNET_AUTH_MODE_MON) {
        err = signet_fail_set(fail, -SIGNET_E_LOGIN_STEP, "AUTH_REQUEST", 0,
                              "the payload has mode %u, a login has mode 10", hello.mode);
    }
    if (err != 0) {
        return err;
    }
    login->name = hello.name;
    login->global_id = hello.global_id;
    login->reclaim = hello.global_id != 0; /* else there is a number once the proof is right */
    err = login_random(login, &login->server_challenge);
    struct signet_server_challenge challenge = {.challenge = login->server_challenge};
    return err != 0 ? err : signet_server_challenge_encode(out->p, out->cap, out->len, &challenge);
}

static int prove(struct signet_login *login, enum signet_con_mode mode, struct login_out *out,
                 struct signet_span in, struct signet_fail *fail)
{
    struct signet_auth_request request;
    int err = signet_auth_request_decode(&request, in.p, in.len, fail);
    if (err == 0 && request.type != SIGNET_GET_AUTH_SESSION_KEY) {
        err = signet_fail_set(fail, -SIGNET_E_LOGIN_STEP, "AUTH_REQUEST_MORE", 0,
                              "request 0x%04x where the proof was due", request.type);
    }
    return err != 0 ? err : login_session(login, &request.authenticate, true, mode, out, fail);
}

/* What Ceph would show for this cause, and nothing more. */
static int32_t wire_errno(int err)
{
    switch (-err) {
    case SIGNET_E_OLD_TICKET_UNWANTED:
    case SIGNET_E_REQUEST_TYPE:
        return -EINVAL;
    case SIGNET_E_NO_SERVICE_SECRET:
        return -EIO;
    default:
        return signet_err_group(err) == SIGNET_GROUP_FORMAT ? -EPERM : -EACCES;
    }
}

/* Our own troubles are not the peer's: it may come again. */
static bool is_busy(int err)
{
    return signet_err_group(err) == SIGNET_GROUP_RESOURCE;
}

static int refuse(struct signet_login *login, int err, enum signet_verdict *verdict)
{
    login->stage = LOGIN_REFUSED;
    login->wire_errno = wire_errno(err);
    *verdict = is_busy(err) ? SIGNET_VERDICT_BUSY : SIGNET_VERDICT_REFUSED;
    return keyserver_refuse(login->server, err);
}

static int step_at_monitor(struct signet_login *login, enum signet_con_mode mode,
                           struct login_out *out, struct signet_span in,
                           enum signet_verdict *verdict, struct signet_fail *fail)
{
    int err;
    switch (login->stage) {
    case LOGIN_START:
        err = start(login, out, in, fail);
        *verdict = SIGNET_VERDICT_MORE;
        login->stage = LOGIN_CHALLENGED;
        return err;
    case LOGIN_CHALLENGED:
        err = prove(login, mode, out, in, fail);
        *verdict = SIGNET_VERDICT_DONE;
        login->stage = LOGIN_DONE;
        return err;
    default:
        return signet_fail_set(fail, -SIGNET_E_LOGIN_STEP, "login", 0,
                               "a request after the end of the authentication");
    }
}

int signet_login_step(struct signet_login *login, enum signet_con_mode mode, uint8_t *out,
                      size_t cap, size_t *out_len, const uint8_t *in, size_t in_len,
                      enum signet_verdict *verdict, struct signet_fail *fail)
{
    struct login_out place = {out, cap, out_len};
    struct signet_span span = {in, in_len};
    *out_len = 0;
    int err;
    if (signet_login_method(login) == SIGNET_AUTH_NONE) {
        err = login_none(login, mode, span, verdict, fail);
    } else if (login->service == SIGNET_MON) {
        err = step_at_monitor(login, mode, &place, span, verdict, fail);
    } else {
        err = login_authorizer(login, mode, &place, span, verdict, fail);
    }
    if (err != 0) {
        *out_len = 0;
        return refuse(login, err, verdict);
    }
    return 0;
}
