/* SPDX-License-Identifier: MIT */
/* Listings: order, pages, namespaces, keys and pools. */
#include "osd_tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lite/placement.h"

enum { OBJECTS = 3000 };

static struct rig rig;
static uint8_t cursor[8192];
static size_t cursor_len;
static int seen[OBJECTS]; /* how often each was listed */
static unsigned total, pages;
static uint32_t last; /* reversed hash */
static bool at_end;

static void start(void)
{
    rig_start(&rig, &(struct signet_osd_options){0});
}

static void stop(void)
{
    rig_stop(&rig);
}

static void begin(void)
{
    static const uint8_t first[] = {4, 3, 33, 0, 0, 0, [38] = 0x80};
    memcpy(cursor, first, sizeof(first));
    cursor_len = sizeof(first);
    memset(seen, 0, sizeof(seen));
    total = pages = 0;
    last = 0;
    at_end = false;
}

static int32_t ask(const char *ns, uint64_t pool, uint64_t max)
{
    const struct rig_op op = {.code = PGNLS, .offset = max, .data = cursor, .len = cursor_len};
    return rig_do(
        &rig, &(struct rig_request){.name = "", .ns = ns, .pool = pool, .op = &op, .num_ops = 1});
}

static void take_entry(struct signet_reader *r)
{
    char text[16] = "";
    struct signet_span ns = signet_read_blob(r, 256), name = signet_read_blob(r, 2048),
                       key = signet_read_blob(r, 2048);
    uint32_t order = lite_reverse(lite_object_hash(ns, key, name));
    ck_assert_uint_ge(order, last);
    last = order;
    total++;
    if (name.len < sizeof(text)) {
        memcpy(text, name.p, name.len);
    }
    unsigned long i = text[0] == 'o' ? strtoul(text + 1, NULL, 10) : OBJECTS;
    if (i < OBJECTS) {
        seen[i]++;
    }
}

static bool cursor_is_end(void)
{
    struct signet_reader r = signet_reader_init(cursor + 6, cursor_len - 6);
    signet_read_blob(&r, 2048);
    signet_read_blob(&r, 2048);
    signet_read_view(&r, 12);
    return signet_read_u8(&r) == 1;
}

/* The next page; remembers the cursor. */
static void page(const char *ns, uint64_t pool, uint64_t max)
{
    int32_t result = ask(ns, pool, max);
    ck_assert(result == 0 || result == 1);
    struct signet_reader r = signet_reader_init(rig.data, rig.data_len);
    signet_read_view(&r, 6);
    const uint8_t *at = r.p;
    signet_read_view(&r, 2);
    cursor_len = 6 + signet_read_u32(&r);
    memcpy(cursor, at, cursor_len);
    signet_read_view(&r, cursor_len - 6);
    uint32_t num = signet_read_u32(&r);
    ck_assert_uint_le(num, max < 1024 ? max : 1024);
    for (uint32_t i = 0; i < num; i++) {
        take_entry(&r);
    }
    ck_assert_int_eq(signet_reader_done(&r), 0);
    pages++;
    at_end = result == 1;
    ck_assert_int_eq(cursor_is_end(), at_end);
}

static void list(const char *ns, uint64_t pool, uint64_t max)
{
    begin();
    while (!at_end) {
        page(ns, pool, max);
        ck_assert_uint_lt(pages, 10000);
    }
}

static void put(const char *name, const char *ns, const char *key, uint64_t pool)
{
    const struct rig_op op = {.code = CREATE};
    const struct rig_request q = {
        .name = name, .ns = ns, .key = key, .pool = pool, .op = &op, .num_ops = 1};
    ck_assert_int_eq(rig_do(&rig, &q), 0);
}

static void put_many(void)
{
    char name[16];
    for (unsigned i = 0; i < OBJECTS; i++) {
        snprintf(name, sizeof(name), "o%u", i);
        put(name, i % 3 == 0 ? "other" : "", i % 7 == 0 ? "key" : "", i % 5 == 0 ? 2 : 1);
    }
}

START_TEST(empty_pool)
{
    list("", 1, 1024);
    ck_assert_uint_eq(pages, 1);
    ck_assert_uint_eq(total, 0);
}
END_TEST

static void assert_seen(bool all, bool other, uint64_t pool)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        bool want = (all || (i % 3 == 0) == other) && (i % 5 == 0 ? 2U : 1U) == pool;
        ck_assert_msg(seen[i] == (want ? 1 : 0), "o%u was listed %d times", i, seen[i]);
    }
}

START_TEST(everything_once)
{
    static const uint64_t sizes[] = {1, 7, 1000, 1024, UINT64_MAX};
    put_many();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        list("\1", 1, sizes[i]);
        assert_seen(true, false, 1);
        ck_assert_uint_eq(total, OBJECTS - OBJECTS / 5U);
    }
    list("", 1, 100);
    assert_seen(false, false, 1);
    list("other", 2, 100);
    assert_seen(false, true, 2);
    list("none", 1, 100);
    ck_assert_uint_eq(total, 0);
}
END_TEST

/* Objects that come and go between the pages do not disturb the others. */
START_TEST(changes_between_pages)
{
    char name[16];
    put_many();
    begin();
    for (unsigned i = 1; !at_end; i += 3) {
        page("\1", 1, 100);
        snprintf(name, sizeof(name), "new%u", i);
        put(name, "", "", 1);
    }
    assert_seen(true, false, 1);
    /* a cursor that stood on an object which is gone */
    begin();
    page("", 1, 10);
    static char next[64];
    struct signet_reader r = signet_reader_init(cursor + 6, cursor_len - 6);
    signet_read_blob(&r, 100);
    struct signet_span gone = signet_read_blob(&r, 60);
    snprintf(next, sizeof(next), "%.*s", (int)gone.len, (const char *)gone.p);
    rig_one(&rig, next, (struct rig_op){.code = DELETE});
    unsigned before = total;
    page("", 1, 10);
    ck_assert_uint_eq(total, before + 10);
}
END_TEST

START_TEST(cursors_that_are_none)
{
    put("o1", "", "", 1);
    begin();
    ck_assert_int_eq(ask("", 1, 0), -EINVAL);
    size_t len = cursor_len;
    for (cursor_len = 0; cursor_len < len; cursor_len++) {
        ck_assert_int_eq(ask("", 1, 10), -EINVAL);
    }
    cursor_len = len + 1;
    ck_assert_int_eq(ask("", 1, 10), -EINVAL);
    begin();
    cursor[0] = 3; /* an older form */
    ck_assert_int_eq(ask("", 1, 10), -EINVAL);
    /* behind everything: the mark, or a later pool */
    begin();
    cursor[6 + 4 + 4 + 8 + 4] = 1; /* its key and name are empty */
    page("", 1, 10);
    ck_assert(at_end && total == 0);
    begin();
    signet_store_u64(cursor + cursor_len - 8, 2);
    page("", 1, 10);
    ck_assert(at_end && total == 0);
}
END_TEST

START_TEST(not_with_others)
{
    const struct rig_op op[] = {{.code = PGNLS, .offset = 10}, {.code = STAT}};
    put("o1", "", "", 1);
    ck_assert_int_eq(rig_do(&rig, &(struct rig_request){.name = "o1", .op = op, .num_ops = 2}),
                     -EOPNOTSUPP);
}
END_TEST

START_TEST(hash_of_a_namespace)
{
    const struct signet_span none = {NULL, 0}, ns = {(const uint8_t *)"ns", 2},
                             name = {(const uint8_t *)"name", 4}, key = {(const uint8_t *)"k", 1};
    ck_assert_uint_eq(lite_object_hash(ns, none, name), lite_hash("ns\x1fname", 7));
    ck_assert_uint_eq(lite_object_hash(none, none, name), lite_hash("name", 4));
    ck_assert_uint_eq(lite_object_hash(none, key, name), lite_hash("k", 1));
    ck_assert_uint_eq(lite_object_hash(ns, key, name), lite_hash("ns\x1fk", 4));
}
END_TEST

START_TEST(groups)
{
    for (uint32_t num = 1; num <= 70; num++) {
        uint32_t mask = 1;
        while (mask < num) {
            mask *= 2;
        }
        for (uint32_t hash = 0; hash < 300; hash++) {
            uint32_t whole = hash % mask;
            ck_assert_uint_eq(lite_pg(hash, num), whole < num ? whole : hash % (mask / 2));
        }
    }
    ck_assert_uint_eq(lite_reverse(1), 0x80000000U);
    ck_assert_uint_eq(lite_reverse(0x12345678), 0x1e6a2c48U);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_list");
    TCase *t = tcase_create("listings");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, empty_pool);
    tcase_add_test(t, everything_once);
    tcase_add_test(t, changes_between_pages);
    tcase_add_test(t, cursors_that_are_none);
    tcase_add_test(t, not_with_others);
    tcase_add_test(t, hash_of_a_namespace);
    tcase_add_test(t, groups);
    suite_add_tcase(s, t);
    return suite_run(s);
}
