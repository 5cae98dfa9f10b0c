/* SPDX-License-Identifier: MIT */
/* Reading: the banner, then frames through the table of state x tag. */
#include "msg/conn_internal.h"

#include "base/fail.h"

/* What is not here is a fault. Compression is never offered, so its tags never appear. */
static conn_rule *const rules[CONN_STATES][SIGNET_TAG_NUM] = {
    [CONN_HELLO_CONNECTING] = {[SIGNET_TAG_HELLO] = conn_on_hello},
    [CONN_AUTH_CONNECTING] = {[SIGNET_TAG_AUTH_BAD_METHOD] = conn_on_bad_method,
                              [SIGNET_TAG_AUTH_REPLY_MORE] = conn_on_reply_more,
                              [SIGNET_TAG_AUTH_DONE] = conn_on_done},
    [CONN_AUTH_CONNECTING_SIGN] = {[SIGNET_TAG_AUTH_SIGNATURE] = conn_on_signature},
    [CONN_SESSION_CONNECTING] = {[SIGNET_TAG_SERVER_IDENT] = conn_on_server_ident,
                                 [SIGNET_TAG_IDENT_MISSING_FEATURES] = conn_on_missing_features,
                                 [SIGNET_TAG_WAIT] = conn_on_wait},
    [CONN_SESSION_RECONNECTING] = {[SIGNET_TAG_SESSION_RECONNECT_OK] = conn_on_reconnect_ok,
                                   [SIGNET_TAG_SESSION_RESET] = conn_on_reset,
                                   [SIGNET_TAG_SESSION_RETRY] = conn_on_retry,
                                   [SIGNET_TAG_SESSION_RETRY_GLOBAL] = conn_on_retry_global,
                                   [SIGNET_TAG_WAIT] = conn_on_wait},
    [CONN_HELLO_ACCEPTING] = {[SIGNET_TAG_HELLO] = conn_on_client_hello},
    [CONN_AUTH_ACCEPTING] = {[SIGNET_TAG_AUTH_REQUEST] = conn_on_auth_request},
    [CONN_AUTH_ACCEPTING_MORE] = {[SIGNET_TAG_AUTH_REQUEST_MORE] = conn_on_auth_request_more},
    [CONN_AUTH_ACCEPTING_SIGN] = {[SIGNET_TAG_AUTH_SIGNATURE] = conn_on_client_signature},
    [CONN_SESSION_ACCEPTING] = {[SIGNET_TAG_CLIENT_IDENT] = conn_on_client_ident,
                                [SIGNET_TAG_SESSION_RECONNECT] = conn_on_reconnect},
    [CONN_READY] = {[SIGNET_TAG_MESSAGE] = conn_on_message,
                    [SIGNET_TAG_ACK] = conn_on_ack,
                    [SIGNET_TAG_KEEPALIVE2] = conn_on_keepalive,
                    [SIGNET_TAG_KEEPALIVE2_ACK] = conn_on_keepalive_ack},
};

int conn_decode(struct signet_conn *conn, const struct signet_frame_view *view,
                struct signet_control *control)
{
    int err = signet_control_decode(control, view->tag, view->segment[0].p, view->segment[0].len,
                                    &conn->fail);
    if (err != 0) {
        conn->fail.offset += view->offset;
    }
    return err;
}

static int banner_fault(struct signet_conn *conn, int err, const struct signet_banner *theirs)
{
    switch (-err) {
    case SIGNET_E_MSGR1_PEER:
        return conn_fault(conn, err, "the peer greets with \"ceph v027\": a msgr1 port");
    case SIGNET_E_MSGR20_PEER:
    case SIGNET_E_BANNER_FEATURES:
        return conn_fault(conn, err, "the peer supports 0x%llx and requires 0x%llx, we 0x1",
                          (unsigned long long)theirs->supported,
                          (unsigned long long)theirs->required);
    default:
        return conn_fault(conn, err, "%s", signet_strerror(err));
    }
}

/* Returns whether the banner is there. */
static bool read_banner(struct signet_conn *conn, struct signet_event *event)
{
    const struct signet_banner mine = {SIGNET_MSGR2_REVISION_1, SIGNET_MSGR2_REVISION_1};
    struct conn_recv *in = &conn->in;
    struct signet_banner theirs;
    size_t used;
    int err = signet_banner_parse(&theirs, in->p + in->head, in->len - in->head, &used);
    if (err == 0 && used == 0) {
        return false;
    }
    if (err == 0) {
        err = signet_banner_check(&mine, &theirs);
    }
    if (err != 0) {
        err = banner_fault(conn, err, &theirs);
    } else {
        err = conn_transcribe(&conn->rx, in->p + in->head, used);
    }
    if (err == 0) {
        struct signet_control hello = {.tag = SIGNET_TAG_HELLO};
        hello.hello.entity_type = (uint8_t)conn->o.own_type;
        hello.hello.peer = conn->o.target;
        hello.hello.peer.nonce = 0;
        in->view = used;
        conn_recv_release(conn);
        err = conn_send_control(conn, &hello);
        conn->state =
            conn->state == CONN_BANNER_CONNECTING ? CONN_HELLO_CONNECTING : CONN_HELLO_ACCEPTING;
    }
    if (err != 0) {
        conn_die(conn, err);
        return false;
    }
    event->kind = SIGNET_EVENT_BANNER;
    event->banner = theirs;
    return true;
}

static int count_preauth(struct signet_conn *conn, const struct signet_frame_view *view)
{
    if (!conn_is_preauth(conn->state)) {
        return 0;
    }
    if (++conn->frames > CONN_PREAUTH_FRAMES) {
        return conn_fault(conn, -SIGNET_E_PREAUTH_LIMIT, "more than %d frames",
                          (int)CONN_PREAUTH_FRAMES);
    }
    if (!conn_is_signed(conn->state)) {
        return 0;
    }
    if (view->len > CONN_PREAUTH_BYTES - conn->rx.len) {
        return conn_fault(conn, -SIGNET_E_PREAUTH_LIMIT, "more than %d bytes",
                          (int)CONN_PREAUTH_BYTES);
    }
    return conn_transcribe(&conn->rx, conn->in.p + conn->in.head, view->len);
}

static int dispatch(struct signet_conn *conn, const struct signet_frame_view *view,
                    struct signet_event *event)
{
    int err = count_preauth(conn, view);
    if (err != 0) {
        return err;
    }
    conn_rule *rule = rules[conn->state][view->tag];
    if (rule == NULL) {
        return conn_fault(conn, -SIGNET_E_UNEXPECTED_TAG, "%s is not allowed in this state",
                          signet_tag_name(view->tag));
    }
    if (view->aborted) {
        event->kind = SIGNET_EVENT_ABORTED;
        return 0;
    }
    return rule(conn, view, event);
}

static int check_nonces(struct signet_conn *conn)
{
    if (conn->open == NULL || signet_stream_used(conn->open) < conn->o.max_nonces) {
        return 0;
    }
    return conn_fault(conn, -SIGNET_E_NONCES_SPENT, "the peer used %llu nonces",
                      (unsigned long long)conn->o.max_nonces);
}

/* One frame. Returns whether there was one. */
static bool read_frame(struct signet_conn *conn, struct signet_event *event)
{
    struct conn_recv *in = &conn->in;
    struct signet_frame_view view;
    size_t have = in->len - in->head;
    if (have == 0) { /* nothing received yet, no buffer either */
        in->need = 0;
        return false;
    }
    int err = check_nonces(conn);
    if (err == 0) {
        err = signet_frame_reader_next(conn->reader, in->p + in->head, have, &view, &in->need,
                                       &conn->fail);
    }
    if (err == 0 && view.len == 0) {
        return false;
    }
    if (err == 0) {
        in->view = view.len;
        in->peak = view.len > in->peak ? view.len : in->peak;
        conn_count_received(conn, &view);
        err = dispatch(conn, &view, event);
    }
    if (err != 0) {
        conn_die(conn, err);
        return false;
    }
    if (event->kind == SIGNET_EVENT_NONE) {
        conn_recv_release(conn);
    }
    return true;
}

static bool step(struct signet_conn *conn, struct signet_event *event)
{
    if (conn->state == CONN_FAILED) {
        return false;
    }
    if (conn->ready_event) {
        conn->ready_event = false;
        conn_tell_ready(conn, event);
        return true;
    }
    if (conn->ack_event) {
        conn->ack_event = false;
        event->kind = SIGNET_EVENT_ACK;
        event->acked = conn->seq_base + conn->acked;
        return true;
    }
    if (conn->waits && conn_session_waits(conn)) {
        return false;
    }
    if (conn->state == CONN_BANNER_CONNECTING || conn->state == CONN_BANNER_ACCEPTING) {
        return conn->in.len > conn->in.head && read_banner(conn, event);
    }
    return read_frame(conn, event);
}

/* Nothing more can be read for now. */
static void drained(struct signet_conn *conn)
{
    if (conn->closed != 0 && conn->state != CONN_FAILED && !conn->waits) {
        bool busy = conn->state != CONN_READY;
        if (conn->state == CONN_AUTH_ACCEPTING && conn->refusals > 0) {
            conn_die(conn, conn_refused_fault(conn));
            return;
        }
        conn_fault(conn, conn->closed, "%s%s", signet_strerror(conn->closed),
                   busy ? " before the session was open" : "");
        conn_die(conn, conn->closed);
    }
    if (conn->state == CONN_READY && !conn->lossy && conn->told < conn->in_seq) {
        int err = signet_conn_ack(conn);
        if (err != 0) {
            conn_die(conn, err);
        }
    }
}

int signet_conn_next(struct signet_conn *conn, struct signet_event *event)
{
    event->kind = SIGNET_EVENT_NONE;
    conn_recv_release(conn);
    if (conn->session != NULL && conn->state != CONN_FAILED) {
        (void)!conn_session_check(conn); /* FAILED follows */
    }
    while (event->kind == SIGNET_EVENT_NONE && step(conn, event)) {
    }
    if (event->kind == SIGNET_EVENT_NONE) {
        drained(conn);
    }
    if (event->kind == SIGNET_EVENT_NONE && conn->state == CONN_FAILED && !conn->fail_told) {
        conn->fail_told = true;
        event->kind = SIGNET_EVENT_FAILED;
        event->fail = &conn->fail;
    }
    return 0;
}
