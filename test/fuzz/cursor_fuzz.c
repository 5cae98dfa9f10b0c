/* SPDX-License-Identifier: MIT */
/*
 * Drives a reader by a script that the input itself holds: each step byte picks a call and its
 * argument. Every view must lie inside the input, and a failure must stick.
 */
#include <string.h>

#include "demand.h"
#include "base/cursor.h"

static void check_span(struct signet_span span, const uint8_t *data, size_t size)
{
    demand(span.len <= size);
    demand(span.p == NULL ? span.len == 0 : span.p >= data && span.p + span.len <= data + size);
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < span.len; i++) {
        sum = (uint8_t)(sum + span.p[i]);
    }
}

static void step(struct signet_reader *r, const uint8_t *data, size_t size)
{
    uint8_t op = signet_read_u8(r), out[16];
    uint64_t arg = op >> 4;
    switch (op & 7) {
    case 0:
        (void)signet_read_u16(r);
        break;
    case 1:
        (void)signet_read_be16(r);
        break;
    case 2:
        check_span(signet_read_view(r, signet_read_u64(r) >> (arg * 4)), data, size);
        break;
    case 3:
        check_span(signet_read_blob(r, arg == 15 ? UINT64_MAX : arg * 8), data, size);
        break;
    case 4:
        demand(signet_read_count(r, UINT32_MAX, (size_t)arg) <=
               (arg > 0 ? signet_reader_left(r) / arg : UINT32_MAX));
        break;
    case 5:
        signet_read_bytes(r, out, (size_t)arg);
        break;
    case 6: {
        struct signet_reader sub = signet_read_sub(r, arg);
        demand(signet_reader_left(&sub) <= 15);
        break;
    }
    default:
        (void)signet_read_u32(r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_reader r = signet_reader_init(data, size);
    while (r.err == 0 && signet_reader_left(&r) > 0) {
        size_t before = signet_reader_left(&r);
        step(&r, data, size);
        demand(r.err != 0 || signet_reader_left(&r) < before);
    }
    int err = signet_reader_done(&r);
    demand(signet_reader_left(&r) == 0 && signet_reader_offset(&r) <= size);
    demand(signet_read_u64(&r) == 0 && signet_reader_done(&r) == (err != 0 ? err : r.err));
    return 0;
}
