/* SPDX-License-Identifier: MIT */
/* What the OSD refuses, where it is full, and what it does not do twice. */
#include "osd_tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lite/placement.h"

enum { OBJECT_MAX = 1 << 20 };

static struct rig rig;
static const uint8_t noise[1 << 16] = {1, 2, 3};

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

/* --- refusals ------------------------------------------------------------------------------- */

START_TEST(limits_of_size)
{
    struct rig_op op = {
        .code = WRITE, .offset = OBJECT_MAX - 1, .length = 1, .data = "x", .len = 1};
    ck_assert_int_eq(rig_one(&rig, "a", op), 0);
    ck_assert_uint_lt(signet_osd_usage(&rig.osd).memory, STORE_CHUNK + 1024);
    op.offset = OBJECT_MAX;
    ck_assert_int_eq(rig_one(&rig, "a", op), -EFBIG);
    op.offset = UINT64_MAX;
    ck_assert_int_eq(rig_one(&rig, "a", op), -EFBIG);
    op.code = APPEND;
    ck_assert_int_eq(rig_one(&rig, "a", op), -EFBIG);
    ck_assert_int_eq(
        rig_one(&rig, "a", (struct rig_op){.code = TRUNCATE, .offset = OBJECT_MAX + 1}), -EFBIG);
    op = (struct rig_op){.code = WRITEFULL, .length = OBJECT_MAX + 1, .data = noise};
    op.len = op.length;
    uint8_t *large = calloc(1, op.len);
    op.data = large;
    ck_assert_int_eq(rig_one(&rig, "b", op), -EFBIG);
    rig_is_absent(&rig, "b");
    free(large);
}
END_TEST

static int32_t ask(struct rig_request q)
{
    static const struct rig_op stat = {.code = STAT};
    if (q.op == NULL) {
        q.op = &stat;
        q.num_ops = 1;
    }
    return rig_do(&rig, &q);
}

START_TEST(requests_that_cannot_be)
{
    static char name[LITE_NAME_MAX + 2], ns[LITE_NS_MAX + 2];
    memset(name, 'n', sizeof(name) - 1);
    memset(ns, 's', sizeof(ns) - 1);
    ck_assert_int_eq(rig_put(&rig, "a", "x"), 0);
    ck_assert_int_eq(ask((struct rig_request){.name = "a", .pool = 3}), -ENOENT);
    ck_assert_int_eq(ask((struct rig_request){.name = "a", .pool = 2}), -ENOENT);
    ck_assert_int_eq(ask((struct rig_request){.name = "a", .ns = "n"}), -ENOENT);
    ck_assert_int_eq(ask((struct rig_request){.name = "a", .key = "k"}), -ENOENT);
    ck_assert_int_eq(ask((struct rig_request){.name = ""}), -EINVAL);
    ck_assert_int_eq(ask((struct rig_request){.name = name}), -ENAMETOOLONG);
    ck_assert_int_eq(ask((struct rig_request){.name = "a", .key = name}), -ENAMETOOLONG);
    ck_assert_int_eq(ask((struct rig_request){.name = "a", .ns = ns}), -ENAMETOOLONG);
    ck_assert_int_eq(ask((struct rig_request){.name = "a", .snapid = 5}), -EOPNOTSUPP);
    ck_assert_int_eq(ask((struct rig_request){.name = "a", .num_snaps = 1}), -EOPNOTSUPP);
    const struct rig_op none = {0};
    ck_assert_int_eq(rig_do(&rig, &(struct rig_request){.name = "a", .op = &none}), -EINVAL);
    ck_assert_int_eq(ask((struct rig_request){.name = "a"}), 0);
}
END_TEST

START_TEST(operations_that_cannot_be)
{
    struct rig_op op = write_op(WRITE, 0, "four");
    op.length = 5;
    ck_assert_int_eq(rig_one(&rig, "a", op), -EINVAL);
    op.length = 4;
    op.truncate_seq = 1;
    ck_assert_int_eq(rig_one(&rig, "a", op), -EOPNOTSUPP);
    rig_is_absent(&rig, "a");
    ck_assert_int_eq(rig_put(&rig, "a", "x"), 0);
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = READ, .truncate_seq = 1}),
                     -EOPNOTSUPP);
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = TRUNCATE, .truncate_seq = 1}),
                     -EOPNOTSUPP);
    static struct rig_op many[SIGNET_OSD_OPS_MAX + 1];
    for (int i = 0; i <= SIGNET_OSD_OPS_MAX; i++) {
        many[i].code = STAT;
    }
    ck_assert_int_eq(together("a", many, SIGNET_OSD_OPS_MAX + 1), -E2BIG);
    ck_assert_uint_eq(rig.num_ops, 0);
    ck_assert_int_eq(together("a", many, SIGNET_OSD_OPS_MAX), 0);
}
END_TEST

START_TEST(replies_are_bounded)
{
    struct rig_op op[65];
    uint8_t *large = calloc(1, OBJECT_MAX);
    op[0] =
        (struct rig_op){.code = WRITEFULL, .length = OBJECT_MAX, .data = large, .len = OBJECT_MAX};
    ck_assert_int_eq(together("a", op, 1), 0);
    for (int i = 0; i < 65; i++) {
        op[i] = (struct rig_op){.code = READ};
    }
    ck_assert_int_eq(together("a", op, 65), -E2BIG);
    ck_assert_uint_eq(rig.data_len, 0);
    ck_assert_int_eq(together("a", op, 10), 0);
    ck_assert_uint_eq(rig.data_len, UINT64_C(10) * OBJECT_MAX);
    free(large);
}
END_TEST

/* Full: nothing that was there is lost, what is deleted makes room again. */
START_TEST(no_space)
{
    char name[16];
    int num = 0;
    rig_stop(&rig);
    rig_start(&rig, &(struct signet_osd_options){.store_bytes = 1 << 20});
    struct rig_op op = {.code = WRITEFULL, .length = 10000, .data = noise, .len = 10000};
    for (int32_t result = 0; result == 0; num++) {
        snprintf(name, sizeof(name), "o%d", num);
        result = rig_one(&rig, name, op);
        ck_assert(result == 0 || result == -ENOSPC);
    }
    ck_assert_int_gt(num, 90);
    ck_assert_int_lt(num, 106);
    rig_is_absent(&rig, name);
    ck_assert_uint_le(signet_osd_usage(&rig.osd).memory, 1 << 20);
    ck_assert_int_eq(rig_one(&rig, "o5", write_op(WRITE, 0, "OVER")), 0);
    op.length = op.len = 60000;
    ck_assert_int_eq(rig_one(&rig, "o6", op), -ENOSPC);
    rig_is(&rig, "o6", noise, 10000);
    ck_assert_int_eq(rig_one(&rig, "o0", (struct rig_op){.code = DELETE}), 0);
    op.length = op.len = 10000;
    ck_assert_int_eq(rig_one(&rig, name, op), 0);
}
END_TEST

/* Lowered below what is there, only what takes less is done; raised, all is. */
START_TEST(another_limit)
{
    struct rig_op op = {.code = WRITEFULL, .length = 10000, .data = noise, .len = 10000};
    ck_assert_int_eq(rig_one(&rig, "a", op), 0);
    ck_assert_int_eq(rig_one(&rig, "b", op), 0);
    signet_osd_limit(&rig.osd, 5000, 1);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).max_bytes, 5000);
    ck_assert_int_eq(rig_one(&rig, "c", op), -ENOSPC);
    ck_assert_int_eq(rig_one(&rig, "a", (struct rig_op){.code = DELETE}), 0);
    ck_assert_int_eq(rig_put(&rig, "b", "short"), 0);
    signet_osd_limit(&rig.osd, 50000, 1);
    ck_assert_int_eq(rig_one(&rig, "c", op), 0);
}
END_TEST

/* --- repetitions ---------------------------------------------------------------------------- */

static int32_t append(uint64_t tid)
{
    const struct rig_op op = write_op(APPEND, 0, "x");
    return rig_do(&rig, &(struct rig_request){.name = "a", .tid = tid, .op = &op, .num_ops = 1});
}

START_TEST(a_write_that_comes_again_is_not_done_again)
{
    ck_assert_int_eq(append(100), 0);
    uint64_t version = rig.replay_version;
    ck_assert_int_eq(append(101), 0);
    ck_assert_int_eq(append(100), 0);
    ck_assert_uint_eq(rig.replay_version, version);
    rig_login(&rig, 4242, "allow *"); /* the same client on a new connection */
    ck_assert_int_eq(append(101), 0);
    ck_assert_uint_eq(rig.replay_version, version + 1);
    rig.tid = 200;
    rig_is_text(&rig, "a", "xx");
    rig_login(&rig, 4243, "allow *"); /* another one */
    ck_assert_int_eq(append(101), 0);
    rig_is_text(&rig, "a", "xxx");
}
END_TEST

/* What failed had no effect and may be tried again. */
START_TEST(only_success_is_remembered)
{
    const struct rig_op op = {.code = DELETE};
    const struct rig_request q = {.name = "a", .tid = 7, .op = &op, .num_ops = 1};
    ck_assert_int_eq(rig_do(&rig, &q), -ENOENT);
    ck_assert_int_eq(append(8), 0);
    ck_assert_int_eq(rig_do(&rig, &q), 0);
    rig.tid = 100;
    rig_is_absent(&rig, "a");
}
END_TEST

START_TEST(as_many_as_promised)
{
    for (uint64_t tid = 1; tid <= SIGNET_OSD_REPEATS; tid++) {
        ck_assert_int_eq(append(tid), 0);
    }
    for (uint64_t tid = 1; tid <= SIGNET_OSD_REPEATS; tid++) {
        ck_assert_int_eq(append(tid), 0);
    }
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).bytes, SIGNET_OSD_REPEATS);
}
END_TEST

/* Peers without sessions are forgotten when they are too many, the oldest first. */
START_TEST(peers_are_bounded)
{
    for (uint64_t id = 0; id <= SIGNET_OSD_PEERS_MAX; id++) {
        rig_login(&rig, 10000 + id, "allow *");
        ck_assert_int_eq(append(1), 0);
    }
    uint64_t before = signet_osd_usage(&rig.osd).bytes;
    rig_login(&rig, 10001, "allow *");
    ck_assert_int_eq(append(1), 0);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).bytes, before);
    rig_login(&rig, 10000, "allow *");
    ck_assert_int_eq(append(1), 0);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).bytes, before + 1);
}
END_TEST

/* What a change gives back cannot be used before it is done: it may yet fail, and a journal would
 * have the write that used it in front of the one that made room. */
START_TEST(room_is_there_when_it_was_made)
{
    const struct store_id id = {.pool = 1, .name = {(const uint8_t *)"a", 1}};
    struct store *store = rig.osd.store;
    struct store_work work;
    ck_assert_int_eq(rig_put(&rig, "b", "x"), 0);
    for (int done = 0; done < 2; done++) {
        store_begin(&work, store, &id);
        ck_assert_int_eq(store_write(&work, 0, (struct signet_span){noise, sizeof(noise)}), 0);
        ck_assert_int_eq(store_reserve(&work), 0);
        (void)store_commit(&work, (struct signet_utime){0}, 0);
        store_end(&work);
        uint64_t full = store_usage(store).memory;
        store_begin(&work, store, &id);
        store_delete(&work);
        ck_assert_int_eq(store_reserve(&work), 0);
        ck_assert_uint_eq(store_usage(store).memory, full);
        if (done) {
            (void)store_commit(&work, (struct signet_utime){0}, 0);
        }
        store_end(&work);
        ck_assert_uint_le(store_usage(store).memory, done ? full - sizeof(noise) : full);
        ck_assert_uint_eq(store_usage(store).objects, done ? 1 : 2);
    }
}
END_TEST

START_TEST(bad_options)
{
    struct signet_osd osd;
    struct signet_osd_options options = {.cluster = &rig.cluster, .env = signet_env_system()};
    options.shards = 3;
    assert_err(signet_osd_init(&osd, &options), INVAL);
    options.shards = 8192;
    assert_err(signet_osd_init(&osd, &options), INVAL);
    signet_osd_clear(&osd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_limits");
    TCase *t = tcase_create("limits");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, limits_of_size);
    tcase_add_test(t, requests_that_cannot_be);
    tcase_add_test(t, operations_that_cannot_be);
    tcase_add_test(t, replies_are_bounded);
    tcase_add_test(t, no_space);
    tcase_add_test(t, another_limit);
    tcase_add_test(t, a_write_that_comes_again_is_not_done_again);
    tcase_add_test(t, only_success_is_remembered);
    tcase_add_test(t, as_many_as_promised);
    tcase_add_test(t, peers_are_bounded);
    tcase_add_test(t, room_is_there_when_it_was_made);
    tcase_add_test(t, bad_options);
    suite_add_tcase(s, t);
    return suite_run(s);
}
