/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/signet.h>
#include <string.h>

#include "crypto/key_state.h"
#include "crypto/type1.h"
#include "crypto/type1_key.h"

static const enum signet_usage usages[SIGNET_USAGES] = {
    SIGNET_USAGE_NONE,
    SIGNET_USAGE_CONNECTION_SECRET,
    SIGNET_USAGE_TICKET_SESSION_KEY,
    SIGNET_USAGE_TICKET_BLOB,
    SIGNET_USAGE_AUTHORIZE,
    SIGNET_USAGE_AUTHORIZE_CHALLENGE,
    SIGNET_USAGE_AUTHORIZE_REPLY,
    SIGNET_USAGE_ROTATING_SECRET,
    SIGNET_USAGE_TICKET_INFO,
};

/* secret 00 01 02 .. */
static struct signet_key *counting_key(enum signet_key_type type)
{
    uint8_t secret[32];
    for (uint8_t i = 0; i < 32; i++) {
        secret[i] = i;
    }
    struct signet_key *key;
    assert_ok(signet_key_import(&key, type, secret, signet_key_type_len(type), 0, NULL));
    return key;
}

static const enum signet_key_type types[] = {SIGNET_KEY_AES, SIGNET_KEY_AES256K};

/* Type 1 gives what its bare cipher gives for the header and the structure. */
static void assert_bare(const struct signet_key *key, const uint8_t *sealed, const uint8_t *plain,
                        size_t len)
{
    static const uint8_t header[9] = {1, 0x55, 0xaa, 0x26, 0x88, 0xad, 0x9c, 0x00, 0xff};
    uint8_t want[300];
    memcpy(want, header, 9);
    memcpy(want + 9, plain, len);
    assert_ok(signet_type1_key_seal(key, want, len + 9));
    ck_assert_mem_eq(sealed, want, signet_type1_len(len + 9));
}

/* Every length over several blocks, out of place and in place, with overlap either way. */
START_TEST(all_lengths_go_round)
{
    struct signet_key *key = counting_key(types[_i]);
    for (size_t len = 0; len < 200; len++) {
        uint8_t plain[200], sealed[600], moved[600];
        for (size_t i = 0; i < sizeof(plain); i++) {
            plain[i] = (uint8_t)(i * 5 + len);
        }
        size_t sealed_len, want = signet_envelope_len(key, len), got;
        memset(sealed, 0xee, sizeof(sealed));
        assert_ok(signet_envelope_seal(key, 0x30, sealed, want, &sealed_len, plain, len));
        ck_assert_uint_eq(sealed_len, want);
        ck_assert_uint_eq(sealed[want], 0xee);
        if (types[_i] == SIGNET_KEY_AES) {
            assert_bare(key, sealed, plain, len);
        }
        assert_ok(signet_envelope_open(key, 0x30, moved, want, &got, sealed, want));
        ck_assert_uint_eq(got, len);
        ck_assert_mem_eq(moved, plain, len);
        assert_ok(signet_envelope_open(key, 0x30, sealed, sealed_len, &got, sealed, sealed_len));
        ck_assert_mem_eq(sealed, plain, len);
        for (size_t at = 0; at < 300; at += 13) {
            memset(moved, 0xee, sizeof(moved));
            memcpy(moved + at, plain, len);
            assert_ok(signet_envelope_seal(key, 0x30, moved + 32, want, &got, moved + at, len));
            ck_assert(moved[32 + want] == 0xee || at + len > 32 + want);
            assert_ok(signet_envelope_open(key, 0x30, sealed, want, &got, moved + 32, want));
            ck_assert_uint_eq(got, len);
            ck_assert_mem_eq(sealed, plain, len);
        }
    }
    signet_key_unref(key);
}
END_TEST

static bool all_zero(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (p[i] != 0) {
            return false;
        }
    }
    return true;
}

START_TEST(no_changed_bit_of_type_2_opens)
{
    struct signet_key *key = counting_key(SIGNET_KEY_AES256K);
    uint8_t sealed[128], out[128];
    size_t len, got;
    assert_ok(signet_envelope_seal(key, 0x30, sealed, sizeof(sealed), &len,
                                   (const uint8_t *)"0123456789", 10));
    for (size_t bit = 0; bit < len * 8; bit++) {
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        got = 5;
        assert_err(signet_envelope_open(key, 0x30, out, sizeof(out), &got, sealed, len), OPEN);
        ck_assert_uint_eq(got, 0);
        ck_assert(all_zero(out, len));
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    signet_key_unref(key);
}
END_TEST

/* A type 1 ciphertext of any blocks: what a holder of the key could make. */
static size_t seal_raw(const struct signet_key *key, uint8_t *out, const uint8_t *blocks,
                       size_t len)
{
    memcpy(out, blocks, len);
    assert_ok(signet_type1_key_seal(key, out, len));
    return len; /* without the padding block */
}

START_TEST(all_failures_of_type_1_look_alike)
{
    struct signet_key *key = counting_key(SIGNET_KEY_AES);
    uint8_t plain[48] = {1, 0x55, 0xaa, 0x26, 0x88, 0xad, 0x9c, 0x00, 0xff}, sealed[64], out[64];
    for (unsigned pad = 0; pad < 256; pad++) {
        memset(plain + 9, (int)pad, sizeof(plain) - 9);
        size_t got = 9, len = seal_raw(key, sealed, plain, 48);
        int err = signet_envelope_open(key, 0, out, sizeof(out), &got, sealed, len);
        ck_assert_int_eq(err, pad >= 1 && pad <= 16 ? 0 : -SIGNET_E_OPEN);
        ck_assert_uint_eq(got, err == 0 ? 48 - 9 - pad : 0);
        ck_assert(err == 0 || all_zero(out, len));
        for (unsigned i = 1; i <= 16 && i <= pad && pad <= 16; i++) {
            plain[48 - i] ^= 0x40; /* one byte of the padding */
            len = seal_raw(key, sealed, plain, 48);
            err = signet_envelope_open(key, 0, out, sizeof(out), &got, sealed, len);
            ck_assert_int_eq(err, -SIGNET_E_OPEN);
            ck_assert(all_zero(out, len));
            plain[48 - i] ^= 0x40;
        }
    }
    memset(plain + 9, 4, 39);
    for (unsigned i = 1; i < 9; i++) {
        plain[i] ^= 1; /* the magic */
        size_t got, len = seal_raw(key, sealed, plain, 48);
        assert_err(signet_envelope_open(key, 0, out, sizeof(out), &got, sealed, len), OPEN);
        plain[i] ^= 1;
    }
    signet_key_unref(key);
}
END_TEST

/* Against the plain definition, for every value of the last byte and each wrong byte. */
START_TEST(padding_is_checked_whole)
{
    for (unsigned pad = 0; pad < 256; pad++) {
        for (unsigned bad = 0; bad <= 16; bad++) {
            uint8_t block[32];
            memset(block, (int)pad, sizeof(block));
            block[15] ^= 0x80; /* outside of the last block */
            if (bad > 0) {
                block[32 - bad] ^= bad == 1 ? 0x20 : 0x01;
            }
            uint32_t last = block[31], want = last >= 1 && last <= 16 ? last : 0;
            for (uint32_t i = 1; i <= want; i++) {
                want = block[32 - i] == last ? want : 0;
            }
            ck_assert_uint_eq(signet_type1_padding(block, sizeof(block)), want);
        }
    }
}
END_TEST

START_TEST(padding_may_not_eat_the_header)
{
    struct signet_key *key = counting_key(SIGNET_KEY_AES);
    uint8_t sealed[32], out[32], plain[16];
    size_t got;
    for (uint8_t pad = 1; pad <= 16; pad++) {
        memset(plain, pad, 16);
        if (pad < 8) {
            unhex_to(plain, 9, "0155aa2688ad9c00ff");
        }
        seal_raw(key, sealed, plain, 16);
        int err = signet_envelope_open(key, 0, out, sizeof(out), &got, sealed, 16);
        ck_assert_int_eq(err, pad < 8 ? 0 : -SIGNET_E_OPEN);
    }
    signet_key_unref(key);
}
END_TEST

START_TEST(bad_lengths_do_not_open)
{
    struct signet_key *key = counting_key(types[_i]);
    uint8_t sealed[128] = {0}, out[128];
    size_t len, got;
    assert_ok(signet_envelope_seal(key, 0, sealed, sizeof(sealed), &len, sealed, 40));
    for (size_t cut = 0; cut < sizeof(sealed); cut++) {
        if (cut != len) {
            assert_err(signet_envelope_open(key, 0, out, sizeof(out), &got, sealed, cut), OPEN);
            ck_assert_uint_eq(got, 0);
        }
    }
    signet_key_unref(key);
}
END_TEST

START_TEST(usages_are_kept_apart)
{
    struct signet_key *key = counting_key(SIGNET_KEY_AES256K);
    uint8_t sealed[64], out[64];
    size_t len, got;
    for (size_t i = 0; i < SIGNET_USAGES; i++) {
        assert_ok(signet_envelope_seal(key, usages[i], sealed, sizeof(sealed), &len, out, 0));
        for (size_t k = 0; k < SIGNET_USAGES; k++) {
            int err = signet_envelope_open(key, usages[k], out, sizeof(out), &got, sealed, len);
            ck_assert_int_eq(err, i == k ? 0 : -SIGNET_E_OPEN);
        }
    }
    signet_key_unref(key);
}
END_TEST

START_TEST(unknown_usages_and_small_buffers)
{
    struct signet_key *key = counting_key(types[_i]);
    uint8_t buf[128] = {0};
    size_t len = 3;
    enum signet_usage odd = (enum signet_usage)0x31;
    assert_err(signet_envelope_seal(key, odd, buf, sizeof(buf), &len, buf, 4), USAGE);
    ck_assert_uint_eq(len, 0);
    assert_err(signet_envelope_open(key, odd, buf, sizeof(buf), &len, buf, 64), USAGE);
    assert_err(signet_key_prepare(key, odd), USAGE);
    size_t want = signet_envelope_len(key, 4);
    assert_err(signet_envelope_seal(key, 0, buf, want - 1, &len, buf, 4), SPACE);
    assert_err(signet_envelope_open(key, 0, buf, 63, &len, buf, 64), SPACE);
    ck_assert_uint_eq(len, 0);
    assert_err(signet_envelope_seal(key, 0, buf, sizeof(buf), &len, buf, UINT32_MAX), SPACE);
    ck_assert_uint_eq(signet_envelope_len(key, UINT32_MAX), 0);
    ck_assert_uint_eq(signet_envelope_len(key, SIZE_MAX), 0);
    ck_assert_uint_eq(signet_envelope_len(key, 100), _i == 0 ? 112 : 149);
    signet_key_unref(key);
}
END_TEST

START_TEST(prepared_keys_work)
{
    struct signet_key *key = counting_key(types[_i]);
    uint8_t buf[128] = {7};
    size_t len;
    for (size_t i = 0; i < SIGNET_USAGES; i++) {
        assert_ok(signet_key_prepare(key, usages[i]));
        assert_ok(signet_envelope_seal(key, usages[i], buf, sizeof(buf), &len, buf, 1));
        assert_ok(signet_envelope_open(key, usages[i], buf, sizeof(buf), &len, buf, len));
        ck_assert_uint_eq(buf[0], 7);
    }
    signet_key_unref(key);
}
END_TEST

START_TEST(confounders_differ)
{
    struct signet_key *key = counting_key(SIGNET_KEY_AES256K);
    static uint8_t seen[200][64];
    size_t len;
    for (int i = 0; i < 200; i++) {
        assert_ok(signet_envelope_seal(key, 0, seen[i], 64, &len, seen[i], 0));
        for (int k = 0; k < i; k++) {
            ck_assert(memcmp(seen[i], seen[k], len) != 0);
        }
    }
    signet_key_unref(key);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("envelope");
    TCase *t = suite_case(s, "round trips");
    tcase_add_loop_test(t, all_lengths_go_round, 0, 2);
    tcase_add_loop_test(t, prepared_keys_work, 0, 2);
    tcase_add_test(t, confounders_differ);
    t = suite_case(s, "refusals");
    tcase_add_test(t, no_changed_bit_of_type_2_opens);
    tcase_add_test(t, all_failures_of_type_1_look_alike);
    tcase_add_test(t, padding_is_checked_whole);
    tcase_add_test(t, padding_may_not_eat_the_header);
    tcase_add_loop_test(t, bad_lengths_do_not_open, 0, 2);
    tcase_add_test(t, usages_are_kept_apart);
    tcase_add_loop_test(t, unknown_usages_and_small_buffers, 0, 2);
    return suite_run(s);
}
