/* SPDX-License-Identifier: MIT */
/* Wire and text form of a key. Source: keys.md 1.1. */
#include <signet/key.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/secret.h"
#include "crypto/base64.h"
#include "crypto/key_make.h"
#include "crypto/key_state.h"

#define HEADER 12 /* type, created, len */

/* What the wire form says, checked as a whole. */
struct parts {
    enum signet_key_type type;
    struct signet_utime created;
    const uint8_t *secret;
};

/* The failure's offset is in r. */
static int read_parts(struct parts *out, struct signet_reader *r)
{
    uint16_t type = signet_read_u16(r);
    out->created.sec = signet_read_u32(r);
    out->created.nsec = signet_read_u32(r);
    uint16_t len = signet_read_u16(r);
    if (r->err == 0 && len > signet_reader_left(r)) {
        return signet_reader_fail(r, SIGNET_E_LENGTH);
    }
    if (r->err == 0 && len < signet_reader_left(r)) {
        return signet_reader_fail(r, SIGNET_E_KEY_TRAILING);
    }
    if (r->err == 0 && len == 0) {
        return signet_reader_fail(r, SIGNET_E_KEY_EMPTY);
    }
    out->type = (enum signet_key_type)type;
    size_t want = signet_key_type_len(out->type);
    if (r->err == 0 && want == 0) {
        return signet_reader_fail(r, SIGNET_E_KEY_TYPE);
    }
    if (r->err == 0 && len != want) {
        return signet_reader_fail(r, SIGNET_E_KEY_LENGTH);
    }
    out->secret = signet_read_view(r, len).p;
    return r->err;
}

static int decode(struct signet_key **out, const uint8_t *in, size_t in_len,
                  const struct signet_handler *pin, size_t *offset)
{
    *out = NULL;
    struct signet_reader r = signet_reader_init(in, in_len);
    struct parts parts = {.secret = NULL};
    int err = read_parts(&parts, &r);
    *offset = signet_reader_offset(&r);
    return err != 0 ? err : signet_key_make(out, parts.type, parts.secret, parts.created, pin);
}

int signet_key_decode(struct signet_key **out, const uint8_t *in, size_t in_len,
                      const struct signet_handler *pin)
{
    size_t offset;
    return decode(out, in, in_len, pin, &offset);
}

int signet_key_parse(struct signet_key **out, const char *text, size_t len,
                     const struct signet_handler *pin, struct signet_fail *why)
{
    /* Room for a longer key than any known one, so that its own error is found. */
    uint8_t wire[256];
    size_t wire_len, at = 0;
    *out = NULL;
    int err = signet_base64_decode(wire, sizeof(wire), &wire_len, text, len, &at);
    if (err == -SIGNET_E_BASE64) {
        err =
            signet_fail_set(why, err, "key", at, "the text is not base64 at character %zu", at + 1);
    } else if (err != 0) {
        err =
            signet_fail_set(why, -SIGNET_E_KEY_LENGTH, "key", 0, "%zu characters are no key", len);
    } else {
        err = decode(out, wire, wire_len, pin, &at);
        if (err != 0) {
            signet_fail_set(why, err, "CryptoKey", at, "%s", signet_strerror(err));
        }
    }
    signet_wipe(wire, sizeof(wire));
    return err;
}

int signet_key_encode(const struct signet_key *key, uint8_t *out, size_t cap, size_t *out_len)
{
    size_t len = signet_key_type_len(signet_key_type(key));
    *out_len = 0;
    if (cap < HEADER + len) {
        return -SIGNET_E_SPACE;
    }
    struct signet_writer w = signet_writer_init(out, cap);
    signet_write_u16(&w, (uint16_t)key->type);
    signet_write_u32(&w, key->created_sec);
    signet_write_u32(&w, key->created_nsec);
    signet_write_u16(&w, (uint16_t)len);
    signet_write_bytes(&w, key->secret, len);
    *out_len = (size_t)w.len;
    return w.err;
}

int signet_key_print(const struct signet_key *key, char *out, size_t cap)
{
    uint8_t wire[SIGNET_KEY_WIRE_MAX];
    size_t len;
    int err = signet_key_encode(key, wire, sizeof(wire), &len);
    if (err == 0 && cap < (len + 2) / 3 * 4 + 1) {
        err = -SIGNET_E_SPACE;
    }
    if (err == 0) {
        signet_base64_encode(out, wire, len);
    } else if (cap > 0) {
        out[0] = 0;
    }
    signet_wipe(wire, sizeof(wire));
    return err;
}
