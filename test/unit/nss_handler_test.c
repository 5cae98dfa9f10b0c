/* SPDX-License-Identifier: MIT */
/* The NSS handler by its table alone: answers compared with OpenSSL's, and what happens when
 * softoken loses what lanes and keys rest on. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <signet/error.h>

#include "crypto/nss_lib.h"

#define LEN_MAX 9000

static const struct signet_handler *const h = &signet_handler_nss;
static uint8_t raw[64], in[LEN_MAX], out[LEN_MAX + 16], want[LEN_MAX + 16];

static void start(void)
{
    char why[160] = "";
    int err = h->start(why, sizeof(why));
    ck_assert_msg(err == 0, "%s: %s", signet_err_name(err), why);
    assert_ok(h->random(raw, sizeof(raw)));
    assert_ok(h->random(in, sizeof(in)));
}

static void stop(void)
{
    h->stop();
}

struct user {
    void *key, *lane;
    enum signet_alg alg;
};

static struct user use(enum signet_alg alg, size_t len)
{
    struct user u = {.alg = alg};
    assert_ok(h->key_new(&u.key, alg, raw, len));
    assert_ok(h->lane_new(&u.lane, alg, u.key, signet_thread_index()));
    return u;
}

static void drop(struct user *u)
{
    h->lane_free(u->alg, u->lane);
    h->key_free(u->alg, u->key);
}

static void evp_cbc(bool seal, size_t key_len, const uint8_t *from, size_t len, const uint8_t *iv)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int got;
    ck_assert(
        EVP_CipherInit(ctx, key_len == 16 ? EVP_aes_128_cbc() : EVP_aes_256_cbc(), raw, iv, seal));
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    ck_assert(EVP_CipherUpdate(ctx, want, &got, from, (int)len));
    ck_assert_uint_eq((size_t)got, len);
    EVP_CIPHER_CTX_free(ctx);
}

static void evp_gcm(const uint8_t *from, size_t len, const uint8_t *nonce)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int got;
    ck_assert(EVP_EncryptInit(ctx, EVP_aes_128_gcm(), raw, nonce));
    ck_assert(EVP_EncryptUpdate(ctx, want, &got, from, (int)len));
    ck_assert(EVP_EncryptFinal(ctx, want + len, &got));
    ck_assert(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, want + len));
    EVP_CIPHER_CTX_free(ctx);
}

static const struct {
    enum signet_alg alg;
    size_t key_len;
    bool seal;
} cbc_algs[] = {
    {SIGNET_ALG_CBC128_SEAL, 16, true},
    {SIGNET_ALG_CBC128_OPEN, 16, false},
    {SIGNET_ALG_CBC256_SEAL, 32, true},
    {SIGNET_ALG_CBC256_OPEN, 32, false},
};

/* One operation, out of place and in place, each with an IV of its own. */
static void check_cbc(struct user *u, int row, size_t len)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        uint8_t iv[16];
        assert_ok(h->random(iv, sizeof(iv)));
        evp_cbc(cbc_algs[row].seal, cbc_algs[row].key_len, in, len, iv);
        memset(out, 0, sizeof(out));
        if (in_place) {
            memcpy(out, in, len);
        }
        assert_ok(h->cbc(u->lane, out, in_place ? out : in, len, iv));
        ck_assert_mem_eq(out, want, len);
        ck_assert_uint_eq(out[len], 0);
    }
}

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

static CK_SLOT_ID slot_of(const struct user *u)
{
    struct signet_nss_lane *lane = u->lane;
    return signet_nss_object_slot(lane->object);
}

/* What a lane rests on, taken away behind its back. */
static void lose(const struct user *u, int what)
{
    const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
    struct signet_nss_lane *lane = u->lane;
    if (what == 0) {
        ck_assert_uint_eq(fn->C_CloseSession(lane->session), CKR_OK);
    } else if (what == 1) {
        ck_assert_uint_eq(fn->C_CloseAllSessions(slot_of(u)), CKR_OK);
    } else {
        signet_nss_lane_close(lane); /* as after a failure */
    }
}

START_TEST(cbc_recovers_what_softoken_lost)
{
    for (int row = 0; row < 4; row++) {
        struct user u = use(cbc_algs[row].alg, cbc_algs[row].key_len);
        for (int what = 0; what < 3; what++) {
            check_cbc(&u, row, 64);
            lose(&u, what);
            check_cbc(&u, row, 160);
            lose(&u, what);
            check_cbc(&u, row, 4096);
            lose(&u, what);
            /* the first operation after the loss in place */
            static const uint8_t iv[16] = {7};
            evp_cbc(cbc_algs[row].seal, cbc_algs[row].key_len, in, 96, iv);
            memcpy(out, in, 96);
            assert_ok(h->cbc(u.lane, out, out, 96, iv));
            ck_assert_mem_eq(out, want, 96);
        }
        drop(&u);
    }
}
END_TEST

START_TEST(gcm_recovers_what_softoken_lost)
{
    static const uint8_t nonce[12] = {3};
    struct user seal = use(SIGNET_ALG_GCM128_SEAL, 16), open = use(SIGNET_ALG_GCM128_OPEN, 16);
    evp_gcm(in, 100, nonce);
    for (int what = 0; what < 3; what++) {
        lose(&seal, what);
        memcpy(out, in, 100);
        assert_ok(h->gcm_seal(seal.lane, out, out, 100, nonce));
        ck_assert_mem_eq(out, want, 116);
        if (what != 1) { /* which closed this one too */
            lose(&open, what);
        }
        assert_ok(h->gcm_open(open.lane, out, out, 100, nonce));
        ck_assert_mem_eq(out, in, 100);
    }
    drop(&seal);
    drop(&open);
}
END_TEST

START_TEST(hmac_recovers_what_softoken_lost)
{
    signet_nss_lib.lowhash = false;
    struct user u = use(SIGNET_ALG_HMAC_SHA256, 32);
    struct signet_span part = {in, 77};
    HMAC(EVP_sha256(), raw, 32, in, 77, want, NULL);
    for (int what = 0; what < 3; what++) {
        lose(&u, what);
        assert_ok(h->hmac(u.lane, out, &part, 1));
        ck_assert_mem_eq(out, want, 32);
    }
    drop(&u);
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

START_TEST(threads_get_handles_apart)
{
    void *key, *lanes[16];
    assert_ok(h->key_new(&key, SIGNET_ALG_CBC128_SEAL, raw, 16));
    for (unsigned i = 0; i < 16; i++) {
        assert_ok(h->lane_new(&lanes[i], SIGNET_ALG_CBC128_SEAL, key, i));
        ck_assert_uint_eq(((struct signet_nss_lane *)lanes[i])->session % 64, i * 4);
    }
    for (unsigned i = 0; i < 16; i++) {
        h->lane_free(SIGNET_ALG_CBC128_SEAL, lanes[i]);
    }
    h->key_free(SIGNET_ALG_CBC128_SEAL, key);
}
END_TEST

START_TEST(many_keys_spread_over_slots)
{
    enum { KEYS = 1700 };
    struct user u[KEYS];
    for (size_t i = 0; i < KEYS; i++) {
        memcpy(raw, &i, sizeof(i));
        u[i] = use(SIGNET_ALG_CBC128_OPEN, 16);
    }
    ck_assert_uint_ge(signet_nss_slots_open(), 4);
    for (size_t i = 0; i < KEYS; i++) {
        memcpy(raw, &i, sizeof(i));
        check_cbc(&u[i], 1, 48);
        drop(&u[i]);
    }
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
    tcase_add_test(table, a_secret_is_imported_once);
    tcase_add_test(table, threads_get_handles_apart);
    tcase_add_test(table, many_keys_spread_over_slots);
    tcase_add_test(table, threads_without_an_index_share_a_flag);
    tcase_add_test(table, it_can_be_started_again);
    tcase_add_test(table, it_describes_itself);
    suite_add_tcase(suite, table);
    TCase *loss = tcase_create("loss");
    tcase_add_checked_fixture(loss, start, stop);
    tcase_add_test(loss, cbc_recovers_what_softoken_lost);
    tcase_add_test(loss, gcm_recovers_what_softoken_lost);
    tcase_add_test(loss, hmac_recovers_what_softoken_lost);
    suite_add_tcase(suite, loss);
    return suite_run(suite);
}
