/* SPDX-License-Identifier: MIT */
/* Known answers: the type 1 cipher, RFC 8009, envelopes of the specification and of real Ceph. */
#include "support/suite.h"

#include <signet/signet.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/envelope.h"
#include "crypto/kdf.h"
#include "crypto/type1.h"
#include "crypto/type1_key.h"
#include "crypto/type2.h"

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
    Suite *s = suite_create("envelope_kat");
    TCase *t = suite_case(s, "known answers");
    tcase_add_test(t, bare_cbc);
    tcase_add_loop_test(t, rfc_8009, 0, 4);
    tcase_add_test(t, envelope_of_an_authorizer);
    tcase_add_test(t, recorded_by_ceph);
    return suite_run(s);
}
