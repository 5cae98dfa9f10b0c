/* SPDX-License-Identifier: MIT */
/* Capabilities that "ceph auth" of Ceph 16 and 20 takes, and where others stop to make sense. */
#include "lite/caps_check.h"

#include <string.h>

#include "support/suite.h"

static const struct {
    const char *service, *text;
} good[] = {
    {"mon", "allow r"},
    {"mon", "allow  r ,allow w ; allow x"},
    {"mon", " allow r"},
    {"mon", "allow r "},
    {"mon", "allow\tr"},
    {"mon", "allow all"},
    {"mon", "allow *, allow r"},
    {"mon", "allow rwx network 10.0.0.0/8"},
    {"mon", "allow r fsname=x"},
    {"mon", "allow command \"auth get\""},
    {"mon", "allow command auth"},
    {"mon", "allow command 'auth get' with entity=client.x"},
    {"mon", "allow command \"auth get\" with entity prefix client.x, allow r"},
    {"mon", "allow service osd r"},
    {"mon", "allow profile nonsense"},
    {"mon", "allow profile osd, profile rbd"},
    {"mon", "allow profile rbd network fe80::/10"},
    {"osd", "allow *"},
    {"osd", "allow rw pool=bench"},
    {"osd", "allow rw pool bench namespace=x, allow class-read object_prefix rbd_children"},
    {"osd", "allow pool x rwx"},
    {"osd", "allow rw class-read class-write"},
    {"osd", "allow class rbd metadata_list"},
    {"osd", "allow rwx tag cephfs data=*"},
    {"osd", "allow rwx pool=\"a b\""},
    {"osd", "allow rwx namespace x"},
    {"osd", "allow rwx network 1.2.3.0/24"},
    {"osd", "profile rbd"},
    {"osd", "profile rbd pool=x namespace=y"},
    {"osd", "allow rwx; allow r\n"},
    {"mgr", "allow r"},
    {"mgr", "allow profile osd"},
    {"mgr", "profile rbd pool=x"},
    {"mgr", "allow service mon r"},
    {"mgr", "allow command \"x\" with a=b c prefix d"},
    {"mgr", "allow module rbd_support with a=b r"},
    {"mds", "allow"},
    {"mds", "allow *"},
    {"mds", "allow rw path=/x"},
    {"mds", "allow rw fsname=a path=/x root_squash"},
    {"mds", "allow r, allow rw path=/a, allow rwps fsname=x uid=5 gids=6,7"},
};
enum { GOOD = sizeof(good) / sizeof(good[0]) };

START_TEST(taken)
{
    size_t stop;
    assert_ok(signet_caps_check(good[_i].service, good[_i].text, &stop));
    ck_assert_uint_eq(stop, strlen(good[_i].text));
}
END_TEST

/* stop: what is left there. */
static const struct {
    const char *service, *text, *stop;
} bad[] = {
    {"mon", "", ""},
    {"mon", " ", " "},
    {"mon", "bogus", "bogus"},
    {"mon", "ALLOW r", "ALLOW r"},
    {"mon", "allow", "allow"},
    {"mon", "allow bogus", "allow bogus"},
    {"mon", "allow r bogus", "bogus"},
    {"mon", "allow r, bogus", ", bogus"},
    {"mon", "allow r,", ","},
    {"mon", "allow r;", ";"},
    {"mon", "allow r allow w", "allow w"},
    {"mon", "allow rwxrwx", "rwx"},
    {"mon", "allow wr", "r"},
    {"mon", "allow profile", "allow profile"},
    {"mon", "profile rbd foo", "foo"},
    {"mon", "allow r network", "network"},
    {"mon", "allow r network xyz", "network xyz"},
    {"mon", "allow command", "allow command"},
    {"mon", "allow service osd", "allow service osd"},
    {"mon", "allow service osd q", "allow service osd q"},
    {"mon", "allow r, allow command \"auth get", ", allow command \"auth get"},
    {"osd", "bogus", "bogus"},
    {"osd", "allow", "allow"},
    {"osd", "allow bogus", "allow bogus"},
    {"osd", "allow xrw", "rw"},
    {"osd", "allow rwx pool", "pool"},
    {"osd", "allow rwx pool = x", "pool = x"},
    {"osd", "allow rwx pool=a foo", "foo"},
    {"osd", "allow rwx foo=a", "foo=a"},
    {"osd", "allow rwx tag x", "tag x"},
    {"osd", "allow rwx,", ","},
    {"osd", "allow pool x auid 5 rwx", "allow pool x auid 5 rwx"},
    {"osd", "allow profile rbd", "allow profile rbd"},
    {"osd", "allow class", "allow class"},
    {"osd", "profile", "profile"},
    {"osd", "allow rw, profile rbd foo", "foo"},
    {"osd", "allow r\nallow w", "allow w"},
    {"mgr", "allow", "allow"},
    {"mgr", "allow bogus", "allow bogus"},
    {"mgr", "allow module x", "allow module x"},
    {"mgr", "profile", "profile"},
    {"mgr", "allow r with a=b", "with a=b"},
    {"mds", "bogus", "bogus"},
    {"mds", "allow rq", "q"},
    {"mds", "allow rw gids=x", "gids=x"},
    {"mds", "profile x", "profile x"},
};
enum { BAD = sizeof(bad) / sizeof(bad[0]) };

START_TEST(refused)
{
    size_t stop;
    assert_err(signet_caps_check(bad[_i].service, bad[_i].text, &stop), CAPS);
    ck_assert_str_eq(bad[_i].text + stop, bad[_i].stop);
}
END_TEST

START_TEST(unknown_services)
{
    static const char *const names[] = {"", "auth", "client", "MON", "mon "};
    size_t stop;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_err(signet_caps_check(names[i], "allow r", &stop), NOT_FOUND);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("caps_check");
    TCase *t = tcase_create("grammar");
    tcase_add_loop_test(t, taken, 0, GOOD);
    tcase_add_loop_test(t, refused, 0, BAD);
    tcase_add_test(t, unknown_services);
    suite_add_tcase(s, t);
    return suite_run(s);
}
