/* SPDX-License-Identifier: MIT */
/* The system's clocks and random source, the latter with a getrandom(2) that misbehaves. */
#include "support/suite.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <signet/env.h>

static enum { SYSTEM, INTERRUPTED, SLOW, BROKEN, EMPTY } behaviour;
static unsigned calls;

/* Takes the place of libc's for this program. */
ssize_t getrandom(void *out, size_t len, unsigned flags)
{
    calls++;
    if (behaviour == BROKEN || (behaviour == INTERRUPTED && calls % 2 == 1)) {
        errno = behaviour == BROKEN ? ENOSYS : EINTR;
        return -1;
    }
    if (behaviour == EMPTY) {
        return 0;
    }
    return syscall(SYS_getrandom, out, behaviour == SLOW && len > 3 ? 3 : len, flags);
}

static void assert_filled(size_t len, unsigned min_calls)
{
    struct signet_env env = signet_env_system();
    uint8_t out[1100], first[1100];
    memset(out, 0, sizeof(out));
    calls = 0;
    assert_ok(env.random(env.arg, out, len));
    ck_assert_uint_ge(calls, min_calls);
    for (size_t i = len; i < sizeof(out); i++) {
        ck_assert_uint_eq(out[i], 0);
    }
    memcpy(first, out, sizeof(out));
    assert_ok(env.random(env.arg, out, len));
    /* 16 bytes or more are never the same twice, nor do they end in 16 zeros. */
    if (len >= 16) {
        ck_assert_mem_ne(first, out, len);
        static const uint8_t zeros[16];
        ck_assert_mem_ne(out + len - 16, zeros, 16);
    }
}

START_TEST(random_bytes)
{
    const size_t lens[] = {0, 1, 16, 255, 256, 257, 1000};
    for (size_t i = 0; i < 7; i++) {
        assert_filled(lens[i], 0);
    }
}
END_TEST

START_TEST(random_in_pieces)
{
    behaviour = INTERRUPTED;
    assert_filled(600, 6);
    behaviour = SLOW;
    assert_filled(600, 200);
}
END_TEST

START_TEST(random_fails)
{
    struct signet_env env = signet_env_system();
    uint8_t out[32];
    behaviour = BROKEN;
    assert_err(env.random(env.arg, out, sizeof(out)), RANDOM);
    behaviour = EMPTY;
    assert_err(env.random(env.arg, out, sizeof(out)), RANDOM);
    assert_ok(env.random(env.arg, out, 0));
}
END_TEST

START_TEST(clocks)
{
    struct signet_env env = signet_env_system();
    uint64_t before = (uint64_t)time(NULL);
    uint64_t real = env.real_ns(env.arg) / 1000000000;
    /* time() may lag behind the clock by a tick. */
    ck_assert_uint_ge(real, before);
    ck_assert_uint_le(real, (uint64_t)time(NULL) + 1);
    uint64_t last = env.mono_ns(env.arg);
    for (int i = 0; i < 1000; i++) {
        uint64_t now = env.mono_ns(env.arg);
        ck_assert_uint_ge(now, last);
        last = now;
    }
    ck_assert_uint_gt(last, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("env");
    TCase *t = tcase_create("env");
    tcase_add_test(t, random_bytes);
    tcase_add_test(t, random_in_pieces);
    tcase_add_test(t, random_fails);
    tcase_add_test(t, clocks);
    suite_add_tcase(s, t);
    return suite_run(s);
}
