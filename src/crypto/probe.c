/* SPDX-License-Identifier: MIT */
/* Sources of the answers: NIST SP 800-38A F.1, F.2 and F.5, the GCM specification's test cases 3
 * and 15, RFC 4231 test case 2. */
#include "crypto/probe.h"

#include <stdio.h>
#include <string.h>

#include "base/secret.h"

struct known {
    const char *name;
    enum signet_alg alg;
    const char *key, *iv, *in, *out; /* hex */
};

#define SP800_IV "000102030405060708090a0b0c0d0e0f"
#define SP800_PLAIN                                                                                \
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"                             \
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
#define CBC128_KEY "2b7e151628aed2a6abf7158809cf4f3c"
#define CBC128_OUT                                                                                 \
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"                             \
    "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
#define CBC256_KEY "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
#define CBC256_OUT                                                                                 \
    "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"                             \
    "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
#define GCM_KEY "feffe9928665731c6d6a8f9467308308"
#define GCM_IV  "cafebabefacedbaddecaf888"
#define GCM_PLAIN                                                                                  \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"                             \
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
#define GCM_OUT                                                                                    \
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"                             \
    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"                             \
    "4d5c2af327cd64a62cf35abd2ba6fab4"
#define GCM256_KEY GCM_KEY GCM_KEY
#define GCM256_OUT                                                                                 \
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"                             \
    "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"                             \
    "b094dac5d93471bdec1a502270e3cc6c"
#define CTR_IV "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
#define CTR256_OUT                                                                                 \
    "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"                             \
    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
#define ECB128_OUT                                                                                 \
    "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"                             \
    "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
/* "Jefe", "what do ya want for nothing?" */
#define HMAC_KEY "4a656665"
#define HMAC_IN  "7768617420646f2079612077616e7420666f72206e6f7468696e673f"

static const struct known table[] = {
    {"AES-128-CBC seal", SIGNET_ALG_CBC128_SEAL, CBC128_KEY, SP800_IV, SP800_PLAIN, CBC128_OUT},
    {"AES-128-CBC open", SIGNET_ALG_CBC128_OPEN, CBC128_KEY, SP800_IV, CBC128_OUT, SP800_PLAIN},
    {"AES-256-CBC seal", SIGNET_ALG_CBC256_SEAL, CBC256_KEY, SP800_IV, SP800_PLAIN, CBC256_OUT},
    {"AES-256-CBC open", SIGNET_ALG_CBC256_OPEN, CBC256_KEY, SP800_IV, CBC256_OUT, SP800_PLAIN},
    {"AES-128-GCM seal", SIGNET_ALG_GCM128_SEAL, GCM_KEY, GCM_IV, GCM_PLAIN, GCM_OUT},
    {"AES-128-GCM open", SIGNET_ALG_GCM128_OPEN, GCM_KEY, GCM_IV, GCM_OUT, GCM_PLAIN},
    {"AES-256-GCM seal", SIGNET_ALG_GCM256_SEAL, GCM256_KEY, GCM_IV, GCM_PLAIN, GCM256_OUT},
    {"AES-256-GCM open", SIGNET_ALG_GCM256_OPEN, GCM256_KEY, GCM_IV, GCM256_OUT, GCM_PLAIN},
    {"AES-256-CTR", SIGNET_ALG_CTR256, CBC256_KEY, CTR_IV, SP800_PLAIN, CTR256_OUT},
    {"AES-128-ECB seal", SIGNET_ALG_ECB128_SEAL, CBC128_KEY, "", SP800_PLAIN, ECB128_OUT},
    {"HMAC-SHA256", SIGNET_ALG_HMAC_SHA256, HMAC_KEY, "", HMAC_IN,
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {"HMAC-SHA384", SIGNET_ALG_HMAC_SHA384, HMAC_KEY, "", HMAC_IN,
     "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
     "8e2240ca5e69e2c78b3239ecfab21649"},
};

#define PROBE_MAX 96

static unsigned nibble(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static size_t bytes_of(uint8_t *out, const char *hex)
{
    size_t len = strlen(hex) / 2;
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
    }
    return len;
}

static int operate(const struct signet_handler *h, enum signet_alg alg, void *lane, uint8_t *out,
                   const uint8_t *in, size_t len, const uint8_t *iv)
{
    switch (alg) {
    case SIGNET_ALG_GCM128_SEAL:
    case SIGNET_ALG_GCM256_SEAL:
        return h->gcm_seal(lane, out, in, len, iv);
    case SIGNET_ALG_GCM128_OPEN:
    case SIGNET_ALG_GCM256_OPEN:
        return h->gcm_open(lane, out, in, len - 16, iv);
    case SIGNET_ALG_CTR256:
        return h->ctr(lane, out, in, len, iv);
    case SIGNET_ALG_ECB128_SEAL:
        return h->ecb(lane, out, in, len);
    case SIGNET_ALG_HMAC_SHA256:
    case SIGNET_ALG_HMAC_SHA384: {
        struct signet_span parts[2] = {{in, 3}, {in + 3, len - 3}};
        return h->hmac(lane, out, parts, 2);
    }
    default:
        return h->cbc(lane, out, in, len, iv);
    }
}

/* Twice, so that the second start of a lane is checked as well. */
static int compare(const struct signet_handler *h, const struct known *k, void *lane)
{
    uint8_t in[PROBE_MAX], want[PROBE_MAX], got[PROBE_MAX], iv[16] = {0};
    size_t in_len = bytes_of(in, k->in);
    size_t want_len = bytes_of(want, k->out);
    bytes_of(iv, k->iv);
    for (int turn = 0; turn < 2; turn++) {
        memset(got, 0, sizeof(got));
        int err = operate(h, k->alg, lane, got, in, in_len, iv);
        if (err != 0 || !signet_equal(got, want, want_len)) {
            return -SIGNET_E_HANDLER_REFUSED;
        }
    }
    if (signet_alg_is_gcm(k->alg) && signet_alg_opens(k->alg)) {
        in[in_len - 1] ^= 1;
        int err = operate(h, k->alg, lane, got, in, in_len, iv);
        return err == -SIGNET_E_OPEN ? 0 : -SIGNET_E_HANDLER_REFUSED;
    }
    return 0;
}

static int probe_one(const struct signet_handler *h, const struct known *k)
{
    uint8_t raw[32];
    void *key = NULL;
    int err = h->key_new(&key, k->alg, raw, bytes_of(raw, k->key));
    if (err != 0) {
        return err == -SIGNET_E_HANDLER_FIPS ? err : -SIGNET_E_HANDLER_REFUSED;
    }
    void *lane = NULL;
    err = h->lane_new(&lane, k->alg, key, signet_thread_index());
    if (err == 0) {
        err = compare(h, k, lane);
        h->lane_free(k->alg, lane);
    }
    h->key_free(k->alg, key);
    return err == 0 || err == -SIGNET_E_HANDLER_FIPS ? err : -SIGNET_E_HANDLER_REFUSED;
}

static int probe_random(const struct signet_handler *h)
{
    uint8_t a[16] = {0}, b[16] = {0}, zero[16] = {0};
    if (h->random(a, sizeof(a)) != 0 || h->random(b, sizeof(b)) != 0) {
        return -SIGNET_E_HANDLER_REFUSED;
    }
    return memcmp(a, b, 16) == 0 || memcmp(a, zero, 16) == 0 ? -SIGNET_E_HANDLER_REFUSED : 0;
}

int signet_probe(const struct signet_handler *handler, char *why, size_t cap)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        int err = probe_one(handler, &table[i]);
        if (err != 0) {
            snprintf(why, cap, "%s: %s", table[i].name,
                     err == -SIGNET_E_HANDLER_FIPS
                         ? "the library is in FIPS mode and refuses to import the key"
                         : "the known-answer test failed");
            return err;
        }
    }
    int err = probe_random(handler);
    if (err != 0) {
        snprintf(why, cap, "the random generator does not work");
    }
    return err;
}
