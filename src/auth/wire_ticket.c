/* SPDX-License-Identifier: MIT */
/* What is inside tickets, and rotating secrets. */
#include "auth/wire.h"

#include "auth/name_wire.h"

enum { NSEC_PER_SEC = 1000000000, CAPS_MAX = SIGNET_TICKET_BLOB_MAX };

void signet_read_service_ticket(struct signet_reader *r, struct signet_service_ticket *out)
{
    signet_read_version(r, 1, 1);
    signet_read_key_view(r, &out->session_key);
    signet_read_utime(r, &out->validity);
    if (r->err == 0 && out->validity.nsec >= NSEC_PER_SEC) {
        signet_reader_fail(r, SIGNET_E_VALUE);
    }
}

void signet_write_service_ticket(struct signet_writer *w, const struct signet_service_ticket *in)
{
    signet_write_u8(w, 1);
    signet_write_key_view(w, &in->session_key);
    signet_write_utime(w, &in->validity);
}

void signet_read_auth_caps(struct signet_reader *r, struct signet_auth_caps *out)
{
    signet_read_version(r, 1, 1);
    out->allow_all = signet_read_u8(r);
    /* the list holds nothing, or one string and nothing behind it */
    struct signet_span list = signet_read_blob(r, CAPS_MAX + 4);
    out->present = list.len > 0;
    out->text = (struct signet_span){.p = NULL, .len = 0};
    if (out->present) {
        struct signet_reader sub = signet_reader_init(list.p, list.len);
        out->text = signet_read_blob(&sub, CAPS_MAX);
        signet_read_sub_done(r, &sub);
    }
}

void signet_write_auth_caps(struct signet_writer *w, const struct signet_auth_caps *in)
{
    signet_write_u8(w, 1);
    signet_write_u8(w, in->allow_all);
    if (!in->present) {
        signet_write_u32(w, 0);
        return;
    }
    if (in->text.len > CAPS_MAX) {
        signet_writer_fail(w, SIGNET_E_LENGTH);
        return;
    }
    signet_write_u32(w, (uint32_t)in->text.len + 4);
    signet_write_blob(w, in->text.p, in->text.len);
}

void signet_read_auth_ticket(struct signet_reader *r, struct signet_auth_ticket *out)
{
    signet_read_version(r, 2, 2);
    signet_read_name(r, &out->name);
    out->global_id = signet_read_u64(r);
    out->auid = signet_read_u64(r);
    signet_read_utime(r, &out->created);
    signet_read_utime(r, &out->expires);
    signet_read_auth_caps(r, &out->caps);
    out->flags = signet_read_u32(r);
}

void signet_write_auth_ticket(struct signet_writer *w, const struct signet_auth_ticket *in)
{
    signet_write_u8(w, 2);
    signet_write_name(w, &in->name);
    signet_write_u64(w, in->global_id);
    signet_write_u64(w, in->auid);
    signet_write_utime(w, &in->created);
    signet_write_utime(w, &in->expires);
    signet_write_auth_caps(w, &in->caps);
    signet_write_u32(w, in->flags);
}

void signet_read_service_ticket_info(struct signet_reader *r,
                                     struct signet_service_ticket_info *out)
{
    signet_read_version(r, 1, 1);
    signet_read_auth_ticket(r, &out->ticket);
    signet_read_key_view(r, &out->session_key);
}

void signet_write_service_ticket_info(struct signet_writer *w,
                                      const struct signet_service_ticket_info *in)
{
    signet_write_u8(w, 1);
    signet_write_auth_ticket(w, &in->ticket);
    signet_write_key_view(w, &in->session_key);
}

void signet_read_expiring_key(struct signet_reader *r, struct signet_expiring_key *out)
{
    signet_read_version(r, 1, 1);
    signet_read_key_view(r, &out->key);
    signet_read_utime(r, &out->expiration);
}

void signet_write_expiring_key(struct signet_writer *w, const struct signet_expiring_key *in)
{
    signet_write_u8(w, 1);
    signet_write_key_view(w, &in->key);
    signet_write_utime(w, &in->expiration);
}

void signet_read_rotating_secrets(struct signet_reader *r, struct signet_rotating_secrets *out)
{
    signet_read_version(r, 1, 1);
    /* an entry is at least an id, a version, a type 1 key and a time */
    out->num = signet_read_count(r, SIGNET_ROTATING_MAX, 8 + 1 + 28 + 8);
    for (uint32_t i = 0; i < out->num; i++) {
        out->entry[i].id = signet_read_u64(r);
        signet_read_expiring_key(r, &out->entry[i].secret);
    }
    out->max_ver = signet_read_u64(r);
}

void signet_write_rotating_secrets(struct signet_writer *w,
                                   const struct signet_rotating_secrets *in)
{
    if (in->num > SIGNET_ROTATING_MAX) {
        signet_writer_fail(w, SIGNET_E_LENGTH);
        return;
    }
    signet_write_u8(w, 1);
    signet_write_u32(w, in->num);
    for (uint32_t i = 0; i < in->num; i++) {
        signet_write_u64(w, in->entry[i].id);
        signet_write_expiring_key(w, &in->entry[i].secret);
    }
    signet_write_u64(w, in->max_ver);
}

void signet_read_connection_secret(struct signet_reader *r, struct signet_connection_secret *out)
{
    out->secret = signet_read_blob(r, SIGNET_SEALED_MAX);
}

void signet_write_connection_secret(struct signet_writer *w,
                                    const struct signet_connection_secret *in)
{
    signet_write_limited(w, in->secret, SIGNET_SEALED_MAX);
}
