/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <string.h>

#include <errno.h>
#include <limits.h>

#include <signet/error.h>

#include "base/fail.h"

START_TEST(table_is_whole)
{
    for (int code = 1; code < SIGNET_E_NUM_; code++) {
        ck_assert_str_ne(signet_err_name(code), "UNKNOWN");
        ck_assert_uint_gt(strlen(signet_strerror(code)), 8);
        ck_assert_int_gt(signet_err_errno(code), 0);
        ck_assert_int_ne(signet_err_group(code), SIGNET_GROUP_NONE);
        ck_assert_str_eq(signet_err_name(-code), signet_err_name(code));
        ck_assert_ptr_eq(signet_strerror(-code), signet_strerror(code));
    }
}
END_TEST

/* Two causes must not look alike in a log. */
START_TEST(texts_differ)
{
    for (int a = 1; a < SIGNET_E_NUM_; a++) {
        for (int b = a + 1; b < SIGNET_E_NUM_; b++) {
            ck_assert_str_ne(signet_strerror(a), signet_strerror(b));
        }
    }
}
END_TEST

START_TEST(some_rows)
{
    ck_assert_str_eq(signet_err_name(-SIGNET_E_KEY_LENGTH), "KEY_LENGTH");
    ck_assert_int_eq(signet_err_errno(-SIGNET_E_NOMEM), ENOMEM);
    ck_assert_int_eq(signet_err_group(-SIGNET_E_SHORT), SIGNET_GROUP_FORMAT);
}
END_TEST

START_TEST(success)
{
    ck_assert_str_eq(signet_err_name(0), "OK");
    ck_assert_str_eq(signet_strerror(0), "success");
    ck_assert_int_eq(signet_err_errno(0), 0);
    ck_assert_int_eq(signet_err_group(0), SIGNET_GROUP_NONE);
}
END_TEST

static const int strangers[] = {SIGNET_E_NUM_, -SIGNET_E_NUM_, INT_MAX, INT_MIN, -100000};

START_TEST(unknown_numbers)
{
    ck_assert_str_eq(signet_err_name(strangers[_i]), "UNKNOWN");
    ck_assert_str_eq(signet_strerror(strangers[_i]), "unknown error");
    ck_assert_int_eq(signet_err_errno(strangers[_i]), EIO);
    ck_assert_int_eq(signet_err_group(strangers[_i]), SIGNET_GROUP_NONE);
}
END_TEST

START_TEST(failure_is_described)
{
    struct signet_fail fail = {0};
    assert_err(signet_fail_set(&fail, -SIGNET_E_VALUE, "Banner", 7, "%d is not %s", 3, "four"),
               VALUE);
    assert_err(fail.err, VALUE);
    ck_assert_uint_eq(fail.offset, 7);
    ck_assert_str_eq(fail.where, "Banner");
    ck_assert_str_eq(fail.text, "3 is not four");
}
END_TEST

START_TEST(long_texts_are_cut)
{
    struct signet_fail fail;
    char text[400];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    assert_err(signet_fail_set(&fail, -SIGNET_E_SHORT, text, 0, "%s", text), SHORT);
    ck_assert_uint_eq(strlen(fail.where), sizeof(fail.where) - 1);
    ck_assert_uint_eq(strlen(fail.text), sizeof(fail.text) - 1);
}
END_TEST

START_TEST(nobody_asks_why)
{
    assert_err(signet_fail_set(NULL, -SIGNET_E_INVAL, "x", 0, "text"), INVAL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("error");
    TCase *t = tcase_create("table");
    tcase_add_test(t, table_is_whole);
    tcase_add_test(t, texts_differ);
    tcase_add_test(t, some_rows);
    tcase_add_test(t, success);
    tcase_add_loop_test(t, unknown_numbers, 0, 5);
    suite_add_tcase(s, t);
    t = tcase_create("fail");
    tcase_add_test(t, failure_is_described);
    tcase_add_test(t, long_texts_are_cut);
    tcase_add_test(t, nobody_asks_why);
    suite_add_tcase(s, t);
    return suite_run(s);
}
