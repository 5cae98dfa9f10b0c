/* SPDX-License-Identifier: MIT */
/* Payloads of control frames, received. Source: msgr2.md 6. */
#include <signet/control.h>

#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "msg/addr_wire.h"

static void read_list(struct signet_reader *r, struct signet_u32_list *out)
{
    uint32_t num = signet_read_count(r, SIGNET_LIST_MAX, 4);
    for (uint32_t i = 0; i < num; i++) {
        out->v[i] = signet_read_u32(r);
    }
    out->num = num;
}

static void read_hello(struct signet_reader *r, struct signet_control *c)
{
    c->hello.entity_type = signet_read_u8(r);
    signet_addr_read(r, &c->hello.peer);
}

static void read_auth_request(struct signet_reader *r, struct signet_control *c)
{
    c->auth_request.method = signet_read_u32(r);
    read_list(r, &c->auth_request.modes);
    c->auth_request.payload = signet_read_blob(r, UINT32_MAX);
}

static void read_bad_method(struct signet_reader *r, struct signet_control *c)
{
    c->bad_method.method = signet_read_u32(r);
    c->bad_method.result = (int32_t)signet_read_u32(r);
    read_list(r, &c->bad_method.methods);
    read_list(r, &c->bad_method.modes);
}

static void read_payload(struct signet_reader *r, struct signet_control *c)
{
    c->payload = signet_read_blob(r, UINT32_MAX);
}

static void read_done(struct signet_reader *r, struct signet_control *c)
{
    c->done.global_id = signet_read_u64(r);
    c->done.con_mode = signet_read_u32(r);
    c->done.payload = signet_read_blob(r, UINT32_MAX);
}

static void read_signature(struct signet_reader *r, struct signet_control *c)
{
    signet_read_bytes(r, c->signature, sizeof(c->signature));
}

static void read_ident(struct signet_reader *r, struct signet_control *c)
{
    struct signet_ident *i = &c->ident;
    signet_addrvec_read(r, &i->addrs);
    memset(&i->target, 0, sizeof(i->target));
    if (c->tag == SIGNET_TAG_CLIENT_IDENT) {
        signet_addr_read(r, &i->target);
    }
    i->gid = (int64_t)signet_read_u64(r);
    i->global_seq = signet_read_u64(r);
    i->supported = signet_read_u64(r);
    i->required = signet_read_u64(r);
    i->flags = signet_read_u64(r);
    i->cookie = signet_read_u64(r);
}

static void read_reconnect(struct signet_reader *r, struct signet_control *c)
{
    struct signet_reconnect *i = &c->reconnect;
    signet_addrvec_read(r, &i->addrs);
    i->client_cookie = signet_read_u64(r);
    i->server_cookie = signet_read_u64(r);
    i->global_seq = signet_read_u64(r);
    i->connect_seq = signet_read_u64(r);
    i->msg_seq = signet_read_u64(r);
}

static void read_reset(struct signet_reader *r, struct signet_control *c)
{
    c->full = signet_read_u8(r);
}

static void read_value(struct signet_reader *r, struct signet_control *c)
{
    c->value = signet_read_u64(r);
}

static void read_wait(struct signet_reader *r, struct signet_control *c)
{
    (void)r;
    (void)c;
}

static void read_stamp(struct signet_reader *r, struct signet_control *c)
{
    c->stamp.sec = signet_read_u32(r);
    c->stamp.nsec = signet_read_u32(r);
}

static void read_compression(struct signet_reader *r, struct signet_control *c)
{
    c->compression.is_compress = signet_read_u8(r);
    if (c->tag == SIGNET_TAG_COMPRESSION_REQUEST) {
        read_list(r, &c->compression.methods);
    } else {
        c->compression.methods.num = 1;
        c->compression.methods.v[0] = signet_read_u32(r);
    }
}

static void (*const readers[SIGNET_TAG_NUM])(struct signet_reader *, struct signet_control *) = {
    [SIGNET_TAG_HELLO] = read_hello,
    [SIGNET_TAG_AUTH_REQUEST] = read_auth_request,
    [SIGNET_TAG_AUTH_BAD_METHOD] = read_bad_method,
    [SIGNET_TAG_AUTH_REPLY_MORE] = read_payload,
    [SIGNET_TAG_AUTH_REQUEST_MORE] = read_payload,
    [SIGNET_TAG_AUTH_DONE] = read_done,
    [SIGNET_TAG_AUTH_SIGNATURE] = read_signature,
    [SIGNET_TAG_CLIENT_IDENT] = read_ident,
    [SIGNET_TAG_SERVER_IDENT] = read_ident,
    [SIGNET_TAG_IDENT_MISSING_FEATURES] = read_value,
    [SIGNET_TAG_SESSION_RECONNECT] = read_reconnect,
    [SIGNET_TAG_SESSION_RESET] = read_reset,
    [SIGNET_TAG_SESSION_RETRY] = read_value,
    [SIGNET_TAG_SESSION_RETRY_GLOBAL] = read_value,
    [SIGNET_TAG_SESSION_RECONNECT_OK] = read_value,
    [SIGNET_TAG_WAIT] = read_wait,
    [SIGNET_TAG_KEEPALIVE2] = read_stamp,
    [SIGNET_TAG_KEEPALIVE2_ACK] = read_stamp,
    [SIGNET_TAG_ACK] = read_value,
    [SIGNET_TAG_COMPRESSION_REQUEST] = read_compression,
    [SIGNET_TAG_COMPRESSION_DONE] = read_compression,
};

int signet_control_decode(struct signet_control *out, uint8_t tag, const uint8_t *in, size_t in_len,
                          struct signet_fail *fail)
{
    out->tag = tag;
    if (tag >= SIGNET_TAG_NUM || readers[tag] == NULL) {
        return signet_fail_set(fail, -SIGNET_E_TAG, "control frame", 0,
                               "tag %u has no control payload", (unsigned)tag);
    }
    struct signet_reader r = signet_reader_init(in, in_len);
    readers[tag](&r, out);
    if (r.err != 0) {
        memset(out, 0, sizeof(*out));
        return signet_fail_set(fail, r.err, signet_tag_name(tag), signet_reader_offset(&r),
                               "%s at byte %llu of %llu of the payload", signet_strerror(r.err),
                               (unsigned long long)signet_reader_offset(&r),
                               (unsigned long long)in_len);
    }
    return 0;
}
