/* SPDX-License-Identifier: MIT */
/* ROUND(x) makes a test function round_x(): the structure decodes, encodes to the same bytes, does
 * not decode when cut off or lengthened. For files that include it once. */
#ifndef SIGNET_TEST_ROUND_H
#define SIGNET_TEST_ROUND_H

#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

static uint8_t round_out[1 << 17];

/* A copy of exactly len bytes, so that sanitizers see a read past it. */
static uint8_t *exact(const uint8_t *p, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, p, len);
    return copy;
}

static bool all_zero(const void *p, size_t len)
{
    const uint8_t *b = p;
    for (size_t i = 0; i < len; i++) {
        if (b[i] != 0) {
            return false;
        }
    }
    return true;
}

/* holes: how many cut off forms are structures themselves. */
#define ROUND(x)                                                                                   \
    static void round_##x(const uint8_t *p, size_t len, unsigned holes)                            \
    {                                                                                              \
        struct signet_##x v;                                                                       \
        struct signet_fail fail = {.err = 0};                                                      \
        size_t n;                                                                                  \
        unsigned good = 0;                                                                         \
        assert_ok(signet_##x##_decode(&v, p, len, NULL));                                          \
        assert_ok(signet_##x##_encode(NULL, 0, &n, &v));                                           \
        ck_assert_uint_eq(n, len);                                                                 \
        assert_ok(signet_##x##_encode(round_out, len, &n, &v));                                    \
        ck_assert_uint_eq(n, len);                                                                 \
        ck_assert_mem_eq(round_out, p, len);                                                       \
        assert_err(signet_##x##_encode(round_out, len - 1, &n, &v), SPACE);                        \
        ck_assert_uint_eq(n, 0);                                                                   \
        for (size_t cut = 0; cut < len; cut++) {                                                   \
            uint8_t *copy = exact(p, cut);                                                         \
            int err = signet_##x##_decode(&v, copy, cut, &fail);                                   \
            good += err == 0;                                                                      \
            ck_assert_int_eq(err, err == 0 ? 0 : fail.err);                                        \
            ck_assert(err == 0 || all_zero(&v, sizeof(v)));                                        \
            free(copy);                                                                            \
        }                                                                                          \
        ck_assert_uint_eq(good, holes);                                                            \
        uint8_t *longer = malloc(len + 1);                                                         \
        memcpy(longer, p, len);                                                                    \
        longer[len] = 0;                                                                           \
        assert_err(signet_##x##_decode(&v, longer, len + 1, NULL), TRAILING);                      \
        free(longer);                                                                              \
    }

#endif
