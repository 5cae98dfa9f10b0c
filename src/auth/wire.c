/* SPDX-License-Identifier: MIT */
/* Elements that other structures are made of. */
#include "auth/wire.h"

#include "base/fail.h"
#include "base/secret.h"

uint8_t signet_read_version(struct signet_reader *r, uint8_t min, uint8_t max)
{
    uint8_t v = signet_read_u8(r);
    if (r->err == 0 && (v < min || v > max)) {
        signet_reader_fail(r, SIGNET_E_VERSION);
    }
    return v;
}

void signet_write_limited(struct signet_writer *w, struct signet_span span, size_t max)
{
    if (span.len > max) {
        signet_writer_fail(w, SIGNET_E_LENGTH);
        return;
    }
    signet_write_blob(w, span.p, span.len);
}

void signet_read_sub_done(struct signet_reader *r, struct signet_reader *sub)
{
    int err = signet_reader_done(sub);
    if (err != 0) {
        signet_reader_fail(r, (enum signet_err) - err);
    }
}

int signet_wire_report(struct signet_reader *r, struct signet_fail *fail, const char *where)
{
    int err = signet_reader_done(r);
    if (err == 0) {
        return 0;
    }
    size_t at = signet_reader_offset(r);
    return signet_fail_set(fail, err, where, at, "%s (at byte %zu)", signet_strerror(err), at);
}

uint64_t signet_utime_ns(struct signet_utime t)
{
    return (uint64_t)t.sec * 1000000000U + t.nsec;
}

struct signet_utime signet_utime_from_ns(uint64_t ns)
{
    uint64_t sec = ns / 1000000000U;
    if (sec > UINT32_MAX) {
        return (struct signet_utime){.sec = UINT32_MAX, .nsec = 999999999};
    }
    return (struct signet_utime){.sec = (uint32_t)sec, .nsec = (uint32_t)(ns % 1000000000U)};
}

void signet_read_utime(struct signet_reader *r, struct signet_utime *out)
{
    out->sec = signet_read_u32(r);
    out->nsec = signet_read_u32(r);
}

void signet_write_utime(struct signet_writer *w, const struct signet_utime *in)
{
    signet_write_u32(w, in->sec);
    signet_write_u32(w, in->nsec);
}

void signet_read_key_view(struct signet_reader *r, struct signet_key_view *out)
{
    out->type = signet_read_u16(r);
    signet_read_utime(r, &out->created);
    uint16_t len = signet_read_u16(r);
    if (r->err != 0) {
        return;
    }
    if (len > signet_reader_left(r)) {
        signet_reader_fail(r, SIGNET_E_LENGTH);
    } else if (len == 0) {
        signet_reader_fail(r, SIGNET_E_KEY_EMPTY);
    } else if (out->type != SIGNET_KEY_AES && out->type != SIGNET_KEY_AES256K) {
        signet_reader_fail(r, SIGNET_E_KEY_TYPE);
    } else if (len != signet_key_type_len((enum signet_key_type)out->type)) {
        signet_reader_fail(r, SIGNET_E_KEY_LENGTH);
    }
    out->secret = signet_read_view(r, len);
}

void signet_write_key_view(struct signet_writer *w, const struct signet_key_view *in)
{
    if (in->secret.len > SIGNET_KEY_SECRET_MAX) {
        signet_writer_fail(w, SIGNET_E_LENGTH);
        return;
    }
    signet_write_u16(w, in->type);
    signet_write_utime(w, &in->created);
    signet_write_u16(w, (uint16_t)in->secret.len);
    signet_write_bytes(w, in->secret.p, in->secret.len);
}

int signet_key_from_view(struct signet_key **out, const struct signet_key_view *view)
{
    uint8_t buf[SIGNET_KEY_WIRE_MAX];
    size_t len;
    *out = NULL;
    int err = signet_key_view_encode(buf, sizeof(buf), &len, view);
    if (err == 0) {
        err = signet_key_decode(out, buf, len, NULL);
    }
    signet_wipe(buf, sizeof(buf));
    return err;
}

int signet_key_to_view(struct signet_key_view *out, uint8_t buf[SIGNET_KEY_WIRE_MAX],
                       const struct signet_key *key)
{
    size_t len;
    int err = signet_key_encode(key, buf, SIGNET_KEY_WIRE_MAX, &len);
    return err != 0 ? err : signet_key_view_decode(out, buf, len, NULL);
}

void signet_read_server_challenge(struct signet_reader *r, struct signet_server_challenge *out)
{
    signet_read_version(r, 1, 1);
    out->challenge = signet_read_u64(r);
}

void signet_write_server_challenge(struct signet_writer *w,
                                   const struct signet_server_challenge *in)
{
    signet_write_u8(w, 1);
    signet_write_u64(w, in->challenge);
}

void signet_read_response_header(struct signet_reader *r, struct signet_response_header *out)
{
    out->type = signet_read_u16(r);
    out->status = (int32_t)signet_read_u32(r);
}

void signet_write_response_header(struct signet_writer *w, const struct signet_response_header *in)
{
    signet_write_u16(w, in->type);
    signet_write_u32(w, (uint32_t)in->status);
}

void signet_read_ticket_blob(struct signet_reader *r, struct signet_ticket_blob *out)
{
    signet_read_version(r, 1, 1);
    out->secret_id = signet_read_u64(r);
    out->sealed = signet_read_blob(r, SIGNET_TICKET_BLOB_MAX);
}

void signet_write_ticket_blob(struct signet_writer *w, const struct signet_ticket_blob *in)
{
    signet_write_u8(w, 1);
    signet_write_u64(w, in->secret_id);
    signet_write_limited(w, in->sealed, SIGNET_TICKET_BLOB_MAX);
}

void signet_read_wrapped_blob(struct signet_reader *r, struct signet_wrapped_blob *out)
{
    struct signet_span span = signet_read_blob(r, SIGNET_SEALED_MAX);
    struct signet_reader sub = signet_reader_init(span.p, span.len);
    signet_read_ticket_blob(&sub, &out->blob);
    signet_read_sub_done(r, &sub);
}

void signet_write_wrapped_blob(struct signet_writer *w, const struct signet_wrapped_blob *in)
{
    size_t at = signet_write_hole_u32(w);
    signet_write_ticket_blob(w, &in->blob);
    signet_write_patch_u32(w, at, (uint32_t)(w->len - at - 4));
}
