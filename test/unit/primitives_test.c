/* SPDX-License-Identifier: MIT */
/* A handler's primitives against OpenSSL's own interface, over many lengths. */
#include "support/suite.h"

#include <signet/signet.h>
#include <openssl/evp.h>
#include <string.h>

#include "crypto/engine.h"

enum { LEN_MAX = 20000 };

static uint8_t raw[32], in[LEN_MAX], want[LEN_MAX + 16], out[LEN_MAX + 17];

static struct signet_engine *start(enum signet_alg alg, struct signet_lane *lane)
{
    struct signet_engine *e;
    for (size_t i = 0; i < LEN_MAX; i++) {
        in[i] = (uint8_t)(i * 89 + (i >> 7));
    }
    for (size_t i = 0; i < sizeof(raw); i++) {
        raw[i] = (uint8_t)(200 - 3 * i);
    }
    assert_ok(signet_engine_new(&e, signet_handler_current(), alg, raw, signet_alg_key_len(alg)));
    assert_ok(signet_lane_enter(e, lane));
    return e;
}

static void finish(struct signet_engine *e, const struct signet_lane *lane)
{
    signet_lane_leave(lane);
    signet_engine_free(e);
}

/* What OpenSSL gives, in want; the tag of GCM follows. */
static void by_evp(const EVP_CIPHER *cipher, size_t len, const uint8_t *iv)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int got = 0;
    ck_assert(EVP_EncryptInit_ex(ctx, cipher, NULL, raw, iv) == 1);
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    ck_assert(EVP_EncryptUpdate(ctx, want, &got, in, (int)len) == 1);
    ck_assert(EVP_EncryptFinal_ex(ctx, want + len, &got) == 1);
    if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_GCM_MODE) {
        ck_assert(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, want + len) == 1);
    }
    EVP_CIPHER_CTX_free(ctx);
}

/* Out of place or in place; not a byte more than wanted is written. */
static const uint8_t *source(size_t len, bool in_place)
{
    memset(out, 0xa5, sizeof(out));
    if (!in_place) {
        return in;
    }
    memcpy(out, in, len);
    return out;
}

static void check_out(size_t len)
{
    ck_assert_mem_eq(out, want, len);
    ck_assert_uint_eq(out[len], 0xa5);
}

/* Counters of the pieces in which a long message may be handled, and those that carry. */
static const uint8_t counters[][16] = {
    {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
    {[8] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe},
    {[12] = 0xff, 0xff, 0xff, 0x81},
    {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff},
};

START_TEST(ctr_equals_openssl)
{
    struct signet_lane lane;
    struct signet_engine *e = start(SIGNET_ALG_CTR256, &lane);
    for (size_t len = 0; len <= LEN_MAX; len += len < 140 ? 1 : 997) {
        by_evp(EVP_aes_256_ctr(), len, counters[_i]);
        for (int in_place = 0; in_place < 2; in_place++) {
            const uint8_t *from = source(len, in_place != 0);
            assert_ok(e->handler->ctr(lane.p, out, from, len, counters[_i]));
            check_out(len);
        }
    }
    finish(e, &lane);
}
END_TEST

START_TEST(ecb_equals_openssl)
{
    struct signet_lane lane;
    struct signet_engine *e = start(SIGNET_ALG_ECB128_SEAL, &lane);
    for (size_t len = 16; len <= LEN_MAX; len += len < 2300 ? 16 : 1008) {
        by_evp(EVP_aes_128_ecb(), len, NULL);
        for (int in_place = 0; in_place < 2; in_place++) {
            const uint8_t *from = source(len, in_place != 0);
            assert_ok(e->handler->ecb(lane.p, out, from, len));
            check_out(len);
        }
    }
    finish(e, &lane);
}
END_TEST

START_TEST(gcm256_equals_openssl)
{
    struct signet_lane seal, open;
    struct signet_engine *s = start(SIGNET_ALG_GCM256_SEAL, &seal);
    struct signet_engine *o = start(SIGNET_ALG_GCM256_OPEN, &open);
    for (size_t len = 0; len <= LEN_MAX; len += len < 300 ? 1 : 997) {
        const uint8_t *nonce = counters[len % 4];
        by_evp(EVP_aes_256_gcm(), len, nonce);
        for (int in_place = 0; in_place < 2; in_place++) {
            const uint8_t *from = source(len, in_place != 0);
            assert_ok(s->handler->gcm_seal(seal.p, out, from, len, nonce));
            check_out(len + 16);
        }
        assert_ok(o->handler->gcm_open(open.p, out, want, len, nonce));
        ck_assert_mem_eq(out, in, len);
        want[len + len % 16] ^= 2;
        assert_err(o->handler->gcm_open(open.p, out, want, len, nonce), OPEN);
    }
    finish(s, &seal);
    finish(o, &open);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("primitives");
    TCase *t = suite_case(s, "primitives");
    tcase_add_loop_test(t, ctr_equals_openssl, 0, sizeof(counters) / sizeof(counters[0]));
    tcase_add_test(t, ecb_equals_openssl);
    tcase_add_test(t, gcm256_equals_openssl);
    return suite_run(s);
}
