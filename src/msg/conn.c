/* SPDX-License-Identifier: MIT */
#include "msg/conn_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/secret.h"
#include "msg/session_internal.h"

#define SECOND UINT64_C(1000000000)

static const char *const state_names[CONN_STATES] = {
    [CONN_BANNER_CONNECTING] = "BANNER_CONNECTING",
    [CONN_HELLO_CONNECTING] = "HELLO_CONNECTING",
    [CONN_AUTH_CONNECTING] = "AUTH_CONNECTING",
    [CONN_AUTH_CONNECTING_SIGN] = "AUTH_CONNECTING_SIGN",
    [CONN_SESSION_CONNECTING] = "SESSION_CONNECTING",
    [CONN_SESSION_RECONNECTING] = "SESSION_RECONNECTING",
    [CONN_READY] = "READY",
    [CONN_FAILED] = "FAILED",
    [CONN_BANNER_ACCEPTING] = "BANNER_ACCEPTING",
    [CONN_HELLO_ACCEPTING] = "HELLO_ACCEPTING",
    [CONN_AUTH_ACCEPTING] = "AUTH_ACCEPTING",
    [CONN_AUTH_ACCEPTING_MORE] = "AUTH_ACCEPTING_MORE",
    [CONN_AUTH_ACCEPTING_SIGN] = "AUTH_ACCEPTING_SIGN",
    [CONN_SESSION_ACCEPTING] = "SESSION_ACCEPTING",
};

const char *signet_conn_state(const struct signet_conn *conn)
{
    return state_names[conn->state];
}

bool conn_is_preauth(enum conn_state state)
{
    return state <= CONN_AUTH_CONNECTING_SIGN ||
           (state >= CONN_BANNER_ACCEPTING && state <= CONN_AUTH_ACCEPTING_SIGN);
}

bool conn_is_signed(enum conn_state state)
{
    return conn_is_preauth(state) && state != CONN_AUTH_CONNECTING_SIGN &&
           state != CONN_AUTH_ACCEPTING_SIGN;
}

const struct signet_fail *signet_conn_failure(const struct signet_conn *conn)
{
    return conn->state == CONN_FAILED ? &conn->fail : NULL;
}

int conn_fault(struct signet_conn *conn, int err, const char *format, ...)
{
    char text[sizeof(conn->fail.text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return signet_fail_set(&conn->fail, err, signet_conn_state(conn), 0, "%s", text);
}

void conn_forget_auth(struct signet_conn *conn)
{
    signet_authorizer_free(conn->authorizer);
    conn->authorizer = NULL;
    signet_auth_result_clear(&conn->result);
    conn_transcript_free(&conn->rx);
    conn_transcript_free(&conn->tx);
    free(conn->scratch);
    conn->scratch = NULL;
    conn->o.client = NULL;
}

int conn_die(struct signet_conn *conn, int err)
{
    if (conn->state == CONN_FAILED) {
        return conn->fail.err;
    }
    if (conn->fail.err != err) {
        conn_fault(conn, err, "%s", signet_strerror(err));
    }
    conn->state = CONN_FAILED;
    conn_queue_gate(&conn->out, conn->fail.err);
    conn->ack_event = conn->ready_event = false;
    conn_forget_auth(conn);
    if (conn->session != NULL) {
        conn_session_detach(conn, err);
    }
    return err;
}

static bool modes_valid(const struct signet_conn_options *o)
{
    for (unsigned i = 0; i < o->num_modes; i++) {
        if (o->modes[i] != SIGNET_MODE_CRC && o->modes[i] != SIGNET_MODE_SECURE) {
            return false;
        }
    }
    return o->num_modes <= 2;
}

static bool role_valid(const struct signet_conn_options *o)
{
    if (o->role == SIGNET_ROLE_SERVER) {
        return o->login != NULL && o->own.family != SIGNET_FAMILY_NONE && o->own_type != 0;
    }
    return o->role == SIGNET_ROLE_CLIENT && o->client != NULL && o->peer_type != 0 &&
           o->peer_type <= UINT8_MAX && o->target.family != SIGNET_FAMILY_NONE;
}

static bool options_valid(const struct signet_conn_options *o)
{
    return role_valid(o) && modes_valid(o) && o->own_type <= UINT8_MAX && o->env.random != NULL &&
           o->env.real_ns != NULL;
}

static void fill(uint64_t *value, uint64_t usual)
{
    if (*value == 0) {
        *value = usual;
    }
}

static void set_defaults(struct signet_conn_options *o)
{
    if (o->num_modes == 0) {
        o->modes[0] = SIGNET_MODE_SECURE;
        o->num_modes = 1;
    }
    if (o->own_type == 0) {
        o->own_type = SIGNET_CLIENT;
    }
    if (o->limits.control == 0) {
        o->limits = signet_frame_limits_default();
    }
    o->limits.any_shape = false;
    fill(&o->global_seq, 1);
    fill(&o->supported, SIGNET_FEATURES_SUPPORTED);
    fill(&o->required, o->role == SIGNET_ROLE_CLIENT ? SIGNET_FEATURES_REQUIRED
                                                     : SIGNET_FEATURES_REQUIRED_SERVER);
    fill(&o->handshake_timeout_ns, 10 * SECOND);
    fill(&o->keepalive_timeout_ns, 30 * SECOND);
    fill(&o->max_nonces, UINT64_MAX);
}

static uint32_t method_of(const struct signet_conn_options *o)
{
    return o->role == SIGNET_ROLE_SERVER ? signet_login_method(o->login)
                                         : signet_client_method(o->client);
}

/* There is nothing to seal with unless somebody has proved something. */
static bool method_fits(const struct signet_conn_options *o)
{
    bool secure = o->num_modes == 0;
    for (unsigned i = 0; i < o->num_modes; i++) {
        secure = secure || o->modes[i] == SIGNET_MODE_SECURE;
    }
    return !secure || method_of(o) != SIGNET_AUTH_NONE;
}

/* An address that nobody else of this host has: any type, a random nonce. */
static int set_own_addr(struct signet_conn_options *o)
{
    if (o->own.type == SIGNET_ADDR_NONE) {
        o->own.type = SIGNET_ADDR_ANY;
    }
    while (o->own.nonce == 0) {
        uint8_t random[4];
        int err = o->env.random(o->env.arg, random, sizeof(random));
        if (err != 0) {
            return err;
        }
        o->own.nonce = signet_load_u32(random);
    }
    return 0;
}

static int start(struct signet_conn *conn, uint64_t now_ns)
{
    struct signet_frame_limits limits = signet_frame_limits_preauth();
    conn->now_ns = now_ns;
    conn->deadline_ns = now_ns + conn->o.handshake_timeout_ns;
    conn->keepalive_ns = conn->answer_ns = UINT64_MAX;
    bool client = conn->o.role == SIGNET_ROLE_CLIENT;
    conn->state = client ? CONN_BANNER_CONNECTING : CONN_BANNER_ACCEPTING;
    int err = client && conn->o.session != NULL ? conn_session_attach(conn) : 0;
    if (err == 0 && client) { /* a server's is where it was dialled */
        err = set_own_addr(&conn->o);
    }
    if (err == 0) {
        err = signet_frame_reader_new(&conn->reader, &limits, 0);
    }
    if (err == 0) {
        conn->scratch = malloc(2 * (size_t)SIGNET_AUTH_PAYLOAD_MAX + SIGNET_CONTROL_MAX);
        err = conn->scratch != NULL ? 0 : -SIGNET_E_NOMEM;
    }
    return err == 0 ? conn_send_banner(conn) : err;
}

int signet_conn_new(struct signet_conn **out, const struct signet_conn_options *options,
                    uint64_t now_ns)
{
    struct signet_conn_options o = *options;
    *out = NULL;
    if (o.role == SIGNET_ROLE_CLIENT && o.session != NULL) {
        o.target = o.session->peer_addr;
        o.peer_type = o.session->peer_type;
    }
    if (!options_valid(&o)) {
        return -SIGNET_E_INVAL;
    }
    if (!method_fits(&o)) {
        return -SIGNET_E_NONE_SECURE;
    }
    struct signet_conn *conn = signet_secret_alloc(sizeof(*conn));
    if (conn == NULL) {
        return -SIGNET_E_NOMEM;
    }
    conn->o = o;
    conn->method = method_of(&o);
    set_defaults(&conn->o);
    conn_queue_init(&conn->out, conn->o.senders);
    int err = start(conn, now_ns);
    if (err != 0) {
        signet_conn_free(conn);
        return err;
    }
    *out = conn;
    return 0;
}

void signet_conn_free(struct signet_conn *conn)
{
    if (conn == NULL) {
        return;
    }
    if (conn->session != NULL) {
        conn_session_leave(conn);
    }
    conn_forget_auth(conn);
    signet_frame_reader_free(conn->reader);
    conn_recv_free(conn);
    conn_queue_free(&conn->out);
    signet_stream_free(conn->seal);
    signet_stream_free(conn->open);
    signet_secret_free(conn, sizeof(*conn));
}

void signet_conn_trim(struct signet_conn *conn)
{
    conn_recv_trim(conn);
    conn_queue_trim(&conn->out);
}

void signet_conn_closed(struct signet_conn *conn, int err)
{
    if (conn->closed == 0) {
        conn->closed = err < 0 ? err : -SIGNET_E_PEER_CLOSED;
    }
}
