/* SPDX-License-Identifier: MIT */
#include "support/frames.h"

#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"

static struct test_frame make(uint8_t tag, bool aborted, const struct signet_span *segment,
                              unsigned num, struct signet_stream *stream)
{
    struct iovec parts[SIGNET_SEGMENTS_MAX];
    struct signet_frame frame = {.tag = tag, .aborted = aborted};
    uint32_t len[SIGNET_SEGMENTS_MAX] = {0};
    for (unsigned i = 0; i < num; i++) {
        parts[i] = (struct iovec){(void *)(uintptr_t)segment[i].p, segment[i].len};
        frame.segment[i] = (struct signet_segment){&parts[i], 1};
        len[i] = (uint32_t)segment[i].len;
    }
    uint64_t seq = 0;
    if (stream != NULL) {
        assert_ok(signet_stream_reserve(stream, &seq, signet_frame_nonces(len)));
    }
    size_t want = signet_frame_len(stream != NULL ? SIGNET_LAYOUT_SECURE : SIGNET_LAYOUT_CRC, len);
    struct test_frame out = {.p = malloc(want)};
    assert_ok(signet_frame_build(out.p, want, &out.len, &frame, stream, seq));
    ck_assert_uint_eq(out.len, want);
    return out;
}

struct test_frame make_frame(uint8_t tag, const struct signet_span *segment, unsigned num,
                             struct signet_stream *stream)
{
    return make(tag, false, segment, num, stream);
}

struct test_frame make_aborted(uint8_t tag, const struct signet_span *segment, unsigned num,
                               struct signet_stream *stream)
{
    return make(tag, true, segment, num, stream);
}

struct test_frame make_control(const struct signet_control *control, struct signet_stream *stream)
{
    static uint8_t payload[1 << 17];
    struct signet_span segment = {.p = payload};
    assert_ok(signet_control_encode(control, payload, sizeof(payload), &segment.len));
    return make_frame(control->tag, &segment, 1, stream);
}

static void sample_ident(struct signet_ident *ident, bool client)
{
    ident->addrs.num = 2;
    assert_ok(signet_addr_parse(&ident->addrs.addr[0], "v2:127.0.0.1:3300/0"));
    assert_ok(signet_addr_parse(&ident->addrs.addr[1], "v1:[::1]:6789/7"));
    if (client) {
        ident->target = ident->addrs.addr[1];
    }
    ident->gid = -1;
    ident->global_seq = 3;
    ident->supported = UINT64_C(0x3f01cfbdfffdffff);
    ident->required = 5;
    ident->flags = SIGNET_IDENT_LOSSY;
    ident->cookie = UINT64_C(0x1122334455667788);
}

static void sample_auth(struct signet_control *c)
{
    static const uint8_t payload[] = {1, 2, 3, 4, 5};
    const struct signet_span span = {payload, sizeof(payload)};
    const struct signet_u32_list list = {2, {2, 1}};
    if (c->tag == SIGNET_TAG_AUTH_REQUEST) {
        c->auth_request = (struct signet_auth_request_frame){2, list, span};
    } else if (c->tag == SIGNET_TAG_AUTH_BAD_METHOD) {
        c->bad_method = (struct signet_auth_bad_method){2, -13, {1, {2}}, list};
    } else if (c->tag == SIGNET_TAG_AUTH_DONE) {
        c->done = (struct signet_auth_done){4127, 2, span};
    } else {
        c->payload = span;
    }
}

void sample_control(struct signet_control *out, uint8_t tag)
{
    memset(out, 0, sizeof(*out));
    out->tag = tag;
    if (tag == SIGNET_TAG_HELLO) {
        out->hello.entity_type = 8;
        assert_ok(signet_addr_parse(&out->hello.peer, "v2:127.0.0.1:51732/0"));
    } else if (tag >= SIGNET_TAG_AUTH_REQUEST && tag <= SIGNET_TAG_AUTH_DONE) {
        sample_auth(out);
    } else if (tag == SIGNET_TAG_AUTH_SIGNATURE) {
        memset(out->signature, 0x5a, sizeof(out->signature));
    } else if (tag == SIGNET_TAG_CLIENT_IDENT || tag == SIGNET_TAG_SERVER_IDENT) {
        sample_ident(&out->ident, tag == SIGNET_TAG_CLIENT_IDENT);
    } else if (tag == SIGNET_TAG_SESSION_RECONNECT) {
        out->reconnect = (struct signet_reconnect){{0}, 1, 2, 3, 4, 5};
        out->reconnect.addrs.num = 1;
        assert_ok(signet_addr_parse(&out->reconnect.addrs.addr[0], "v2:10.0.0.1:6800/9"));
    } else if (tag == SIGNET_TAG_SESSION_RESET) {
        out->full = 1;
    } else if (tag == SIGNET_TAG_KEEPALIVE2 || tag == SIGNET_TAG_KEEPALIVE2_ACK) {
        out->stamp = (struct signet_utime){1796041295, 108057309};
    } else if (tag == SIGNET_TAG_COMPRESSION_REQUEST || tag == SIGNET_TAG_COMPRESSION_DONE) {
        out->compression = (struct signet_compression){1, {1, {4}}};
    } else {
        out->value = 5;
    }
}

void make_preamble(uint8_t out[SIGNET_PREAMBLE_LEN], uint8_t tag, uint8_t num,
                   const uint32_t len[SIGNET_SEGMENTS_MAX], uint8_t flags)
{
    struct signet_writer w = signet_writer_init(out, SIGNET_PREAMBLE_LEN);
    signet_write_u8(&w, tag);
    signet_write_u8(&w, num);
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        signet_write_u32(&w, len[i]);
        signet_write_u16(&w, i < num ? (uint16_t)(i == 3 ? 4096 : 8) : 0);
    }
    signet_write_u8(&w, flags);
    signet_write_u8(&w, 0);
    signet_write_u32(&w, signet_crc32c(0, out, 28));
}

void test_streams(struct signet_stream **seal, struct signet_stream **open,
                  enum signet_role seal_role)
{
    uint8_t secret[64];
    for (unsigned i = 0; i < sizeof(secret); i++) {
        secret[i] = (uint8_t)i;
    }
    enum signet_role other =
        seal_role == SIGNET_ROLE_CLIENT ? SIGNET_ROLE_SERVER : SIGNET_ROLE_CLIENT;
    assert_ok(signet_streams_new(seal, NULL, secret, sizeof(secret), seal_role, NULL));
    assert_ok(signet_streams_new(NULL, open, secret, sizeof(secret), other, NULL));
}

struct signet_frame_limits test_limits(void)
{
    struct signet_frame_limits limits = signet_frame_limits_default();
    limits.any_shape = true;
    return limits;
}

struct lane lane_new(bool secure, struct signet_frame_limits limits)
{
    struct lane l = {0};
    assert_ok(signet_frame_reader_new(&l.reader, &limits, 0));
    if (secure) {
        test_streams(&l.seal, &l.open, SIGNET_ROLE_SERVER);
        signet_frame_reader_secure(l.reader, l.open);
    }
    return l;
}

void lane_free(struct lane *l)
{
    signet_frame_reader_free(l->reader);
    signet_stream_free(l->seal);
    signet_stream_free(l->open);
}

int lane_read(struct lane *l, uint8_t *buf, size_t len, struct signet_frame_view *view)
{
    size_t need;
    struct signet_fail fail = {0};
    int err = signet_frame_reader_next(l->reader, buf, len, view, &need, &fail);
    ck_assert_int_eq(fail.err, err);
    ck_assert(err == 0 || view->len == 0);
    return err;
}

struct signet_frame_limits strict_limits(void)
{
    struct signet_frame_limits limits = signet_frame_limits_default();
    limits.strict = true;
    return limits;
}
