/* SPDX-License-Identifier: MIT */
/* A way of doing AES that is wrong at one length only is noticed before it is used. */
#include "support/suite.h"

#include <string.h>

#include "crypto/compare.h"

/* A toy cipher: what it gives need only be the same both ways. */
struct toy {
    size_t wrong_len; /* at which it errs; SIZE_MAX: never */
    bool fails, lax;  /* fails instead; opens what was changed */
};

static int err_at(const struct toy *t, uint8_t *out, size_t len)
{
    if (len == t->wrong_len && t->fails) {
        return -SIGNET_E_HANDLER_FAILED;
    }
    if (len == t->wrong_len && len > 0) {
        out[len - 1] ^= 1;
    }
    return 0;
}

static int iv(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t with[16])
{
    for (size_t i = 0; i < len; i++) {
        out[i] = in[i] ^ with[i % 16] ^ 0x33;
    }
    return err_at(lane, out, len);
}

static int ecb(void *lane, uint8_t *out, const uint8_t *in, size_t len)
{
    static const uint8_t zeros[16];
    return iv(lane, out, in, len, zeros);
}

static void tag_of(uint8_t tag[16], const uint8_t *text, size_t len, const uint8_t *nonce)
{
    memset(tag, 0, 16);
    memcpy(tag, nonce, 12);
    for (size_t i = 0; i < len; i++) {
        tag[i % 16] = (uint8_t)(tag[i % 16] * 3 + text[i]);
    }
}

static int gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12])
{
    uint8_t tag[16];
    int err = ecb(lane, out, in, len);
    tag_of(tag, out, len, nonce);
    memcpy(out + len, tag, 16);
    return err;
}

static int gcm_open(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12])
{
    const struct toy *t = lane;
    uint8_t tag[16];
    tag_of(tag, in, len, nonce);
    bool right = t->lax || memcmp(tag, in + len, 16) == 0;
    return right ? ecb(lane, out, in, len) : -SIGNET_E_OPEN;
}

static const struct signet_handler functions = {
    .cbc = iv, .ctr = iv, .ecb = ecb, .gcm_seal = gcm_seal, .gcm_open = gcm_open};

static bool agrees(enum signet_alg alg, struct toy *fresh)
{
    struct toy right = {.wrong_len = SIZE_MAX};
    struct signet_way known = {&functions, &right}, other = {&functions, fresh};
    return signet_ways_agree(alg, &known, &other);
}

START_TEST(an_equal_way_agrees)
{
    struct toy t = {.wrong_len = SIZE_MAX};
    ck_assert(agrees((enum signet_alg)_i, &t));
}
END_TEST

START_TEST(one_wrong_length_is_noticed)
{
    static const size_t lens[] = {16, 32, 160, 624};
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        struct toy wrong = {.wrong_len = lens[i]}, failing = {.wrong_len = lens[i], .fails = true};
        bool any = signet_alg_is_gcm((enum signet_alg)_i) || _i == SIGNET_ALG_CTR256;
        if (any && lens[i] > 39) {
            wrong.wrong_len = failing.wrong_len = 40 + (lens[i] - 40) / 13 * 13;
        }
        ck_assert(!agrees((enum signet_alg)_i, &wrong));
        ck_assert(!agrees((enum signet_alg)_i, &failing));
    }
}
END_TEST

START_TEST(a_way_that_opens_everything_is_noticed)
{
    struct toy t = {.wrong_len = SIZE_MAX, .lax = true};
    ck_assert(!agrees(SIGNET_ALG_GCM128_OPEN, &t));
    ck_assert(!agrees(SIGNET_ALG_GCM256_OPEN, &t));
}
END_TEST

START_TEST(opening_is_compared_with_sealing)
{
    ck_assert_int_eq(signet_way_known(SIGNET_ALG_GCM128_OPEN), SIGNET_ALG_GCM128_SEAL);
    ck_assert_int_eq(signet_way_known(SIGNET_ALG_GCM256_OPEN), SIGNET_ALG_GCM256_SEAL);
    ck_assert_int_eq(signet_way_known(SIGNET_ALG_CBC256_OPEN), SIGNET_ALG_CBC256_OPEN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compare");
    TCase *tc = tcase_create("compare");
    tcase_add_loop_test(tc, an_equal_way_agrees, 0, SIGNET_ALG_ECB128_SEAL + 1);
    tcase_add_loop_test(tc, one_wrong_length_is_noticed, 0, SIGNET_ALG_ECB128_SEAL + 1);
    tcase_add_test(tc, a_way_that_opens_everything_is_noticed);
    tcase_add_test(tc, opening_is_compared_with_sealing);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
