/* SPDX-License-Identifier: MIT */
/* The registry and keys over a handler that can be made to fail: this program brings a table
 * of its own, with a copy of the openssl handler in front. */
#include "support/suite.h"

#include <signet/record.h>
#include <signet/signet.h>
#include <stdio.h>
#include <string.h>

#include "crypto/registry.h"

enum fault { NONE, START, FIPS, WRONG, DEAD, SHORT_MEMORY, LANE, STUCK_RANDOM, NO_RANDOM };

static enum fault fault;
static struct signet_handler faulty;

const struct signet_handler *const signet_handlers[] = {&faulty, &signet_handler_openssl};
const size_t signet_handlers_num = 2;

static int start(char *why, size_t cap)
{
    if (fault == START) {
        snprintf(why, cap, "told to");
        return -SIGNET_E_HANDLER_FAILED;
    }
    return signet_handler_openssl.start(why, cap);
}

static int key_new(void **key, enum signet_alg alg, const uint8_t *raw, size_t len)
{
    *key = NULL;
    return fault == FIPS           ? -SIGNET_E_HANDLER_FIPS
           : fault == SHORT_MEMORY ? -SIGNET_E_NOMEM
                                   : signet_handler_openssl.key_new(key, alg, raw, len);
}

static int lane_new(void **lane, enum signet_alg alg, const void *key, unsigned index)
{
    *lane = NULL;
    return fault == LANE ? -SIGNET_E_HANDLER_FAILED
                         : signet_handler_openssl.lane_new(lane, alg, key, index);
}

static int cbc(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    int err = signet_handler_openssl.cbc(lane, out, in, len, iv);
    out[len - 1] ^= fault == WRONG;
    return fault == DEAD ? -SIGNET_E_HANDLER_FAILED : err;
}

static int gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12])
{
    int err = signet_handler_openssl.gcm_seal(lane, out, in, len, nonce);
    return fault == DEAD ? -SIGNET_E_HANDLER_FAILED : err;
}

/* Leaves half of its work behind. */
static int ctr(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    int err = signet_handler_openssl.ctr(lane, out, in, len, iv);
    if (fault == DEAD) {
        memcpy(out, in, len / 2);
    }
    return fault == DEAD ? -SIGNET_E_HANDLER_FAILED : err;
}

static int ecb(void *lane, uint8_t *out, const uint8_t *in, size_t len)
{
    int err = signet_handler_openssl.ecb(lane, out, in, len);
    return fault == DEAD ? -SIGNET_E_HANDLER_FAILED : err;
}

static int hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num)
{
    int err = signet_handler_openssl.hmac(lane, out, parts, num);
    return fault == DEAD ? -SIGNET_E_HANDLER_FAILED : err;
}

static int get_random(uint8_t *out, size_t len)
{
    memset(out, 7, len);
    return fault == NO_RANDOM      ? -SIGNET_E_RANDOM
           : fault == STUCK_RANDOM ? 0
                                   : signet_handler_openssl.random(out, len);
}

static void init_with(enum fault f, bool strict)
{
    fault = f;
    struct signet_options options = {.handler = "faulty", .strict = strict};
    assert_ok(signet_init(&options));
}

static const struct {
    enum fault fault;
    int err;
} refusals[] = {
    {START, -SIGNET_E_HANDLER_REFUSED},        {FIPS, -SIGNET_E_HANDLER_FIPS},
    {WRONG, -SIGNET_E_HANDLER_REFUSED},        {DEAD, -SIGNET_E_HANDLER_REFUSED},
    {SHORT_MEMORY, -SIGNET_E_HANDLER_REFUSED}, {LANE, -SIGNET_E_HANDLER_REFUSED},
    {STUCK_RANDOM, -SIGNET_E_HANDLER_REFUSED}, {NO_RANDOM, -SIGNET_E_HANDLER_REFUSED},
};

START_TEST(a_bad_handler_is_refused_at_start)
{
    fault = refusals[_i].fault;
    struct signet_options options = {.handler = "faulty", .strict = true};
    ck_assert_int_eq(signet_init(&options), refusals[_i].err);
    ck_assert_ptr_null(signet_handler_current());
    options.strict = false;
    assert_ok(signet_init(&options));
    ck_assert_str_eq(signet_handler_name(signet_handler_current()), "openssl");
    struct signet_handler_info info;
    assert_ok(signet_handler_info(&faulty, &info));
    ck_assert_int_eq(info.probe_err, refusals[_i].err);
    ck_assert_uint_gt(strlen(info.detail), 4);
    ck_assert(!info.current);
    struct signet_key *key;
    ck_assert_int_eq(signet_key_generate(&key, SIGNET_KEY_AES, &faulty), refusals[_i].err);
    signet_shutdown();
}
END_TEST

START_TEST(a_refused_handler_is_not_used_until_it_recovers)
{
    init_with(WRONG, false);
    assert_err(signet_handler_use(&faulty), HANDLER_REFUSED);
    ck_assert_str_eq(signet_handler_name(signet_handler_current()), "openssl");
    fault = FIPS;
    assert_err(signet_handler_probe(&faulty), HANDLER_FIPS);
    assert_err(signet_handler_use(&faulty), HANDLER_FIPS);
    fault = NONE;
    assert_ok(signet_handler_use(&faulty));
    ck_assert_ptr_eq(signet_handler_current(), &faulty);
    signet_shutdown();
}
END_TEST

static const enum signet_key_type types[] = {SIGNET_KEY_AES, SIGNET_KEY_AES256K};

/* FIPS mode switched on by the host after keys were made: what is built goes on, the rest says
 * why it cannot be built. */
START_TEST(fips_mode_comes_later)
{
    init_with(NONE, true);
    struct signet_key *key, *late = NULL;
    uint8_t buf[128] = {0};
    size_t len;
    assert_ok(signet_key_generate(&key, types[_i], NULL));
    assert_ok(signet_envelope_seal(key, 0x10, buf, sizeof(buf), &len, buf, 8));
    fault = FIPS;
    assert_ok(signet_envelope_seal(key, 0x10, buf, sizeof(buf), &len, buf, 8));
    assert_err(signet_envelope_open(key, 0x10, buf, sizeof(buf), &len, buf, len), HANDLER_FIPS);
    ck_assert_uint_eq(len, 0);
    assert_err(signet_key_generate(&late, types[_i], NULL), HANDLER_FIPS);
    assert_err(signet_key_hmac(key, buf, buf, 8), HANDLER_FIPS);
    assert_err(signet_key_prepare(key, SIGNET_USAGE_AUTHORIZE), HANDLER_FIPS);
    fault = SHORT_MEMORY;
    assert_err(signet_key_generate(&late, types[_i], NULL), NOMEM);
    ck_assert_ptr_null(late);
    signet_key_unref(key);
    signet_shutdown();
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

START_TEST(a_failing_library_leaves_nothing_behind)
{
    init_with(NONE, true);
    struct signet_key *key;
    uint8_t sealed[128], out[128], plain[32];
    memset(plain, 0x77, sizeof(plain));
    size_t len, got = 1;
    assert_ok(signet_key_generate(&key, types[_i], NULL));
    assert_ok(signet_envelope_seal(key, 0, sealed, sizeof(sealed), &len, plain, 32));
    fault = DEAD;
    assert_err(signet_envelope_seal(key, 0, out, sizeof(out), &got, plain, 32), HANDLER_FAILED);
    ck_assert_uint_eq(got, 0);
    ck_assert(all_zero(out, signet_envelope_len(key, 32)));
    assert_err(signet_envelope_open(key, 0, out, sizeof(out), &got, sealed, len), HANDLER_FAILED);
    ck_assert(all_zero(out, len));
    fault = NONE;
    assert_ok(signet_envelope_open(key, 0, out, sizeof(out), &got, sealed, len));
    ck_assert_mem_eq(out, plain, 32);
    signet_key_unref(key);
    signet_shutdown();
}
END_TEST

START_TEST(keys_need_random)
{
    init_with(NONE, true);
    struct signet_key *key = NULL;
    fault = NO_RANDOM;
    assert_err(signet_key_generate(&key, types[_i], NULL), RANDOM);
    ck_assert_ptr_null(key);
    uint8_t secret[32] = {0}, buf[128];
    size_t len;
    assert_ok(signet_key_import(&key, SIGNET_KEY_AES256K, secret, 32, 0, NULL));
    assert_err(signet_envelope_seal(key, 0, buf, sizeof(buf), &len, secret, 8), RANDOM);
    ck_assert_uint_eq(len, 0);
    signet_key_unref(key);
    signet_shutdown();
}
END_TEST

START_TEST(a_lost_number_ends_the_stream)
{
    init_with(NONE, true);
    struct signet_stream *stream;
    uint8_t bytes[64] = {9}, zero[32] = {0};
    uint64_t seq;
    assert_ok(signet_stream_new(&stream, SIGNET_SEAL, bytes, bytes, NULL));
    assert_ok(signet_stream_seal(stream, bytes, bytes, 16));
    fault = DEAD;
    assert_err(signet_stream_seal(stream, bytes, bytes, 16), HANDLER_FAILED);
    ck_assert_mem_eq(bytes, zero, 32);
    fault = NONE;
    assert_err(signet_stream_seal(stream, bytes, bytes, 16), ABANDONED);
    assert_err(signet_stream_seal_at(stream, 5, bytes, bytes, 16), ABANDONED);
    assert_err(signet_stream_reserve(stream, &seq, 1), ABANDONED);
    signet_stream_free(stream);
    signet_shutdown();
}
END_TEST

START_TEST(a_failing_record_leaves_nothing_behind)
{
    static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {1}, zero[200];
    enum signet_record_kind kind = _i == 0 ? SIGNET_RECORD_GCM : SIGNET_RECORD_CTR;
    struct signet_record_sealer *s, *none;
    uint8_t in[100], out[200] = {0};
    uint64_t seq;
    size_t len = 7;
    memset(in, 0x77, sizeof(in));
    init_with(NONE, true);
    assert_ok(signet_record_sealer_new(&s, kind, key, 0, NULL));
    assert_ok(signet_record_reserve(s, &seq, 1));
    fault = DEAD;
    assert_err(signet_record_seal_at(s, seq, out, sizeof(out), &len, in, sizeof(in)),
               HANDLER_FAILED);
    ck_assert_uint_eq(len, 0);
    ck_assert_mem_eq(out, zero, sizeof(out));
    assert_err(signet_record_sealer_new(&none, kind, key, 0, NULL), HANDLER_FAILED);
    ck_assert_ptr_null(none);
    fault = NO_RANDOM;
    assert_err(signet_record_sealer_new(&none, kind, key, 0, NULL), RANDOM);
    fault = SHORT_MEMORY;
    assert_err(signet_record_sealer_new(&none, kind, key, 0, NULL), NOMEM);
    fault = NONE;
    assert_ok(signet_record_seal_at(s, seq, out, sizeof(out), &len, in, sizeof(in)));
    signet_record_sealer_free(s);
    signet_shutdown();
}
END_TEST

/* None of them, also those of groups that were done before. */
START_TEST(a_failing_batch_leaves_nothing_behind)
{
    static const uint8_t zero[160];
    static uint8_t in[100], out[100][160];
    struct signet_seal_job jobs[100];
    struct signet_key *key;
    init_with(NONE, true);
    assert_ok(signet_key_generate(&key, SIGNET_KEY_AES, NULL));
    for (size_t i = 0; i < 100; i++) {
        jobs[i] = (struct signet_seal_job){in, i, out[i], sizeof(out[i]), 1};
    }
    memset(in, 0x66, sizeof(in));
    assert_ok(signet_key_seal_batch(key, SIGNET_USAGE_AUTHORIZE, jobs, 100));
    fault = DEAD;
    assert_err(signet_key_seal_batch(key, SIGNET_USAGE_AUTHORIZE, jobs, 100), HANDLER_FAILED);
    for (size_t i = 0; i < 100; i++) {
        ck_assert_uint_eq(jobs[i].out_len, 0);
        ck_assert_mem_eq(out[i], zero, signet_envelope_len(key, i));
    }
    fault = NONE;
    signet_key_unref(key);
    signet_shutdown();
}
END_TEST

START_TEST(the_default_falls_back)
{
    fault = WRONG; /* and there is no nss in this table */
    struct signet_options strict = {.strict = true};
    assert_err(signet_init(&strict), HANDLER_UNKNOWN);
    assert_ok(signet_init(NULL));
    ck_assert_str_eq(signet_handler_name(signet_handler_current()), "openssl");
    signet_shutdown();
}
END_TEST

int main(void)
{
    faulty = signet_handler_openssl;
    faulty.name = "faulty";
    faulty.start = start;
    faulty.key_new = key_new;
    faulty.lane_new = lane_new;
    faulty.cbc = cbc;
    faulty.gcm_seal = gcm_seal;
    faulty.ctr = ctr;
    faulty.ecb = ecb;
    faulty.hmac = hmac;
    faulty.random = get_random;
    Suite *s = suite_create("registry_fault");
    TCase *t = tcase_create("faults");
    suite_add_tcase(s, t);
    tcase_add_loop_test(t, a_bad_handler_is_refused_at_start, 0,
                        sizeof(refusals) / sizeof(refusals[0]));
    tcase_add_test(t, a_refused_handler_is_not_used_until_it_recovers);
    tcase_add_loop_test(t, fips_mode_comes_later, 0, 2);
    tcase_add_loop_test(t, a_failing_library_leaves_nothing_behind, 0, 2);
    tcase_add_loop_test(t, keys_need_random, 0, 2);
    tcase_add_test(t, a_lost_number_ends_the_stream);
    tcase_add_loop_test(t, a_failing_record_leaves_nothing_behind, 0, 2);
    tcase_add_test(t, a_failing_batch_leaves_nothing_behind);
    tcase_add_test(t, the_default_falls_back);
    return suite_run(s);
}
