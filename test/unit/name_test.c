/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <string.h>

#include "auth/name_wire.h"

struct row {
    const char *text;
    int err;
    uint32_t type;
    const char *id;
};

static const struct row rows[] = {
    {"client.admin", 0, SIGNET_CLIENT, "admin"},
    {"client.a.b", 0, SIGNET_CLIENT, "a.b"},
    {"client.a b", 0, SIGNET_CLIENT, "a b"},
    {"client.*", 0, SIGNET_CLIENT, "*"},
    {"mon.", 0, SIGNET_MON, ""},
    {"osd.12", 0, SIGNET_OSD, "12"},
    {"mds.a", 0, SIGNET_MDS, "a"},
    {"mgr.x", 0, SIGNET_MGR, "x"},
    {"auth.x", 0, SIGNET_AUTH, "x"},
    {"", -SIGNET_E_NAME, 0, ""},
    {"client", -SIGNET_E_NAME, 0, ""},
    {".a", -SIGNET_E_NAME, 0, ""},
    {"a.", -SIGNET_E_NAME, 0, ""},
    {"Client.a", -SIGNET_E_NAME, 0, ""},
    {"clients.a", -SIGNET_E_NAME, 0, ""},
    {"foo.bar", -SIGNET_E_NAME, 0, ""},
};

START_TEST(parse_and_print)
{
    const struct row *row = &rows[_i];
    struct signet_name name;
    char text[SIGNET_NAME_TEXT_MAX];
    ck_assert_int_eq(signet_name_parse(&name, row->text), row->err);
    ck_assert_uint_eq(name.type, row->type);
    ck_assert_uint_eq(name.id_len, strlen(row->id));
    ck_assert_str_eq(name.id, row->id);
    if (row->err == 0) {
        ck_assert_str_eq(signet_name_print(&name, text), row->text);
    }
}
END_TEST

START_TEST(longest_id)
{
    char text[SIGNET_NAME_TEXT_MAX + 1] = "client.";
    char again[SIGNET_NAME_TEXT_MAX];
    struct signet_name name;
    memset(text + 7, 'x', SIGNET_NAME_ID_MAX);
    assert_ok(signet_name_parse(&name, text));
    ck_assert_str_eq(signet_name_print(&name, again), text);
    text[7 + SIGNET_NAME_ID_MAX] = 'x';
    assert_err(signet_name_parse(&name, text), NAME);
}
END_TEST

START_TEST(order_is_type_then_bytes)
{
    static const char *const sorted[] = {"mon.",     "mon.a",       "mds.a",      "osd.0",
                                         "osd.1",    "osd.10",      "osd.2",      "client.",
                                         "client.A", "client.a",    "client.a b", "client.aa",
                                         "client.b", "client.\xff", "mgr.",       "auth."};
    enum { NUM = sizeof(sorted) / sizeof(sorted[0]) };
    for (size_t i = 0; i < NUM; i++) {
        for (size_t j = 0; j < NUM; j++) {
            struct signet_name a, b;
            assert_ok(signet_name_parse(&a, sorted[i]));
            assert_ok(signet_name_parse(&b, sorted[j]));
            int c = signet_name_compare(&a, &b);
            ck_assert_int_eq((c > 0) - (c < 0), (i > j) - (i < j));
        }
    }
}
END_TEST

START_TEST(services_have_names)
{
    ck_assert_str_eq(signet_service_name(SIGNET_MON), "mon");
    ck_assert_str_eq(signet_service_name(SIGNET_AUTH), "auth");
    ck_assert_ptr_null(signet_service_name(0));
    ck_assert_ptr_null(signet_service_name(0xff));
    struct signet_name name = {.type = 0xff, .id_len = 1, .id = "x"};
    char text[SIGNET_NAME_TEXT_MAX];
    ck_assert_str_eq(signet_name_print(&name, text), "?.x");
}
END_TEST

START_TEST(wire_form)
{
    struct signet_name name, again;
    uint8_t out[32];
    assert_ok(signet_name_parse(&name, "client.admin"));
    struct signet_writer w = signet_writer_init(out, sizeof(out));
    signet_write_name(&w, &name);
    ck_assert_int_eq(w.err, 0);
    assert_hex(out, (size_t)w.len, "080000000500000061646d696e");
    struct signet_reader r = signet_reader_init(out, (size_t)w.len);
    assert_ok(signet_read_name(&r, &again));
    ck_assert_int_eq(signet_name_compare(&name, &again), 0);
    assert_ok(signet_reader_done(&r));
}
END_TEST

START_TEST(wire_errors)
{
    uint8_t in[8 + SIGNET_NAME_ID_MAX + 1] = {8, 0, 0, 0, 0, 1};
    struct signet_name name;
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    assert_err(signet_read_name(&r, &name), LENGTH); /* 256 bytes of id */
    r = signet_reader_init(in, 7);
    assert_err(signet_read_name(&r, &name), SHORT);
    ck_assert_uint_eq(name.type, 0);
}
END_TEST

START_TEST(nul_is_a_byte_of_the_id)
{
    struct signet_name a, b;
    assert_ok(signet_name_parse_n(&a, "osd.\0x", 6));
    assert_ok(signet_name_parse_n(&b, "osd.\0y", 6));
    ck_assert_uint_eq(a.id_len, 2);
    ck_assert_int_lt(signet_name_compare(&a, &b), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("name");
    TCase *t = tcase_create("name");
    tcase_add_loop_test(t, parse_and_print, 0, (int)(sizeof(rows) / sizeof(rows[0])));
    tcase_add_test(t, longest_id);
    tcase_add_test(t, order_is_type_then_bytes);
    tcase_add_test(t, services_have_names);
    tcase_add_test(t, wire_form);
    tcase_add_test(t, wire_errors);
    tcase_add_test(t, nul_is_a_byte_of_the_id);
    suite_add_tcase(s, t);
    return suite_run(s);
}
