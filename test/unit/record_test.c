/* SPDX-License-Identifier: MIT */
/* Records of a log: sealed in any order, read back in theirs. */
#include "support/suite.h"

#include <signet/signet.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"
#include "support/records.h"

static const enum signet_record_kind kinds[] = {SIGNET_RECORD_GCM, SIGNET_RECORD_CTR};

static const size_t lens[] = {0,    1,    15,    16,    17,    63,    64,    511,   512,
                              4096, 8192, 16383, 16384, 16385, 33000, 65536, 100001};
enum { LENS = sizeof(lens) / sizeof(lens[0]), ROOM = 500000 };

START_TEST(records_go_round)
{
    enum signet_record_kind kind = kinds[_i];
    struct signet_record_sealer *s = records_sealer(kind, 7);
    struct signet_record_reader *r = records_reader(kind, 7);
    struct signet_record_view view;
    uint8_t *log = malloc(ROOM);
    size_t end = 0, at = 0, need;
    for (size_t i = 0; i < LENS; i++) {
        size_t len = records_add(s, log + end, ROOM - end, lens[i]);
        ck_assert_uint_eq(len, signet_record_len(kind, lens[i]));
        end += len;
    }
    for (size_t i = 0; i < LENS; i++) {
        assert_ok(signet_record_open(r, log + at, end - at, &view, &need, NULL));
        ck_assert_uint_eq(view.seq, 7 + i);
        ck_assert_uint_eq(view.offset, 1000 + at);
        ck_assert_uint_eq(view.len, need);
        ck_assert(records_right(&view, lens[i]));
        at += view.len;
    }
    assert_ok(signet_record_open(r, log + at, 0, &view, NULL, NULL));
    ck_assert_uint_eq(view.len, 0);
    signet_record_sealer_free(s);
    signet_record_reader_free(r);
    signet_record_sealer_free(NULL);
    signet_record_reader_free(NULL);
    free(log);
}
END_TEST

/* The documented format, made with OpenSSL alone. */
static void by_hand(enum signet_record_kind kind, uint8_t *out, const uint8_t *header,
                    const uint8_t *in, int len)
{
    uint8_t label[34] = "signet record key", derived[32], nonce[16] = {0};
    label[17] = (uint8_t)kind;
    memcpy(label + 18, header + 16, 16);
    HMAC(EVP_sha256(), records_key, 32, label, 34, derived, NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    bool gcm = kind == SIGNET_RECORD_GCM;
    memcpy(gcm ? nonce + 4 : nonce, header + 8, 8);
    int got;
    ck_assert(EVP_EncryptInit_ex(ctx, gcm ? EVP_aes_256_gcm() : EVP_aes_256_ctr(), NULL, derived,
                                 nonce) == 1);
    ck_assert(EVP_EncryptUpdate(ctx, out, &got, in, len) == 1);
    ck_assert(EVP_EncryptFinal_ex(ctx, out + len, &got) == 1);
    if (gcm) {
        ck_assert(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, out + len) == 1);
    } else {
        uint32_t crc = signet_crc32c(signet_load_u32(header + 36), out, (size_t)len);
        signet_store_u32(out + len, crc);
    }
    EVP_CIPHER_CTX_free(ctx);
}

START_TEST(the_format_is_as_documented)
{
    enum signet_record_kind kind = kinds[_i];
    static uint8_t in[40000], record[40100], want[40100];
    struct signet_record_sealer *s = records_sealer(kind, 0x0102030405060708);
    uint64_t seq;
    size_t len;
    memset(in, 0x3c, sizeof(in));
    assert_ok(signet_record_reserve(s, &seq, 1));
    assert_ok(signet_record_seal_at(s, seq, record, sizeof(record), &len, in, sizeof(in)));
    ck_assert_mem_eq(record, "sRec\1", 5);
    ck_assert_uint_eq(record[5], kind);
    ck_assert_mem_eq(record + 6, "\0\0\x08\x07\x06\x05\x04\x03\x02\x01", 10);
    ck_assert_uint_eq(signet_load_u32(record + 32), sizeof(in));
    ck_assert_uint_eq(signet_load_u32(record + 36), signet_crc32c(UINT32_MAX, record, 36));
    by_hand(kind, want, record, in, sizeof(in));
    ck_assert_uint_eq(len, 40 + sizeof(in) + (kind == SIGNET_RECORD_GCM ? 16 : 4));
    ck_assert_mem_eq(record + 40, want, len - 40);
    signet_record_sealer_free(s);
}
END_TEST

START_TEST(records_seal_in_place_and_in_any_order)
{
    enum signet_record_kind kind = kinds[_i];
    struct signet_record_sealer *s = records_sealer(kind, 0);
    struct signet_record_reader *r = records_reader(kind, 0);
    struct signet_record_view view;
    uint8_t log[8][256];
    uint64_t seq;
    size_t len;
    assert_ok(signet_record_reserve(s, &seq, 8));
    for (uint8_t i = 8; i-- > 0;) {
        memset(log[i], i, sizeof(log[i]));
        assert_ok(
            signet_record_seal_at(s, i, log[i], 256, &len, log[i] + SIGNET_RECORD_HEADER_LEN, 100));
    }
    for (uint8_t i = 0; i < 8; i++) {
        assert_ok(signet_record_open(r, log[i], len, &view, NULL, NULL));
        ck_assert_uint_eq(view.body.p[99], i);
    }
    signet_record_sealer_free(s);
    signet_record_reader_free(r);
}
END_TEST

/* A log that one sealer began and another went on with, from a number that the first one also
 * used for a record that was lost; by each handler in turn. */
START_TEST(another_sealer_goes_on)
{
    enum signet_record_kind kind = kinds[_i];
    uint8_t log[2048], lost[2][256];
    size_t end = 0, at = 0;
    for (unsigned turn = 0; turn < 4; turn++) {
        const struct signet_handler *h = signet_handler_at(turn % 2);
        struct signet_record_sealer *s;
        assert_ok(signet_record_sealer_new(&s, kind, records_key, UINT64_C(2) * turn, h));
        end += records_add(s, log + end, sizeof(log) - end, 100);
        end += records_add(s, log + end, sizeof(log) - end, 0);
        records_add(s, lost[turn % 2], 256, 64);
        signet_record_sealer_free(s);
    }
    ck_assert_mem_ne(lost[0] + 40, lost[1] + 40, 64);
    struct signet_record_reader *r = records_reader(kind, SIGNET_RECORD_SEQ_ANY);
    for (unsigned i = 0; i < 8; i++) {
        struct signet_record_view view;
        assert_ok(signet_handler_use(signet_handler_at(i / 3 % 2)));
        assert_ok(signet_record_open(r, log + at, end - at, &view, NULL, NULL));
        ck_assert_uint_eq(view.seq, i);
        ck_assert(records_right(&view, i % 2 == 0 ? 100 : 0));
        at += view.len;
    }
    ck_assert_uint_eq(at, end);
    signet_record_reader_free(r);
}
END_TEST

enum { THREADS = 4, EACH = 2000, BODY = 64 };
static struct signet_record_sealer *shared;
static uint8_t *shared_log;
static size_t slot_len;

/* The number says where in the log the record goes. */
static void *append(void *arg)
{
    unsigned *wrong = arg;
    uint8_t in[BODY];
    uint64_t first;
    for (unsigned done = 0; done < EACH; done += 16) {
        *wrong += signet_record_reserve(shared, &first, 16) != 0;
        for (uint64_t seq = first; seq < first + 16; seq++) {
            size_t len;
            for (unsigned i = 0; i < BODY; i++) {
                in[i] = (uint8_t)(seq + 3U * i);
            }
            *wrong += signet_record_seal_at(shared, seq, shared_log + seq * slot_len, slot_len,
                                            &len, in, BODY) != 0 ||
                      len != slot_len;
        }
    }
    return NULL;
}

START_TEST(many_threads_one_log)
{
    enum signet_record_kind kind = kinds[_i];
    pthread_t threads[THREADS];
    unsigned wrong[THREADS] = {0};
    slot_len = signet_record_len(kind, BODY);
    shared = records_sealer(kind, 0);
    shared_log = malloc(slot_len * (size_t)THREADS * EACH);
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, append, &wrong[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(wrong[i], 0);
    }
    struct signet_record_reader *r = records_reader(kind, 0);
    for (size_t i = 0; i < (size_t)THREADS * EACH; i++) {
        struct signet_record_view view;
        assert_ok(signet_record_open(r, shared_log + i * slot_len, slot_len, &view, NULL, NULL));
        ck_assert(records_right(&view, BODY));
    }
    signet_record_reader_free(r);
    signet_record_sealer_free(shared);
    free(shared_log);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("record");
    TCase *t = suite_case(s, "record");
    tcase_add_loop_test(t, records_go_round, 0, 2);
    tcase_add_loop_test(t, the_format_is_as_documented, 0, 2);
    tcase_add_loop_test(t, records_seal_in_place_and_in_any_order, 0, 2);
    tcase_add_loop_test(t, another_sealer_goes_on, 0, 2);
    tcase_add_loop_test(t, many_threads_one_log, 0, 2);
    return suite_run(s);
}
