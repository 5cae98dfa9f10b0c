/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/addr.h>

#include <string.h>

START_TEST(parse_and_print)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"v2:127.0.0.1:3300/0", "v2:127.0.0.1:3300/0"},
        {"v1:10.1.2.3:6789/4294967295", "v1:10.1.2.3:6789/4294967295"},
        {"v2:[::1]:3300/7", "v2:[::1]:3300/7"},
        {"v2:[fe80::1]", "v2:[fe80::1]:0/0"},
        {"::1", "any:[::1]:0/0"},
        {"2001:db8::5/9", "any:[2001:db8::5]:0/9"},
        {"10.0.0.1", "any:10.0.0.1:0/0"},
        {"any:10.0.0.1:1", "any:10.0.0.1:1/0"},
        {"-", "-"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct signet_addr addr;
        char text[SIGNET_ADDR_TEXT_MAX];
        ck_assert_msg(signet_addr_parse(&addr, rows[i].in) == 0, "%s", rows[i].in);
        ck_assert_str_eq(signet_addr_print(&addr, text), rows[i].out);
    }
}
END_TEST

START_TEST(longest_text_fits)
{
    struct signet_addr addr = {
        .type = SIGNET_ADDR_CIDR, .nonce = UINT32_MAX, .family = SIGNET_FAMILY_IPV6, .port = 65535};
    memset(addr.ip, 0xff, sizeof(addr.ip));
    char text[SIGNET_ADDR_TEXT_MAX];
    ck_assert_str_eq(signet_addr_print(&addr, text),
                     "cidr:[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535/4294967295");
}
END_TEST

START_TEST(not_an_address)
{
    static const char *const rows[] = {
        "",
        "v2:",
        "v3:10.0.0.1",
        "10.0.0",
        "10.0.0.1:",
        "10.0.0.1:65536",
        "10.0.0.1:x",
        "10.0.0.1/",
        "10.0.0.1/4294967296",
        "10.0.0.1/-1",
        "[::1",
        "[::1]3300",
        "[10.0.0.1]:1",
        "::1]:1",
        ":3300",
        "10.0.0.1:1:1",
        "10.0.0.1:1/1/",
        "10.0.0.300",
        "host:1",
        " 10.0.0.1",
        "10.0.0.1 ",
        "V2:10.0.0.1",
        "10.0.0.1:00000000001",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct signet_addr addr, blank = {0};
        ck_assert_msg(signet_addr_parse(&addr, rows[i]) == -SIGNET_E_ADDR, "%s", rows[i]);
        ck_assert(signet_addr_equal(&addr, &blank));
    }
}
END_TEST

static int resolve(void *arg, const char *host, struct signet_addr *out)
{
    ck_assert_str_eq(arg, "arg");
    if (strcmp(host, "mon.example") != 0) {
        return -SIGNET_E_RESOLVE;
    }
    out->family = SIGNET_FAMILY_IPV4;
    memcpy(out->ip, "\x0a\x00\x00\x09", 4);
    return 0;
}

/* The whole list as one line: members by comma, entries by blank. */
static int parse_list(const char *text, char *line, struct signet_fail *fail)
{
    static struct signet_addrvec list[4];
    size_t num;
    int err = signet_addr_list_parse(list, 4, &num, text, resolve, "arg", fail);
    ck_assert(err == 0 || num == 0);
    line[0] = 0;
    for (size_t i = 0; i < num; i++) {
        strcat(line, i > 0 ? " " : "");
        for (uint32_t j = 0; j < list[i].num; j++) {
            char one[SIGNET_ADDR_TEXT_MAX];
            strcat(line, j > 0 ? "," : "");
            strcat(line, signet_addr_print(&list[i].addr[j], one));
        }
    }
    return err;
}

START_TEST(lists)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"v2:127.0.0.1:3300/0", "v2:127.0.0.1:3300/0"},
        {"[v2:127.0.0.1:40000,v1:127.0.0.1:40001]", "v2:127.0.0.1:40000/0,v1:127.0.0.1:40001/0"},
        {"[v2:[::1]:3300/0,v1:[::1]:6789/0]", "v2:[::1]:3300/0,v1:[::1]:6789/0"},
        {"[::1]:3300", "v2:[::1]:3300/0"},
        {"[::1]", "v2:[::1]:3300/0,v1:[::1]:6789/0"},
        {"::1", "v2:[::1]:3300/0,v1:[::1]:6789/0"},
        {"[[::1]:3300,[::1]:6789]", "v2:[::1]:3300/0,v1:[::1]:6789/0"},
        {"10.0.0.1", "v2:10.0.0.1:3300/0,v1:10.0.0.1:6789/0"},
        {"10.0.0.1:6789", "v1:10.0.0.1:6789/0"},
        {"10.0.0.1:17300", "v2:10.0.0.1:17300/0"},
        {"any:10.0.0.1:17300", "v2:10.0.0.1:17300/0"},
        {"v2:10.0.0.1", "v2:10.0.0.1:3300/0"},
        {"v1:10.0.0.1", "v1:10.0.0.1:6789/0"},
        {"10.0.0.1, 10.0.0.2:3300;v1:10.0.0.3",
         "v2:10.0.0.1:3300/0,v1:10.0.0.1:6789/0 v2:10.0.0.2:3300/0 v1:10.0.0.3:6789/0"},
        {" [v2:10.0.0.1:3300],[v2:10.0.0.2:3300] \t", "v2:10.0.0.1:3300/0 v2:10.0.0.2:3300/0"},
        {"v2:mon.example:3300/0", "v2:10.0.0.9:3300/0"},
        {"mon.example", "v2:10.0.0.9:3300/0,v1:10.0.0.9:6789/0"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char line[1024];
        struct signet_fail fail = {0};
        ck_assert_msg(parse_list(rows[i].in, line, &fail) == 0, "%s: %s", rows[i].in, fail.text);
        ck_assert_str_eq(line, rows[i].out);
    }
}
END_TEST

START_TEST(bad_lists)
{
    static const struct {
        const char *in;
        int err;
        uint64_t offset;
    } rows[] = {
        {"", -SIGNET_E_ADDR, 0},
        {" , ", -SIGNET_E_ADDR, 0},
        {"10.0.0.1,10.0.0", -SIGNET_E_ADDR, 9},
        {"[v2:10.0.0.1:3300", -SIGNET_E_ADDR, 0},
        {"[v2:10.0.0.1:3300,", -SIGNET_E_ADDR, 0},
        {"[v2:10.0.0.1:3300,]", -SIGNET_E_ADDR, 18},
        {"[v2:10.0.0.1:3300]x", -SIGNET_E_ADDR, 18},
        {"[", -SIGNET_E_ADDR, 0},
        {"[]", -SIGNET_E_ADDR, 0},
        {"v2:nowhere.example", -SIGNET_E_RESOLVE, 0},
        {"10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5", -SIGNET_E_COUNT, 36},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char line[1024];
        struct signet_fail fail = {0};
        int err = parse_list(rows[i].in, line, &fail);
        ck_assert_msg(err == rows[i].err, "%s: %s", rows[i].in, signet_err_name(err));
        ck_assert_int_eq(fail.err, err);
        ck_assert_uint_eq(fail.offset, rows[i].offset);
    }
}
END_TEST

START_TEST(too_many_in_one_entry)
{
    char text[1024] = "[v2:10.0.0.1";
    for (int i = 0; i < SIGNET_ADDRVEC_MAX; i++) {
        strcat(text, ",v2:10.0.0.2");
    }
    strcat(text, "]");
    char line[4096];
    assert_err(parse_list(text, line, NULL), COUNT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("addr_text");
    TCase *t = tcase_create("text");
    tcase_add_test(t, parse_and_print);
    tcase_add_test(t, longest_text_fits);
    tcase_add_test(t, not_an_address);
    tcase_add_test(t, lists);
    tcase_add_test(t, bad_lists);
    tcase_add_test(t, too_many_in_one_entry);
    suite_add_tcase(s, t);
    return suite_run(s);
}
