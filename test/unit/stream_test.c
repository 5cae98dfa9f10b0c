/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/signet.h>
#include <string.h>

#include "crypto/stream_state.h"

static const uint8_t key[16] = "0123456789abcde";

static struct signet_stream *make(enum signet_direction direction, const char *nonce_hex)
{
    uint8_t nonce[12];
    struct signet_stream *stream;
    unhex_to(nonce, 12, nonce_hex);
    assert_ok(signet_stream_new(&stream, direction, key, nonce, NULL));
    return stream;
}

#define NONCE "a0a1a2a3fcffffffffffffff" /* four operations before the counter wraps */

START_TEST(streams_go_round)
{
    struct signet_stream *tx = make(SIGNET_SEAL, NONCE), *rx = make(SIGNET_OPEN, NONCE);
    uint8_t plain[300], sealed[316], out[300];
    memset(plain, 0x5a, sizeof(plain));
    for (size_t len = 0; len < 300; len += 7) {
        assert_ok(signet_stream_seal(tx, sealed, plain, len));
        if (len % 2 == 0) {
            assert_ok(signet_stream_open(rx, out, sealed, len + 16));
            ck_assert_mem_eq(out, plain, len);
        } else {
            assert_ok(signet_stream_open(rx, sealed, sealed, len + 16));
            ck_assert_mem_eq(sealed, plain, len);
        }
    }
    ck_assert_uint_eq(signet_stream_used(tx), 43);
    ck_assert_uint_eq(signet_stream_used(rx), 43);
    signet_stream_free(tx);
    signet_stream_free(rx);
    signet_stream_free(NULL);
}
END_TEST

START_TEST(nonce_counts_in_its_last_eight_bytes)
{
    struct signet_stream *tx = make(SIGNET_SEAL, NONCE);
    struct signet_stream *wrapped = make(SIGNET_SEAL, "a0a1a2a30100000000000000");
    uint8_t a[36], b[36], plain[20] = {0};
    uint64_t first;
    assert_ok(signet_stream_reserve(tx, &first, 6));
    ck_assert_uint_eq(first, 0);
    assert_ok(signet_stream_seal_at(tx, 5, a, plain, 20));
    assert_ok(signet_stream_seal(wrapped, b, plain, 20));
    ck_assert_mem_eq(a, b, 36);
    signet_stream_free(tx);
    signet_stream_free(wrapped);
}
END_TEST

START_TEST(reserved_numbers_seal_in_any_order)
{
    struct signet_stream *tx = make(SIGNET_SEAL, NONCE), *rx = make(SIGNET_OPEN, NONCE);
    uint8_t sealed[8][24], out[8];
    uint64_t seq;
    assert_ok(signet_stream_reserve(tx, &seq, 3));
    assert_ok(signet_stream_reserve(tx, &seq, 5));
    ck_assert_uint_eq(seq, 3);
    for (uint8_t i = 8; i-- > 0;) {
        uint8_t plain[8];
        memset(plain, i, 8);
        assert_ok(signet_stream_seal_at(tx, i, sealed[i], plain, 8));
    }
    for (uint8_t i = 0; i < 8; i++) {
        assert_ok(signet_stream_open(rx, out, sealed[i], 24));
        ck_assert_uint_eq(out[7], i);
    }
    signet_stream_free(tx);
    signet_stream_free(rx);
}
END_TEST

START_TEST(a_wrong_tag_ends_the_stream)
{
    uint8_t sealed[36], good[36], out[20], plain[20] = {1}, zero[20] = {0};
    struct signet_stream *tx = make(SIGNET_SEAL, NONCE);
    assert_ok(signet_stream_seal(tx, good, plain, 20));
    for (size_t at = 0; at < 36; at++) {
        struct signet_stream *rx = make(SIGNET_OPEN, NONCE);
        memcpy(sealed, good, 36);
        sealed[at] ^= 0x10;
        memset(out, 0xee, 20);
        assert_err(signet_stream_open(rx, out, sealed, 36), OPEN);
        ck_assert_mem_eq(out, zero, 20);
        ck_assert_uint_eq(signet_stream_used(rx), 0);
        assert_err(signet_stream_open(rx, out, good, 36), STATE);
        signet_stream_free(rx);
    }
    signet_stream_free(tx);
}
END_TEST

START_TEST(too_short_for_a_tag)
{
    struct signet_stream *rx = make(SIGNET_OPEN, NONCE);
    uint8_t bytes[16] = {0};
    assert_err(signet_stream_open(rx, bytes, bytes, 15), OPEN);
    signet_stream_free(rx);
}
END_TEST

START_TEST(directions_are_kept_apart)
{
    struct signet_stream *tx = make(SIGNET_SEAL, NONCE), *rx = make(SIGNET_OPEN, NONCE);
    uint8_t bytes[64] = {0};
    uint64_t seq;
    assert_err(signet_stream_open(tx, bytes, bytes, 32), STATE);
    assert_err(signet_stream_seal(rx, bytes, bytes, 32), STATE);
    assert_err(signet_stream_seal_at(rx, 0, bytes, bytes, 32), STATE);
    assert_err(signet_stream_reserve(rx, &seq, 1), STATE);
    signet_stream_free(tx);
    signet_stream_free(rx);
}
END_TEST

START_TEST(nonces_run_out)
{
    struct signet_stream *tx = make(SIGNET_SEAL, NONCE), *rx = make(SIGNET_OPEN, NONCE);
    uint8_t bytes[32] = {0};
    uint64_t seq = 7;
    atomic_store(&tx->used, SIGNET_STREAM_NUMBERS - 3);
    assert_ok(signet_stream_reserve(tx, &seq, 3));
    ck_assert_uint_eq(seq, SIGNET_STREAM_NUMBERS - 3);
    assert_err(signet_stream_seal(tx, bytes, bytes, 16), NONCES_SPENT);
    atomic_store(&rx->used, SIGNET_STREAM_NUMBERS);
    assert_err(signet_stream_open(rx, bytes, bytes, 32), NONCES_SPENT);
    signet_stream_free(tx);
    signet_stream_free(rx);
}
END_TEST

/* However large the request and however often it is made, the counter never comes round. */
START_TEST(a_spent_stream_gives_nothing)
{
    struct signet_stream *tx = make(SIGNET_SEAL, NONCE);
    uint64_t seq = 7;
    atomic_store(&tx->used, SIGNET_STREAM_NUMBERS - 3);
    assert_err(signet_stream_reserve(tx, &seq, 4), NONCES_SPENT);
    for (unsigned i = 0; i < 100; i++) {
        assert_err(signet_stream_reserve(tx, &seq, UINT32_MAX), NONCES_SPENT);
        assert_err(signet_stream_reserve(tx, &seq, 1), NONCES_SPENT);
    }
    ck_assert_uint_eq(seq, 7);
    ck_assert_uint_eq(signet_stream_used(tx), SIGNET_STREAM_NUMBERS);
    signet_stream_free(tx);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("stream");
    TCase *t = suite_case(s, "stream");
    tcase_add_test(t, streams_go_round);
    tcase_add_test(t, nonce_counts_in_its_last_eight_bytes);
    tcase_add_test(t, reserved_numbers_seal_in_any_order);
    tcase_add_test(t, a_wrong_tag_ends_the_stream);
    tcase_add_test(t, too_short_for_a_tag);
    tcase_add_test(t, directions_are_kept_apart);
    tcase_add_test(t, nonces_run_out);
    tcase_add_test(t, a_spent_stream_gives_nothing);
    return suite_run(s);
}
