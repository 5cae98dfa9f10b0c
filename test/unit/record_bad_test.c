/* SPDX-License-Identifier: MIT */
/* Records that were torn, damaged, changed or mixed up, and calls that are wrong. */
#include "support/suite.h"

#include <signet/signet.h>
#include <string.h>

#include "base/zeros.h"
#include "msg/record_format.h"
#include "support/records.h"

static const enum signet_record_kind kinds[] = {SIGNET_RECORD_GCM, SIGNET_RECORD_CTR};

enum { BODY = 50, ROOM = 4096 };

/* A log of two records, and what the test does to the second. */
struct log {
    enum signet_record_kind kind;
    size_t first, end; /* where the first one ends, and the second */
    uint8_t bytes[ROOM];
};

static struct log two_records(enum signet_record_kind kind)
{
    struct log log = {.kind = kind};
    struct signet_record_sealer *s = records_sealer(kind, 20);
    log.first = records_add(s, log.bytes, ROOM, BODY);
    log.end = log.first + records_add(s, log.bytes + log.first, ROOM - log.first, BODY);
    signet_record_sealer_free(s);
    return log;
}

/* Reads both; what the second gives. A copy: opening is in place. */
static int read_second(const struct log *log, size_t end, struct signet_fail *fail)
{
    uint8_t copy[ROOM];
    struct signet_record_view view;
    struct signet_record_reader *r = records_reader(log->kind, 20);
    memcpy(copy, log->bytes, ROOM);
    assert_ok(signet_record_open(r, copy, end, &view, NULL, NULL));
    ck_assert_uint_eq(view.len, log->first);
    int err = signet_record_open(r, copy + log->first, end - log->first, &view, NULL, fail);
    ck_assert(err == 0 || view.len == 0);
    for (size_t i = log->first; err == -SIGNET_E_RECORD_BODY && i < log->end; i++) {
        ck_assert(copy[i] == 0 || copy[i] == log->bytes[i]); /* no plaintext */
    }
    signet_record_reader_free(r);
    return err;
}

START_TEST(a_torn_record_is_told)
{
    struct log log = two_records(kinds[_i]);
    struct signet_fail fail;
    assert_ok(read_second(&log, log.end, &fail));
    for (size_t end = log.first + 1; end < log.end; end++) {
        assert_err(read_second(&log, end, &fail), RECORD_TORN);
        ck_assert_int_eq(fail.err, -SIGNET_E_RECORD_TORN);
        ck_assert_uint_eq(fail.offset, 1000 + log.first);
    }
}
END_TEST

/* Written into space that was made ahead: zeros follow what was written. */
START_TEST(a_record_torn_in_zeros_is_told)
{
    struct log whole = two_records(kinds[_i]);
    struct signet_fail fail;
    size_t trailer = whole.end - signet_record_trailer_len(whole.kind);
    for (size_t end = whole.first; end <= trailer; end++) {
        struct log log = whole;
        memset(log.bytes + end, 0, log.end - end);
        int err = read_second(&log, ROOM, &fail);
        if (end == log.first) {
            ck_assert_int_eq(err, 0);
        } else if (end >= log.first + SIGNET_RECORD_HEADER_LEN) {
            ck_assert_int_eq(err, -SIGNET_E_RECORD_TORN);
        } else { /* zeros that were sealed as such are no damage */
            ck_assert(err == -SIGNET_E_RECORD_HEADER || whole.bytes[end] == 0);
        }
    }
}
END_TEST

/* The last n bytes, the first of a sector, are zeros. */
static int read_torn(const struct log *whole, size_t end, size_t n)
{
    uint8_t copy[ROOM];
    struct signet_record_view view;
    struct signet_record_reader *r;
    memcpy(copy, whole->bytes, ROOM);
    memset(copy + end - n, 0, ROOM - (end - n));
    assert_ok(signet_record_reader_new(&r, whole->kind, records_key, 20, 5120 - (end - n),
                                       SIGNET_RECORD_MAX, NULL));
    int err = signet_record_open(r, copy, ROOM, &view, NULL, NULL);
    signet_record_reader_free(r);
    return err;
}

START_TEST(a_record_torn_at_a_sector_is_told)
{
    struct log whole = two_records(kinds[_i]);
    for (size_t n = 1; n < SIGNET_RECORD_HEADER_LEN; n++) {
        assert_err(read_torn(&whole, SIGNET_RECORD_HEADER_LEN, n), RECORD_TORN);
    }
    for (size_t n = 1; n < whole.first - SIGNET_RECORD_HEADER_LEN; n++) {
        int err = read_torn(&whole, whole.first, n);
        bool zeros = signet_all_zeros(whole.bytes + whole.first - n, n); /* as they were sealed */
        ck_assert_int_eq(err, zeros ? 0 : -SIGNET_E_RECORD_TORN);
    }
}
END_TEST

START_TEST(any_changed_byte_is_noticed)
{
    struct log whole = two_records(kinds[_i]);
    struct signet_fail fail;
    for (size_t at = whole.first; at < whole.end; at++) {
        struct log log = whole;
        log.bytes[at] ^= 0x20;
        int err = read_second(&log, log.end, &fail);
        bool header = at < log.first + SIGNET_RECORD_HEADER_LEN;
        ck_assert_int_eq(err, header ? -SIGNET_E_RECORD_HEADER : -SIGNET_E_RECORD_BODY);
        ck_assert_uint_eq(fail.offset, 1000 + log.first + (header ? 0 : SIGNET_RECORD_HEADER_LEN));
    }
}
END_TEST

/* Whoever changes a header can make its crc right again. */
static void reseal_header(struct log *log, const struct signet_record_header *h)
{
    struct signet_record_header copy = *h;
    signet_record_header_write(log->bytes + log->first, &copy);
}

START_TEST(a_forged_header_is_noticed)
{
    struct log log = two_records(kinds[_i]);
    struct signet_record_header h, forged;
    const char *what;
    assert_ok(signet_record_header_read(&h, log.bytes + log.first, log.kind, &what));
    forged = h;
    forged.seq++;
    reseal_header(&log, &forged);
    assert_err(read_second(&log, log.end, NULL), RECORD_SEQ);
    forged = h;
    forged.seq--;
    reseal_header(&log, &forged);
    assert_err(read_second(&log, log.end, NULL), RECORD_SEQ);
    forged = h;
    forged.len--;
    reseal_header(&log, &forged);
    assert_err(read_second(&log, log.end, NULL), RECORD_BODY);
    forged = h;
    forged.iv[3] ^= 1;
    reseal_header(&log, &forged);
    assert_err(read_second(&log, log.end, NULL), RECORD_BODY);
    forged = h;
    forged.kind = (uint8_t)(3 - h.kind);
    reseal_header(&log, &forged);
    assert_err(read_second(&log, log.end, NULL), RECORD_KIND);
    forged = h;
    forged.len = SIGNET_RECORD_MAX + 1;
    reseal_header(&log, &forged);
    assert_err(read_second(&log, log.end, NULL), LENGTH);
    forged = h;
    forged.seq = SIGNET_RECORD_SEQ_END;
    reseal_header(&log, &forged);
    assert_err(read_second(&log, log.end, NULL), RECORD_HEADER);
    reseal_header(&log, &h);
    assert_ok(read_second(&log, log.end, NULL));
}
END_TEST

START_TEST(a_reader_goes_on_where_it_was)
{
    struct log log = two_records(kinds[_i]);
    struct signet_record_reader *r = records_reader(log.kind, SIGNET_RECORD_SEQ_ANY);
    struct signet_record_view view;
    size_t need;
    assert_err(signet_record_open(r, log.bytes, 10, &view, &need, NULL), RECORD_TORN);
    ck_assert_uint_eq(need, SIGNET_RECORD_HEADER_LEN);
    assert_err(signet_record_open(r, log.bytes, need, &view, &need, NULL), RECORD_TORN);
    ck_assert_uint_eq(need, log.first);
    assert_ok(signet_record_open(r, log.bytes, need, &view, &need, NULL));
    assert_err(signet_record_open(r, log.bytes, log.first, &view, NULL, NULL), RECORD_SEQ);
    assert_ok(signet_record_open(r, log.bytes + log.first, log.end - log.first, &view, NULL, NULL));
    ck_assert_uint_eq(view.seq, 21);
    signet_record_reader_free(r);
}
END_TEST

START_TEST(another_key_opens_nothing)
{
    struct log log = two_records(kinds[_i]);
    uint8_t key[SIGNET_RECORD_KEY_LEN];
    struct signet_record_reader *r;
    struct signet_record_view view;
    memcpy(key, records_key, sizeof(key));
    key[31] ^= 1;
    assert_ok(signet_record_reader_new(&r, log.kind, key, 20, 0, BODY, NULL));
    int err = signet_record_open(r, log.bytes, log.end, &view, NULL, NULL);
    if (log.kind == SIGNET_RECORD_GCM) {
        ck_assert_int_eq(err, -SIGNET_E_RECORD_BODY);
    } else { /* not authenticated: it opens to something else */
        ck_assert_int_eq(err, 0);
        ck_assert(!records_right(&view, BODY));
    }
    signet_record_reader_free(r);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    enum signet_record_kind none = (enum signet_record_kind)3;
    struct signet_record_sealer *s;
    struct signet_record_reader *r;
    assert_err(signet_record_sealer_new(&s, none, records_key, 0, NULL), INVAL);
    ck_assert_ptr_null(s);
    assert_err(signet_record_sealer_new(&s, kinds[0], records_key, SIGNET_RECORD_SEQ_END, NULL),
               INVAL);
    assert_err(signet_record_reader_new(&r, none, records_key, 0, 0, 1, NULL), INVAL);
    ck_assert_ptr_null(r);
    assert_err(
        signet_record_reader_new(&r, kinds[0], records_key, SIGNET_RECORD_SEQ_END, 0, 1, NULL),
        INVAL);
    assert_err(
        signet_record_reader_new(&r, kinds[0], records_key, 0, 0, SIGNET_RECORD_MAX + 1, NULL),
        INVAL);
    ck_assert_uint_eq(signet_record_len(kinds[0], SIGNET_RECORD_MAX), SIGNET_RECORD_MAX + 56);
    ck_assert_uint_eq(signet_record_len(kinds[0], SIGNET_RECORD_MAX + 1), 0);
    ck_assert_uint_eq(signet_record_len(kinds[1], SIZE_MAX), 0);
}
END_TEST

START_TEST(limits_of_sealing)
{
    struct signet_record_sealer *s = records_sealer(kinds[_i], SIGNET_RECORD_SEQ_END - 2);
    uint8_t out[256], in[100] = {1};
    uint64_t seq = 5;
    size_t len = 1;
    assert_err(signet_record_reserve(s, &seq, 0), INVAL);
    assert_err(signet_record_reserve(s, &seq, SIGNET_RECORD_RESERVE_MAX + 1), INVAL);
    assert_ok(signet_record_reserve(s, &seq, 2));
    assert_err(signet_record_reserve(s, &seq, 1), NONCES_SPENT);
    assert_err(signet_record_reserve(s, &seq, SIGNET_RECORD_RESERVE_MAX), NONCES_SPENT);
    ck_assert_uint_eq(seq, SIGNET_RECORD_SEQ_END - 2);
    size_t total = signet_record_len(kinds[_i], sizeof(in));
    memset(out, 0xee, sizeof(out));
    assert_err(signet_record_seal_at(s, seq, out, total - 1, &len, in, sizeof(in)), SPACE);
    ck_assert_uint_eq(len, 0);
    ck_assert_uint_eq(out[0], 0xee);
    assert_err(signet_record_seal_at(s, seq, out, SIZE_MAX, &len, in, SIGNET_RECORD_MAX + 1),
               LENGTH);
    assert_ok(signet_record_seal_at(s, seq, out, total, &len, in, sizeof(in)));
    ck_assert_uint_eq(out[total], 0xee);
    signet_record_sealer_free(s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("record_bad");
    TCase *t = suite_case(s, "record");
    tcase_add_loop_test(t, a_torn_record_is_told, 0, 2);
    tcase_add_loop_test(t, a_record_torn_in_zeros_is_told, 0, 2);
    tcase_add_loop_test(t, a_record_torn_at_a_sector_is_told, 0, 2);
    tcase_add_loop_test(t, any_changed_byte_is_noticed, 0, 2);
    tcase_add_loop_test(t, a_forged_header_is_noticed, 0, 2);
    tcase_add_loop_test(t, a_reader_goes_on_where_it_was, 0, 2);
    tcase_add_loop_test(t, another_key_opens_nothing, 0, 2);
    tcase_add_test(t, wrong_arguments_are_refused);
    tcase_add_loop_test(t, limits_of_sealing, 0, 2);
    return suite_run(s);
}
