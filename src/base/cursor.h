/* SPDX-License-Identifier: MIT */
/*
 * Byte cursors: the only code that reads or writes wire integers. Both have a
 * sticky failure: after the first one every read gives zeros and every write does
 * nothing, and the first cause stays. Check err once at the end.
 * All integers are little endian on the wire. Source: encoding.md 1.
 */
#ifndef SIGNET_BASE_CURSOR_H
#define SIGNET_BASE_CURSOR_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <signet/error.h>
#include <signet/span.h>

struct signet_reader {
    const uint8_t *p, *end, *start;
    int err; /* 0 or -SIGNET_E_x of the first failure */
};

struct signet_writer {
    uint8_t *p, *end, *start; /* start == NULL: only counts (for lengths) */
    uint64_t len;             /* bytes written or, when counting, that would be */
    int err;
};

struct signet_reader signet_reader_init(const void *p, size_t len);
uint8_t signet_read_u8(struct signet_reader *r);
uint16_t signet_read_u16(struct signet_reader *r);
uint32_t signet_read_u32(struct signet_reader *r);
uint64_t signet_read_u64(struct signet_reader *r);
/* Big endian u16: ports and the family of legacy addresses. */
uint16_t signet_read_be16(struct signet_reader *r);
void signet_read_bytes(struct signet_reader *r, void *out, size_t len);
/* A view of the next len bytes; {NULL, 0} on failure. */
struct signet_span signet_read_view(struct signet_reader *r, uint64_t len);
/* u32 length, then a view of that many bytes; more than max or than is left: LENGTH. */
struct signet_span signet_read_blob(struct signet_reader *r, uint64_t max);
/* u32 count; fails with COUNT when count > max or count * min_size exceeds the rest. */
uint32_t signet_read_count(struct signet_reader *r, uint32_t max, size_t min_size);
/* A reader over the next len bytes, which are consumed here. Carries r's error if any. */
struct signet_reader signet_read_sub(struct signet_reader *r, uint64_t len);
size_t signet_reader_left(const struct signet_reader *r);
size_t signet_reader_offset(const struct signet_reader *r);
/* Sets the failure unless one is set already; returns the one in force. */
int signet_reader_fail(struct signet_reader *r, enum signet_err err);
/* The error in force, or -SIGNET_E_TRAILING when bytes are left. */
int signet_reader_done(struct signet_reader *r);

struct signet_writer signet_writer_init(void *p, size_t cap);
/* A writer that only counts. */
struct signet_writer signet_writer_count(void);
void signet_write_u8(struct signet_writer *w, uint8_t v);
void signet_write_u16(struct signet_writer *w, uint16_t v);
void signet_write_u32(struct signet_writer *w, uint32_t v);
void signet_write_u64(struct signet_writer *w, uint64_t v);
void signet_write_be16(struct signet_writer *w, uint16_t v);
void signet_write_bytes(struct signet_writer *w, const void *p, size_t len);
void signet_write_zeros(struct signet_writer *w, size_t len);
/* u32 length, then the bytes. */
void signet_write_blob(struct signet_writer *w, const void *p, size_t len);
/* Room for a u32 to be known later: returns its position for signet_write_patch_u32. */
size_t signet_write_hole_u32(struct signet_writer *w);
void signet_write_patch_u32(struct signet_writer *w, size_t at, uint32_t v);
/* The next len bytes to be filled by the caller (e.g. sealed in place), or NULL. */
uint8_t *signet_write_room(struct signet_writer *w, size_t len);
int signet_writer_fail(struct signet_writer *w, enum signet_err err);

/* Loads and stores for code that has checked the bounds itself. Each is one move. */
static inline uint32_t signet_load_u32(const uint8_t p[4])
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return le32toh(v);
}

static inline uint64_t signet_load_u64(const uint8_t p[8])
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return le64toh(v);
}

static inline void signet_store_u32(uint8_t p[4], uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, sizeof(v));
}

static inline void signet_store_be32(uint8_t p[4], uint32_t v)
{
    v = htobe32(v);
    memcpy(p, &v, sizeof(v));
}

static inline void signet_store_u64(uint8_t p[8], uint64_t v)
{
    v = htole64(v);
    memcpy(p, &v, sizeof(v));
}

/* 16 bytes, low half first, in one store where the machine has one. */
static inline void signet_store_pair(uint8_t p[16], uint64_t low, uint64_t high)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));
    *(pair *)p = (pair){low, high};
#else
    signet_store_u64(p, low);
    signet_store_u64(p + 8, high);
#endif
}

#endif
