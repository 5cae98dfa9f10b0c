/* SPDX-License-Identifier: MIT */
/* MOSDBackoff as a client reads and answers it, and which objects it holds back. */
#include <string.h>

#include "base/cursor.h"
#include "lite/backoff.h"
#include "lite/placement.h"
#include "support/suite.h"

static uint8_t front[LITE_BACKOFF_MAX];
static size_t front_len;

static struct signet_span text(const char *s)
{
    return (struct signet_span){(const uint8_t *)s, strlen(s)};
}

static struct lite_hobject object(const char *name)
{
    struct signet_span n = text(name);
    return (struct lite_hobject){
        .name = n, .snap = LITE_HEAD, .hash = lite_hash(n.p, n.len), .pool = 1};
}

/* All of group 3 of 8 in pool 1, as an OSD says it. */
static struct lite_backoff whole_group(void)
{
    return (struct lite_backoff){
        .pool = 1,
        .pg = 3,
        .shard = 0xff,
        .epoch = 12,
        .kind = LITE_BACKOFF_BLOCK,
        .id = 7,
        .begin = {.hash = lite_reverse(0xc0000000), .pool = 1},
        .end = {.hash = lite_reverse(0xe0000000), .pool = 1},
    };
}

static void start(void)
{
    struct lite_backoff b = whole_group();
    assert_ok(lite_backoff_write(&b, front, sizeof(front), &front_len));
}

static int read_front(struct lite_backoff *out, size_t len)
{
    struct signet_message in = {.version = 1, .compat_version = 1, .front = {front, len}};
    return lite_backoff_read(out, &in);
}

START_TEST(layout)
{
    assert_hex(front, front_len,
               "010112000000" /* spg_t */
               "01010000000000000003000000ffffffffff"
               "0c000000010700000000000000"
               "04032100000000000000000000000000000000000000030000000000000000"
               "0100000000000000"
               "04032100000000000000000000000000000000000000070000000000000000"
               "0100000000000000");
    struct lite_backoff b;
    assert_ok(read_front(&b, front_len));
    ck_assert_int_eq(b.pool, 1);
    ck_assert_uint_eq(b.pg, 3);
    ck_assert_uint_eq(b.epoch, 12);
    ck_assert_int_eq(b.kind, LITE_BACKOFF_BLOCK);
    ck_assert_uint_eq(b.id, 7);
    ck_assert_uint_eq(b.begin.hash, 3);
    ck_assert_uint_eq(b.end.hash, 7);
}
END_TEST

START_TEST(the_answer_is_the_same_but_for_its_kind)
{
    uint8_t answer[LITE_BACKOFF_MAX];
    size_t len;
    struct lite_backoff b;
    assert_ok(read_front(&b, front_len));
    b.kind = LITE_BACKOFF_ACK_BLOCK;
    assert_ok(lite_backoff_write(&b, answer, sizeof(answer), &len));
    ck_assert_uint_eq(len, front_len);
    ck_assert_uint_eq(answer[24 + 4], LITE_BACKOFF_ACK_BLOCK);
    answer[24 + 4] = LITE_BACKOFF_BLOCK;
    ck_assert_mem_eq(answer, front, len);
    for (size_t cap = 0; cap < front_len; cap++) {
        assert_err(lite_backoff_write(&b, answer, cap, &len), SPACE);
        ck_assert_uint_eq(len, 0);
    }
}
END_TEST

START_TEST(what_is_none)
{
    struct lite_backoff b;
    for (size_t cut = 0; cut < front_len; cut++)
        ck_assert_int_lt(read_front(&b, cut), 0);
    front[front_len] = 0;
    assert_err(read_front(&b, front_len + 1), TRAILING);
    struct signet_message in = {.version = 0, .front = {front, front_len}};
    assert_err(lite_backoff_read(&b, &in), VERSION);
    in.version = in.compat_version = 2;
    assert_err(lite_backoff_read(&b, &in), VERSION);
    const size_t kind = 24 + 4;
    front[kind] = 0;
    assert_err(read_front(&b, front_len), VALUE);
    front[kind] = 4;
    assert_err(read_front(&b, front_len), VALUE);
    start();
    front[6] = 2; /* a newer pg_t */
    assert_err(read_front(&b, front_len), VERSION);
    start();
    front[2]--; /* the group's envelope ends before its end */
    ck_assert_int_lt(read_front(&b, front_len), 0);
}
END_TEST

START_TEST(ends_that_are_none)
{
    struct lite_backoff b;
    const size_t begin = 24 + 4 + 1 + 8, hash = begin + 6 + 4 + 4 + 8, max = hash + 4;
    front[max] = 2;
    assert_err(read_front(&b, front_len), VALUE);
    front[max] = 1; /* the begin is behind the end */
    assert_err(read_front(&b, front_len), VALUE);
    start();
    front[hash] = 0xff;
    assert_err(read_front(&b, front_len), VALUE);
    start();
    front[begin] = 3; /* without namespace and pool */
    assert_err(read_front(&b, front_len), VERSION);
    front[begin + 1] = 5;
    assert_err(read_front(&b, front_len), VERSION);
    start();
    memset(front + begin + 6, 0xff, 4);
    assert_err(read_front(&b, front_len), LENGTH);
}
END_TEST

START_TEST(a_group)
{
    struct lite_backoff b = whole_group();
    unsigned held = 0;
    for (unsigned i = 0; i < 800; i++) {
        char name[32];
        snprintf(name, sizeof(name), "object%u", i);
        struct lite_hobject o = object(name);
        uint32_t pg = lite_pg(o.hash, 8);
        ck_assert(lite_backoff_holds(&b, pg, &o) == (pg == 3));
        held += lite_backoff_holds(&b, pg, &o);
        o.pool = 2;
        ck_assert(!lite_backoff_holds(&b, pg, &o));
    }
    ck_assert_uint_gt(held, 50);
}
END_TEST

START_TEST(one_object)
{
    struct lite_hobject one = object("one"), other = object("two");
    uint32_t pg = lite_pg(one.hash, 8);
    struct lite_backoff b = {.pool = 1, .pg = pg, .begin = one, .end = one};
    ck_assert(lite_backoff_holds(&b, pg, &one));
    ck_assert(!lite_backoff_holds(&b, pg + 1, &one));
    other.hash = one.hash;
    ck_assert(!lite_backoff_holds(&b, pg, &other));
}
END_TEST

START_TEST(order)
{
    /* each is before the next */
    const struct lite_hobject all[] = {
        {.pool = INT64_MIN},
        {.pool = 1},
        {.pool = 1, .hash = 0x80000000}, /* the last bit counts least */
        {.pool = 1, .hash = 1},
        {.pool = 1, .hash = 1, .name = text("a")},
        {.pool = 1, .hash = 1, .name = text("a"), .snap = LITE_HEAD},
        {.pool = 1, .hash = 1, .name = text("aa")},
        {.pool = 1, .hash = 1, .name = text("a"), .key = text("b")},
        {.pool = 1, .hash = 1, .name = text("b")},
        {.pool = 1, .hash = 1, .ns = text("n")},
        {.pool = 2},
        {.pool = INT64_MIN, .max = true},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (size_t j = 0; j < sizeof(all) / sizeof(*all); j++) {
            int got = lite_hobject_compare(&all[i], &all[j]);
            ck_assert_msg((got > 0) - (got < 0) == (i > j) - (i < j), "%zu and %zu: %d", i, j, got);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("backoff");
    TCase *t = tcase_create("messages");
    tcase_add_checked_fixture(t, start, NULL);
    tcase_add_test(t, layout);
    tcase_add_test(t, the_answer_is_the_same_but_for_its_kind);
    tcase_add_test(t, what_is_none);
    tcase_add_test(t, ends_that_are_none);
    tcase_add_test(t, a_group);
    tcase_add_test(t, one_object);
    tcase_add_test(t, order);
    suite_add_tcase(s, t);
    return suite_run(s);
}
