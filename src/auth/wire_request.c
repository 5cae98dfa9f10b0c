/* SPDX-License-Identifier: MIT */
/* Payloads from client to server, and the parts of authorizers. */
#include "auth/wire.h"

#include "auth/name_wire.h"

void signet_read_auth_start(struct signet_reader *r, struct signet_auth_start *out)
{
    out->mode = signet_read_u8(r);
    if (r->err == 0 && out->mode != SIGNET_AUTH_MODE_MON &&
        out->mode != SIGNET_AUTH_MODE_AUTHORIZER) {
        signet_reader_fail(r, SIGNET_E_VALUE);
    }
    signet_read_name(r, &out->name);
    out->global_id = signet_read_u64(r);
}

void signet_write_auth_start(struct signet_writer *w, const struct signet_auth_start *in)
{
    signet_write_u8(w, in->mode);
    signet_write_name(w, &in->name);
    signet_write_u64(w, in->global_id);
}

void signet_read_auth_start_v1(struct signet_reader *r, struct signet_auth_start_v1 *out)
{
    signet_read_version(r, 1, 1);
    out->num_methods = signet_read_count(r, SIGNET_AUTH_METHODS_MAX, 4);
    for (uint32_t i = 0; i < out->num_methods; i++) {
        out->methods[i] = signet_read_u32(r);
    }
    signet_read_name(r, &out->name);
    out->global_id = signet_read_u64(r);
}

void signet_write_auth_start_v1(struct signet_writer *w, const struct signet_auth_start_v1 *in)
{
    if (in->num_methods > SIGNET_AUTH_METHODS_MAX) {
        signet_writer_fail(w, SIGNET_E_LENGTH);
        return;
    }
    signet_write_u8(w, 1);
    signet_write_u32(w, in->num_methods);
    for (uint32_t i = 0; i < in->num_methods; i++) {
        signet_write_u32(w, in->methods[i]);
    }
    signet_write_name(w, &in->name);
    signet_write_u64(w, in->global_id);
}

void signet_read_authorizer_parts(struct signet_reader *r, struct signet_authorizer_parts *out)
{
    signet_read_version(r, 1, 1);
    out->global_id = signet_read_u64(r);
    out->service = signet_read_u32(r);
    signet_read_ticket_blob(r, &out->ticket);
    out->sealed = signet_read_blob(r, SIGNET_SEALED_MAX);
}

void signet_write_authorizer_a(struct signet_writer *w, uint64_t global_id, uint32_t service,
                               const struct signet_ticket_blob *ticket)
{
    signet_write_u8(w, 1);
    signet_write_u64(w, global_id);
    signet_write_u32(w, service);
    signet_write_ticket_blob(w, ticket);
}

void signet_write_authorizer_parts(struct signet_writer *w,
                                   const struct signet_authorizer_parts *in)
{
    signet_write_authorizer_a(w, in->global_id, in->service, &in->ticket);
    signet_write_limited(w, in->sealed, SIGNET_SEALED_MAX);
}

void signet_read_authorize(struct signet_reader *r, struct signet_authorize *out)
{
    out->version = signet_read_version(r, 1, 2);
    out->nonce = signet_read_u64(r);
    out->have_challenge = 0;
    out->challenge_plus_one = 0;
    if (out->version < 2) {
        return;
    }
    out->have_challenge = signet_read_u8(r);
    out->challenge_plus_one = signet_read_u64(r);
    if (r->err == 0 && out->have_challenge > 1) {
        signet_reader_fail(r, SIGNET_E_VALUE);
    }
}

void signet_write_authorize(struct signet_writer *w, const struct signet_authorize *in)
{
    signet_write_u8(w, in->version);
    signet_write_u64(w, in->nonce);
    if (in->version >= 2) {
        signet_write_u8(w, in->have_challenge);
        signet_write_u64(w, in->challenge_plus_one);
    }
}

void signet_read_authorize_challenge(struct signet_reader *r,
                                     struct signet_authorize_challenge *out)
{
    signet_read_version(r, 1, 1);
    out->challenge = signet_read_u64(r);
}

void signet_write_authorize_challenge(struct signet_writer *w,
                                      const struct signet_authorize_challenge *in)
{
    signet_write_u8(w, 1);
    signet_write_u64(w, in->challenge);
}

void signet_read_authorize_reply(struct signet_reader *r, struct signet_authorize_reply *out)
{
    out->version = signet_read_version(r, 1, 2);
    out->nonce_plus_one = signet_read_u64(r);
    out->secret = (struct signet_span){.p = NULL, .len = 0};
    if (out->version >= 2) {
        out->secret = signet_read_blob(r, SIGNET_SEALED_MAX);
    }
}

void signet_write_authorize_reply(struct signet_writer *w, const struct signet_authorize_reply *in)
{
    signet_write_u8(w, in->version);
    signet_write_u64(w, in->nonce_plus_one);
    if (in->version >= 2) {
        signet_write_limited(w, in->secret, SIGNET_SEALED_MAX);
    }
}

void signet_read_authenticate(struct signet_reader *r, struct signet_authenticate *out)
{
    out->version = signet_read_version(r, 1, 3);
    out->client_challenge = signet_read_u64(r);
    out->key = signet_read_u64(r);
    signet_read_ticket_blob(r, &out->old_ticket);
    out->other_keys = out->version >= 2 ? signet_read_u32(r) : 0;
}

void signet_write_authenticate(struct signet_writer *w, const struct signet_authenticate *in)
{
    signet_write_u8(w, in->version);
    signet_write_u64(w, in->client_challenge);
    signet_write_u64(w, in->key);
    signet_write_ticket_blob(w, &in->old_ticket);
    if (in->version >= 2) {
        signet_write_u32(w, in->other_keys);
    }
}

void signet_read_service_ticket_request(struct signet_reader *r,
                                        struct signet_service_ticket_request *out)
{
    signet_read_version(r, 1, 1);
    out->keys = signet_read_u32(r);
}

void signet_write_service_ticket_request(struct signet_writer *w,
                                         const struct signet_service_ticket_request *in)
{
    signet_write_u8(w, 1);
    signet_write_u32(w, in->keys);
}

void signet_read_auth_request(struct signet_reader *r, struct signet_auth_request *out)
{
    out->type = signet_read_u16(r);
    switch (out->type) {
    case SIGNET_GET_AUTH_SESSION_KEY:
        signet_read_authenticate(r, &out->authenticate);
        break;
    case SIGNET_GET_PRINCIPAL_SESSION_KEY:
        signet_read_authorizer_parts(r, &out->authorizer);
        signet_read_service_ticket_request(r, &out->want);
        break;
    case SIGNET_GET_ROTATING_KEY:
        break;
    default:
        if (r->err == 0) {
            signet_reader_fail(r, SIGNET_E_VALUE);
        }
    }
}

void signet_write_auth_request(struct signet_writer *w, const struct signet_auth_request *in)
{
    signet_write_u16(w, in->type);
    switch (in->type) {
    case SIGNET_GET_AUTH_SESSION_KEY:
        signet_write_authenticate(w, &in->authenticate);
        break;
    case SIGNET_GET_PRINCIPAL_SESSION_KEY:
        signet_write_authorizer_parts(w, &in->authorizer);
        signet_write_service_ticket_request(w, &in->want);
        break;
    default:
        break;
    }
}
