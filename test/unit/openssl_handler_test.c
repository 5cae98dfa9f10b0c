/* SPDX-License-Identifier: MIT */
/* The openssl handler in a host program that uses OpenSSL itself. */
#include "support/suite.h"

#include <signet/signet.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crypto/handler.h"

static const enum signet_key_type types[] = {SIGNET_KEY_AES, SIGNET_KEY_AES256K};

/* Every primitive once: both envelopes, HMAC, stream, random. */
static bool use(const struct signet_key *key)
{
    uint8_t buf[128] = {1, 2, 3}, mac[32], nonce[12] = {0};
    size_t len;
    struct signet_stream *stream;
    bool ok = signet_envelope_seal(key, 0x10, buf, sizeof(buf), &len, buf, 40) == 0 &&
              signet_envelope_open(key, 0x10, buf, sizeof(buf), &len, buf, len) == 0 &&
              buf[2] == 3 && signet_key_hmac(key, mac, buf, 3) == 0;
    ok = ok && signet_stream_new(&stream, SIGNET_SEAL, buf, nonce, NULL) == 0;
    if (ok) {
        ok = signet_stream_seal(stream, buf, buf, 100) == 0;
        signet_stream_free(stream);
    }
    return ok;
}

/* Keys and lanes made after whatever the host did. */
static bool use_fresh(void)
{
    for (int i = 0; i < 2; i++) {
        struct signet_key *key;
        if (signet_key_generate(&key, types[i], NULL) != 0) {
            return false;
        }
        bool ok = use(key);
        signet_key_unref(key);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static void *use_in_thread(void *key)
{
    return use(key) && use_fresh() ? key : NULL;
}

static void use_everywhere(struct signet_key *old)
{
    pthread_t thread;
    void *result;
    ck_assert(use(old));
    ck_assert(use_fresh());
    ck_assert_int_eq(pthread_create(&thread, NULL, use_in_thread, old), 0);
    pthread_join(thread, &result);
    ck_assert_ptr_eq(result, old);
}

static struct signet_key *used_key(void)
{
    struct signet_key *key;
    assert_ok(signet_key_generate(&key, SIGNET_KEY_AES256K, NULL));
    ck_assert(use(key));
    return key;
}

static EVP_CIPHER *fetch(void)
{
    return EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
}

START_TEST(the_host_unloads_its_provider)
{
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(NULL, "default");
    suite_start();
    struct signet_key *key = used_key();
    ck_assert_int_eq(OSSL_PROVIDER_unload(p), 1);
    ck_assert_ptr_null(fetch()); /* gone for everybody who fetches */
    use_everywhere(key);
    signet_key_unref(key);
    signet_shutdown();
    suite_start();
    ck_assert(use_fresh());
    signet_shutdown();
}
END_TEST

START_TEST(the_host_loads_the_null_provider)
{
    suite_start();
    struct signet_key *key = used_key();
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(NULL, "null");
    ck_assert_ptr_nonnull(p);
    use_everywhere(key);
    signet_key_unref(key);
    signet_shutdown();
    OSSL_PROVIDER_unload(p);
}
END_TEST

static struct signet_key *kept;

static void seal_after_cleanup(void)
{
    if (!use(kept) || !use_fresh()) {
        _exit(1);
    }
    signet_key_unref(kept);
    signet_shutdown();
    struct signet_options options = {.handler = "openssl", .strict = true};
    if (signet_init(&options) != 0 || !use_fresh()) {
        _exit(2);
    }
    signet_shutdown();
}

static int status_of(void (*child)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        child();
        exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    return status;
}

static void clean_up_and_exit(void)
{
    suite_start();
    kept = used_key();
    atexit(seal_after_cleanup);
    OPENSSL_cleanup();
}

static void exit_with_keys_alive(void)
{
    suite_start();
    kept = used_key();
}

START_TEST(the_host_cleans_up_at_exit)
{
    ck_assert_int_eq(status_of(clean_up_and_exit), 0);
    ck_assert_int_eq(status_of(exit_with_keys_alive), 0);
}
END_TEST

START_TEST(only_fips_is_allowed)
{
    if (OSSL_PROVIDER_available(NULL, "fips") == 1) {
        return;
    }
    ck_assert_int_eq(EVP_default_properties_enable_fips(NULL, 1), 1);
    ERR_clear_error();
    struct signet_options options = {.handler = "openssl", .strict = true};
    assert_err(signet_init(&options), HANDLER_FIPS);
    ck_assert_uint_eq(ERR_peek_error(), 0);
}
END_TEST

/* A host with such a policy set after our start does not disturb us. */
START_TEST(fips_policy_comes_later)
{
    suite_start();
    struct signet_key *key = used_key();
    ck_assert_int_eq(EVP_default_properties_enable_fips(NULL, 1), 1);
    use_everywhere(key);
    signet_key_unref(key);
    signet_shutdown();
}
END_TEST

START_TEST(the_hosts_error_queue_is_left_alone)
{
    ERR_raise(ERR_LIB_USER, 42);
    unsigned long error = ERR_peek_error();
    suite_start();
    struct signet_key *key = used_key();
    struct signet_stream *stream;
    uint8_t bytes[64] = {0};
    size_t len;
    assert_ok(signet_stream_new(&stream, SIGNET_OPEN, bytes, bytes, NULL));
    assert_err(signet_stream_open(stream, bytes, bytes, 64), OPEN);
    assert_err(signet_envelope_open(key, 0, bytes, 64, &len, bytes, 64), OPEN);
    ck_assert_uint_eq(ERR_get_error(), error);
    ck_assert_uint_eq(ERR_get_error(), 0);
    signet_stream_free(stream);
    signet_key_unref(key);
    signet_shutdown();
}
END_TEST

static void check_ways(bool plain)
{
    struct signet_options options = {.handler = "openssl", .strict = true, .plain_calls = plain};
    assert_ok(signet_init(&options));
    struct signet_handler_info info;
    assert_ok(signet_handler_info(signet_handler_current(), &info));
    ck_assert_msg((strstr(info.detail, "EVP") != NULL) == plain, "%s", info.detail);
    ck_assert_msg((strstr(info.detail, "dispatch") == NULL) == plain, "%s", info.detail);
    ck_assert(use_fresh());
    signet_shutdown();
}

START_TEST(each_start_chooses_its_ways)
{
    check_ways(false);
    check_ways(true);
    check_ways(false);
}
END_TEST

START_TEST(raw_keys_have_limits)
{
    suite_start();
    uint8_t raw[65] = {0};
    void *key, *lane;
    const struct signet_handler *h = &signet_handler_openssl;
    assert_err(h->key_new(&key, SIGNET_ALG_HMAC_SHA256, raw, 0), INVAL);
    assert_err(h->key_new(&key, SIGNET_ALG_HMAC_SHA256, raw, 65), INVAL);
    assert_ok(h->key_new(&key, SIGNET_ALG_CBC128_SEAL, raw, 17));
    assert_err(h->lane_new(&lane, SIGNET_ALG_CBC128_SEAL, key, 0), KEY_LENGTH);
    ck_assert_ptr_null(lane);
    h->key_free(SIGNET_ALG_CBC128_SEAL, key);
    signet_shutdown();
}
END_TEST

int main(void)
{
    setenv("SIGNET_TEST_HANDLER", "openssl", 1);
    Suite *s = suite_create("openssl_handler");
    TCase *t = tcase_create("host programs");
    suite_add_tcase(s, t);
    tcase_add_test(t, the_host_unloads_its_provider);
    tcase_add_test(t, the_host_loads_the_null_provider);
    tcase_add_test(t, the_host_cleans_up_at_exit);
    tcase_add_test(t, only_fips_is_allowed);
    tcase_add_test(t, fips_policy_comes_later);
    tcase_add_test(t, the_hosts_error_queue_is_left_alone);
    tcase_add_test(t, each_start_chooses_its_ways);
    tcase_add_test(t, raw_keys_have_limits);
    return suite_run(s);
}
