/* SPDX-License-Identifier: MIT */
/* signet bench: its options, what it writes, and its figures. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

#include "bench.h"
#include "commands.h"
#include "lite/envelope.h"
#include "lite/page.h"

#define PARSE(options, code, ...) parse((char *[]){"bench", __VA_ARGS__, NULL}, &(options), &(code))

static bool parse(char **argv, struct bench_options *options, int *code)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    optind = 0;
    return bench_parse(argc, argv, options, code);
}

START_TEST(options)
{
    struct bench_options o;
    int code;
    ck_assert(PARSE(o, code, "10", "write", "-m", "v2:h:1"));
    ck_assert_uint_eq(o.seconds, 10);
    ck_assert_int_eq(o.kind, BENCH_WRITE);
    ck_assert_uint_eq(o.depth, 16);
    ck_assert_uint_eq(o.op_size, 4 << 20);
    ck_assert_str_eq(o.run_name, "benchmark_last_metadata");
    ck_assert(o.cleanup && o.verify);
    ck_assert(PARSE(o, code, "-p", "bench", "5", "rand", "-t", "64", "-b", "4K", "--no-cleanup",
                    "--no-verify", "--run-name", "r", "--conns", "4", "--threads", "2", "-c",
                    "ceph.conf", "--ms-mode", "crc", "--handler", "openssl", "--format", "json"));
    ck_assert_int_eq(o.kind, BENCH_RAND);
    ck_assert_uint_eq(o.depth, 64);
    ck_assert_uint_eq(o.op_size, 4096);
    ck_assert_uint_eq(o.conns, 4);
    ck_assert_uint_eq(o.threads, 2);
    ck_assert_str_eq(o.pool, "bench");
    ck_assert_str_eq(o.run_name, "r");
    ck_assert_str_eq(o.login.conf, "ceph.conf");
    ck_assert_uint_eq(o.login.modes[0], SIGNET_MODE_CRC);
    ck_assert_int_eq(o.login.format, TOOL_JSON);
    ck_assert(!o.cleanup && !o.verify);
    ck_assert(PARSE(o, code, "1", "seq", "-m", "h", "-b", "4096"));
    ck_assert_int_eq(o.kind, BENCH_SEQ);
    ck_assert_uint_eq(o.op_size, 4096);
}
END_TEST

START_TEST(cleanup_options)
{
    struct bench_options o;
    int code;
    ck_assert(PARSE(o, code, "cleanup", "-m", "h"));
    ck_assert(o.remove_only);
    ck_assert_ptr_null(o.prefix);
    ck_assert(PARSE(o, code, "cleanup", "-m", "h", "--prefix", "benchmark_data_h_7", "-t", "4"));
    ck_assert_str_eq(o.prefix, "benchmark_data_h_7");
    ck_assert_uint_eq(o.depth, 4);
    ck_assert(PARSE(o, code, "10", "write", "-m", "h"));
    ck_assert(!o.remove_only);
}
END_TEST

/* A page as an OSD sends it: the default namespace but for the last. */
static size_t page(uint8_t *out, size_t cap, const char *const *names, uint32_t num, bool end)
{
    struct signet_writer w = signet_writer_init(out, cap);
    struct lite_hobject next = {.max = true, .pool = INT64_MIN};
    if (!end)
        next = (struct lite_hobject){.hash = 5, .snap = LITE_HEAD, .pool = 1};
    size_t at = signet_env_begin(&w, 1, 1);
    lite_hobject_write(&w, &next);
    signet_write_u32(&w, num);
    for (uint32_t i = 0; i < num; i++) {
        signet_write_text(&w, i + 1 == num ? "ns" : "");
        signet_write_text(&w, names[i]);
        signet_write_text(&w, "");
    }
    signet_env_end(&w, at);
    ck_assert_int_eq(w.err, 0);
    return (size_t)w.len;
}

START_TEST(what_cleanup_takes)
{
    static const char *const names[] = {"benchmark_data_h_1_object0",
                                        "benchmark_data_h_1_object1",
                                        "benchmark_data_i_1_object0",
                                        "benchmark_data_",
                                        "mine",
                                        "benchmark_data_h_2_object0"};
    static struct bench_list list;
    uint8_t buf[1024];
    assert_ok(bench_list_begin(&list, "benchmark_data_h", "mine"));
    assert_hex(list.cursor, list.cursor_len,
               "0403210000000000000000000000000000000000000000000000"
               "00000000000000000000000080");
    size_t len = page(buf, sizeof(buf), names, 6, false);
    assert_ok(bench_list_take(&list, buf, len));
    ck_assert_uint_eq(list.num, 2);
    ck_assert_str_eq(list.name[0], names[0]);
    ck_assert_str_eq(list.name[1], names[1]);
    ck_assert(list.record && !list.end);
    ck_assert_uint_eq(list.hash, 5);
    bench_list_drop(&list);
    ck_assert_uint_eq(list.num, 0);
    len = page(buf, sizeof(buf), names, 0, true);
    assert_ok(bench_list_take(&list, buf, len));
    ck_assert(list.end);
    for (size_t cut = 0; cut < len; cut++)
        ck_assert_int_lt(bench_list_take(&list, buf, cut), 0);
    bench_list_free(&list);
}
END_TEST

static char *const wrong[][8] = {
    {"bench", "cleanup"},
    {"bench", "cleanup", "5", "-m", "h"},
    {"bench", "cleanup", "--prefix", "data", "-m", "h"},
    {"bench", "5", "write", "--prefix", "benchmark_data", "-m", "h"},
    {"bench", "-m", "h"},
    {"bench", "10", "-m", "h"},
    {"bench", "10", "write", "more", "-m", "h"},
    {"bench", "0", "write", "-m", "h"},
    {"bench", "x", "write", "-m", "h"},
    {"bench", "10", "append", "-m", "h"},
    {"bench", "10", "write"},
    {"bench", "10", "write", "-m", "h", "-t", "0"},
    {"bench", "10", "write", "-m", "h", "-b", "0"},
    {"bench", "10", "write", "-m", "h", "-b", "33M"},
    {"bench", "10", "write", "-m", "h", "-b", "K"},
    {"bench", "10", "write", "-m", "h", "-b", "4KK"},
    {"bench", "10", "write", "-m", "h", "--conns", "17"},
    {"bench", "10", "write", "-m", "h", "--threads", "0"},
    {"bench", "10", "write", "-m", "h", "-p", ""},
    {"bench", "10", "write", "-m", "h", "--run-name", ""},
    {"bench", "10", "write", "-m", "h", "--nonsense"},
};

START_TEST(wrong_usage)
{
    struct bench_options o;
    int code = 0;
    char *argv[8];
    memcpy(argv, wrong[_i], sizeof(argv));
    ck_assert(!parse(argv, &o, &code));
    ck_assert_int_eq(code, TOOL_USAGE);
}
END_TEST

/* As `rados get` showed them: object 7, and the record of 22747 objects of process 9640. */
START_TEST(what_rados_bench_writes)
{
    static const char text[] = "I'm the                7th op!\0zz";
    char out[33];
    memset(out, 'z', sizeof(out));
    bench_text(out, sizeof(out), 7);
    ck_assert_mem_eq(out, text, sizeof(out));
    bench_text(out, sizeof(out), 123456);
    ck_assert_str_eq(out, "I'm the           123456th op!");
    uint8_t record[BENCH_META_LEN];
    struct bench_meta meta = {4096, 22747, 9640, 4096}, again;
    bench_meta_write(record, &meta);
    assert_hex(record, sizeof(record), "0010000000000000db580000a82500000010000000000000");
    ck_assert(bench_meta_read(&again, record, sizeof(record)));
    ck_assert_uint_eq(again.num, 22747);
    ck_assert_uint_eq(again.pid, 9640);
    ck_assert_uint_eq(again.object_size, 4096);
    ck_assert(!bench_meta_read(&again, record, sizeof(record) - 1));
    memset(record + 8, 0, 4); /* no objects */
    ck_assert(!bench_meta_read(&again, record, sizeof(record)));
}
END_TEST

START_TEST(small_objects)
{
    char out[32];
    for (uint64_t size = 1; size < sizeof(out); size++) {
        memset(out, '#', sizeof(out));
        bench_text(out, size, 1);
        ck_assert_uint_eq(strlen(out), size < 31 ? size - 1 : 30);
        ck_assert_int_eq(out[size], '#');
    }
}
END_TEST

START_TEST(contents_are_compared)
{
    char mine[100], theirs[100];
    memset(mine, 'z', sizeof(mine));
    memset(theirs, 'z', sizeof(theirs));
    bench_text(theirs, sizeof(theirs), 41);
    ck_assert(bench_holds(mine, sizeof(mine), 41, theirs, sizeof(theirs)));
    ck_assert(!bench_holds(mine, sizeof(mine), 42, theirs, sizeof(theirs)));
    ck_assert(!bench_holds(mine, sizeof(mine), 41, theirs, sizeof(theirs) - 1));
    for (size_t i = 0; i < sizeof(theirs); i++) {
        theirs[i] ^= 1;
        ck_assert(!bench_holds(mine, sizeof(mine), 41, theirs, sizeof(theirs)));
        theirs[i] ^= 1;
    }
}
END_TEST

START_TEST(latencies)
{
    static struct bench_hist a, b;
    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    for (uint64_t ns = 1; ns <= 1000; ns++)
        bench_hist_add(ns % 2 ? &a : &b, ns * 1000);
    bench_hist_merge(&a, &b);
    ck_assert_double_eq_tol(bench_hist_at(&a, 0.5), 500e3, 500e3 / 64);
    ck_assert_double_eq_tol(bench_hist_at(&a, 0.99), 990e3, 990e3 / 64);
    ck_assert_double_eq_tol(bench_hist_at(&a, 1), 1e6, 1e6 / 64);
    memset(&b, 0, sizeof(b));
    ck_assert_double_eq(bench_hist_at(&b, 0.5), 0);
    bench_hist_add(&b, 100);
    ck_assert_double_eq(bench_hist_at(&b, 0.5), 100);
    bench_hist_add(&b, UINT64_MAX); /* the last bucket has all that is longer */
    ck_assert_double_gt(bench_hist_at(&b, 1), 1e12);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("bench");
    TCase *t = tcase_create("parts");
    tcase_add_test(t, options);
    tcase_add_test(t, cleanup_options);
    tcase_add_test(t, what_cleanup_takes);
    tcase_add_loop_test(t, wrong_usage, 0, (int)(sizeof(wrong) / sizeof(*wrong)));
    tcase_add_test(t, what_rados_bench_writes);
    tcase_add_test(t, small_objects);
    tcase_add_test(t, contents_are_compared);
    tcase_add_test(t, latencies);
    suite_add_tcase(s, t);
    return suite_run(s);
}
