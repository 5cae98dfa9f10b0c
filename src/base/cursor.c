/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

#include <string.h>

struct signet_reader signet_reader_init(const void *p, size_t len)
{
    static const uint8_t none[1];
    const uint8_t *start = len > 0 ? p : none;
    return (struct signet_reader){.p = start, .end = start + len, .start = start, .err = 0};
}

size_t signet_reader_left(const struct signet_reader *r)
{
    return (size_t)(r->end - r->p);
}

size_t signet_reader_offset(const struct signet_reader *r)
{
    return (size_t)(r->p - r->start);
}

int signet_reader_fail(struct signet_reader *r, enum signet_err err)
{
    if (r->err == 0) {
        r->err = -(int)err;
        r->end = r->p; /* nothing can be read any more; the offset stays */
    }
    return r->err;
}

int signet_reader_done(struct signet_reader *r)
{
    if (r->err == 0 && r->p != r->end) {
        return signet_reader_fail(r, SIGNET_E_TRAILING);
    }
    return r->err;
}

/* The next len bytes, or NULL with the failure set. */
static const uint8_t *take(struct signet_reader *r, uint64_t len)
{
    if (r->err != 0 || len > signet_reader_left(r)) {
        signet_reader_fail(r, SIGNET_E_SHORT);
        return NULL;
    }
    const uint8_t *p = r->p;
    r->p += len;
    return p;
}

uint8_t signet_read_u8(struct signet_reader *r)
{
    const uint8_t *p = take(r, 1);
    return p != NULL ? p[0] : 0;
}

uint16_t signet_read_u16(struct signet_reader *r)
{
    const uint8_t *p = take(r, 2);
    return p != NULL ? (uint16_t)(p[0] | p[1] << 8) : 0;
}

uint16_t signet_read_be16(struct signet_reader *r)
{
    const uint8_t *p = take(r, 2);
    return p != NULL ? (uint16_t)(p[0] << 8 | p[1]) : 0;
}

uint32_t signet_read_u32(struct signet_reader *r)
{
    const uint8_t *p = take(r, 4);
    return p != NULL ? signet_load_u32(p) : 0;
}

uint64_t signet_read_u64(struct signet_reader *r)
{
    const uint8_t *p = take(r, 8);
    return p != NULL ? signet_load_u64(p) : 0;
}

void signet_read_bytes(struct signet_reader *r, void *out, size_t len)
{
    const uint8_t *p = take(r, len);
    if (p == NULL) {
        memset(out, 0, len);
    } else if (len > 0) {
        memcpy(out, p, len);
    }
}

struct signet_span signet_read_view(struct signet_reader *r, uint64_t len)
{
    const uint8_t *p = take(r, len);
    return (struct signet_span){.p = p, .len = p != NULL ? (size_t)len : 0};
}

struct signet_span signet_read_blob(struct signet_reader *r, uint64_t max)
{
    uint32_t len = signet_read_u32(r);
    if (r->err == 0 && (len > max || len > signet_reader_left(r))) {
        signet_reader_fail(r, SIGNET_E_LENGTH);
    }
    return signet_read_view(r, len);
}

uint32_t signet_read_count(struct signet_reader *r, uint32_t max, size_t min_size)
{
    uint32_t num = signet_read_u32(r);
    uint64_t left = signet_reader_left(r);
    if (r->err == 0 && (num > max || (min_size > 0 && num > left / min_size))) {
        signet_reader_fail(r, SIGNET_E_COUNT);
    }
    return r->err == 0 ? num : 0;
}

struct signet_reader signet_read_sub(struct signet_reader *r, uint64_t len)
{
    struct signet_span span = signet_read_view(r, len);
    struct signet_reader sub = signet_reader_init(span.p, span.len);
    sub.err = r->err;
    return sub;
}

struct signet_writer signet_writer_init(void *p, size_t cap)
{
    static uint8_t none[1];
    uint8_t *start = cap > 0 ? p : none;
    return (struct signet_writer){.p = start, .end = start + cap, .start = start};
}

struct signet_writer signet_writer_count(void)
{
    return (struct signet_writer){.start = NULL};
}

int signet_writer_fail(struct signet_writer *w, enum signet_err err)
{
    if (w->err == 0) {
        w->err = -(int)err;
        w->end = w->p;
    }
    return w->err;
}

uint8_t *signet_write_room(struct signet_writer *w, size_t len)
{
    if (w->err != 0) {
        return NULL;
    }
    if (w->start == NULL) {
        w->len += len;
        return NULL;
    }
    if (len > (size_t)(w->end - w->p)) {
        signet_writer_fail(w, SIGNET_E_SPACE);
        return NULL;
    }
    uint8_t *p = w->p;
    w->p += len;
    w->len += len;
    return p;
}

void signet_write_u8(struct signet_writer *w, uint8_t v)
{
    uint8_t *p = signet_write_room(w, 1);
    if (p != NULL) {
        p[0] = v;
    }
}

void signet_write_u16(struct signet_writer *w, uint16_t v)
{
    uint8_t *p = signet_write_room(w, 2);
    if (p != NULL) {
        p[0] = (uint8_t)v;
        p[1] = (uint8_t)(v >> 8);
    }
}

void signet_write_be16(struct signet_writer *w, uint16_t v)
{
    signet_write_u16(w, (uint16_t)(v << 8 | v >> 8));
}

void signet_write_u32(struct signet_writer *w, uint32_t v)
{
    uint8_t *p = signet_write_room(w, 4);
    if (p != NULL) {
        signet_store_u32(p, v);
    }
}

void signet_write_u64(struct signet_writer *w, uint64_t v)
{
    uint8_t *p = signet_write_room(w, 8);
    if (p != NULL) {
        signet_store_u64(p, v);
    }
}

void signet_write_bytes(struct signet_writer *w, const void *p, size_t len)
{
    uint8_t *to = signet_write_room(w, len);
    if (to != NULL && len > 0) {
        memmove(to, p, len);
    }
}

void signet_write_zeros(struct signet_writer *w, size_t len)
{
    uint8_t *to = signet_write_room(w, len);
    if (to != NULL && len > 0) {
        memset(to, 0, len);
    }
}

void signet_write_blob(struct signet_writer *w, const void *p, size_t len)
{
    if (len > UINT32_MAX) {
        signet_writer_fail(w, SIGNET_E_LENGTH);
        return;
    }
    signet_write_u32(w, (uint32_t)len);
    signet_write_bytes(w, p, len);
}

size_t signet_write_hole_u32(struct signet_writer *w)
{
    size_t at = (size_t)w->len;
    signet_write_u32(w, 0);
    return at;
}

void signet_write_patch_u32(struct signet_writer *w, size_t at, uint32_t v)
{
    if (w->err == 0 && w->start != NULL && at + 4 <= w->len) {
        signet_store_u32(w->start + at, v);
    }
}
