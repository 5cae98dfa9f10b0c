/* SPDX-License-Identifier: MIT */
/* Handlers give the same results with and without their shorter ways. */
#include "support/suite.h"

#include <signet/signet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crypto/handler.h"

enum { LENGTHS = 300, ROOM = LENGTHS * (LENGTHS + 64) };

/* What one way gives, filled by a child. */
struct results {
    char detail[160];
    size_t len;
    uint8_t bytes[SIGNET_ALG_NUM * ROOM];
};

static const uint8_t raw[64] = {7, 6, 5, 4, 3, 2, 1};
static const uint8_t iv[16] = {9, 8, 7};

static size_t key_len(enum signet_alg alg)
{
    return alg == SIGNET_ALG_HMAC_SHA256   ? 64
           : alg == SIGNET_ALG_HMAC_SHA384 ? 24
                                           : signet_alg_key_len(alg);
}

/* One operation on n bytes; what it gives is appended. */
static int operate(const struct signet_handler *h, enum signet_alg alg, void *lane, size_t n,
                   struct results *r)
{
    uint8_t in[LENGTHS + 16] = {0}, *out = r->bytes + r->len;
    for (size_t i = 0; i < n; i++) {
        in[i] = (uint8_t)(i * 7 + n);
    }
    struct signet_span parts[3] = {{in, n / 3}, {in, 0}, {in + n / 3, n - n / 3}};
    switch (alg) {
    case SIGNET_ALG_GCM128_SEAL:
    case SIGNET_ALG_GCM256_SEAL:
        r->len += n + 16;
        return h->gcm_seal(lane, out, in, n, iv);
    case SIGNET_ALG_GCM128_OPEN:
    case SIGNET_ALG_GCM256_OPEN: /* of a wrong tag: nothing but the refusal counts */
        return h->gcm_open(lane, out, in, n, iv) == -SIGNET_E_OPEN ? 0 : -1;
    case SIGNET_ALG_CTR256:
        r->len += n;
        return h->ctr(lane, out, in, n, iv);
    case SIGNET_ALG_ECB128_SEAL:
        r->len += n / 16 * 16;
        return n < 16 ? 0 : h->ecb(lane, out, in, n / 16 * 16);
    case SIGNET_ALG_HMAC_SHA256:
        r->len += 32;
        return h->hmac(lane, out, parts, 3);
    case SIGNET_ALG_HMAC_SHA384:
        r->len += 48;
        return h->hmac(lane, out, parts, 3);
    default:
        r->len += n / 16 * 16;
        return n < 16 ? 0 : h->cbc(lane, out, in, n / 16 * 16, iv);
    }
}

static int all_lengths(const struct signet_handler *h, enum signet_alg alg, struct results *r)
{
    void *key, *lane;
    int err = h->key_new(&key, alg, raw, key_len(alg));
    if (err != 0) {
        return err;
    }
    err = h->lane_new(&lane, alg, key, signet_thread_index());
    for (size_t n = 0; err == 0 && n < LENGTHS; n++) {
        err = operate(h, alg, lane, n, r);
    }
    if (lane != NULL) {
        h->lane_free(alg, lane);
    }
    h->key_free(alg, key);
    return err;
}

static int fill(struct results *r, bool plain)
{
    struct signet_options options = {
        .handler = getenv("SIGNET_TEST_HANDLER"), .strict = true, .plain_calls = plain};
    struct signet_handler_info info;
    int err = signet_init(&options);
    const struct signet_handler *h = signet_handler_current();
    if (err == 0) {
        err = signet_handler_info(h, &info);
    }
    memcpy(r->detail, info.detail, sizeof(r->detail));
    for (unsigned alg = 0; err == 0 && alg < SIGNET_ALG_NUM; alg++) {
        err = all_lengths(h, (enum signet_alg)alg, r);
    }
    signet_shutdown();
    return err;
}

/* In a child, as a library is started once in a process. */
static struct results *in_child(bool plain)
{
    struct results *r =
        mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    ck_assert_ptr_ne(r, MAP_FAILED);
    pid_t pid = fork();
    if (pid == 0) {
        _exit(fill(r, plain) == 0 ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    return r;
}

START_TEST(both_ways_give_the_same)
{
    struct results *plain = in_child(true), *direct = in_child(false);
    ck_assert_uint_gt(plain->len, 100000);
    ck_assert_uint_eq(plain->len, direct->len);
    ck_assert_mem_eq(plain->bytes, direct->bytes, plain->len);
    ck_assert_str_ne(plain->detail, direct->detail); /* so they were two ways */
}
END_TEST

/* The same process may start again in the other way. */
START_TEST(ways_follow_the_options_of_each_start)
{
    struct results *first = calloc(1, sizeof(*first)), *second = calloc(1, sizeof(*second));
    ck_assert_int_eq(fill(first, true), 0);
    ck_assert_int_eq(fill(second, false), 0);
    ck_assert_str_ne(first->detail, second->detail);
    ck_assert_mem_eq(first->bytes, second->bytes, first->len);
    free(first);
    free(second);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plain calls");
    TCase *tc = tcase_create("plain calls");
    tcase_add_test(tc, both_ways_give_the_same);
    tcase_add_test(tc, ways_follow_the_options_of_each_start);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
