/* SPDX-License-Identifier: MIT */
/* The client's messages to an OSD: what rados bench sent byte for byte, what an OSD answered. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "lite/osd_client.h"
#include "support/suite.h"

#define FEATURES UINT64_C(0x3f01cfbdfffdffff)

static json_t *kat;

static void start(void)
{
    kat = kat_json("lite/osd.json");
}

static void stop(void)
{
    json_decref(kat);
}

static const char *hex(const char *name)
{
    return json_string_value(json_object_get(kat, name));
}

static struct lite_osd_request request(const char *name, const struct lite_op *op, uint32_t num)
{
    return (struct lite_osd_request){.pool = 1,
                                     .pg_num = 8,
                                     .epoch = 1,
                                     .name = {(const uint8_t *)name, strlen(name)},
                                     .features = FEATURES,
                                     .num_ops = num,
                                     .ops = op};
}

START_TEST(as_rados_bench_writes)
{
    const struct lite_op op[] = {
        {.code = LITE_OP_SETALLOCHINT, .flags = LITE_OP_FAILOK, .offset = 16, .length = 16},
        {.code = LITE_OP_WRITE, .length = 16, .payload_len = 16}};
    uint8_t front[LITE_OSD_FRONT_MAX];
    size_t len, want_len;
    uint8_t *want = unhex(hex("bench_write"), &want_len);
    struct lite_osd_request q = request("benchmark_data_vm_22655_object0", op, 2);
    uint8_t *hint = memmem(want, want_len, "\x23\x22\2\0\0\0", 6);
    ck_assert_ptr_nonnull(hint);
    ck_assert_uint_eq(hint[22], 0x35); /* flags of the hint: it is for an OSD's disk */
    hint[22] = 0;
    const uint8_t *mtime = want + 24 + 4 + 4 + 4 + 27 + 24 + 4;
    q.mtime = (struct signet_utime){signet_load_u32(mtime), signet_load_u32(mtime + 4)};
    assert_ok(lite_osd_request(&q, front, sizeof(front), &len));
    ck_assert_uint_eq(len, want_len);
    for (size_t i = 0; i < len; i++) {
        ck_assert_msg(front[i] == want[i], "byte %zu: %02x, not %02x", i, front[i], want[i]);
    }
    free(want);
}
END_TEST

START_TEST(as_rados_reads)
{
    const struct lite_op op = {.code = LITE_OP_READ, .length = 4 << 20};
    uint8_t front[LITE_OSD_FRONT_MAX];
    size_t len;
    struct lite_osd_request q = request("o", &op, 1);
    assert_ok(lite_osd_request(&q, front, sizeof(front), &len));
    assert_hex(front, len, hex("get"));
    for (size_t cap = 0; cap < len; cap++) {
        size_t got = 1;
        assert_err(lite_osd_request(&q, front, cap, &got), SPACE);
        ck_assert_uint_eq(got, 0);
    }
}
END_TEST

START_TEST(once_more)
{
    const struct lite_op op = {.code = LITE_OP_READ, .length = 4 << 20};
    uint8_t first[LITE_OSD_FRONT_MAX], again[LITE_OSD_FRONT_MAX];
    size_t len, again_len;
    struct lite_osd_request q = request("o", &op, 1);
    assert_ok(lite_osd_request(&q, first, sizeof(first), &len));
    q.attempt = 3;
    assert_ok(lite_osd_request(&q, again, sizeof(again), &again_len));
    ck_assert_uint_eq(again_len, len);
    const size_t flags = 24 + 4 + 4, attempt = len - 8 - 4;
    ck_assert_uint_eq(signet_load_u32(again + flags), signet_load_u32(first + flags) | 8);
    ck_assert_uint_eq(signet_load_u32(again + attempt), 3);
    again[flags] = first[flags];
    again[attempt] = 0;
    ck_assert_mem_eq(again, first, len);
}
END_TEST

/* Of the pages of a pool, that of group 3 in eight. */
START_TEST(listing)
{
    const struct lite_op op = {.code = LITE_OP_PGNLS, .offset = 1024, .payload_len = 39};
    uint8_t front[LITE_OSD_FRONT_MAX];
    size_t len;
    struct lite_osd_request q = request("", &op, 1);
    q.list = true;
    q.hash = 0x1003;
    assert_ok(lite_osd_request(&q, front, sizeof(front), &len));
    ck_assert_uint_eq(signet_load_u32(front + 6 + 1 + 8), 3);     /* group */
    ck_assert_uint_eq(signet_load_u32(front + 24), 3);            /* hash */
    ck_assert_uint_eq(signet_load_u32(front + 24 + 8), 0x420014); /* as rados ls */
    const size_t locator = 24 + 4 + 4 + 4 + 27 + 24 + 4 + 8;
    assert_hex(front + locator, 42,
               "06061c0000000100000000000000ffffffff00000000000000000300000000000000"
               "0000000001000515");
}
END_TEST

START_TEST(subscription)
{
    uint8_t front[64];
    size_t len;
    assert_ok(lite_osdmap_subscribe(true, front, sizeof(front), &len));
    assert_hex(front, len, "01000000060000006f73646d617000000000000000000100000000");
    assert_err(lite_osdmap_subscribe(true, front, 10, &len), SPACE);
    assert_ok(lite_osdmap_subscribe(false, front, sizeof(front), &len));
    assert_hex(front, len, "01000000060000006f73646d617000000000000000000000000000");
}
END_TEST

static int read_reply(struct lite_osd_reply *out, const uint8_t *front, size_t len)
{
    struct signet_message in = {.type = 43, .version = 8, .compat_version = 2};
    in.front = (struct signet_span){front, len};
    return lite_osd_reply(out, &in);
}

START_TEST(answers)
{
    static const struct {
        const char *name;
        int32_t result;
        uint32_t out_len;
    } all[] = {{"put_reply", 0, 0},
               {"get_reply", 0, 5},
               {"stat_reply", 0, 16},
               {"nope_reply", -ENOENT, 0},
               {"real_reply", 0, 0}};
    size_t len;
    struct lite_osd_reply reply;
    uint8_t *front = unhex(hex(all[_i].name), &len);
    assert_ok(read_reply(&reply, front, len));
    ck_assert_int_eq(reply.result, all[_i].result);
    ck_assert_uint_eq(reply.num_ops, 1);
    ck_assert_int_eq(reply.rval[0], all[_i].result);
    ck_assert_uint_eq(reply.out_len[0], all[_i].out_len);
    ck_assert_int_eq(reply.attempt, 0);
    ck_assert_uint_gt(reply.epoch, 0);
    ck_assert(!reply.redirect);
    for (size_t cut = 0; cut + 24 < len; cut++) { /* the trace at the end is not needed */
        ck_assert_int_ne(read_reply(&reply, front, cut), 0);
    }
    front[len - 25] = 1;
    assert_ok(read_reply(&reply, front, len));
    ck_assert(reply.redirect);
    free(front);
}
END_TEST

START_TEST(answers_that_are_none)
{
    size_t len;
    struct lite_osd_reply reply;
    uint8_t *front = unhex(hex("put_reply"), &len);
    struct signet_message in = {.version = 7, .compat_version = 2, .front = {front, len}};
    assert_err(lite_osd_reply(&reply, &in), VERSION);
    in.version = 12;
    in.compat_version = 9;
    assert_err(lite_osd_reply(&reply, &in), VERSION);
    front[4 + 1 + 17 + 8 + 4 + 12 + 4] = LITE_OPS_MAX + 1;
    assert_err(read_reply(&reply, front, len), COUNT);
    memset(front, 0xff, 4);
    assert_err(read_reply(&reply, front, len), LENGTH);
    free(front);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_client");
    TCase *t = tcase_create("messages");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, as_rados_bench_writes);
    tcase_add_test(t, as_rados_reads);
    tcase_add_test(t, once_more);
    tcase_add_test(t, listing);
    tcase_add_test(t, subscription);
    tcase_add_loop_test(t, answers, 0, 5);
    tcase_add_test(t, answers_that_are_none);
    suite_add_tcase(s, t);
    return suite_run(s);
}
