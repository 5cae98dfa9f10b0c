/* SPDX-License-Identifier: MIT */
#include "support/conn_peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void peer_init(struct test_peer *peer, uint32_t type, enum signet_con_mode mode)
{
    struct signet_frame_limits limits = signet_frame_limits_default();
    memset(peer, 0, sizeof(*peer));
    test_mon_init(&peer->mon, &peer->fake, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K,
                  SIGNET_KEY_AES256K);
    for (unsigned i = 0; i < 64; i++) {
        peer->mon.secret[i] = (uint8_t)i;
    }
    struct signet_client_options options = test_mon_options(&peer->mon, SIGNET_MON | SIGNET_OSD);
    assert_ok(signet_client_new(&peer->client, &options));
    peer->osd.secret = peer->mon.secrets;
    if (type != SIGNET_MON) { /* tickets first */
        struct signet_auth_result result;
        assert_ok(test_mon_connect(&peer->mon, peer->client, mode, &result, NULL));
        signet_auth_result_clear(&result);
    }
    peer->type = type;
    peer->mode = mode;
    peer->stop = PEER_ALL;
    peer->banner.supported = SIGNET_MSGR2_REVISION_1 | SIGNET_MSGR2_COMPRESSION;
    peer->hello_type = (uint8_t)type;
    peer->ident.addrs.num = 1;
    assert_ok(signet_addr_parse(&peer->ident.addrs.addr[0], "v2:127.0.0.1:3300/0"));
    peer->ident.supported = SIGNET_FEATURES_SUPPORTED;
    peer->ident.required = UINT64_C(0x0c01020042040000);
    peer->ident.flags = SIGNET_IDENT_LOSSY;
    assert_ok(signet_frame_reader_new(&peer->reader, &limits, 0));
}

void peer_free(struct test_peer *peer)
{
    signet_client_free(peer->client);
    signet_presented_clear(&peer->osd.who);
    test_mon_free(&peer->mon);
    signet_frame_reader_free(peer->reader);
    signet_stream_free(peer->seal);
    signet_stream_free(peer->open);
    struct test_bytes *all[] = {&peer->in, &peer->out, &peer->rx, &peer->tx, &peer->got_data};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        free(all[i]->p);
    }
}

struct signet_conn_options peer_options(struct test_peer *peer)
{
    struct signet_conn_options o = {.role = SIGNET_ROLE_CLIENT,
                                    .peer_type = peer->type,
                                    .client = peer->client,
                                    .modes = {(uint32_t)peer->mode},
                                    .num_modes = 1,
                                    .env = fake_env_make(&peer->fake)};
    o.target = peer->ident.addrs.addr[0];
    o.session = peer->session;
    return o;
}

struct signet_conn *peer_dial(struct test_peer *peer)
{
    struct signet_conn_options options = peer_options(peer);
    struct signet_conn *conn;
    assert_ok(signet_conn_new(&conn, &options, peer->fake.mono_ns));
    return conn;
}

void peer_send_raw(struct test_peer *peer, const void *p, size_t len)
{
    test_bytes_add(&peer->out, p, len);
    if (peer->step < PEER_SIGNATURE) {
        test_bytes_add(&peer->tx, p, len);
    }
}

void peer_send(struct test_peer *peer, struct test_frame frame)
{
    peer_send_raw(peer, frame.p, frame.len);
    free(frame.p);
}

void peer_send_control(struct test_peer *peer, const struct signet_control *control)
{
    peer_send(peer, make_control(control, peer->seal));
}

void peer_send_message(struct test_peer *peer, uint64_t seq, const void *data, size_t len)
{
    uint8_t header[SIGNET_MESSAGE_HEADER_LEN];
    struct signet_message m = {.seq = seq != 0 ? seq : ++peer->seq, .type = 42, .tid = 7};
    signet_message_header_encode(&m, header);
    const struct signet_span segment[4] = {
        {header, sizeof(header)}, {(const uint8_t *)"front", 5}, {NULL, 0}, {data, len}};
    peer_send(peer, make_frame(SIGNET_TAG_MESSAGE, segment, 4, peer->seal));
}

static const struct signet_key *session_key(const struct test_peer *peer)
{
    return peer->type == SIGNET_MON ? peer->mon.sessions[0] : peer->osd.who.session_key;
}

static const uint8_t *secret(const struct test_peer *peer)
{
    return peer->type == SIGNET_MON ? peer->mon.secret : peer->osd.connection_secret;
}

/* Whether the server goes on to this step. */
static bool advance(struct test_peer *peer, enum peer_step step)
{
    if (step > peer->stop) {
        return false;
    }
    peer->step = step;
    return true;
}

static void refuse(struct test_peer *peer, int32_t result)
{
    struct signet_control c = {.tag = SIGNET_TAG_AUTH_BAD_METHOD};
    c.bad_method = peer->refusal;
    if (c.bad_method.method == 0) {
        c.bad_method = (struct signet_auth_bad_method){2, result, {1, {2}}, {1, {peer->mode}}};
    }
    peer_send_control(peer, &c);
}

/* One round of authentication; false when it was refused. */
static bool auth_round(struct test_peer *peer, struct signet_span in, bool first, uint8_t *out,
                       size_t *len)
{
    int err = 0;
    if (peer->type != SIGNET_MON) {
        err = test_osd_round(&peer->osd, peer->mode, in.p, in.len, out, len);
    } else if (first) {
        *len = test_mon_start(&peer->mon, in.p, in.len, out);
    } else {
        err = test_mon_login(&peer->mon, peer->mode, in.p, in.len, out, len);
    }
    if (err != 0 || peer->refuse) {
        refuse(peer, -EACCES);
        return false;
    }
    return true;
}

static void on_request(struct test_peer *peer, struct signet_span in, bool first)
{
    static uint8_t payload[TEST_BUF];
    struct signet_control c = {.tag = first ? SIGNET_TAG_AUTH_REPLY_MORE : SIGNET_TAG_AUTH_DONE};
    size_t len = 0;
    if (!advance(peer, first ? PEER_REPLY_MORE : PEER_DONE) ||
        !auth_round(peer, in, first, payload, &len)) {
        return;
    }
    struct signet_span span = {payload, len};
    if (first) {
        c.payload = span;
    } else {
        c.done = (struct signet_auth_done){peer->mon.global_id,
                                           peer->con_mode != 0 ? peer->con_mode : peer->mode, span};
    }
    peer_send_control(peer, &c);
}

/* After AUTH_DONE: the crypto switch, and the server's signature at once. */
static void sign(struct test_peer *peer)
{
    struct signet_control c = {.tag = SIGNET_TAG_AUTH_SIGNATURE};
    if (peer->no_streams) {
        return;
    }
    peer->rx.p[peer->tampered] ^= peer->tampered > 0 ? 1 : 0;
    if (peer->mode == SIGNET_MODE_SECURE) {
        assert_ok(signet_streams_new(&peer->seal, &peer->open, secret(peer), 64, SIGNET_ROLE_SERVER,
                                     NULL));
        signet_frame_reader_secure(peer->reader, peer->open);
    }
    if (advance(peer, PEER_SIGNATURE)) {
        assert_ok(signet_auth_signature(session_key(peer), c.signature, peer->rx.p, peer->rx.len));
        c.signature[3] ^= peer->bad_signature ? 1 : 0;
        peer_send_control(peer, &c);
    }
}

static void on_signature(struct test_peer *peer, const struct signet_control *c)
{
    uint8_t want[SIGNET_SIGNATURE_LEN];
    assert_ok(signet_auth_signature(session_key(peer), want, peer->tx.p, peer->tx.len));
    ck_assert_mem_eq(want, c->signature, sizeof(want));
}

static void on_ident(struct test_peer *peer, const struct signet_control *in)
{
    struct signet_control c = {.tag = SIGNET_TAG_SERVER_IDENT};
    peer->client_ident = in->ident;
    c.ident = peer->ident;
    if (advance(peer, PEER_IDENT)) {
        peer_send_control(peer, &c);
    }
}

static void on_message(struct test_peer *peer, const struct signet_frame_view *view)
{
    assert_ok(signet_message_decode(&peer->got, view));
    peer->got_data.len = 0;
    test_bytes_add(&peer->got_data, peer->got.data.p, peer->got.data.len);
}

static void on_control(struct test_peer *peer, const struct signet_control *c)
{
    struct signet_control answer = *c;
    switch (c->tag) {
    case SIGNET_TAG_HELLO:
        ck_assert_uint_eq(c->hello.entity_type, SIGNET_CLIENT);
        break;
    case SIGNET_TAG_AUTH_REQUEST:
        peer->request = c->auth_request;
        on_request(peer, c->auth_request.payload, true);
        break;
    case SIGNET_TAG_AUTH_REQUEST_MORE:
        on_request(peer, c->payload, false);
        break;
    case SIGNET_TAG_AUTH_SIGNATURE:
        on_signature(peer, c);
        break;
    case SIGNET_TAG_CLIENT_IDENT:
        on_ident(peer, c);
        break;
    case SIGNET_TAG_KEEPALIVE2_ACK:
        peer->answer = c->stamp;
        break;
    case SIGNET_TAG_KEEPALIVE2:
        peer->stamp = c->stamp;
        answer.tag = SIGNET_TAG_KEEPALIVE2_ACK;
        if (!peer->silent) {
            peer_send_control(peer, &answer);
        }
        break;
    case SIGNET_TAG_ACK:
        peer->acked = c->value;
        break;
    default:
        break;
    }
}

static void on_frame(struct test_peer *peer, const struct signet_frame_view *view)
{
    struct signet_control c;
    peer->num_got[view->tag]++;
    if (view->tag == SIGNET_TAG_MESSAGE) {
        on_message(peer, view);
        return;
    }
    assert_ok(signet_control_decode(&c, view->tag, view->segment[0].p, view->segment[0].len, NULL));
    on_control(peer, &c);
}

/* One frame of the client; whether there was one. */
static bool take_frame(struct test_peer *peer)
{
    struct signet_frame_view view;
    struct signet_fail fail;
    size_t need;
    int err = signet_frame_reader_next(peer->reader, peer->in.p, peer->in.len, &view, &need, &fail);
    ck_assert_msg(err == 0, "the client sent a bad frame: %s", fail.text);
    if (view.len == 0) {
        return false;
    }
    bool covered = view.tag <= SIGNET_TAG_AUTH_DONE;
    if (covered) {
        test_bytes_add(&peer->rx, peer->in.p, view.len);
    }
    on_frame(peer, &view);
    test_bytes_drop(&peer->in, view.len);
    if (view.tag == SIGNET_TAG_AUTH_REQUEST_MORE && peer->step == PEER_DONE && !peer->refuse) {
        sign(peer);
    }
    return true;
}

static void take_banner(struct test_peer *peer)
{
    struct signet_banner theirs;
    size_t used;
    assert_ok(signet_banner_parse(&theirs, peer->in.p, peer->in.len, &used));
    if (used == 0 || peer->rx.len > 0) {
        return;
    }
    test_bytes_add(&peer->rx, peer->in.p, used);
    test_bytes_drop(&peer->in, used);
    if (advance(peer, PEER_BANNER)) {
        uint8_t banner[SIGNET_BANNER_LEN];
        signet_banner_encode(&peer->banner, banner);
        peer_send_raw(peer, banner, sizeof(banner));
    }
    if (advance(peer, PEER_HELLO)) {
        struct signet_control c = {.tag = SIGNET_TAG_HELLO};
        c.hello.entity_type = peer->hello_type;
        assert_ok(signet_addr_parse(&c.hello.peer, "v2:127.0.0.1:51732/0"));
        peer_send_control(peer, &c);
    }
}

void peer_input(struct test_peer *peer, const void *p, size_t len)
{
    test_bytes_add(&peer->in, p, len);
    if (peer->rx.len == 0) {
        take_banner(peer);
    }
    while (peer->rx.len > 0 && peer->in.len > 0 && take_frame(peer)) {
    }
}
