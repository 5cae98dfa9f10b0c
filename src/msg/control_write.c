/* SPDX-License-Identifier: MIT */
/* Payloads of control frames, to be sent. Source: msgr2.md 6. */
#include <signet/control.h>

#include "base/cursor.h"
#include "msg/addr_wire.h"

static void write_list(struct signet_writer *w, const struct signet_u32_list *list)
{
    if (list->num > SIGNET_LIST_MAX) {
        signet_writer_fail(w, SIGNET_E_COUNT);
        return;
    }
    signet_write_u32(w, list->num);
    for (uint32_t i = 0; i < list->num; i++) {
        signet_write_u32(w, list->v[i]);
    }
}

static void write_hello(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_u8(w, c->hello.entity_type);
    signet_addr_write(w, &c->hello.peer);
}

static void write_auth_request(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_u32(w, c->auth_request.method);
    write_list(w, &c->auth_request.modes);
    signet_write_blob(w, c->auth_request.payload.p, c->auth_request.payload.len);
}

static void write_bad_method(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_u32(w, c->bad_method.method);
    signet_write_u32(w, (uint32_t)c->bad_method.result);
    write_list(w, &c->bad_method.methods);
    write_list(w, &c->bad_method.modes);
}

static void write_payload(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_blob(w, c->payload.p, c->payload.len);
}

static void write_done(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_u64(w, c->done.global_id);
    signet_write_u32(w, c->done.con_mode);
    signet_write_blob(w, c->done.payload.p, c->done.payload.len);
}

static void write_signature(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_bytes(w, c->signature, sizeof(c->signature));
}

static void write_ident(struct signet_writer *w, const struct signet_control *c)
{
    const struct signet_ident *i = &c->ident;
    signet_addrvec_write(w, &i->addrs);
    if (c->tag == SIGNET_TAG_CLIENT_IDENT) {
        signet_addr_write(w, &i->target);
    }
    signet_write_u64(w, (uint64_t)i->gid);
    signet_write_u64(w, i->global_seq);
    signet_write_u64(w, i->supported);
    signet_write_u64(w, i->required);
    signet_write_u64(w, i->flags);
    signet_write_u64(w, i->cookie);
}

static void write_reconnect(struct signet_writer *w, const struct signet_control *c)
{
    const struct signet_reconnect *i = &c->reconnect;
    signet_addrvec_write(w, &i->addrs);
    signet_write_u64(w, i->client_cookie);
    signet_write_u64(w, i->server_cookie);
    signet_write_u64(w, i->global_seq);
    signet_write_u64(w, i->connect_seq);
    signet_write_u64(w, i->msg_seq);
}

static void write_reset(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_u8(w, c->full);
}

static void write_value(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_u64(w, c->value);
}

static void write_wait(struct signet_writer *w, const struct signet_control *c)
{
    (void)w;
    (void)c;
}

static void write_stamp(struct signet_writer *w, const struct signet_control *c)
{
    signet_write_u32(w, c->stamp.sec);
    signet_write_u32(w, c->stamp.nsec);
}

static void write_compression(struct signet_writer *w, const struct signet_control *c)
{
    const struct signet_u32_list *methods = &c->compression.methods;
    signet_write_u8(w, c->compression.is_compress);
    if (c->tag == SIGNET_TAG_COMPRESSION_REQUEST) {
        write_list(w, methods);
    } else if (methods->num == 1) {
        signet_write_u32(w, methods->v[0]);
    } else {
        signet_writer_fail(w, SIGNET_E_COUNT);
    }
}

static void (*const writers[SIGNET_TAG_NUM])(struct signet_writer *,
                                             const struct signet_control *) = {
    [SIGNET_TAG_HELLO] = write_hello,
    [SIGNET_TAG_AUTH_REQUEST] = write_auth_request,
    [SIGNET_TAG_AUTH_BAD_METHOD] = write_bad_method,
    [SIGNET_TAG_AUTH_REPLY_MORE] = write_payload,
    [SIGNET_TAG_AUTH_REQUEST_MORE] = write_payload,
    [SIGNET_TAG_AUTH_DONE] = write_done,
    [SIGNET_TAG_AUTH_SIGNATURE] = write_signature,
    [SIGNET_TAG_CLIENT_IDENT] = write_ident,
    [SIGNET_TAG_SERVER_IDENT] = write_ident,
    [SIGNET_TAG_IDENT_MISSING_FEATURES] = write_value,
    [SIGNET_TAG_SESSION_RECONNECT] = write_reconnect,
    [SIGNET_TAG_SESSION_RESET] = write_reset,
    [SIGNET_TAG_SESSION_RETRY] = write_value,
    [SIGNET_TAG_SESSION_RETRY_GLOBAL] = write_value,
    [SIGNET_TAG_SESSION_RECONNECT_OK] = write_value,
    [SIGNET_TAG_WAIT] = write_wait,
    [SIGNET_TAG_KEEPALIVE2] = write_stamp,
    [SIGNET_TAG_KEEPALIVE2_ACK] = write_stamp,
    [SIGNET_TAG_ACK] = write_value,
    [SIGNET_TAG_COMPRESSION_REQUEST] = write_compression,
    [SIGNET_TAG_COMPRESSION_DONE] = write_compression,
};

int signet_control_encode(const struct signet_control *in, uint8_t *out, size_t cap,
                          size_t *out_len)
{
    *out_len = 0;
    if (in->tag >= SIGNET_TAG_NUM || writers[in->tag] == NULL) {
        return -SIGNET_E_TAG;
    }
    struct signet_writer w = signet_writer_init(out, cap);
    writers[in->tag](&w, in);
    *out_len = w.err == 0 ? (size_t)w.len : 0;
    return w.err;
}
