/* SPDX-License-Identifier: MIT */
/* What each operation does to an object, alone and in one request with others. */
#include "osd_tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIG = 300 << 10, OBJECT_MAX = 1 << 20 };

static struct rig rig;

static void start(void)
{
    rig_start(&rig, &(struct signet_osd_options){.max_object = OBJECT_MAX});
}

static void stop(void)
{
    rig_stop(&rig);
}

static struct rig_op write_op(uint16_t code, uint64_t offset, const char *text)
{
    size_t len = strlen(text);
    return (struct rig_op){.code = code, .offset = offset, .length = len, .data = text, .len = len};
}

static int32_t together(const char *name, const struct rig_op *op, uint16_t num)
{
    return rig_do(&rig, &(struct rig_request){.name = name, .op = op, .num_ops = num});
}

START_TEST(writes)
{
    ck_assert_int_eq(rig_one(&rig, "a", write_op(WRITE, 3, "xyz")), 0);
    rig_is(&rig, "a", "\0\0\0xyz", 6);
    ck_assert_int_eq(rig_one(&rig, "a", write_op(WRITE, 1, "12")), 0);
    rig_is(&rig, "a", "\00012xyz", 6);
    ck_assert_int_eq(rig_one(&rig, "a", write_op(APPEND, 99, "end")), 0);
    rig_is(&rig, "a", "\00012xyzend", 9);
    ck_assert_int_eq(rig_one(&rig, "a", write_op(APPEND, 0, "")), 0);
    rig_is(&rig, "a", "\00012xyzend", 9);
    ck_assert_int_eq(rig_put(&rig, "a", "new"), 0);
    rig_is_text(&rig, "a", "new");
    ck_assert_int_eq(rig_put(&rig, "a", ""), 0);
    rig_is(&rig, "a", "", 0);
    ck_assert_int_eq(rig_one(&rig, "b", write_op(APPEND, 0, "first")), 0);
    rig_is_text(&rig, "b", "first");
}
END_TEST

START_TEST(create_and_delete)
{
    const struct rig_op excl = {.code = CREATE, .flags = EXCL};
    ck_assert_int_eq(rig_one(&rig, "a", excl), 0);
    ck_assert_int_eq(rig_one(&rig, "a", excl), -EEXIST);
    ck_assert_int_eq(rig.rval[0], -EEXIST);
    ck_assert_int_eq(rig_put(&rig, "a", "kept"), 0);
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = CREATE}), 0);
    rig_is_text(&rig, "a", "kept");
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = HINT}), 0);
    rig_is_text(&rig, "a", "kept");
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = DELETE}), 0);
    rig_is_absent(&rig, "a");
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = DELETE}), -ENOENT);
    ck_assert_int_eq(rig_one(&rig, "h", (struct rig_op){.code = HINT, .flags = FAILOK}), 0);
    rig_is(&rig, "h", "", 0);
}
END_TEST

START_TEST(truncate)
{
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = TRUNCATE, .offset = 3}), 0);
    rig_is_absent(&rig, "a");
    ck_assert_int_eq(rig_put(&rig, "a", "hello"), 0);
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = TRUNCATE, .offset = 2}), 0);
    rig_is_text(&rig, "a", "he");
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = TRUNCATE, .offset = 5}), 0);
    rig_is(&rig, "a", "he\0\0\0", 5);
}
END_TEST

START_TEST(reads)
{
    static const struct {
        uint64_t offset, length;
        const char *want;
    } cases[] = {{0, 0, "0123456789"}, {0, 10, "0123456789"}, {0, 99, "0123456789"},
                 {4, 2, "45"},         {4, 0, "456789"},      {9, 5, "9"},
                 {10, 5, ""},          {UINT64_MAX, 5, ""},   {1, UINT64_MAX, "123456789"}};
    ck_assert_int_eq(rig_put(&rig, "a", "0123456789"), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig_op op = {.code = READ, .offset = cases[i].offset, .length = cases[i].length};
        ck_assert_int_eq(rig_one(&rig, "a", op), 0);
        ck_assert_uint_eq(rig.data_len, strlen(cases[i].want));
        ck_assert_mem_eq(rig.data, cases[i].want, rig.data_len);
        ck_assert_uint_eq(signet_load_u64(rig.front + 4 + 1 + 17 + 8 + 4 + 12 + 4 + 4 + 14),
                          rig.data_len);
    }
}
END_TEST

START_TEST(many_reads_in_one_request)
{
    struct rig_op op[100];
    ck_assert_int_eq(rig_put(&rig, "a", "0123456789"), 0);
    for (uint32_t i = 0; i < 100; i++) {
        op[i] = i % 2 == 0 ? (struct rig_op){.code = READ, .offset = i % 10, .length = 1}
                           : (struct rig_op){.code = STAT};
    }
    ck_assert_int_eq(together("a", op, 100), 0);
    ck_assert_uint_eq(rig.data_len, UINT64_C(50) * 17);
    for (uint32_t i = 0; i < 50; i++) {
        ck_assert_int_eq(rig.data[(size_t)i * 17], '0' + (int)(i * 2 % 10));
    }
}
END_TEST

START_TEST(times_and_versions)
{
    ck_assert_int_eq(rig_put(&rig, "a", "x"), 0);
    uint64_t version = rig.replay_version;
    ck_assert_uint_eq(rig.user_version, version);
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = STAT}), 0);
    ck_assert_uint_eq(rig.user_version, version);
    ck_assert_uint_eq(rig.replay_version, 0);
    ck_assert_uint_eq(signet_load_u32(rig.data + 8), 1000);
    ck_assert_uint_eq(signet_load_u32(rig.data + 12), 2000);
    ck_assert_int_eq(rig_put(&rig, "a", "y"), 0);
    ck_assert_uint_gt(rig.replay_version, version);
}
END_TEST

/* Many objects of one shard that come and go, beside a list of those that should be there. */
START_TEST(comes_and_goes)
{
    enum { OBJECTS = 300, ROUNDS = 20000 };
    static bool there[OBJECTS];
    char name[16];
    rig_stop(&rig);
    rig_start(&rig, NULL);
    srandom(2);
    for (int i = 0; i < ROUNDS; i++) {
        /* now more of them, now fewer */
        int at = (int)(random() % (i / 2000 % 2 == 0 ? OBJECTS : 20));
        snprintf(name, sizeof(name), "o%d", at);
        bool create = random() % 3 != 0;
        struct rig_op op = {.code = create ? CREATE : DELETE, .flags = create ? EXCL : 0};
        int32_t want = create == there[at] ? (create ? -EEXIST : -ENOENT) : 0;
        ck_assert_int_eq(rig_one(&rig, name, op), want);
        there[at] = create;
    }
    uint64_t num = 0;
    for (int at = 0; at < OBJECTS; at++) {
        snprintf(name, sizeof(name), "o%d", at);
        int32_t want = there[at] ? 0 : -ENOENT;
        ck_assert_int_eq(rig_one(&rig, name, (struct rig_op){.code = STAT}), want);
        num += there[at] ? 1 : 0;
    }
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).objects, num);
}
END_TEST

/* --- several in one request ----------------------------------------------------------------- */

START_TEST(nothing_of_a_failed_request_stays)
{
    ck_assert_int_eq(rig_put(&rig, "a", "before"), 0);
    const struct rig_op op[] = {write_op(WRITE, 0, "AFTER"),
                                write_op(APPEND, 0, "more"),
                                {.code = TRUNCATE, .offset = 2},
                                {.code = SETXATTR},
                                write_op(WRITE, 0, "never")};
    ck_assert_int_eq(together("a", op, 5), -EOPNOTSUPP);
    ck_assert_int_eq(rig.rval[3], -EOPNOTSUPP);
    ck_assert_int_eq(rig.rval[4], 0);
    rig_is_text(&rig, "a", "before");
    ck_assert_int_eq(together("new", op, 5), -EOPNOTSUPP);
    rig_is_absent(&rig, "new");
    const struct rig_op gone[] = {{.code = DELETE}, {.code = DELETE}};
    ck_assert_int_eq(together("a", gone, 2), -ENOENT);
    rig_is_text(&rig, "a", "before");
}
END_TEST

START_TEST(failok_lets_others_succeed)
{
    const struct rig_op op[] = {{.code = SETXATTR, .flags = FAILOK},
                                write_op(WRITE, 0, "data"),
                                {.code = CREATE, .flags = EXCL | FAILOK}};
    ck_assert_int_eq(together("a", op, 3), 0);
    ck_assert_int_eq(rig.rval[0], -EOPNOTSUPP);
    ck_assert_int_eq(rig.rval[1], 0);
    ck_assert_int_eq(rig.rval[2], -EEXIST);
    rig_is_text(&rig, "a", "data");
    const struct rig_op read[] = {{.code = STAT}, {.code = SETXATTR - 0x1000, .flags = FAILOK}};
    ck_assert_int_eq(together("a", read, 2), 0);
    ck_assert_int_eq(rig.rval[1], -EOPNOTSUPP);
    ck_assert_uint_eq(rig.data_len, 16);
}
END_TEST

START_TEST(each_sees_what_those_before_did)
{
    const struct rig_op again[] = {
        write_op(WRITEFULL, 0, "one"), {.code = DELETE}, {.code = CREATE, .flags = EXCL}};
    ck_assert_int_eq(together("a", again, 3), 0);
    rig_is(&rig, "a", "", 0);
    const struct rig_op op[] = {write_op(APPEND, 0, "ab"),
                                write_op(APPEND, 0, "cd"),
                                {.code = TRUNCATE, .offset = 3},
                                write_op(APPEND, 0, "e")};
    ck_assert_int_eq(together("b", op, 4), 0);
    rig_is_text(&rig, "b", "abce");
    /* a reader in front of writers makes them fail with it */
    const struct rig_op guard[] = {{.code = STAT}, write_op(WRITEFULL, 0, "x")};
    ck_assert_int_eq(together("c", guard, 2), -ENOENT);
    rig_is_absent(&rig, "c");
    ck_assert_int_eq(together("b", guard, 2), 0);
    ck_assert_uint_eq(rig.data_len, 0);
    rig_is_text(&rig, "b", "x");
}
END_TEST

START_TEST(created_and_deleted_at_once)
{
    const struct rig_op op[] = {{.code = CREATE, .flags = EXCL}, {.code = DELETE}};
    ck_assert_int_eq(together("a", op, 2), 0);
    rig_is_absent(&rig, "a");
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).objects, 0);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).memory, 0);
}
END_TEST

/* --- objects of many chunks ----------------------------------------------------------------- */

/* The same operations on a plain array. */
struct model {
    uint8_t data[OBJECT_MAX];
    size_t size;
};
static struct model model;
static uint8_t noise[OBJECT_MAX];

static void model_write(size_t offset, size_t len)
{
    if (offset > model.size) {
        memset(model.data + model.size, 0, offset - model.size);
    }
    memcpy(model.data + offset, noise, len);
    model.size = offset + len > model.size ? offset + len : model.size;
}

static void model_resize(size_t size)
{
    if (size > model.size) {
        memset(model.data + model.size, 0, size - model.size);
    }
    model.size = size;
}

/* One random operation; several of them make a request. */
static struct rig_op random_op(void)
{
    static const uint16_t codes[] = {WRITE, WRITE, WRITE, APPEND, TRUNCATE, WRITEFULL};
    struct rig_op op = {.code = codes[random() % 6], .data = noise};
    size_t edge = random() % 3 == 0 ? STORE_CHUNK : 1;
    op.offset = (uint64_t)(random() % BIG) / edge * edge;
    op.length = op.len = (size_t)(random() % (random() % 4 == 0 ? BIG : 5000));
    if (op.code == TRUNCATE) {
        op.len = 0;
        model_resize(op.offset);
    } else if (op.code == APPEND) {
        op.length = op.len = model.size + op.len > OBJECT_MAX ? 0 : op.len;
        model_write(model.size, op.len);
    } else {
        op.offset = op.code == WRITEFULL ? 0 : op.offset;
        model.size = op.code == WRITEFULL ? 0 : model.size;
        model_write(op.offset, op.len);
    }
    return op;
}

START_TEST(like_an_array)
{
    srandom(1);
    for (size_t i = 0; i < sizeof(noise); i++) {
        noise[i] = (uint8_t)random();
    }
    model.size = 0;
    ck_assert_int_eq(rig_put(&rig, "a", ""), 0);
    for (int i = 0; i < 600; i++) {
        struct rig_op op[3];
        uint16_t num = (uint16_t)(1 + random() % 3);
        for (uint16_t j = 0; j < num; j++) {
            op[j] = random_op();
        }
        ck_assert_int_eq(together("a", op, num), 0);
        rig_is(&rig, "a", model.data, model.size);
        ck_assert_uint_eq(signet_osd_usage(&rig.osd).bytes, model.size);
        uint64_t memory = signet_osd_usage(&rig.osd).memory;
        ck_assert_uint_le(memory, model.size + UINT64_C(102400));
    }
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = DELETE}), 0);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).memory, 0);
}
END_TEST

static void holds(uint64_t pool, uint64_t objects, uint64_t bytes)
{
    struct store_pool u = signet_osd_pool_usage(&rig.osd, pool);
    ck_assert_uint_eq(u.id, pool);
    ck_assert_uint_eq(u.objects, objects);
    ck_assert_uint_eq(u.bytes, bytes);
    ck_assert(u.memory > bytes || (u.memory == 0 && objects == 0));
}

START_TEST(pools_are_counted)
{
    const struct rig_op write = {.code = WRITEFULL, .length = 5, .data = "12345", .len = 5},
                        more = {.code = APPEND, .length = 2, .data = "67", .len = 2},
                        gone = {.code = DELETE};
    holds(1, 0, 0);
    ck_assert_int_eq(rig_put(&rig, "a", "one"), 0);
    ck_assert_int_eq(rig_put(&rig, "b", "three"), 0);
    struct rig_request other = {.name = "a", .pool = 2, .op = &write, .num_ops = 1};
    ck_assert_int_eq(rig_do(&rig, &other), 0);
    holds(1, 2, 8);
    holds(2, 1, 5);
    other.op = &more;
    ck_assert_int_eq(rig_do(&rig, &other), 0);
    holds(2, 1, 7);
    ck_assert_int_eq(rig_one(&rig, "a", gone), 0);
    ck_assert_int_eq(rig_one(&rig, "a", gone), -ENOENT);
    holds(1, 1, 5);
    ck_assert_int_eq(rig_one(&rig, "b", gone), 0);
    holds(1, 0, 0);
    holds(2, 1, 7);
    holds(3, 0, 0);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).memory, signet_osd_pool_usage(&rig.osd, 2).memory);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_ops");
    TCase *t = tcase_create("operations");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, writes);
    tcase_add_test(t, create_and_delete);
    tcase_add_test(t, truncate);
    tcase_add_test(t, reads);
    tcase_add_test(t, many_reads_in_one_request);
    tcase_add_test(t, times_and_versions);
    tcase_add_test(t, comes_and_goes);
    tcase_add_test(t, nothing_of_a_failed_request_stays);
    tcase_add_test(t, failok_lets_others_succeed);
    tcase_add_test(t, each_sees_what_those_before_did);
    tcase_add_test(t, created_and_deleted_at_once);
    tcase_add_test(t, like_an_array);
    tcase_add_test(t, pools_are_counted);
    suite_add_tcase(s, t);
    return suite_run(s);
}
