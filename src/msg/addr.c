/* SPDX-License-Identifier: MIT */
/* entity_addr_t and entity_addrvec_t on the wire. Source: encoding.md 4. */
#include "msg/addr_wire.h"

#include <string.h>

enum { MARK_LEGACY = 0, MARK_NEW = 1, MARK_VECTOR = 2 };
enum { SOCKADDR_MAX = 28, IPV4_LEN = 16, IPV6_LEN = 28, STORAGE_LEN = 128 };

static uint32_t load_be32(struct signet_reader *r)
{
    uint32_t high = signet_read_be16(r);
    return high << 16 | signet_read_be16(r);
}

static void store_be32(struct signet_writer *w, uint32_t v)
{
    signet_write_be16(w, (uint16_t)(v >> 16));
    signet_write_be16(w, (uint16_t)v);
}

/* What follows the family, without the zeros behind it. */
static void write_socket(struct signet_writer *w, const struct signet_addr *addr)
{
    if (addr->family == SIGNET_FAMILY_IPV4) {
        signet_write_be16(w, addr->port);
        signet_write_bytes(w, addr->ip, 4);
    } else if (addr->family == SIGNET_FAMILY_IPV6) {
        signet_write_be16(w, addr->port);
        store_be32(w, addr->flowinfo);
        signet_write_bytes(w, addr->ip, 16);
        signet_write_u32(w, addr->scope_id);
    }
}

/* len: of the whole socket address, the family included. */
static void read_socket(struct signet_reader *r, struct signet_addr *out, size_t len)
{
    if (out->family == SIGNET_FAMILY_IPV4 && len >= IPV4_LEN) {
        out->port = signet_read_be16(r);
        signet_read_bytes(r, out->ip, 4);
    } else if (out->family == SIGNET_FAMILY_IPV6 && len >= IPV6_LEN) {
        out->port = signet_read_be16(r);
        out->flowinfo = load_be32(r);
        signet_read_bytes(r, out->ip, 16);
        out->scope_id = signet_read_u32(r);
    } else if (out->family == SIGNET_FAMILY_IPV4 || out->family == SIGNET_FAMILY_IPV6) {
        signet_reader_fail(r, SIGNET_E_LENGTH);
    } else if (out->family != SIGNET_FAMILY_NONE) {
        signet_reader_fail(r, SIGNET_E_VALUE);
    }
}

void signet_addr_write(struct signet_writer *w, const struct signet_addr *addr)
{
    uint32_t elen = addr->family == SIGNET_FAMILY_IPV4 ? IPV4_LEN : IPV6_LEN;
    signet_write_u8(w, MARK_NEW);
    signet_write_u8(w, 1); /* version */
    signet_write_u8(w, 1); /* compat */
    signet_write_u32(w, 12 + elen);
    signet_write_u32(w, addr->type);
    signet_write_u32(w, addr->nonce);
    signet_write_u32(w, elen);
    uint64_t start = w->len;
    signet_write_u16(w, addr->family);
    write_socket(w, addr);
    if (w->err == 0) {
        signet_write_zeros(w, elen - (size_t)(w->len - start));
    }
}

static void read_new(struct signet_reader *r, struct signet_addr *out)
{
    uint8_t v = signet_read_u8(r);
    uint8_t compat = signet_read_u8(r);
    if (r->err == 0 && (v == 0 || compat > 1)) {
        signet_reader_fail(r, SIGNET_E_VERSION);
    }
    uint32_t len = signet_read_u32(r);
    if (r->err == 0 && len > signet_reader_left(r)) {
        signet_reader_fail(r, SIGNET_E_LENGTH);
    }
    struct signet_reader body = signet_read_sub(r, len);
    out->type = signet_read_u32(&body);
    out->nonce = signet_read_u32(&body);
    uint32_t elen = signet_read_u32(&body);
    if (body.err == 0 && out->type > SIGNET_ADDR_CIDR) {
        signet_reader_fail(&body, SIGNET_E_VALUE);
    }
    if (body.err == 0 && (elen == 1 || elen > SOCKADDR_MAX || elen > signet_reader_left(&body))) {
        signet_reader_fail(&body, SIGNET_E_LENGTH);
    }
    if (elen > 0) {
        out->family = signet_read_u16(&body);
        read_socket(&body, out, elen);
    }
    if (body.err != 0) { /* what follows the known fields in the envelope is skipped */
        signet_reader_fail(r, (enum signet_err) - body.err);
    }
}

static void read_legacy(struct signet_reader *r, struct signet_addr *out)
{
    signet_read_view(r, 3);
    out->type = SIGNET_ADDR_LEGACY;
    out->nonce = signet_read_u32(r);
    struct signet_reader storage = signet_read_sub(r, STORAGE_LEN);
    out->family = signet_read_be16(&storage);
    read_socket(&storage, out, STORAGE_LEN);
    if (storage.err != 0) {
        signet_reader_fail(r, (enum signet_err) - storage.err);
    }
}

static void read_marked(struct signet_reader *r, struct signet_addr *out, uint8_t mark)
{
    memset(out, 0, sizeof(*out));
    if (r->err == 0 && mark == MARK_NEW) {
        read_new(r, out);
    } else if (r->err == 0 && mark == MARK_LEGACY) {
        read_legacy(r, out);
    } else {
        signet_reader_fail(r, SIGNET_E_VALUE);
    }
    if (r->err != 0) {
        memset(out, 0, sizeof(*out));
    }
}

void signet_addr_read(struct signet_reader *r, struct signet_addr *out)
{
    uint8_t mark = signet_read_u8(r);
    read_marked(r, out, mark);
}

void signet_addrvec_write(struct signet_writer *w, const struct signet_addrvec *vec)
{
    if (vec->num > SIGNET_ADDRVEC_MAX) {
        signet_writer_fail(w, SIGNET_E_COUNT);
        return;
    }
    signet_write_u8(w, MARK_VECTOR);
    signet_write_u32(w, vec->num);
    for (uint32_t i = 0; i < vec->num; i++) {
        signet_addr_write(w, &vec->addr[i]);
    }
}

void signet_addrvec_read(struct signet_reader *r, struct signet_addrvec *out)
{
    out->num = 0;
    uint8_t mark = signet_read_u8(r);
    if (r->err != 0 || mark != MARK_VECTOR) {
        read_marked(r, &out->addr[0], mark);
        out->num = r->err == 0 ? 1 : 0;
        return;
    }
    uint32_t num = signet_read_count(r, SIGNET_ADDRVEC_MAX, 7);
    for (uint32_t i = 0; i < num && r->err == 0; i++) {
        signet_addr_read(r, &out->addr[i]);
    }
    out->num = r->err == 0 ? num : 0;
}

static int finish_write(const struct signet_writer *w, size_t *out_len)
{
    *out_len = w->err == 0 ? (size_t)w->len : 0;
    return w->err;
}

int signet_addr_encode(const struct signet_addr *addr, uint8_t *out, size_t cap, size_t *out_len)
{
    struct signet_writer w = signet_writer_init(out, cap);
    signet_addr_write(&w, addr);
    return finish_write(&w, out_len);
}

int signet_addrvec_encode(const struct signet_addrvec *vec, uint8_t *out, size_t cap,
                          size_t *out_len)
{
    struct signet_writer w = signet_writer_init(out, cap);
    signet_addrvec_write(&w, vec);
    return finish_write(&w, out_len);
}

int signet_addr_decode(struct signet_addr *out, const uint8_t *in, size_t in_len, size_t *used)
{
    struct signet_reader r = signet_reader_init(in, in_len);
    signet_addr_read(&r, out);
    *used = r.err == 0 ? signet_reader_offset(&r) : 0;
    return r.err;
}

int signet_addrvec_decode(struct signet_addrvec *out, const uint8_t *in, size_t in_len,
                          size_t *used)
{
    struct signet_reader r = signet_reader_init(in, in_len);
    signet_addrvec_read(&r, out);
    *used = r.err == 0 ? signet_reader_offset(&r) : 0;
    return r.err;
}

void signet_addr_encode_legacy(const struct signet_addr *addr, uint8_t out[SIGNET_ADDR_LEGACY_LEN])
{
    struct signet_writer w = signet_writer_init(out, SIGNET_ADDR_LEGACY_LEN);
    signet_write_u32(&w, 0);
    signet_write_u32(&w, addr->nonce);
    signet_write_be16(&w, addr->family);
    write_socket(&w, addr);
    signet_write_zeros(&w, SIGNET_ADDR_LEGACY_LEN - (size_t)w.len);
}
