/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <string.h>

#include "base/crc32c.h"

/* Known values: the check word of CRC-32C, RFC 3720 B.4, and Ceph's convention of raw seeds. */
static const struct {
    uint32_t seed;
    const char *hex;
    uint32_t crc;
} known[] = {
    {0xffffffff, "313233343536373839", 0x1cf96d7c},
    {0, "313233343536373839", 0x58e3fa20},
    {0xffffffff, "", 0xffffffff},
    {0, "", 0},
    {0xffffffff, "0000000000000000000000000000000000000000000000000000000000000000", 0x756ec955},
    {0, "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 0xe8399de9},
    {0, "00000000000000000000000000000000", 0},
};

START_TEST(known_values)
{
    size_t len;
    uint8_t *data = unhex(known[_i].hex, &len);
    ck_assert_uint_eq(signet_crc32c(known[_i].seed, data, len), known[_i].crc);
    free(data);
}
END_TEST

START_TEST(final_inversion_gives_the_standard_value)
{
    ck_assert_uint_eq(signet_crc32c(0xffffffff, "123456789", 9) ^ 0xffffffff, 0xe3069283);
}
END_TEST

/* Bit by bit from the reflected polynomial. */
static uint32_t slow_crc(uint32_t crc, const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0x82f63b78U & (0U - (crc & 1)));
        }
    }
    return crc;
}

START_TEST(every_length_and_alignment)
{
    uint8_t data[600];
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 151 + (i >> 3));
    }
    for (size_t len = 0; len < 520; len++) {
        size_t at = len % 67;
        ck_assert_uint_eq(signet_crc32c(0x12345678, data + at, len),
                          slow_crc(0x12345678, data + at, len));
    }
}
END_TEST

START_TEST(parts_are_chained)
{
    uint8_t data[300];
    memset(data, 0x5a, sizeof(data));
    uint32_t whole = signet_crc32c(7, data, sizeof(data));
    for (size_t cut = 0; cut <= sizeof(data); cut++) {
        uint32_t first = signet_crc32c(7, data, cut);
        ck_assert_uint_eq(signet_crc32c(first, data + cut, sizeof(data) - cut), whole);
    }
}
END_TEST

/* Data in the upper halves would slow down the AES instructions of whoever comes next. */
START_TEST(upper_halves_of_vector_registers_come_back_empty)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx")) {
        static uint8_t data[4096];
        memset(data, 0x5a, sizeof(data));
        uint8_t upper[16][16];
        static const uint8_t empty[16][16];
        (void)signet_crc32c(7, data, sizeof(data));
        __asm__ volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
                         "vextractf128 $1, %%ymm\\n, 16*\\n(%0)\n\t"
                         ".endr"
                         :
                         : "r"(upper)
                         : "memory");
        ck_assert_mem_eq(upper, empty, sizeof(empty));
    }
#endif
}
END_TEST

START_TEST(nothing_at_null)
{
    ck_assert_uint_eq(signet_crc32c(5, NULL, 0), 5);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("crc32c");
    TCase *t = tcase_create("crc32c");
    tcase_add_loop_test(t, known_values, 0, (int)(sizeof(known) / sizeof(*known)));
    tcase_add_test(t, final_inversion_gives_the_standard_value);
    tcase_add_test(t, every_length_and_alignment);
    tcase_add_test(t, parts_are_chained);
    tcase_add_test(t, upper_halves_of_vector_registers_come_back_empty);
    tcase_add_test(t, nothing_at_null);
    suite_add_tcase(s, t);
    return suite_run(s);
}
