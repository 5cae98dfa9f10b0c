/* SPDX-License-Identifier: MIT */
/* A cipher and a crc32c in one go, against one call of each. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "base/crc32c.h"
#include "crypto/fused.h"

enum { LONGEST = 200000, SEED = 12345 };

static uint8_t *in, *out, *want;
static const uint8_t raw[32] = {1, 2, 3, 4};

static void start(void)
{
    suite_start();
    in = calloc(1, LONGEST);
    out = calloc(1, LONGEST);
    want = calloc(1, LONGEST);
    for (size_t i = 0; i < LONGEST; i++) {
        in[i] = (uint8_t)(i * 31 + (i >> 9));
    }
}

static void stop(void)
{
    free(in);
    free(out);
    free(want);
    suite_stop();
}

static struct signet_engine *engine_of(enum signet_alg alg)
{
    struct signet_engine *engine;
    assert_ok(
        signet_engine_new(&engine, signet_handler_current(), alg, raw, signet_alg_key_len(alg)));
    return engine;
}

static int in_one(struct signet_engine *engine, size_t len, const uint8_t iv[16])
{
    struct signet_lane lane;
    int err = signet_lane_enter(engine, &lane);
    bool ctr = engine->alg == SIGNET_ALG_CTR256;
    if (err == 0) {
        err = ctr ? engine->handler->ctr(lane.p, want, in, len, iv)
                  : engine->handler->cbc(lane.p, want, in, len, iv);
        signet_lane_leave(&lane);
    }
    return err;
}

/* Both crcs, in place and not. */
static void check_len(struct signet_engine *engine, size_t len, const uint8_t iv[16])
{
    bool ctr = engine->alg == SIGNET_ALG_CTR256;
    assert_ok(in_one(engine, len, iv));
    for (int way = 0; way < 4; way++) {
        enum signet_crc_of of = (way & 1) != 0 ? SIGNET_CRC_IN : SIGNET_CRC_OUT;
        const uint8_t *from = (way & 2) != 0 ? out : in;
        uint32_t crc = SEED;
        memcpy(out, in, LONGEST);
        assert_ok(ctr ? signet_fused_ctr(engine, out, from, len, iv, of, &crc)
                      : signet_fused_cbc_open(engine, out, from, len, iv, of, &crc));
        ck_assert_mem_eq(out, want, len);
        ck_assert_mem_eq(out + len, in + len, LONGEST - len);
        ck_assert_uint_eq(crc, signet_crc32c(SEED, of == SIGNET_CRC_IN ? in : want, len));
    }
}

/* Around the ends of pieces of 6 and 64 KiB. */
static const size_t lens[] = {0, 1, 3, 383, 384, 385, 768, 769, 4095, 4096, 4097, 8192, 12400};

START_TEST(cbc_is_that_of_one_call)
{
    static const uint8_t iv[16] = {9, 8, 7};
    struct signet_engine *engine = engine_of(_i ? SIGNET_ALG_CBC256_OPEN : SIGNET_ALG_CBC128_OPEN);
    for (size_t i = 1; i < sizeof(lens) / sizeof(*lens); i++) {
        check_len(engine, lens[i] * 16, iv);
    }
    signet_engine_free(engine);
}
END_TEST

/* Also where the counter carries from piece to piece. */
START_TEST(ctr_is_that_of_one_call)
{
    uint8_t iv[16];
    struct signet_engine *engine = engine_of(SIGNET_ALG_CTR256);
    memset(iv, 0xff, sizeof(iv));
    iv[14] = _i ? 0xf8 : 0xef;
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        check_len(engine, lens[i] * 16, iv);
        check_len(engine, lens[i] * 16 + 5, iv);
    }
    signet_engine_free(engine);
}
END_TEST

START_TEST(nothing_is_nothing)
{
    struct signet_engine *engine = engine_of(SIGNET_ALG_CBC128_OPEN);
    uint32_t crc = SEED;
    assert_ok(signet_fused_cbc_open(engine, out, in, 0, raw, SIGNET_CRC_OUT, &crc));
    ck_assert_uint_eq(crc, SEED);
    signet_engine_free(engine);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fused");
    TCase *tc = tcase_create("fused");
    tcase_add_checked_fixture(tc, start, stop);
    tcase_add_loop_test(tc, cbc_is_that_of_one_call, 0, 2);
    tcase_add_loop_test(tc, ctr_is_that_of_one_call, 0, 2);
    tcase_add_test(tc, nothing_is_nothing);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
