/* SPDX-License-Identifier: MIT */
/* Payloads from server to client, and the message fronts that carry payloads. */
#include "auth/wire.h"

static void read_entry(struct signet_reader *r, struct signet_ticket_entry *out)
{
    out->service = signet_read_u32(r);
    signet_read_version(r, 1, 1);
    out->sealed = signet_read_blob(r, SIGNET_SEALED_MAX);
    out->enc = signet_read_u8(r);
    if (r->err == 0 && out->enc > 1) {
        signet_reader_fail(r, SIGNET_E_VALUE);
    }
    out->ticket = signet_read_blob(r, SIGNET_SEALED_MAX);
}

static void write_entry(struct signet_writer *w, const struct signet_ticket_entry *in)
{
    signet_write_u32(w, in->service);
    signet_write_u8(w, 1);
    signet_write_limited(w, in->sealed, SIGNET_SEALED_MAX);
    signet_write_u8(w, in->enc);
    signet_write_limited(w, in->ticket, SIGNET_SEALED_MAX);
}

void signet_read_ticket_reply(struct signet_reader *r, struct signet_ticket_reply *out)
{
    signet_read_version(r, 1, 1);
    /* an entry is at least a service, a version, two lengths and a flag */
    out->num = signet_read_count(r, SIGNET_TICKETS_MAX, 4 + 1 + 4 + 1 + 4);
    for (uint32_t i = 0; i < out->num; i++) {
        read_entry(r, &out->entry[i]);
    }
}

void signet_write_ticket_reply(struct signet_writer *w, const struct signet_ticket_reply *in)
{
    if (in->num > SIGNET_TICKETS_MAX) {
        signet_writer_fail(w, SIGNET_E_LENGTH);
        return;
    }
    signet_write_u8(w, 1);
    signet_write_u32(w, in->num);
    for (uint32_t i = 0; i < in->num; i++) {
        write_entry(w, &in->entry[i]);
    }
}

/* The list with the connection secret: nothing, or a length and the ciphertext. */
static void read_secret_list(struct signet_reader *r, struct signet_session_reply *out)
{
    struct signet_span list = signet_read_blob(r, SIGNET_SEALED_MAX);
    out->has_secret = list.len > 0;
    if (out->has_secret) {
        struct signet_reader sub = signet_reader_init(list.p, list.len);
        out->secret = signet_read_blob(&sub, SIGNET_SEALED_MAX);
        signet_read_sub_done(r, &sub);
    }
}

void signet_read_session_reply(struct signet_reader *r, struct signet_session_reply *out)
{
    signet_read_response_header(r, &out->header);
    out->tickets.num = 0;
    out->more = out->has_secret = false;
    out->secret = out->extra = (struct signet_span){.p = NULL, .len = 0};
    if (out->header.status != 0) {
        return;
    }
    signet_read_ticket_reply(r, &out->tickets);
    out->more = signet_reader_left(r) > 0;
    if (out->more) {
        read_secret_list(r, out);
        out->extra = signet_read_blob(r, SIGNET_MAUTH_PAYLOAD_MAX);
    }
}

void signet_write_session_reply(struct signet_writer *w, const struct signet_session_reply *in)
{
    signet_write_response_header(w, &in->header);
    if (in->header.status != 0) {
        return;
    }
    signet_write_ticket_reply(w, &in->tickets);
    if (!in->more) {
        return;
    }
    size_t at = signet_write_hole_u32(w);
    if (in->has_secret) {
        signet_write_limited(w, in->secret, SIGNET_SEALED_MAX - 4);
        signet_write_patch_u32(w, at, (uint32_t)in->secret.len + 4);
    }
    signet_write_limited(w, in->extra, SIGNET_MAUTH_PAYLOAD_MAX);
}

void signet_read_principal_reply(struct signet_reader *r, struct signet_principal_reply *out)
{
    signet_read_response_header(r, &out->header);
    out->tickets.num = 0;
    if (out->header.status == 0) {
        signet_read_ticket_reply(r, &out->tickets);
    }
}

void signet_write_principal_reply(struct signet_writer *w, const struct signet_principal_reply *in)
{
    signet_write_response_header(w, &in->header);
    if (in->header.status == 0) {
        signet_write_ticket_reply(w, &in->tickets);
    }
}

void signet_read_rotating_reply(struct signet_reader *r, struct signet_rotating_reply *out)
{
    signet_read_response_header(r, &out->header);
    out->sealed = (struct signet_span){.p = NULL, .len = 0};
    if (out->header.status == 0) {
        out->sealed = signet_read_blob(r, SIGNET_SEALED_MAX);
    }
}

void signet_write_rotating_reply(struct signet_writer *w, const struct signet_rotating_reply *in)
{
    signet_write_response_header(w, &in->header);
    if (in->header.status == 0) {
        signet_write_limited(w, in->sealed, SIGNET_SEALED_MAX);
    }
}

void signet_read_sealed(struct signet_reader *r, struct signet_sealed *out)
{
    out->sealed = signet_read_blob(r, SIGNET_SEALED_MAX);
}

void signet_write_sealed(struct signet_writer *w, const struct signet_sealed *in)
{
    signet_write_limited(w, in->sealed, SIGNET_SEALED_MAX);
}

void signet_read_mauth(struct signet_reader *r, struct signet_mauth *out)
{
    out->have_version = signet_read_u64(r);
    out->session_mon = signet_read_u16(r);
    out->session_tid = signet_read_u64(r);
    out->protocol = signet_read_u32(r);
    out->payload = signet_read_blob(r, SIGNET_MAUTH_PAYLOAD_MAX);
    out->has_epoch = signet_reader_left(r) > 0;
    out->monmap_epoch = out->has_epoch ? signet_read_u32(r) : 0;
}

void signet_write_mauth(struct signet_writer *w, const struct signet_mauth *in)
{
    signet_write_u64(w, in->have_version);
    signet_write_u16(w, in->session_mon);
    signet_write_u64(w, in->session_tid);
    signet_write_u32(w, in->protocol);
    signet_write_limited(w, in->payload, SIGNET_MAUTH_PAYLOAD_MAX);
    if (in->has_epoch) {
        signet_write_u32(w, in->monmap_epoch);
    }
}

void signet_read_mauth_reply(struct signet_reader *r, struct signet_mauth_reply *out)
{
    out->protocol = signet_read_u32(r);
    out->result = (int32_t)signet_read_u32(r);
    out->global_id = signet_read_u64(r);
    out->payload = signet_read_blob(r, SIGNET_MAUTH_PAYLOAD_MAX);
    out->message = signet_read_blob(r, SIGNET_MAUTH_PAYLOAD_MAX);
}

void signet_write_mauth_reply(struct signet_writer *w, const struct signet_mauth_reply *in)
{
    signet_write_u32(w, in->protocol);
    signet_write_u32(w, (uint32_t)in->result);
    signet_write_u64(w, in->global_id);
    signet_write_limited(w, in->payload, SIGNET_MAUTH_PAYLOAD_MAX);
    signet_write_limited(w, in->message, SIGNET_MAUTH_PAYLOAD_MAX);
}
