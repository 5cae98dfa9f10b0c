/* SPDX-License-Identifier: MIT */
/* Versioned structures: u8 v, u8 compat, u32 length, content. Source: encoding.md 2 (b). */
#ifndef SIGNET_LITE_ENVELOPE_H
#define SIGNET_LITE_ENVELOPE_H

#include "base/cursor.h"

/* Writes the head; the result is for signet_env_end(), which fills in the length. */
static inline size_t signet_env_begin(struct signet_writer *w, uint8_t version, uint8_t compat)
{
    signet_write_u8(w, version);
    signet_write_u8(w, compat);
    return signet_write_hole_u32(w);
}

static inline void signet_env_end(struct signet_writer *w, size_t at)
{
    signet_write_patch_u32(w, at, (uint32_t)(w->len - at - 4));
}

/* A reader of the content, all of which is passed over in r, and its version. A structure that
 * needs a newer reader than `known` is a failure of r; bytes of newer fields are for the caller to
 * leave. */
static inline struct signet_reader signet_env_open(struct signet_reader *r, uint8_t known,
                                                   uint8_t *version)
{
    uint8_t v = signet_read_u8(r), compat = signet_read_u8(r);
    if (r->err == 0 && compat > known) {
        signet_reader_fail(r, SIGNET_E_VERSION);
    }
    uint32_t len = signet_read_u32(r);
    if (r->err == 0 && len > signet_reader_left(r)) {
        signet_reader_fail(r, SIGNET_E_LENGTH);
    }
    *version = v;
    return signet_read_sub(r, len);
}

static inline void signet_write_text(struct signet_writer *w, const char *text)
{
    size_t len = 0;
    while (text[len] != 0) {
        len++;
    }
    signet_write_blob(w, text, len);
}

#endif
