/* SPDX-License-Identifier: MIT */
/* The handshake up to the signatures. Source: msgr2.md 7. */
#include "msg/conn_internal.h"

#include <errno.h>
#include <string.h>

#include "base/secret.h"

/* A monitor logs the entity in; a daemon takes an authorizer. */
static bool at_monitor(const struct signet_conn *conn)
{
    return conn->o.peer_type == SIGNET_MON;
}

static int first_payload(struct signet_conn *conn, size_t *len)
{
    uint8_t *out = conn->scratch;
    if (at_monitor(conn)) {
        return signet_client_login(conn->o.client, out, SIGNET_AUTH_PAYLOAD_MAX, len);
    }
    int err = signet_authorizer_new(&conn->authorizer, conn->o.client, conn->o.peer_type);
    if (err == 0) {
        err = signet_authorizer_request(conn->authorizer, out, SIGNET_AUTH_PAYLOAD_MAX, len);
    }
    return err;
}

static int answer_challenge(struct signet_conn *conn, struct signet_span in, size_t *len)
{
    uint8_t *out = conn->scratch;
    const size_t cap = SIGNET_AUTH_PAYLOAD_MAX;
    if (at_monitor(conn)) {
        return signet_client_challenge(conn->o.client, out, cap, len, in.p, in.len, &conn->fail);
    }
    return signet_authorizer_challenge(conn->authorizer, out, cap, len, in.p, in.len, &conn->fail);
}

static int finish_auth(struct signet_conn *conn, const struct signet_auth_done *done)
{
    enum signet_con_mode mode = (enum signet_con_mode)done->con_mode;
    if (at_monitor(conn)) {
        return signet_client_done(conn->o.client, &conn->result, done->global_id, mode,
                                  done->payload.p, done->payload.len, &conn->fail);
    }
    return signet_authorizer_done(conn->authorizer, &conn->result, done->global_id, mode,
                                  done->payload.p, done->payload.len, &conn->fail);
}

int conn_start_auth(struct signet_conn *conn)
{
    struct signet_control c = {.tag = SIGNET_TAG_AUTH_REQUEST};
    size_t len;
    int err = first_payload(conn, &len);
    if (err != 0) {
        return err;
    }
    c.auth_request.method = conn->method;
    c.auth_request.modes.num = conn->o.num_modes;
    memcpy(c.auth_request.modes.v, conn->o.modes, sizeof(conn->o.modes));
    c.auth_request.payload = (struct signet_span){.p = conn->scratch, .len = len};
    conn->state = CONN_AUTH_CONNECTING;
    return conn_send_control(conn, &c);
}

int conn_on_hello(struct signet_conn *conn, const struct signet_frame_view *view,
                  struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err != 0) {
        return err;
    }
    if (c.hello.entity_type != conn->o.peer_type) {
        const char *want = signet_service_name(conn->o.peer_type);
        const char *got = signet_service_name(c.hello.entity_type);
        return conn_fault(conn, -SIGNET_E_PEER_TYPE, "the peer says it is %s, but %s was dialled",
                          got != NULL ? got : "a stranger", want != NULL ? want : "a stranger");
    }
    if (conn->o.own.family == SIGNET_FAMILY_NONE) {
        const struct signet_addr *seen = &c.hello.peer;
        conn->o.own.family = seen->family;
        conn->o.own.scope_id = seen->scope_id;
        memcpy(conn->o.own.ip, seen->ip, sizeof(seen->ip));
    }
    event->kind = SIGNET_EVENT_HELLO;
    event->hello = c.hello;
    return conn_start_auth(conn);
}

static bool listed(const struct signet_u32_list *list, uint32_t value)
{
    for (uint32_t i = 0; i < list->num; i++) {
        if (list->v[i] == value) {
            return true;
        }
    }
    return false;
}

bool conn_has_mode(const struct signet_conn *conn, uint32_t mode)
{
    return conn->o.modes[0] == mode || (conn->o.num_modes > 1 && conn->o.modes[1] == mode);
}

const char *conn_method_name(uint32_t method)
{
    return method == SIGNET_AUTH_CEPHX  ? "cephx"
           : method == SIGNET_AUTH_NONE ? "none"
                                        : "an unknown method";
}

static int method_refused(struct signet_conn *conn, const struct signet_u32_list *allowed)
{
    uint32_t other = conn->method == SIGNET_AUTH_NONE ? SIGNET_AUTH_CEPHX : SIGNET_AUTH_NONE;
    return conn_fault(conn, -SIGNET_E_AUTH_METHOD,
                      "the peer does not allow authentication method %s%s%s",
                      conn_method_name(conn->method), listed(allowed, other) ? ", only " : "",
                      listed(allowed, other) ? conn_method_name(other) : "");
}

static int refusal(struct signet_conn *conn, const struct signet_auth_bad_method *refused)
{
    bool common = false;
    for (unsigned i = 0; i < conn->o.num_modes; i++) {
        common = common || listed(&refused->modes, conn->o.modes[i]);
    }
    if (refused->result == -EOPNOTSUPP && !listed(&refused->methods, conn->method)) {
        return method_refused(conn, &refused->methods);
    }
    if (refused->result == -EOPNOTSUPP && !common) {
        return conn_fault(conn, -SIGNET_E_AUTH_MODE, "the peer allows %s, which was not offered",
                          listed(&refused->modes, SIGNET_MODE_SECURE) ? "secure mode"
                          : listed(&refused->modes, SIGNET_MODE_CRC)  ? "crc mode"
                                                                      : "no mode");
    }
    return conn_fault(conn, -SIGNET_E_AUTH_DENIED, "the peer answered error %d",
                      (int)refused->result);
}

int conn_on_bad_method(struct signet_conn *conn, const struct signet_frame_view *view,
                       struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err != 0) {
        return err;
    }
    /* A client has one method: there is nothing else to try. */
    conn_die(conn, refusal(conn, &c.bad_method));
    event->kind = SIGNET_EVENT_REFUSED;
    event->refused = c.bad_method;
    return 0;
}

int conn_on_reply_more(struct signet_conn *conn, const struct signet_frame_view *view,
                       struct signet_event *event)
{
    struct signet_control c;
    size_t len;
    (void)event;
    int err = conn_decode(conn, view, &c);
    if (err == 0) {
        err = answer_challenge(conn, c.payload, &len);
    }
    if (err == 0) {
        c.tag = SIGNET_TAG_AUTH_REQUEST_MORE;
        c.payload = (struct signet_span){.p = conn->scratch, .len = len};
        err = conn_send_control(conn, &c);
    }
    return err;
}

int conn_go_secure(struct signet_conn *conn)
{
    int err = signet_streams_new(&conn->seal, &conn->open, conn->result.secret,
                                 conn->result.secret_len, conn->o.role, conn->o.pin);
    if (err == 0) {
        signet_frame_reader_secure(conn->reader, conn->open);
    }
    return err;
}

int conn_send_signature(struct signet_conn *conn)
{
    struct signet_control c = {.tag = SIGNET_TAG_AUTH_SIGNATURE};
    int err =
        signet_auth_signature(conn->result.session_key, c.signature, conn->rx.p, conn->rx.len);
    return err == 0 ? conn_send_control(conn, &c) : err;
}

int conn_on_done(struct signet_conn *conn, const struct signet_frame_view *view,
                 struct signet_event *event)
{
    struct signet_control c;
    (void)event;
    int err = conn_decode(conn, view, &c);
    if (err != 0) {
        return err;
    }
    if (!conn_has_mode(conn, c.done.con_mode)) {
        return conn_fault(conn, -SIGNET_E_MODE_NOT_OFFERED,
                          "the peer chose connection mode %u, which was not offered",
                          (unsigned)c.done.con_mode);
    }
    err = finish_auth(conn, &c.done);
    if (err == 0 && conn->result.session_key == NULL && conn->method != SIGNET_AUTH_NONE) {
        err = -SIGNET_E_AUTH_SIGNATURE; /* unsigned means AUTH NONE, which was not asked for */
    }
    conn->mode = (enum signet_con_mode)c.done.con_mode;
    if (err == 0 && conn->mode == SIGNET_MODE_SECURE) {
        err = conn_go_secure(conn);
    }
    if (err == 0) {
        conn->state = CONN_AUTH_CONNECTING_SIGN;
        err = conn_send_signature(conn);
    }
    return err;
}

int conn_check_signature(struct signet_conn *conn, const struct signet_frame_view *view)
{
    struct signet_control c;
    uint8_t want[SIGNET_SIGNATURE_LEN];
    int err = conn_decode(conn, view, &c);
    if (err == 0) {
        err = signet_auth_signature(conn->result.session_key, want, conn->tx.p, conn->tx.len);
    }
    if (err == 0 && !signet_equal(want, c.signature, sizeof(want))) {
        err = -SIGNET_E_AUTH_SIGNATURE;
    }
    signet_wipe(want, sizeof(want));
    if (err == 0) {
        signet_frame_reader_limits(conn->reader, &conn->o.limits);
    }
    return err;
}

void conn_tell_authenticated(const struct signet_conn *conn, struct signet_event *event)
{
    event->kind = SIGNET_EVENT_AUTHENTICATED;
    event->auth = (struct signet_event_auth){.global_id = conn->result.global_id,
                                             .mode = conn->mode,
                                             .received = conn->rx.len,
                                             .sent = conn->tx.len};
}

int conn_on_signature(struct signet_conn *conn, const struct signet_frame_view *view,
                      struct signet_event *event)
{
    int err = conn_check_signature(conn, view);
    if (err != 0) {
        return err;
    }
    conn_tell_authenticated(conn, event);
    conn->state = CONN_SESSION_CONNECTING;
    err = conn_start_session(conn);
    conn_forget_auth(conn);
    return err;
}
