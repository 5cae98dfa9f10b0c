/* SPDX-License-Identifier: MIT */
/* No operation allocates after the first on each thread. This program's malloc stands in front of
 * the C library's for every library of the process; secret memory is counted by the linker's
 * --wrap. */
#include "support/suite.h"

#include <signet/record.h>
#include <signet/signet.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t len);
extern void *__libc_calloc(size_t num, size_t len);
extern void *__libc_realloc(void *p, size_t len);
extern void *__libc_memalign(size_t align, size_t len);
extern void *__real_signet_secret_alloc(size_t len);
void *__wrap_signet_secret_alloc(size_t len);

#define SEEN __attribute__((visibility("default")))

static atomic_uint calls;

SEEN void *malloc(size_t len)
{
    calls++;
    return __libc_malloc(len);
}

SEEN void *calloc(size_t num, size_t len)
{
    calls++;
    return __libc_calloc(num, len);
}

SEEN void *realloc(void *p, size_t len)
{
    calls++;
    return __libc_realloc(p, len);
}

SEEN void *memalign(size_t align, size_t len)
{
    calls++;
    return __libc_memalign(align, len);
}

SEEN void *aligned_alloc(size_t align, size_t len)
{
    calls++;
    return __libc_memalign(align, len);
}

SEEN int posix_memalign(void **p, size_t align, size_t len)
{
    calls++;
    *p = __libc_memalign(align, len);
    return *p != NULL ? 0 : 12;
}

void *__wrap_signet_secret_alloc(size_t len)
{
    calls++;
    return __real_signet_secret_alloc(len);
}

static struct signet_key *keys[2];
static struct signet_stream *tx;
static struct signet_record_sealer *sealers[2];
static atomic_uint wrong;

/* Assertions allocate, so what goes wrong is counted. */
static void seal_and_open(int type, size_t size)
{
    uint8_t buf[5000] = {0};
    size_t len;
    wrong += signet_envelope_seal(keys[type], 0x10, buf, sizeof(buf), &len, buf, size) != 0;
    wrong += signet_envelope_open(keys[type], 0x10, buf, sizeof(buf), &len, buf, len) != 0;
}

static void refuse(int type)
{
    uint8_t buf[128] = {0};
    size_t len;
    wrong +=
        signet_envelope_open(keys[type], 0x10, buf, sizeof(buf), &len, buf, 64) != -SIGNET_E_OPEN;
}

static void authenticate(int type)
{
    uint8_t mac[32], buf[200] = {0};
    wrong += signet_key_hmac(keys[type], mac, buf, sizeof(buf)) != 0;
}

static void stream(void)
{
    uint8_t buf[200] = {0};
    wrong += signet_stream_seal(tx, buf, buf, 100) != 0;
}

static void batch(int type, size_t size)
{
    static uint8_t in[6][512], out[6][1024];
    struct signet_seal_job jobs[6];
    for (size_t i = 0; i < 6; i++) {
        jobs[i] = (struct signet_seal_job){in[i], size % 512, out[i], sizeof(out[i]), 0};
    }
    wrong += signet_key_seal_batch(keys[type], 0x10, jobs, 6) != 0;
}

static void records(int kind, size_t size)
{
    uint8_t buf[5000] = {0};
    uint64_t seq;
    size_t len;
    wrong += signet_record_reserve(sealers[kind], &seq, 1) != 0;
    wrong += signet_record_seal_at(sealers[kind], seq, buf, sizeof(buf), &len, buf + 40, size) != 0;
}

static void each_once(size_t size)
{
    for (int type = 0; type < 2; type++) {
        seal_and_open(type, size);
        refuse(type);
        authenticate(type);
        batch(type, size);
        records(type, size);
    }
    stream();
}

static void *count_here(void *arg)
{
    each_once(100);
    unsigned before = calls;
    for (size_t i = 0; i < 2000; i++) {
        each_once(i % 300);
    }
    each_once(4096);
    *(unsigned *)arg += calls - before;
    return NULL;
}

static void make(void)
{
    uint8_t secret[32] = {1};
    assert_ok(signet_key_import(&keys[0], SIGNET_KEY_AES, secret, 16, 0, NULL));
    assert_ok(signet_key_import(&keys[1], SIGNET_KEY_AES256K, secret, 32, 0, NULL));
    assert_ok(signet_stream_new(&tx, SIGNET_SEAL, secret, secret, NULL));
    assert_ok(signet_record_sealer_new(&sealers[0], SIGNET_RECORD_GCM, secret, 0, NULL));
    assert_ok(signet_record_sealer_new(&sealers[1], SIGNET_RECORD_CTR, secret, 0, NULL));
}

static void drop(void)
{
    signet_key_unref(keys[0]);
    signet_key_unref(keys[1]);
    signet_stream_free(tx);
    signet_record_sealer_free(sealers[0]);
    signet_record_sealer_free(sealers[1]);
    ck_assert_uint_eq(wrong, 0);
}

START_TEST(nothing_is_allocated)
{
    unsigned allocated = 0;
    make();
    count_here(&allocated);
    ck_assert_uint_gt(calls, 0); /* the counter sees this program and the libraries */
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        wrong += pthread_create(&thread, NULL, count_here, &allocated) != 0;
        wrong += pthread_join(thread, NULL) != 0;
    }
    ck_assert_uint_eq(allocated, 0);
    drop();
}
END_TEST

/* Once every handler has been used, switching does not allocate either. */
START_TEST(switching_allocates_nothing)
{
    make();
    unsigned before = 0;
    for (int turn = 0; turn < 20; turn++) {
        for (size_t i = 0; signet_handler_at(i) != NULL; i++) {
            wrong += signet_handler_use(signet_handler_at(i)) != 0;
            each_once(100);
        }
        before = turn == 0 ? calls : before;
    }
    unsigned allocated = calls - before;
    ck_assert_uint_eq(allocated, 0);
    drop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("alloc");
    TCase *t = suite_case(s, "allocations");
    tcase_add_test(t, nothing_is_allocated);
    tcase_add_test(t, switching_allocates_nothing);
    return suite_run(s);
}
