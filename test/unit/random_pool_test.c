/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/signet.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crypto/random_pool.h"

static unsigned calls;
static int next_error;
static struct signet_handler counting;

static int count(uint8_t *out, size_t len)
{
    calls++;
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)(i / 16 + 128 * calls + 1);
    }
    return next_error;
}

START_TEST(draws_share_a_call)
{
    uint8_t out[16], last = 0;
    for (int i = 0; i < 2 * (SIGNET_POOL_LEN / 16); i++) {
        assert_ok(signet_random_small(&counting, out, 16));
        ck_assert_uint_ne(out[0], last);
        ck_assert_uint_eq(out[0], out[15]);
        last = out[0];
    }
    ck_assert_uint_eq(calls, 2);
}
END_TEST

START_TEST(a_failure_hands_out_nothing)
{
    uint8_t out[16];
    next_error = -SIGNET_E_RANDOM;
    assert_err(signet_random_small(&counting, out, 16), RANDOM);
    next_error = 0;
    assert_ok(signet_random_small(&counting, out, 16));
    ck_assert_uint_eq(calls, 2);
}
END_TEST

/* The child must not see what the parent's pool holds, whichever way it was made. */
static void child_draws_anew(pid_t (*make_child)(void))
{
    uint8_t out[16];
    assert_ok(signet_random_small(&counting, out, 16));
    unsigned before = calls;
    pid_t pid = make_child();
    if (pid == 0) {
        bool ok = signet_random_small(&counting, out, 16) == 0 && calls == before + 1 &&
                  signet_random_small(&counting, out, 16) == 0 && calls == before + 1;
        _exit(ok ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    ck_assert_int_eq(status, 0);
    assert_ok(signet_random_small(&counting, out, 16));
    ck_assert_uint_eq(calls, before);
}

START_TEST(a_forked_child_draws_anew)
{
    child_draws_anew(fork);
}
END_TEST

/* _Fork() runs no atfork hooks. */
START_TEST(a_child_without_hooks_draws_anew)
{
    child_draws_anew(_Fork);
}
END_TEST

int main(void)
{
    counting.random = count;
    Suite *s = suite_create("random_pool");
    TCase *t = tcase_create("pool");
    suite_add_tcase(s, t);
    tcase_add_test(t, draws_share_a_call);
    tcase_add_test(t, a_failure_hands_out_nothing);
    tcase_add_test(t, a_forked_child_draws_anew);
    tcase_add_test(t, a_child_without_hooks_draws_anew);
    return suite_run(s);
}
