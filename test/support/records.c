/* SPDX-License-Identifier: MIT */
#include "support/records.h"

#include <stdlib.h>

#include "support/suite.h"

const uint8_t records_key[SIGNET_RECORD_KEY_LEN] = "a key for the records of a log.";

struct signet_record_sealer *records_sealer(enum signet_record_kind kind, uint64_t first)
{
    struct signet_record_sealer *s;
    assert_ok(signet_record_sealer_new(&s, kind, records_key, first, NULL));
    return s;
}

struct signet_record_reader *records_reader(enum signet_record_kind kind, uint64_t first)
{
    struct signet_record_reader *r;
    assert_ok(
        signet_record_reader_new(&r, kind, records_key, first, 1000, SIGNET_RECORD_MAX, NULL));
    return r;
}

size_t records_add(struct signet_record_sealer *sealer, uint8_t *at, size_t cap, size_t len)
{
    uint64_t seq;
    size_t out_len;
    uint8_t *in = malloc(len + 1);
    assert_ok(signet_record_reserve(sealer, &seq, 1));
    for (size_t i = 0; i < len; i++) {
        in[i] = (uint8_t)(seq + 3 * i);
    }
    assert_ok(signet_record_seal_at(sealer, seq, at, cap, &out_len, in, len));
    free(in);
    return out_len;
}

int records_right(const struct signet_record_view *view, size_t len)
{
    int right = view->body.len == len;
    for (size_t i = 0; right && i < len; i++) {
        right = view->body.p[i] == (uint8_t)(view->seq + 3 * i);
    }
    return right;
}
