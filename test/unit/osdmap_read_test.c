/* SPDX-License-Identifier: MIT */
/* OSDMaps as a client reads them: a real one, our own, and what newer releases add. */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "lite/envelope.h"
#include "lite/maps.h"
#include "lite/osdmap_read.h"
#include "support/suite.h"

static const struct signet_lite_pool pools[] = {{.id = 1, .name = "data", .pg_num = 8},
                                                {.id = 7, .name = "bench", .pg_num = 12}};
static struct signet_lite_cluster cluster;
static uint8_t map[8192];
static size_t map_len;

static void start(void)
{
    struct signet_writer w = signet_writer_init(map, sizeof(map));
    cluster = (struct signet_lite_cluster){.epoch = 3, .pools = pools, .num_pools = 2};
    memset(cluster.fsid, 0x22, sizeof(cluster.fsid));
    assert_ok(signet_addr_parse(&cluster.osd, "v2:127.0.0.1:6800/77"));
    signet_lite_osdmap(&w, &cluster);
    ck_assert_int_eq(w.err, 0);
    map_len = (size_t)w.len;
}

static int read_map(struct lite_osdmap *out, const char *pool)
{
    uint64_t offset;
    return lite_osdmap_read(out, pool, (struct signet_span){map, map_len}, &offset);
}

START_TEST(our_own)
{
    struct lite_osdmap m;
    assert_ok(read_map(&m, "bench"));
    ck_assert_mem_eq(m.fsid, cluster.fsid, 16);
    ck_assert_uint_eq(m.epoch, 3);
    ck_assert_uint_eq(m.num_pools, 2);
    ck_assert_int_eq(m.pool.id, 7);
    ck_assert_uint_eq(m.pool.pg_num, 12);
    ck_assert_uint_eq(m.pool.type, LITE_POOL_REPLICATED);
    ck_assert_uint_eq(m.pool.hash, LITE_HASH_RJENKINS);
    ck_assert_uint_eq(m.num_up, 1);
    ck_assert_int_eq(m.osd, 0);
    ck_assert_uint_eq(m.addrs.num, 1);
    ck_assert(signet_addr_equal(&m.addrs.addr[0], &cluster.osd));
    assert_ok(read_map(&m, "benc"));
    ck_assert_int_eq(m.pool.id, -1);
    ck_assert_uint_eq(m.num_pools, 2);
    ck_assert_str_eq(m.pools, "data, bench");
}
END_TEST

static void read_names(struct lite_osdmap *m)
{
    struct signet_writer w = signet_writer_init(map, sizeof(map));
    signet_lite_osdmap(&w, &cluster);
    ck_assert_int_eq(w.err, 0);
    map_len = (size_t)w.len;
    assert_ok(read_map(m, "c"));
    ck_assert_int_eq(m->pool.id, 3);
}

/* One name of 300 bytes does not fit, nor does the second one of 200; dots of a name end nothing.
 */
START_TEST(long_names_are_told_by_dots)
{
    static char first[301], second[201];
    struct lite_osdmap m;
    struct signet_lite_pool three[] = {{.id = 1, .name = first, .pg_num = 8},
                                       {.id = 2, .name = second, .pg_num = 8},
                                       {.id = 3, .name = "c", .pg_num = 8}};
    memset(first, 'a', 300);
    memset(second, 'b', 200);
    cluster.pools = three;
    cluster.num_pools = 3;
    read_names(&m);
    ck_assert_str_eq(m.pools, "...");
    first[200] = 0;
    read_names(&m);
    ck_assert_str_eq(m.pools + 200, ", ...");
    three[0].name = "a...";
    three[1].name = "b";
    read_names(&m);
    ck_assert_str_eq(m.pools, "a..., b, c");
}
END_TEST

START_TEST(one_of_ceph_16)
{
    size_t len;
    uint64_t offset;
    char addr[SIGNET_ADDR_TEXT_MAX];
    char *hex = (char *)kat_read("lite/osdmap_ceph16.hex", &len);
    hex[len - 1] = 0;
    uint8_t *real = unhex(hex, &len);
    struct lite_osdmap m;
    assert_ok(lite_osdmap_read(&m, "bench", (struct signet_span){real, len}, &offset));
    ck_assert_uint_eq(m.epoch, 10);
    ck_assert_int_eq(m.pool.id, 1);
    ck_assert_uint_eq(m.pool.pg_num, 8);
    ck_assert_uint_eq(m.pool.size, 1);
    ck_assert_uint_eq(m.num_up, 1);
    ck_assert_uint_eq(m.addrs.num, 2);
    ck_assert_str_eq(signet_addr_print(&m.addrs.addr[0], addr), "v2:127.0.0.1:23770/5807");
    for (size_t cut = 0; cut < len; cut++) {
        int err = lite_osdmap_read(&m, "bench", (struct signet_span){real, cut}, &offset);
        ck_assert_int_ne(err, 0);
    }
    free(real);
    free(hex);
}
END_TEST

/* Inserts bytes, and adds to the lengths in front of them. */
static void insert(size_t at, size_t num, const size_t *lengths, size_t num_lengths)
{
    memmove(map + at + num, map + at, map_len - at);
    memset(map + at, 0, num);
    map_len += num;
    for (size_t i = 0; i < num_lengths; i++) {
        uint8_t *p = map + lengths[i];
        signet_store_u32(p, signet_load_u32(p) + (uint32_t)num);
    }
}

/* Ceph 20 has client section 10 with a field more at its end, and pool 32 with three bytes more. */
START_TEST(newer_fields_are_passed_over)
{
    struct lite_osdmap m;
    const size_t wrapper = 2, section = 8, pool = 6 + 6 + 16 + 4 + 8 + 8 + 4 + 8;
    size_t pool_end = pool + 6 + signet_load_u32(map + pool + 2);
    map[pool] = 32;
    insert(pool_end, 3, (const size_t[]){wrapper, section, pool + 2}, 3);
    size_t section_end = 12 + signet_load_u32(map + section);
    map[6] = 10;
    insert(section_end, 4, (const size_t[]){wrapper, section}, 2);
    assert_ok(read_map(&m, "bench"));
    ck_assert_int_eq(m.pool.id, 7);
    ck_assert_uint_eq(m.num_up, 1);
}
END_TEST

START_TEST(what_makes_clients_wait)
{
    struct lite_osdmap m;
    assert_ok(read_map(&m, "bench"));
    uint64_t mark = m.mark;
    ck_assert_uint_eq(m.pool.flags & LITE_POOL_FULL, 0);
    ck_assert_uint_eq(m.flags & LITE_OSDMAP_PAUSE_WRITE, 0);
    /* pools: envelope, 4 bytes, 4 numbers, last_change, snap_seq, snap_epoch, 2 counts, auid */
    const size_t section = 12 + 16 + 4 + 8 + 8 + 4;
    size_t pool = section + 8;
    pool += 6 + signet_load_u32(map + pool + 2) + 8; /* the second one */
    map[pool + 6 + 4 + 16 + 4 + 8 + 4 + 4 + 4 + 8] |= LITE_POOL_FULL;
    assert_ok(read_map(&m, "bench"));
    ck_assert_uint_eq(m.pool.flags & LITE_POOL_FULL, LITE_POOL_FULL);
    ck_assert_uint_ne(m.mark, mark);
    assert_ok(read_map(&m, "data"));
    ck_assert_uint_eq(m.pool.flags & LITE_POOL_FULL, 0);
    start();
    uint8_t *max_osd = memmem(map, map_len, "\1\0\0\0\1\0\0\0\3\0\0\0", 12);
    ck_assert_ptr_nonnull(max_osd);
    assert_ok(read_map(&m, "bench"));
    uint32_t flags = m.flags;
    ck_assert_uint_eq(signet_load_u32(max_osd - 4), flags);
    max_osd[-4] |= LITE_OSDMAP_PAUSE_WRITE;
    assert_ok(read_map(&m, "bench"));
    ck_assert_uint_eq(m.flags, flags | LITE_OSDMAP_PAUSE_WRITE);
    ck_assert_uint_eq(m.mark, mark); /* those are asked for by themselves */
}
END_TEST

START_TEST(versions)
{
    struct lite_osdmap m;
    map[1] = 9; /* the wrapper needs a newer reader */
    assert_err(read_map(&m, "bench"), VERSION);
    start();
    map[6] = 4; /* states were bytes then */
    assert_err(read_map(&m, "bench"), VERSION);
}
END_TEST

START_TEST(osds)
{
    struct lite_osdmap m;
    static const uint8_t states[] = {1, 0, 0, 0, 3, 0, 0, 0};
    uint8_t *state = memmem(map, map_len, "\1\0\0\0\3\0\0\0\1\0\0\0\0\0\1\0", 16);
    ck_assert_ptr_nonnull(state);
    memcpy(state + 4, states, 4); /* there, but down */
    assert_ok(read_map(&m, "bench"));
    ck_assert_uint_eq(m.num_up, 0);
    ck_assert_int_eq(m.osd, -1);
    memcpy(state + 4, states + 4, 4);
    memset(state + 12, 0, 4); /* up, but out */
    assert_ok(read_map(&m, "bench"));
    ck_assert_uint_eq(m.num_up, 0);
    state[8] = 2; /* one state, two weights */
    assert_err(read_map(&m, "bench"), COUNT);
    memset(state, 0xff, 4);
    assert_err(read_map(&m, "bench"), COUNT);
}
END_TEST

START_TEST(pools_without_groups)
{
    struct lite_osdmap m;
    uint8_t *pool = memmem(map, map_len, "\1\1\0\2\14\0\0\0", 8);
    ck_assert_ptr_nonnull(pool);
    pool[4] = 0;
    assert_err(read_map(&m, "bench"), VALUE);
    assert_ok(read_map(&m, "data"));
}
END_TEST

/* --- MOSDMap -------------------------------------------------------------------------------- */

static size_t message(uint8_t *out, size_t cap, const uint32_t *epochs, uint32_t num)
{
    struct signet_writer w = signet_writer_init(out, cap);
    signet_write_zeros(&w, 16);
    signet_write_u32(&w, 1); /* an incremental one */
    signet_write_u32(&w, 5);
    signet_write_text(&w, "incremental");
    signet_write_u32(&w, num);
    for (uint32_t i = 0; i < num; i++) {
        signet_write_u32(&w, epochs[i]);
        signet_write_text(&w, epochs[i] == 9 ? "nine" : "other");
    }
    ck_assert_int_eq(w.err, 0);
    return (size_t)w.len;
}

START_TEST(the_newest_full_map)
{
    uint8_t buf[256];
    struct signet_span found;
    uint32_t newest;
    size_t len = message(buf, sizeof(buf), (const uint32_t[]){4, 9, 6}, 3);
    assert_ok(lite_osdmap_find(&found, &newest, (struct signet_span){buf, len}));
    ck_assert_uint_eq(newest, 9);
    ck_assert_uint_eq(found.len, 4);
    ck_assert_mem_eq(found.p, "nine", 4);
    for (size_t cut = 0; cut < len; cut++) {
        ck_assert_int_ne(lite_osdmap_find(&found, &newest, (struct signet_span){buf, cut}), 0);
        ck_assert_ptr_null(found.p);
        ck_assert_uint_eq(newest, 0);
    }
    len = message(buf, sizeof(buf), NULL, 0);
    assert_err(lite_osdmap_find(&found, &newest, (struct signet_span){buf, len}), NOT_FOUND);
    ck_assert_uint_eq(newest, 5);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osdmap_read");
    TCase *t = tcase_create("maps");
    tcase_add_checked_fixture(t, start, NULL);
    tcase_add_test(t, our_own);
    tcase_add_test(t, long_names_are_told_by_dots);
    tcase_add_test(t, one_of_ceph_16);
    tcase_add_test(t, newer_fields_are_passed_over);
    tcase_add_test(t, what_makes_clients_wait);
    tcase_add_test(t, versions);
    tcase_add_test(t, osds);
    tcase_add_test(t, pools_without_groups);
    tcase_add_test(t, the_newest_full_map);
    suite_add_tcase(s, t);
    return suite_run(s);
}
