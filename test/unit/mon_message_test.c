/* SPDX-License-Identifier: MIT */
/* The monitor's messages, byte for byte as real clients sent and took them. */
#include "mon_tools.h"

#include <stdlib.h>
#include <string.h>

#include <signet/utime.h>

#include "base/cursor.h"

#define PX   "0000000000000000ffff0000000000000000"
#define FSID BENCH_FSID

static const char subscribe_a[] = "0200000006000000636f6e666967000000000000000000060000006d6f6e6d61"
                                  "7000000000000000000002000000766d";
static const char subscribe_c[] = "01000000060000006f73646d617000000000000000000102000000766d";
static const char fsid_command[] = PX FSID "01000000120000007b22707265666978223a202266736964227d";
static const char tell_command[] = FSID "01000000120000007b22707265666978223a202266736964227d";
static const char get_version[] = "0100000000000000060000006f73646d6170";
static const char statfs[] = PX FSID "00";
static const char statfs_pool[] = PX FSID "010500000000000000";
/* what follows the fsid is not looked at */
static const char pool_op[] = PX FSID "010000000200000073311100000000000000";
enum { POOL_STATS_LEN = 18 + 16 + 4 + 9 + 6 + (6 + 6 + 304 + 4) + 16 + 8 + (6 + 80) + 4 + 1 };
static const char pool_stats[] = PX FSID "010000000500000062656e6368";

static struct bench b;

static void start(void)
{
    bench_start(&b, NULL);
}

static void stop(void)
{
    bench_stop(&b);
}

static void assert_answer(int i, uint16_t type, uint16_t version, uint16_t compat)
{
    ck_assert_int_lt(i, b.num);
    ck_assert_uint_eq(b.answer[i].message.type, type);
    ck_assert_uint_eq(b.answer[i].message.version, version);
    ck_assert_uint_eq(b.answer[i].message.compat_version, compat);
}

static void assert_front(int i, const char *hex)
{
    assert_hex(b.answer[i].front, b.answer[i].message.front.len, hex);
}

/* The front is a length and then the map, which has tests of its own. */
static void assert_monmap(int i)
{
    uint8_t map[1024];
    struct signet_writer w = signet_writer_init(map, sizeof(map));
    assert_answer(i, 4, 1, 1);
    signet_lite_monmap(&w, &b.cluster);
    ck_assert_int_eq(w.err, 0);
    const struct signet_span *front = &b.answer[i].message.front;
    ck_assert_uint_eq(front->len, w.len + 4);
    ck_assert_uint_eq(signet_load_u32(front->p), w.len);
    ck_assert_mem_eq(front->p + 4, map, (size_t)w.len);
}

START_TEST(get_map_gives_the_monmap)
{
    assert_ok(bench_feed(&b, 5, 1, NULL, 0));
    ck_assert_int_eq(b.num, 1);
    assert_monmap(0);
}
END_TEST

START_TEST(bootstrap_subscription)
{
    assert_ok(bench_feed_hex(&b, 15, 3, subscribe_a));
    ck_assert_int_eq(b.num, 2);
    assert_answer(0, 62, 1, 1);
    assert_front(0, "00000000");
    assert_monmap(1);
}
END_TEST

START_TEST(osdmap_subscription)
{
    uint8_t map[2048];
    struct signet_writer w = signet_writer_init(map, sizeof(map));
    signet_lite_osdmap(&w, &b.cluster);
    assert_ok(bench_feed_hex(&b, 15, 3, subscribe_c));
    ck_assert_int_eq(b.num, 1);
    assert_answer(0, 41, 4, 3);
    struct signet_reader r = signet_reader_init(b.answer[0].front, b.answer[0].message.front.len);
    ck_assert_mem_eq(signet_read_view(&r, 16).p, b.cluster.fsid, 16);
    ck_assert_uint_eq(signet_read_u32(&r), 0);
    ck_assert_uint_eq(signet_read_u32(&r), 1);
    ck_assert_uint_eq(signet_read_u32(&r), 1);
    struct signet_span got = signet_read_blob(&r, sizeof(map));
    ck_assert_uint_eq(got.len, w.len);
    ck_assert_mem_eq(got.p, map, got.len);
    ck_assert_uint_eq(signet_read_u32(&r), 1);
    ck_assert_uint_eq(signet_read_u32(&r), 1);
    ck_assert_uint_eq(signet_read_u32(&r), 0);
    ck_assert_int_eq(signet_reader_done(&r), 0);
}
END_TEST

START_TEST(what_is_not_there_is_not_answered)
{
    /* mgrmap; osdmap from epoch 2 on */
    assert_ok(bench_feed_hex(&b, 15, 3,
                             "02000000060000006d67726d61700000000000000000"
                             "00060000006f73646d61700200000000000000"
                             "0002000000766d"));
    ck_assert_int_eq(b.num, 0);
    /* version 2 has no host name; version 1 is another form */
    assert_ok(bench_feed_hex(&b, 15, 2, "01000000060000006f73646d6170000000000000000001"));
    ck_assert_int_eq(b.num, 1);
    assert_err(bench_feed_hex(&b, 15, 1, subscribe_c), VERSION);
    ck_assert_int_eq(b.fail.err, -SIGNET_E_VERSION);
}
END_TEST

START_TEST(unknown_messages_are_ignored)
{
    static const uint8_t noise[3] = {1, 2, 3};
    assert_ok(bench_feed(&b, 42, 1, noise, sizeof(noise)));
    assert_ok(bench_feed(&b, 0xffff, 1, noise, sizeof(noise)));
    ck_assert_int_eq(b.num, 0);
}
END_TEST

START_TEST(command_as_recorded)
{
    static const char out[] = "f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f\n";
    assert_ok(bench_feed_hex(&b, 50, 1, fsid_command));
    assert_answer(0, 51, 1, 1);
    ck_assert_uint_eq(b.answer[0].message.tid, 77);
    assert_front(0, PX "0000000000000000"
                       "01000000120000007b22707265666978223a202266736964227d");
    ck_assert_str_eq((char *)b.answer[0].data, out);
    assert_ok(bench_feed_hex(&b, 97, 1, tell_command));
    assert_answer(0, 98, 1, 1);
    ck_assert_uint_eq(b.answer[0].message.tid, 77);
    assert_front(0, "0000000000000000");
    ck_assert_str_eq((char *)b.answer[0].data, out);
}
END_TEST

START_TEST(small_ones)
{
    assert_ok(bench_feed_hex(&b, 19, 1, get_version));
    assert_answer(0, 20, 1, 1);
    assert_front(0, "010000000000000001000000000000000100000000000000");
    assert_ok(bench_feed_hex(&b, 19, 1, "02000000000000000500000066736d6170"));
    assert_front(0, "020000000000000000000000000000000000000000000000");
    assert_ok(bench_feed_hex(&b, 19, 1, "02000000000000000100000066"));
    ck_assert_int_eq(b.num, 0);
    assert_ok(bench_feed_hex(&b, 13, 2, statfs));
    assert_answer(0, 14, 1, 1);
    ck_assert_uint_eq(b.answer[0].message.front.len, 56);
    ck_assert_uint_eq(b.answer[0].message.tid, 77);
    assert_ok(bench_feed_hex(&b, 13, 2, statfs_pool));
    assert_answer(0, 14, 1, 1);
    assert_ok(bench_feed_hex(&b, 58, 1, pool_stats));
    assert_answer(0, 59, 2, 1);
    ck_assert_uint_eq(b.answer[0].message.front.len, POOL_STATS_LEN);
    assert_ok(bench_feed_hex(&b, 58, 1, PX FSID "0100000003000000666f6f")); /* there is no "foo" */
    assert_front(0, PX FSID "0000000001");
}
END_TEST

/* Snapshots and the like are refused, not left without an answer. */
START_TEST(pool_operations)
{
    assert_ok(bench_feed_hex(&b, 49, 4, pool_op));
    assert_answer(0, 48, 1, 1);
    ck_assert_uint_eq(b.answer[0].message.tid, 77);
    assert_front(0, PX FSID "a1ffffff0100000000");
}
END_TEST

START_TEST(ping_is_json)
{
    assert_ok(bench_feed(&b, 2, 1, NULL, 0));
    assert_answer(0, 2, 1, 1);
    const struct signet_span *front = &b.answer[0].message.front;
    ck_assert_uint_eq(signet_load_u32(front->p), front->len - 4);
    json_t *json = json_loadb((const char *)front->p + 4, front->len - 4, 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(json, "health"), "status")),
                     "HEALTH_OK");
    json_decref(json);
}
END_TEST

/* Of another cluster: figures are not given, commands are refused. */
START_TEST(another_fsid)
{
    static const struct {
        uint16_t type, version;
        const char *hex;
        size_t at;
    } all[] = {{13, 2, statfs, 18},
               {58, 1, pool_stats, 18},
               {49, 4, pool_op, 18},
               {50, 1, fsid_command, 18},
               {97, 1, tell_command, 0}};
    size_t len;
    uint8_t *front = unhex(all[_i].hex, &len);
    front[all[_i].at] ^= 1;
    assert_ok(bench_feed(&b, all[_i].type, all[_i].version, front, len));
    ck_assert_int_eq(b.num, all[_i].type >= 50 && all[_i].type != 58);
    if (b.num > 0) {
        const uint8_t *code = b.answer[0].front + all[_i].at;
        ck_assert_int_eq((int32_t)signet_load_u32(code), all[_i].type == 50 ? -1 : -13);
        ck_assert_mem_eq(code + 8, "wrong fsid", 10);
    }
    free(front);
}
END_TEST

struct whole {
    uint16_t type, version;
    const char *hex, *where;
};
static const struct whole wholes[] = {
    {15, 3, subscribe_a, "MMonSubscribe"},  {15, 3, subscribe_c, "MMonSubscribe"},
    {19, 1, get_version, "MMonGetVersion"}, {13, 2, statfs, "MStatfs"},
    {13, 2, statfs_pool, "MStatfs"},        {58, 1, pool_stats, "MGetPoolStats"},
    {50, 1, fsid_command, "MMonCommand"},   {97, 1, tell_command, "MCommand"},
};
enum { WHOLES = sizeof(wholes) / sizeof(wholes[0]) };

/* Ends the session, with nothing answered before the end was seen. */
START_TEST(cut_anywhere)
{
    size_t len;
    uint8_t *front = unhex(wholes[_i].hex, &len);
    for (size_t cut = 0; cut < len; cut++) {
        int err = bench_feed(&b, wholes[_i].type, wholes[_i].version, front, cut);
        ck_assert_msg(err == -SIGNET_E_SHORT || err == -SIGNET_E_LENGTH || err == -SIGNET_E_COUNT,
                      "%zu of %zu: %s", cut, len, signet_err_name(err));
        ck_assert_int_eq(b.fail.err, err);
        ck_assert_str_eq(b.fail.where, wholes[_i].where);
        ck_assert_int_eq(b.num, 0);
    }
    free(front);
}
END_TEST

/* Allowed from a newer version than ours. */
START_TEST(bytes_behind)
{
    size_t len;
    uint8_t more[256] = {0};
    uint8_t *front = unhex(wholes[_i].hex, &len);
    memcpy(more, front, len);
    assert_err(bench_feed(&b, wholes[_i].type, wholes[_i].version, more, len + 1), TRAILING);
    assert_ok(bench_feed(&b, wholes[_i].type, (uint16_t)(wholes[_i].version + 1), more, len + 1));
    ck_assert_int_gt(b.num, 0);
    free(front);
}
END_TEST

START_TEST(large_counts)
{
    assert_err(bench_feed_hex(&b, 15, 3, "ffffffff00000000000000000000000000"), COUNT);
    assert_err(bench_feed_hex(&b, 58, 1, PX FSID "ffffffff"), COUNT);
    assert_err(bench_feed_hex(&b, 97, 1, FSID "01000000ffffffff"), LENGTH);
}
END_TEST

START_TEST(a_receiver_that_fails_ends_it)
{
    b.send_err = -SIGNET_E_NOMEM;
    assert_err(bench_feed_hex(&b, 15, 3, subscribe_a), NOMEM);
    assert_err(bench_feed_hex(&b, 50, 1, fsid_command), NOMEM);
}
END_TEST

START_TEST(renewal_without_a_login)
{
    assert_err(bench_feed_hex(&b, 17, 1, PX), STATE);
    ck_assert_str_eq(b.fail.where, "MAuth");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mon_message");
    TCase *t = tcase_create("messages");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, get_map_gives_the_monmap);
    tcase_add_test(t, bootstrap_subscription);
    tcase_add_test(t, osdmap_subscription);
    tcase_add_test(t, what_is_not_there_is_not_answered);
    tcase_add_test(t, unknown_messages_are_ignored);
    tcase_add_test(t, command_as_recorded);
    tcase_add_test(t, small_ones);
    tcase_add_test(t, pool_operations);
    tcase_add_test(t, ping_is_json);
    tcase_add_loop_test(t, another_fsid, 0, 5);
    tcase_add_loop_test(t, cut_anywhere, 0, WHOLES);
    tcase_add_loop_test(t, bytes_behind, 0, WHOLES);
    tcase_add_test(t, large_counts);
    tcase_add_test(t, a_receiver_that_fails_ends_it);
    tcase_add_test(t, renewal_without_a_login);
    suite_add_tcase(s, t);
    return suite_run(s);
}
