/* SPDX-License-Identifier: MIT */
/* Eight threads seal and open on shared keys while another switches handlers a thousand times a
 * second. SIGNET_STRESS_SECONDS: how long (5). */
#include "support/suite.h"

#include <signet/signet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stress/watch.h"

#define THREADS 8

static struct signet_key *aes, *aes256k, *reference;
static atomic_bool stop;
static atomic_ulong wrong, rounds;
static uint8_t expected[128], plain[100];
static size_t expected_len;
static uint8_t expected_mac[32];

static const enum signet_usage usages[] = {SIGNET_USAGE_NONE, SIGNET_USAGE_AUTHORIZE,
                                           SIGNET_USAGE_TICKET_BLOB, SIGNET_USAGE_TICKET_INFO};

static bool same_answer(const struct signet_key *key)
{
    uint8_t out[160];
    size_t len;
    return signet_envelope_seal(key, 0, out, sizeof(out), &len, plain, sizeof(plain)) == 0 &&
           len == expected_len && memcmp(out, expected, len) == 0 &&
           signet_envelope_open(key, 0, out, sizeof(out), &len, out, len) == 0 &&
           len == sizeof(plain) && memcmp(out, plain, len) == 0;
}

static bool goes_round(const struct signet_key *key, enum signet_usage usage)
{
    uint8_t out[160];
    size_t len;
    return signet_envelope_seal(key, usage, out, sizeof(out), &len, plain, sizeof(plain)) == 0 &&
           signet_envelope_open(key, usage, out, sizeof(out), &len, out, len) == 0 &&
           len == sizeof(plain) && memcmp(out, plain, len) == 0;
}

static bool same_mac(const struct signet_key *key)
{
    uint8_t mac[32];
    return signet_key_hmac(key, mac, plain, sizeof(plain)) == 0 &&
           memcmp(mac, expected_mac, sizeof(mac)) == 0;
}

static void *work(void *arg)
{
    (void)arg;
    for (unsigned i = 0; !atomic_load_explicit(&stop, memory_order_relaxed); i++) {
        bool ok = same_answer(aes) && goes_round(aes256k, usages[i % 4]) && same_mac(aes256k);
        if (!ok) {
            wrong++;
        }
        rounds++;
    }
    return NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(void)
{
    const char *s = getenv("SIGNET_STRESS_SECONDS");
    return s != NULL ? atof(s) : 5;
}

/* A thousand switches for each second that has passed, and looks at the keys now and then;
 * returns how many slots changed. */
static unsigned switch_handlers(unsigned long *switches)
{
    unsigned changed = 0;
    const struct timespec pause = {.tv_nsec = 500000};
    double start = now(), total = seconds() * 1000;
    for (*switches = 0; (double)*switches < total;) {
        while ((double)*switches < (now() - start) * 1000 && (double)*switches < total) {
            const struct signet_handler *h = signet_handler_at(++*switches % 2);
            if (h != NULL && signet_handler_use(h) != 0) {
                wrong++;
            }
        }
        changed += watch_slots(aes) + watch_slots(aes256k);
        nanosleep(&pause, NULL);
    }
    return changed;
}

static void make_keys(void)
{
    uint8_t secret[32];
    for (uint8_t i = 0; i < 32; i++) {
        secret[i] = (uint8_t)(i * 7 + 1);
    }
    memset(plain, 0x3c, sizeof(plain));
    assert_ok(signet_key_import(&aes, SIGNET_KEY_AES, secret, 16, 0, NULL));
    assert_ok(signet_key_import(&aes256k, SIGNET_KEY_AES256K, secret, 32, 0, NULL));
    assert_ok(signet_key_import(&reference, SIGNET_KEY_AES256K, secret, 32, 0, NULL));
    assert_ok(signet_envelope_seal(aes, 0, expected, sizeof(expected), &expected_len, plain,
                                   sizeof(plain)));
    assert_ok(signet_key_hmac(reference, expected_mac, plain, sizeof(plain)));
    for (size_t i = 0; i < 4; i++) {
        ck_assert(goes_round(reference, usages[i]));
    }
}

START_TEST(eight_threads_and_a_switcher)
{
    make_keys();
    uint64_t aes_hash = watch_hash(aes), aes256k_hash = watch_hash(reference);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
    }
    unsigned long switches;
    unsigned changed = switch_handlers(&switches);
    stop = true;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    changed += watch_slots(aes) + watch_slots(aes256k);
    printf("%lu rounds, %lu switches, %u slots\n", (unsigned long)rounds, switches, watch_seen());
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(changed, 0);
    ck_assert_uint_gt(rounds, 0);
    /* Derived under both handlers and by eight threads, and still what one thread derived. */
    ck_assert_uint_eq(watch_hash(aes), aes_hash);
    ck_assert_uint_eq(watch_hash(aes256k), aes256k_hash);
    ck_assert_uint_gt(watch_seen(), THREADS * 4);
    signet_key_unref(aes);
    signet_key_unref(aes256k);
    signet_key_unref(reference);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("shared_key");
    TCase *t = suite_case(s, "stress");
    tcase_set_timeout(t, seconds() + 60);
    tcase_add_test(t, eight_threads_and_a_switcher);
    return suite_run(s);
}
