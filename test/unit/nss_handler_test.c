/* SPDX-License-Identifier: MIT */
/* The NSS handler by its table alone, through freebl's contexts and through softoken: answers
 * compared with OpenSSL's. */
#include "unit/nss_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <signet/error.h>

START_TEST(cbc_equals_openssl)
{
    struct user u = use(cbc_algs[_i].alg, cbc_algs[_i].key_len);
    for (size_t len = 16; len <= LEN_MAX; len += len < 512 ? 16 : 1008) {
        check_cbc(&u, _i, len);
    }
    drop(&u);
}
END_TEST

START_TEST(gcm_equals_openssl)
{
    struct user seal = use(SIGNET_ALG_GCM128_SEAL, 16), open = use(SIGNET_ALG_GCM128_OPEN, 16);
    for (size_t len = 0; len <= LEN_MAX; len += len < 300 ? 1 : 997) {
        uint8_t nonce[12];
        assert_ok(h->random(nonce, sizeof(nonce)));
        evp_gcm(in, len, nonce);
        assert_ok(h->gcm_seal(seal.lane, out, in, len, nonce));
        ck_assert_mem_eq(out, want, len + 16);
        memcpy(out, in, len);
        assert_ok(h->gcm_seal(seal.lane, out, out, len, nonce));
        ck_assert_mem_eq(out, want, len + 16);
        memset(out, 0, sizeof(out));
        assert_ok(h->gcm_open(open.lane, out, want, len, nonce));
        ck_assert_mem_eq(out, in, len);
        assert_ok(h->gcm_open(open.lane, want, want, len, nonce));
        ck_assert_mem_eq(want, in, len);
    }
    drop(&seal);
    drop(&open);
}
END_TEST

START_TEST(gcm_refuses_every_flipped_byte)
{
    struct user open = use(SIGNET_ALG_GCM128_OPEN, 16);
    static const uint8_t nonce[12] = {1};
    for (size_t len = 0; len < 40; len += 13) {
        evp_gcm(in, len, nonce);
        for (size_t i = 0; i < len + 16; i++) {
            want[i] ^= 0x10;
            assert_err(h->gcm_open(open.lane, out, want, len, nonce), OPEN);
            want[i] ^= 0x10;
        }
        assert_ok(h->gcm_open(open.lane, len > 0 ? out : NULL, want, len, nonce));
        ck_assert_mem_eq(out, in, len);
    }
    drop(&open);
}
END_TEST

/* All ways: by freebl from half-way states, from the key's block and, as where libfreebl3 is
 * missing, by softoken. */
START_TEST(hmac_equals_openssl)
{
    enum signet_alg alg = _i & 1 ? SIGNET_ALG_HMAC_SHA384 : SIGNET_ALG_HMAC_SHA256;
    const EVP_MD *md = _i & 1 ? EVP_sha384() : EVP_sha256();
    ck_assert(signet_nss_lib.lowhash && signet_nss_lib.midstate);
    signet_nss_lib.midstate = _i < 2;
    signet_nss_lib.lowhash = _i < 4;
    for (size_t key_len = 1; key_len <= 64; key_len++) {
        struct user u = use(alg, key_len);
        for (size_t len = 0; len < 700; len += 1 + len / 3) {
            struct signet_span parts[4] = {
                {in, len / 3}, {NULL, 0}, {in + len / 3, len / 4}, {in + len / 3 + len / 4, 0}};
            parts[3].len = len - len / 3 - len / 4;
            unsigned mac_len;
            HMAC(md, raw, (int)key_len, in, len, want, &mac_len);
            for (int turn = 0; turn < 2; turn++) {
                memset(out, 0, 64);
                assert_ok(h->hmac(u.lane, out, parts, 4));
                ck_assert_mem_eq(out, want, mac_len);
                ck_assert_uint_eq(out[mac_len], 0);
            }
        }
        drop(&u);
    }
}
END_TEST

START_TEST(wrong_lengths_are_refused)
{
    static const size_t bad[SIGNET_ALG_NUM][3] = {
        {0, 15, 32}, {17, 24, 32}, {0, 16, 31}, {16, 33, 64}, {0, 15, 32}, {0, 12, 24},
        {0, 16, 33}, {16, 31, 64}, {0, 16, 24}, {0, 15, 32},  {0, 65, 99}, {0, 65, 200},
    };
    static const uint8_t many[200];
    void *key = &key;
    for (size_t i = 0; i < 3; i++) {
        assert_err(h->key_new(&key, (enum signet_alg)_i, many, bad[_i][i]), INVAL);
        ck_assert_ptr_null(key);
    }
}
END_TEST

START_TEST(an_overlong_message_is_refused)
{
    struct user u = use(SIGNET_ALG_GCM128_SEAL, 16);
    static const uint8_t nonce[12];
    assert_err(h->gcm_seal(u.lane, out, in, 0xfffffff0U, nonce), INVAL);
    drop(&u);
}
END_TEST

/* As a failure leaves it. */
START_TEST(a_context_is_made_anew)
{
    static const uint8_t nonce[12] = {3};
    struct user seal = use(SIGNET_ALG_GCM128_SEAL, 16), open = use(SIGNET_ALG_GCM128_OPEN, 16);
    for (int row = 0; row < 4; row++) {
        struct user u = use(cbc_algs[row].alg, cbc_algs[row].key_len);
        ck_assert_ptr_nonnull(((struct signet_nss_lane *)u.lane)->chain.context);
        check_cbc(&u, row, 64);
        signet_nss_lane_close(u.lane);
        check_cbc(&u, row, 160);
        drop(&u);
    }
    evp_gcm(in, 100, nonce);
    signet_nss_lane_close(seal.lane);
    signet_nss_lane_close(open.lane);
    assert_ok(h->gcm_seal(seal.lane, out, in, 100, nonce));
    ck_assert_mem_eq(out, want, 116);
    assert_ok(h->gcm_open(open.lane, out, out, 100, nonce));
    ck_assert_mem_eq(out, in, 100);
    drop(&seal);
    drop(&open);
}
END_TEST

START_TEST(a_secret_is_imported_once)
{
    struct user seal = use(SIGNET_ALG_CBC128_SEAL, 16), open = use(SIGNET_ALG_CBC128_OPEN, 16);
    ck_assert_ptr_eq(seal.key, open.key);
    drop(&seal);
    check_cbc(&open, 1, 64);
    struct user other = use(SIGNET_ALG_CBC256_OPEN, 32); /* the same first 16 bytes */
    ck_assert_ptr_ne(other.key, open.key);
    drop(&open);
    drop(&other);
}
END_TEST

START_TEST(threads_without_an_index_share_a_flag)
{
    struct user u = {.alg = SIGNET_ALG_CBC128_SEAL};
    assert_ok(h->key_new(&u.key, u.alg, raw, 16));
    assert_ok(h->lane_new(&u.lane, u.alg, u.key, SIGNET_THREAD_MAX));
    check_cbc(&u, 0, 64);
    ck_assert_uint_eq(signet_nss_flag(SIGNET_THREAD_MAX)->busy, 0);
    drop(&u);
}
END_TEST

START_TEST(it_can_be_started_again)
{
    for (int turn = 0; turn < 5; turn++) {
        struct user u = use(SIGNET_ALG_CBC128_SEAL, 16);
        check_cbc(&u, 0, 64);
        drop(&u);
        stop();
        ck_assert(!NSS_IsInitialized());
        start();
    }
}
END_TEST

START_TEST(it_describes_itself)
{
    char text[160];
    h->version(text, 64);
    ck_assert_msg(strncmp(text, "NSS 3.", 6) == 0, "%s", text);
    h->detail(text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "HMAC by freebl from half-way states"));
    ck_assert_ptr_nonnull(strstr(text, "AES by freebl's contexts"));
    ck_assert(!h->fips());
    ck_assert_str_eq(h->name, "nss");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nss_handler");
    TCase *table = tcase_create("table");
    tcase_add_checked_fixture(table, start, stop);
    tcase_add_loop_test(table, cbc_equals_openssl, 0, 4);
    tcase_add_test(table, gcm_equals_openssl);
    tcase_add_test(table, gcm_refuses_every_flipped_byte);
    tcase_add_loop_test(table, hmac_equals_openssl, 0, 6);
    tcase_add_loop_test(table, wrong_lengths_are_refused, 0, SIGNET_ALG_NUM);
    tcase_add_test(table, an_overlong_message_is_refused);
    tcase_add_test(table, a_context_is_made_anew);
    tcase_add_test(table, a_secret_is_imported_once);
    tcase_add_test(table, threads_without_an_index_share_a_flag);
    tcase_add_test(table, it_can_be_started_again);
    tcase_add_test(table, it_describes_itself);
    suite_add_tcase(suite, table);
    TCase *softoken = tcase_create("softoken");
    tcase_add_checked_fixture(softoken, start_softoken, stop);
    tcase_add_loop_test(softoken, cbc_equals_openssl, 0, 4);
    tcase_add_test(softoken, gcm_equals_openssl);
    tcase_add_test(softoken, gcm_refuses_every_flipped_byte);
    tcase_add_test(softoken, an_overlong_message_is_refused);
    tcase_add_test(softoken, a_secret_is_imported_once);
    suite_add_tcase(suite, softoken);
    return suite_run(suite);
}
