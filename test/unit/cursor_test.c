/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/error.h>

#include "base/cursor.h"

START_TEST(failure_is_sticky)
{
    uint8_t in[3] = {1, 2, 3};
    struct signet_reader r = signet_reader_init(in, sizeof(in));
    ck_assert_uint_eq(signet_read_u16(&r), 0x0201);
    ck_assert_uint_eq(signet_read_u32(&r), 0);
    ck_assert_uint_eq(signet_read_u8(&r), 0);
    ck_assert_int_eq(signet_reader_done(&r), -SIGNET_E_SHORT);
    ck_assert_uint_eq(signet_reader_offset(&r), 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cursor");
    TCase *t = tcase_create("reader");
    tcase_add_test(t, failure_is_sticky);
    suite_add_tcase(s, t);
    return suite_run(s);
}
