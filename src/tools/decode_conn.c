/* SPDX-License-Identifier: MIT */
/* Walks through both streams of one connection in the order in which the frames were sent. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <signet/client.h>

#include "decode_walk.h"

/* --- handshake -------------------------------------------------------------------------------- */

#define TAG(name) (UINT32_C(1) << SIGNET_TAG_##name)
enum {
    CLIENT_AUTH = TAG(AUTH_REQUEST) | TAG(AUTH_REQUEST_MORE),
    SERVER_AUTH = TAG(AUTH_REPLY_MORE) | TAG(AUTH_BAD_METHOD) | TAG(AUTH_DONE),
};

static bool check_order(struct walk *walk, const struct side *side, uint32_t allowed)
{
    uint32_t tag = UINT32_C(1) << side->next.tag;
    uint32_t steps = CLIENT_AUTH | SERVER_AUTH;
    bool swapped = (allowed & steps) != 0 && (tag & steps) != 0;
    return report_verify(walk->report, CHECK_order, (allowed & tag) != 0,
                         swapped ? "the other side sends this frame: C2S and S2C may be swapped"
                                 : "this frame is not allowed here");
}

static void hello(struct walk *walk, struct side *side)
{
    struct signet_control control;
    if (!walk_peek(walk, side))
        return;
    walk_begin_frame(walk, side, &control);
    if (!check_order(walk, side, TAG(HELLO)))
        walk_stop(side, "its first frame is not HELLO");
    walk_end_frame(walk, side);
}

static bool client_step(struct walk *walk)
{
    struct side *side = &walk->side[CLIENT];
    struct signet_control control;
    if (!walk_peek(walk, side))
        return false;
    bool ok = walk_begin_frame(walk, side, &control);
    ok = check_order(walk, side, CLIENT_AUTH) && ok;
    if (ok && control.tag == SIGNET_TAG_AUTH_REQUEST)
        decode_auth_request(&walk->auth, control.auth_request.method, control.auth_request.payload);
    else if (ok)
        decode_auth_request_more(&walk->auth, control.payload);
    else
        walk_stop(side, "a frame of the handshake is wrong");
    walk_end_frame(walk, side);
    return ok;
}

/* Sets *mode when the authentication is over. */
static bool server_step(struct walk *walk, uint32_t *mode)
{
    struct side *side = &walk->side[SERVER];
    struct signet_control control;
    if (!walk_peek(walk, side))
        return false;
    bool ok = walk_begin_frame(walk, side, &control);
    ok = check_order(walk, side, SERVER_AUTH) && ok;
    if (!ok) {
        walk_stop(side, "a frame of the handshake is wrong");
    } else if (control.tag == SIGNET_TAG_AUTH_REPLY_MORE) {
        decode_auth_reply_more(&walk->auth, control.payload);
    } else if (control.tag == SIGNET_TAG_AUTH_BAD_METHOD) {
        decode_auth_refused(&walk->auth, control.bad_method.result);
    } else {
        *mode = control.done.con_mode;
        decode_auth_done(&walk->auth, control.done.global_id, control.done.con_mode,
                         control.done.payload);
    }
    walk_end_frame(walk, side);
    return ok;
}

/* The frames after AUTH_DONE are sealed, each direction with its own stream. */
static void switch_to_secure(struct walk *walk)
{
    for (unsigned i = CLIENT; i <= SERVER; i++) {
        struct side *side = &walk->side[i];
        /* What the client sent is opened as a server would, and the other way round. */
        enum signet_role reader = i == CLIENT ? SIGNET_ROLE_SERVER : SIGNET_ROLE_CLIENT;
        if (walk->auth.secret_len == 0)
            walk_stop(
                side,
                "the rest is sealed and its secret is not known: add the entity's key to the keys "
                "file, or give the login that handed out the ticket as an earlier pair");
        else if (signet_streams_new(NULL, &side->stream, walk->auth.secret, walk->auth.secret_len,
                                    reader, NULL) != 0)
            walk_stop(side, "the connection secret cannot be used");
        else if (side->reader)
            signet_frame_reader_secure(side->reader, side->stream);
    }
}

/* True when the authentication came to its end. */
static bool handshake(struct walk *walk)
{
    uint32_t mode = 0;
    hello(walk, &walk->side[CLIENT]);
    hello(walk, &walk->side[SERVER]);
    while (!mode)
        if (!client_step(walk) || !server_step(walk, &mode))
            return false;
    for (unsigned i = CLIENT; i <= SERVER; i++)
        walk->side[i].signed_len = walk->side[i].pos;
    if (mode == SIGNET_MODE_SECURE)
        switch_to_secure(walk);
    return true;
}

/* --- session ---------------------------------------------------------------------------------- */

enum {
    BOTH_TAGS = TAG(MESSAGE) | TAG(ACK) | TAG(KEEPALIVE2) | TAG(KEEPALIVE2_ACK),
    CLIENT_STEPS =
        TAG(AUTH_SIGNATURE) | TAG(COMPRESSION_REQUEST) | TAG(CLIENT_IDENT) | TAG(SESSION_RECONNECT),
    SERVER_STEPS = TAG(AUTH_SIGNATURE) | TAG(COMPRESSION_DONE) | TAG(SERVER_IDENT) |
                   TAG(IDENT_MISSING_FEATURES) | TAG(SESSION_RESET) | TAG(SESSION_RETRY) |
                   TAG(SESSION_RETRY_GLOBAL) | TAG(SESSION_RECONNECT_OK) | TAG(WAIT),
};

/* Whether the frame was sent after one of the other side that has not been looked at yet. */
static bool is_early(const struct walk *walk, unsigned which)
{
    const struct side *side = &walk->side[which], *other = &walk->side[1 - which];
    struct signet_message message;
    struct signet_control control;
    if (which == CLIENT && walk->unanswered)
        return true;
    if (side->next.tag == SIGNET_TAG_MESSAGE && signet_message_decode(&message, &side->next) == 0)
        return message.ack_seq > other->seq;
    if (side->next.tag == SIGNET_TAG_ACK &&
        signet_control_decode(&control, SIGNET_TAG_ACK, side->next.segment[0].p,
                              side->next.segment[0].len, NULL) == 0)
        return control.value > other->seq;
    return false;
}

/* The side whose frame comes next, or NULL at the end of both. */
static struct side *next_side(struct walk *walk)
{
    bool client = walk_peek(walk, &walk->side[CLIENT]) != NULL;
    bool server = walk_peek(walk, &walk->side[SERVER]) != NULL;
    if (client && (!server || !is_early(walk, CLIENT)))
        return &walk->side[CLIENT];
    if (server && (!client || !is_early(walk, SERVER)))
        return &walk->side[SERVER];
    return client ? &walk->side[CLIENT] : NULL;
}

static void message(struct walk *walk, struct side *side)
{
    struct signet_message msg;
    int err = signet_message_decode(&msg, &side->next);
    if (!report_verify(walk->report, CHECK_structure, err == 0, "%s", signet_strerror(err)))
        return;
    decode_message_fields(walk->report, &msg);
    if (side->seq_known)
        report_verify(walk->report, CHECK_message_seq, msg.seq == side->seq + 1,
                      "message %" PRIu64 " follows message %" PRIu64, msg.seq, side->seq);
    side->seq = msg.seq;
    side->seq_known = true;
    if (side->next.aborted)
        report_note(walk->report, "the sender aborted this message: it counts as not sent");
    else if (msg.type == 17)
        decode_auth_mauth(&walk->auth, msg.front);
    else if (msg.type == 18)
        decode_auth_mauth_reply(&walk->auth, msg.front);
}

static void set_seq(struct side *side, uint64_t seq)
{
    side->seq = seq;
    side->seq_known = true;
}

static void session_step(struct walk *walk, struct side *side, const struct signet_control *control)
{
    struct side *client = &walk->side[CLIENT], *server = &walk->side[SERVER];
    switch (control->tag) {
    case SIGNET_TAG_AUTH_SIGNATURE: {
        const struct side *other = side == client ? server : client;
        decode_auth_signature(&walk->auth, control->signature, other->data, other->signed_len);
        side->has_signed = true;
        break;
    }
    case SIGNET_TAG_SESSION_RECONNECT:
        set_seq(server, control->reconnect.msg_seq);
        break;
    case SIGNET_TAG_SESSION_RECONNECT_OK:
        set_seq(client, control->value);
        walk->ready = true;
        break;
    case SIGNET_TAG_SERVER_IDENT:
        walk->ready = true;
        break;
    case SIGNET_TAG_COMPRESSION_DONE:
        if (control->compression.is_compress)
            report_note(walk->report, "frames may be compressed from here on; those are not read");
        break;
    default:
        break;
    }
}

static uint32_t allowed_tags(const struct walk *walk, const struct side *side)
{
    if (!side->has_signed)
        return TAG(AUTH_SIGNATURE);
    if (walk->ready)
        return BOTH_TAGS;
    return (side == &walk->side[CLIENT] ? CLIENT_STEPS : SERVER_STEPS) & ~TAG(AUTH_SIGNATURE);
}

static void session_frame(struct walk *walk, struct side *side)
{
    struct signet_control control;
    uint32_t bit = UINT32_C(1) << (side->next.tag & 31);
    bool ok = walk_begin_frame(walk, side, &control);
    check_order(walk, side, allowed_tags(walk, side));
    if (bit & TAG(MESSAGE))
        message(walk, side);
    else if (ok)
        session_step(walk, side, &control);
    if (side == &walk->side[CLIENT])
        walk->unanswered += (bit & CLIENT_STEPS) != 0;
    else if ((bit & SERVER_STEPS) && walk->unanswered)
        walk->unanswered--;
    walk_end_frame(walk, side);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void finish(struct walk *walk)
{
    for (unsigned i = CLIENT; i <= SERVER; i++) {
        struct side *side = &walk->side[i];
        report_verify(walk->report, CHECK_consumed, side->pos == side->len,
                      "%zu of %zu bytes of the %s: %s", side->pos, side->len, side->name,
                      side->stopped ? side->stopped : "what comes needs frames that are not there");
        signet_frame_reader_free(side->reader);
        signet_stream_free(side->stream);
    }
    decode_auth_clear(&walk->auth);
}

void walk_frames(struct walk *walk)
{
    struct side *side;
    walk_compare_banners(walk);
    walk_start_reader(&walk->side[CLIENT]);
    walk_start_reader(&walk->side[SERVER]);
    if (!handshake(walk))
        return;
    while ((side = next_side(walk)))
        session_frame(walk, side);
}

static const char *const refusal_text[] = {[DECODE_MSGR1] = "it is msgr1",
                                           [DECODE_MSGR20] = "it is msgr2.0",
                                           [DECODE_NOT_CEPH] = "it has no banner of Ceph"};

enum decode_refusal decode_connection(struct report *report, struct tool_keys *keys,
                                      const struct decode_input input[2], unsigned *side)
{
    struct walk walk = {.report = report,
                        .side = {{.name = "client", .data = input[0].data, .len = input[0].len},
                                 {.name = "server", .data = input[1].data, .len = input[1].len}}};
    enum decode_refusal refusal = DECODE_DONE;
    decode_auth_init(&walk.auth, report, keys);
    report_connection(report, input[0].path, input[1].path);
    for (*side = CLIENT; *side <= SERVER && refusal == DECODE_DONE; ++*side)
        refusal = walk_read_banner(&walk, &walk.side[*side]);
    --*side;
    if (refusal == DECODE_DONE) {
        walk_frames(&walk);
        finish(&walk);
    } else {
        report_check(report, CHECK_banner, OUTCOME_FAILED, "the %s's stream is not msgr2.1: %s",
                     walk.side[*side].name, refusal_text[refusal]);
    }
    report_connection_end(report);
    return refusal;
}
