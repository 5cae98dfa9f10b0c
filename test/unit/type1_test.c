/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <string.h>

#include "crypto/type1.h"

/* Byte by byte, as PKCS#7 says it. */
static uint32_t plainly(const uint8_t *plain, size_t len)
{
    uint32_t pad = plain[len - 1];
    if (pad < 1 || pad > 16) {
        return 0;
    }
    for (size_t i = 1; i <= pad; i++) {
        if (plain[len - i] != pad) {
            return 0;
        }
    }
    return pad;
}

/* Every value of the last byte, with every number of bytes equal to it before it. */
START_TEST(padding_of_every_kind)
{
    uint8_t plain[64];
    for (size_t len = 16; len <= sizeof(plain); len += 16) {
        for (unsigned pad = 0; pad < 256; pad++) {
            for (size_t equal = 1; equal <= 16; equal++) {
                memset(plain, (int)(pad ^ 0x80), sizeof(plain));
                memset(plain + len - equal, (int)pad, equal);
                ck_assert_uint_eq(signet_type1_padding(plain, len), plainly(plain, len));
            }
        }
    }
}
END_TEST

START_TEST(padding_with_one_changed_bit)
{
    uint8_t plain[32];
    for (unsigned pad = 1; pad <= 16; pad++) {
        for (unsigned bit = 0; bit < 128; bit++) {
            memset(plain, (int)pad, sizeof(plain));
            plain[16 + bit / 8] ^= (uint8_t)(1U << bit % 8);
            ck_assert_uint_eq(signet_type1_padding(plain, 32), plainly(plain, 32));
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("type1");
    TCase *padding = tcase_create("padding");
    tcase_add_test(padding, padding_of_every_kind);
    tcase_add_test(padding, padding_with_one_changed_bit);
    suite_add_tcase(suite, padding);
    return suite_run(suite);
}
