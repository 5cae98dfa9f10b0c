/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/signet.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/envelope.h"
#include "crypto/kdf.h"
#include "crypto/type1.h"
#include "crypto/type1_key.h"
#include "crypto/type2.h"

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

static struct signet_key *key_of_hex(enum signet_key_type type, const char *hex)
{
    uint8_t secret[32];
    struct signet_key *key;
    unhex_to(secret, signet_key_type_len(type), hex);
    assert_ok(signet_key_import(&key, type, secret, signet_key_type_len(type), 0, NULL));
    return key;
}

START_TEST(bare_cbc)
{
    struct signet_key *key = counting_key(SIGNET_KEY_AES);
    uint8_t buf[32];
    unhex_to(buf, 16, "00112233445566778899aabbccddeeff");
    assert_ok(signet_type1_key_seal(key, buf, 16));
    assert_hex(buf, 32, "b38f5bc9354cf8c61315666f37d7793a11907be9d83c3570587b979b03d2a501");
    assert_ok(signet_type1_key_seal(key, buf, 0));
    assert_hex(buf, 16, "7ee5cf4e557c533d502404fc3b64d7e9");
    signet_key_unref(key);
    key = counting_key(SIGNET_KEY_AES256K);
    assert_err(signet_type1_key_seal(key, buf, 16), KEY_TYPE);
    signet_key_unref(key);
}
END_TEST

static const struct {
    size_t len;
    const char *confounder, *out;
} rfc8009[] = {
    {0, "f764e9fa15c276478b2c7d0c4e5f58e4",
     "41f53fa5bfe7026d91faf9be959195a058707273a96a40f0a01960621ac612748b9bbfbe7eb4ce3c"},
    {6, "b80d3251c1f6471494256ffe712d0b9a",
     "4ed7b37c2bcac8f74f23c1cf07e62bc7b75fb3f637b9f559c7f664f69eab7b6092237526ea0d1f61cb20d69d10f"
     "2"},
    {16, "53bf8a0d105265d4e276428624ce5e63",
     "bc47ffec7998eb91e8115cf8d19dac4bbbe2e163e87dd37f49beca92027764f68cf51f14d798c2273f35df574d1f"
     "932e40c4ff255b36a266"},
    {21, "763e65367e864f02f55153c7e3b58af1",
     "40013e2df58e8751957d2878bcd2d6fe101ccfd556cb1eae79db3c3ee86429f2b2a602ac86fef6ecb647d6295fae"
     "077a1feb517508d2c16b4192e01f62"},
};

struct pair {
    struct signet_engine *cbc, *open, *mac;
};

static struct pair rfc_engines(void)
{
    const struct signet_handler *h = signet_handler_current();
    uint8_t secret[32], ke[32], ki[24];
    unhex_to(secret, 32, "6d404d37faf79f9df0d33568d320669800eb4836472ea8a026d16b7182460c52");
    assert_ok(signet_kdf(h, ke, ki, secret, 2));
    struct pair p;
    assert_ok(signet_engine_new(&p.cbc, h, SIGNET_ALG_CBC256_SEAL, ke, 32));
    assert_ok(signet_engine_new(&p.open, h, SIGNET_ALG_CBC256_OPEN, ke, 32));
    assert_ok(signet_engine_new(&p.mac, h, SIGNET_ALG_HMAC_SHA384, ki, 24));
    return p;
}

START_TEST(rfc_8009)
{
    struct pair p = rfc_engines();
    uint8_t buf[128], out[128];
    size_t len = 16 + rfc8009[_i].len;
    unhex_to(buf, 16, rfc8009[_i].confounder);
    for (uint8_t i = 0; i < rfc8009[_i].len; i++) {
        buf[16 + i] = i;
    }
    uint8_t plain[64];
    memcpy(plain, buf, len);
    assert_ok(signet_type2_seal(p.cbc, p.mac, buf, len));
    assert_hex(buf, len + 24, rfc8009[_i].out);
    assert_ok(signet_type2_open(p.open, p.mac, out, buf, len + 24));
    ck_assert_mem_eq(out, plain, len);
    assert_err(signet_type2_open(p.open, p.mac, out, buf, 39), OPEN);
    buf[len] ^= 1;
    assert_err(signet_type2_open(p.open, p.mac, out, buf, len + 24), OPEN);
    signet_engine_free(p.cbc);
    signet_engine_free(p.open);
    signet_engine_free(p.mac);
}
END_TEST

START_TEST(envelope_of_an_authorizer)
{
    static const char plain_hex[] = "020807060504030201018977665544332211";
    uint8_t plain[18], confounder[16], out[128];
    size_t len;
    unhex_to(plain, 18, plain_hex);
    unhex_to(confounder, 16, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    struct signet_key *key = counting_key(SIGNET_KEY_AES256K);
    assert_ok(signet_envelope_seal_with(key, SIGNET_USAGE_AUTHORIZE, confounder, out, sizeof(out),
                                        &len, plain, 18));
    assert_hex(out, len,
               "b04813e1de6b4a4ef679c63b734397ec2c98ead03f7f49673b0e9c9068190f01896afbbc79c1ff2b83"
               "b27b6d919ddbd6a250e6a38a9ca3e0ce329b560ce698c47b3ebf");
    signet_key_unref(key);
    key = counting_key(SIGNET_KEY_AES);
    assert_ok(signet_envelope_seal(key, SIGNET_USAGE_AUTHORIZE, out, sizeof(out), &len, plain, 18));
    assert_hex(out, len, "867fbb5b689f99b0850f6ee0a15e44921a13ac173dfbc79d09dc15b96c4b0430");
    signet_key_unref(key);
}
END_TEST

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

/* Tuples recorded from real Ceph 20. */
START_TEST(recorded_by_ceph)
{
    json_t *all = kat_json("ceph20_envelopes.json"), *row;
    size_t i;
    ck_assert_uint_ge(json_array_size(all), 30);
    json_array_foreach(all, i, row)
    {
        json_int_t type, usage;
        const char *secret, *confounder, *plain_hex, *sealed_hex;
        ck_assert_int_eq(json_unpack(row, "{s:I,s:s,s:I,s:s,s:s,s:s}", "key_type", &type, "secret",
                                     &secret, "usage", &usage, "confounder", &confounder,
                                     "plaintext", &plain_hex, "ciphertext", &sealed_hex),
                         0);
        struct signet_key *key = key_of_hex((enum signet_key_type)type, secret);
        size_t plain_len, sealed_len, len, conf_len;
        uint8_t *plain = unhex(plain_hex, &plain_len), *sealed = unhex(sealed_hex, &sealed_len);
        uint8_t *conf = unhex(confounder, &conf_len), *out = malloc(sealed_len);
        assert_ok(signet_envelope_open(key, (enum signet_usage)usage, out, sealed_len, &len, sealed,
                                       sealed_len));
        ck_assert_uint_eq(len + 9, plain_len);
        ck_assert_mem_eq(out, plain + 9, len);
        assert_ok(signet_envelope_seal_with(key, (enum signet_usage)usage, conf, out, sealed_len,
                                            &len, plain + 9, plain_len - 9));
        ck_assert_uint_eq(len, sealed_len);
        ck_assert_mem_eq(out, sealed, len);
        free(plain);
        free(sealed);
        free(conf);
        free(out);
        signet_key_unref(key);
    }
    json_decref(all);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("envelope");
    TCase *t = suite_case(s, "known answers");
    tcase_add_test(t, bare_cbc);
    tcase_add_loop_test(t, rfc_8009, 0, 4);
    tcase_add_test(t, envelope_of_an_authorizer);
    tcase_add_test(t, recorded_by_ceph);
    t = suite_case(s, "round trips");
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
