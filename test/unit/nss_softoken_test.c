/* SPDX-License-Identifier: MIT */
/* The NSS handler where it goes through softoken: its objects, slots and sessions, and what happens
 * when softoken loses them. */
#include "unit/nss_tools.h"

#include <string.h>
#include <sys/mman.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <signet/error.h>

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

/* Softoken that says that it did a part, and loses its session before the next. */
static unsigned parts;

static CK_RV lose_second(CK_SESSION_HANDLE session, CK_BYTE_PTR from, CK_ULONG len, CK_BYTE_PTR to,
                         CK_ULONG_PTR got)
{
    (void)session;
    (void)from;
    (void)to;
    *got = len;
    return ++parts == 2 ? CKR_SESSION_HANDLE_INVALID : CKR_OK;
}

/* In place the first part is not there any more to be done again. */
START_TEST(a_part_of_cbc_is_done_once)
{
    const size_t len = (size_t)SIGNET_NSS_PART_MAX + 64;
    const uint8_t iv[16] = {7};
    uint8_t *large =
        mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(large, MAP_FAILED);
    for (int row = 0; row < 4; row++) {
        struct user u = use(cbc_algs[row].alg, cbc_algs[row].key_len);
        const CK_FUNCTION_LIST_3_0 *fn = signet_nss_lib.fn;
        CK_FUNCTION_LIST_3_0 losing = *fn;
        losing.C_EncryptUpdate = losing.C_DecryptUpdate = lose_second;
        parts = 0;
        signet_nss_lib.fn = &losing;
        int err = h->cbc(u.lane, large, large, len, iv);
        signet_nss_lib.fn = fn;
        assert_err(err, HANDLER_FAILED);
        ck_assert_uint_eq(parts, 2);
        check_cbc(&u, row, 64);
        drop(&u);
    }
    munmap(large, len);
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

START_TEST(threads_get_handles_apart)
{
    void *key, *lanes[16];
    assert_ok(h->key_new(&key, SIGNET_ALG_CBC128_SEAL, raw, 16));
    for (unsigned i = 0; i < 16; i++) {
        assert_ok(h->lane_new(&lanes[i], SIGNET_ALG_CBC128_SEAL, key, i));
        ck_assert_uint_eq(((struct signet_nss_lane *)lanes[i])->session % 64, (uint64_t)i * 4);
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

/* Also of the other way. */
START_TEST(contexts_take_no_object_of_softoken)
{
    struct user u = use(SIGNET_ALG_CBC128_SEAL, 16);
    signet_nss_lib.freebl = false;
    struct user other = use(SIGNET_ALG_CBC128_SEAL, 16);
    ck_assert_ptr_ne(u.key, other.key);
    ck_assert_uint_eq(signet_nss_object_handle(u.key), CK_INVALID_HANDLE);
    ck_assert_uint_ne(signet_nss_object_handle(other.key), CK_INVALID_HANDLE);
    ck_assert_ptr_null(((struct signet_nss_lane *)other.lane)->chain.context);
    check_cbc(&u, 0, 64);
    check_cbc(&other, 0, 64);
    drop(&u);
    drop(&other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nss_softoken");
    TCase *tc = tcase_create("softoken");
    tcase_add_checked_fixture(tc, start_softoken, stop);
    tcase_add_test(tc, threads_get_handles_apart);
    tcase_add_test(tc, many_keys_spread_over_slots);
    tcase_add_test(tc, cbc_recovers_what_softoken_lost);
    tcase_add_test(tc, a_part_of_cbc_is_done_once);
    tcase_add_test(tc, gcm_recovers_what_softoken_lost);
    tcase_add_test(tc, hmac_recovers_what_softoken_lost);
    suite_add_tcase(suite, tc);
    TCase *both = tcase_create("both");
    tcase_add_checked_fixture(both, start, stop);
    tcase_add_test(both, contexts_take_no_object_of_softoken);
    suite_add_tcase(suite, both);
    return suite_run(suite);
}
