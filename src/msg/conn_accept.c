/* SPDX-License-Identifier: MIT */
/* The accepting side up to the signatures. Source: msgr2.md 7; cephx.md 11. */
#include "msg/conn_internal.h"

#include <errno.h>
#include <string.h>

#include "base/secret.h"

int conn_on_client_hello(struct signet_conn *conn, const struct signet_frame_view *view,
                         struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err != 0) {
        return err;
    }
    if (signet_service_name(c.hello.entity_type) == NULL) {
        return conn_fault(conn, -SIGNET_E_PEER_TYPE, "the peer says it is of type %u",
                          c.hello.entity_type);
    }
    event->kind = SIGNET_EVENT_HELLO;
    event->hello = c.hello;
    conn->state = CONN_AUTH_ACCEPTING;
    return 0;
}

static int send_refusal(struct signet_conn *conn, uint32_t method, int32_t result)
{
    struct signet_control c = {.tag = SIGNET_TAG_AUTH_BAD_METHOD};
    c.bad_method.method = method;
    c.bad_method.result = result;
    c.bad_method.methods.num = 1;
    c.bad_method.methods.v[0] = conn->method;
    c.bad_method.modes.num = conn->o.num_modes;
    memcpy(c.bad_method.modes.v, conn->o.modes, sizeof(conn->o.modes));
    return conn_send_control(conn, &c);
}

/* Nothing in common: the peer may ask for something else, a few times. */
static int refuse_method(struct signet_conn *conn, enum signet_err cause, uint32_t method)
{
    int err = send_refusal(conn, method, -EOPNOTSUPP);
    conn->refused = cause;
    if (err == 0 && ++conn->refusals > CONN_REFUSALS) {
        conn->farewell = true;
        err = conn_fault(conn, -(int)cause, "the peer asked for what is not allowed %u times",
                         conn->refusals);
    }
    return err;
}

int conn_refused_fault(struct signet_conn *conn)
{
    if (conn->refused == SIGNET_E_AUTH_METHOD) {
        return conn_fault(conn, -SIGNET_E_AUTH_METHOD,
                          "the peer went away when it was told that authentication method %s alone "
                          "is allowed here",
                          conn_method_name(conn->method));
    }
    return conn_fault(conn, -SIGNET_E_AUTH_MODE,
                      "the peer went away when it was told that %s is allowed here",
                      conn->o.num_modes > 1                    ? "only crc or secure mode"
                      : conn->o.modes[0] == SIGNET_MODE_SECURE ? "secure mode alone"
                                                               : "crc mode alone");
}

/* Wrong credentials: the peer hears no cause, and nothing after it. */
static int refuse_login(struct signet_conn *conn, int cause)
{
    int err = send_refusal(conn, conn->method, signet_login_errno(conn->o.login));
    conn->farewell = err == 0;
    return cause;
}

/* The first of the client's modes that is allowed here. */
static bool pick_mode(struct signet_conn *conn, const struct signet_u32_list *wanted)
{
    for (uint32_t i = 0; i < wanted->num; i++) {
        if (conn_has_mode(conn, wanted->v[i])) {
            conn->mode = (enum signet_con_mode)wanted->v[i];
            return true;
        }
    }
    return false;
}

/* AUTH_DONE is the last frame under the old layout and of the transcript. */
static int send_done(struct signet_conn *conn, size_t len)
{
    struct signet_control c = {.tag = SIGNET_TAG_AUTH_DONE};
    int err = signet_login_take(conn->o.login, &conn->result);
    if (err == 0) {
        c.done.global_id = conn->result.global_id;
        c.done.con_mode = conn->mode;
        c.done.payload = (struct signet_span){.p = conn->scratch, .len = len};
        err = conn_send_control(conn, &c);
    }
    if (err == 0 && conn->mode == SIGNET_MODE_SECURE) {
        err = conn_go_secure(conn);
    }
    if (err == 0) {
        conn->state = CONN_AUTH_ACCEPTING_SIGN;
        err = conn_send_signature(conn);
    }
    return err;
}

static int send_more(struct signet_conn *conn, size_t len)
{
    struct signet_control c = {.tag = SIGNET_TAG_AUTH_REPLY_MORE};
    c.payload = (struct signet_span){.p = conn->scratch, .len = len};
    conn->state = CONN_AUTH_ACCEPTING_MORE;
    return conn_send_control(conn, &c);
}

static int step(struct signet_conn *conn, struct signet_span in)
{
    size_t len;
    enum signet_verdict verdict;
    int err = signet_login_step(conn->o.login, conn->mode, conn->scratch, SIGNET_AUTH_PAYLOAD_MAX,
                                &len, in.p, in.len, &verdict, &conn->fail);
    switch (verdict) {
    case SIGNET_VERDICT_MORE:
        return send_more(conn, len);
    case SIGNET_VERDICT_DONE:
        return send_done(conn, len);
    case SIGNET_VERDICT_REFUSED:
        return refuse_login(conn, err);
    default:
        return err; /* BUSY: closed without a word */
    }
}

int conn_on_auth_request(struct signet_conn *conn, const struct signet_frame_view *view,
                         struct signet_event *event)
{
    struct signet_control c;
    (void)event;
    int err = conn_decode(conn, view, &c);
    if (err != 0) {
        return err;
    }
    if (c.auth_request.method != conn->method) {
        return refuse_method(conn, SIGNET_E_AUTH_METHOD, c.auth_request.method);
    }
    if (!pick_mode(conn, &c.auth_request.modes)) {
        return refuse_method(conn, SIGNET_E_AUTH_MODE, conn->method);
    }
    return step(conn, c.auth_request.payload);
}

int conn_on_auth_request_more(struct signet_conn *conn, const struct signet_frame_view *view,
                              struct signet_event *event)
{
    struct signet_control c;
    (void)event;
    int err = conn_decode(conn, view, &c);
    return err == 0 ? step(conn, c.payload) : err;
}

int conn_on_client_signature(struct signet_conn *conn, const struct signet_frame_view *view,
                             struct signet_event *event)
{
    int err = conn_check_signature(conn, view);
    if (err != 0) {
        return err;
    }
    conn_tell_authenticated(conn, event);
    conn->state = CONN_SESSION_ACCEPTING;
    conn_forget_auth(conn);
    return 0;
}
