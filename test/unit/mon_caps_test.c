/* SPDX-License-Identifier: MIT */
#include "lite/mon.h"
#include "support/suite.h"

static const struct {
    const char *text;
    unsigned bits;
} cases[] = {
    {"allow *", SIGNET_MAY_ALL},
    {"allow all", SIGNET_MAY_ALL},
    {" allow\t* ", SIGNET_MAY_ALL},
    {"allow r", SIGNET_MAY_R},
    {"allow w", SIGNET_MAY_W},
    {"allow rx", SIGNET_MAY_R | SIGNET_MAY_X},
    {"allow rwx", SIGNET_MAY_ALL},
    {"allow r, allow x", SIGNET_MAY_R | SIGNET_MAY_X},
    {"allow r;allow w", SIGNET_MAY_R | SIGNET_MAY_W},
    {"allow profile osd", SIGNET_MAY_R},
    {"allow profile osd, allow w", SIGNET_MAY_R | SIGNET_MAY_W},
    {"profile rbd", SIGNET_MAY_R},
    {"profile rbd; profile x, allow x", SIGNET_MAY_R | SIGNET_MAY_X},
    {"", 0},
    {" ", 0},
    {"allow", 0},
    {"allow ", 0},
    {"allow,", 0},
    {"allow r,", 0},
    {"allow r rw", 0},
    {"allow *x", 0},
    {"allow rq", 0},
    {"allow profile", 0},
    {"allow profile a b", 0},
    {"allow rw command foo", 0},
    {"allow command \"auth ls\"", 0},
    {"deny *", 0},
    {"profile", 0},
    {"profile a b", 0},
    {"profiles a", 0},
    {"ALLOW *", 0},
    {"allowed *", 0},
    {"allow *, garbage", 0},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

START_TEST(texts)
{
    ck_assert_msg(signet_mon_caps(cases[_i].text) == cases[_i].bits, "%s", cases[_i].text);
}
END_TEST

START_TEST(none)
{
    ck_assert_uint_eq(signet_mon_caps(NULL), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mon_caps");
    TCase *t = tcase_create("caps");
    tcase_add_loop_test(t, texts, 0, CASES);
    tcase_add_test(t, none);
    suite_add_tcase(s, t);
    return suite_run(s);
}
