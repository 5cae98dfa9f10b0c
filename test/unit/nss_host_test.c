/* SPDX-License-Identifier: MIT */
/* Host programs that use NSS themselves: initialise it before or after us in each of its ways,
 * shut it down before or after us, switch it to FIPS mode, fork. Each test is a process of its
 * own that has not used NSS before. */
#include "support/fresh_keys.h"
#include "support/suite.h"

#include <signet/signet.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>
#include <secmod.h>
#include <secmodt.h>

#define FLAGS                                                                                      \
    (NSS_INIT_READONLY | NSS_INIT_NOCERTDB | NSS_INIT_NOMODDB | NSS_INIT_FORCEOPEN |               \
     NSS_INIT_NOROOTINIT)

static struct signet_key *keys[2]; /* aes and aes256k */

static bool use_old(void)
{
    uint8_t mac[32];
    return seal_and_open(keys[0]) && seal_and_open(keys[1]) &&
           signet_key_hmac(keys[0], mac, mac, 0) == 0;
}

static void *in_thread(void *ok)
{
    *(bool *)ok = use_old();
    return NULL;
}

/* Old keys on a thread that has not used them. */
static bool use_old_elsewhere(void)
{
    bool ok = false;
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, in_thread, &ok), 0);
    pthread_join(thread, NULL);
    return ok;
}

static void use_all(void)
{
    ck_assert(use_old());
    ck_assert(use_old_elsewhere());
    ck_assert(use_fresh());
}

static int init(void)
{
    struct signet_options options = {.handler = "nss", .strict = true};
    return signet_init(&options);
}

static void make_keys(void)
{
    assert_ok(signet_key_generate(&keys[0], SIGNET_KEY_AES, NULL));
    assert_ok(signet_key_generate(&keys[1], SIGNET_KEY_AES256K, NULL));
}

static void up(void)
{
    assert_ok(init());
    make_keys();
    use_all();
}

static void down(void)
{
    signet_key_unref(keys[0]);
    signet_key_unref(keys[1]);
    signet_shutdown();
}

/* What a host does with NSS: a key of its own in the internal slot. */
static bool host_encrypts(void)
{
    unsigned char raw[16] = {1}, iv[16] = {2}, buf[64] = {3};
    SECItem key_item = {siBuffer, raw, sizeof(raw)}, iv_item = {siBuffer, iv, sizeof(iv)};
    unsigned int len = 0;
    PK11SlotInfo *slot = PK11_GetInternalSlot();
    PK11SymKey *key = slot != NULL ? PK11_ImportSymKey(slot, CKM_AES_CBC, PK11_OriginUnwrap,
                                                       CKA_ENCRYPT, &key_item, NULL)
                                   : NULL;
    bool ok = key != NULL && PK11_Encrypt(key, CKM_AES_CBC, &iv_item, buf, &len, sizeof(buf), buf,
                                          sizeof(buf)) == SECSuccess;
    if (key != NULL) {
        PK11_FreeSymKey(key);
    }
    if (slot != NULL) {
        PK11_FreeSlot(slot);
    }
    return ok && len == sizeof(buf);
}

/* The ways in which a host initialises NSS. */
static SECStatus host_init(int way)
{
    switch (way) {
    case 0:
        return NSS_NoDB_Init(NULL);
    case 1:
        return NSS_Initialize("", "", "", SECMOD_DB, FLAGS);
    default: /* the one lock for all sessions of the internal slot, explicitly */
        return NSS_Initialize("", "", "", SECMOD_DB, FLAGS | NSS_INIT_OPTIMIZESPACE);
    }
}

START_TEST(host_first)
{
    ck_assert_int_eq(host_init(_i), SECSuccess);
    ck_assert(host_encrypts());
    up();
    ck_assert(host_encrypts());
    use_all();
    down();
    ck_assert(host_encrypts());
    ck_assert_int_eq(NSS_Shutdown(), SECSuccess);
    ck_assert(!NSS_IsInitialized());
}
END_TEST

START_TEST(host_second)
{
    up();
    ck_assert_int_eq(host_init(_i), SECSuccess);
    ck_assert(host_encrypts());
    use_all();
    down();
    ck_assert(host_encrypts());
    ck_assert_int_eq(NSS_Shutdown(), SECSuccess);
}
END_TEST

START_TEST(host_with_a_context_of_its_own)
{
    NSSInitParameters parameters = {.length = sizeof(parameters)};
    NSSInitContext *before = NSS_InitContext("", "", "", "", &parameters, FLAGS);
    up();
    NSSInitContext *after = NSS_InitContext("", "", "", "", &parameters, FLAGS);
    ck_assert_int_eq(NSS_ShutdownContext(before), SECSuccess);
    use_all();
    ck_assert(host_encrypts());
    ck_assert_int_eq(NSS_ShutdownContext(after), SECSuccess);
    use_all();
    down();
    ck_assert(!NSS_IsInitialized());
}
END_TEST

START_TEST(many_rounds_beside_a_host)
{
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECSuccess);
    for (int i = 0; i < 20; i++) {
        up();
        down();
        ck_assert(host_encrypts());
    }
    ck_assert_int_eq(NSS_Shutdown(), SECSuccess);
}
END_TEST

/* The documented error, and all goes on; also with keys, threads and slots that are new. */
static void shut_down_under_us(void)
{
    ck_assert_int_eq(NSS_Shutdown(), SECFailure);
    ck_assert_int_eq(PR_GetError(), SEC_ERROR_BUSY);
    use_all();
    struct signet_key *many[200];
    for (size_t i = 0; i < 200; i++) {
        assert_ok(signet_key_generate(&many[i], SIGNET_KEY_AES, NULL));
        ck_assert(seal_and_open(many[i]));
    }
    for (size_t i = 0; i < 200; i++) {
        signet_key_unref(many[i]);
    }
    assert_ok(signet_handler_probe(signet_handler_find("nss")));
}

START_TEST(host_shuts_down_first)
{
    if (_i < 3) {
        ck_assert_int_eq(host_init(_i), SECSuccess);
    }
    up();
    if (_i >= 3) {
        ck_assert_int_eq(host_init(_i - 3), SECSuccess);
    }
    shut_down_under_us();
    down();
}
END_TEST

START_TEST(we_start_again_after_that)
{
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECSuccess);
    up();
    shut_down_under_us();
    down();
    up();
    down();
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECSuccess);
    ck_assert(host_encrypts());
    up();
    down();
    ck_assert(host_encrypts());
    ck_assert_int_eq(NSS_Shutdown(), SECSuccess);
}
END_TEST

/* As with any slot that somebody holds, NSS does not come up again until we are down. */
START_TEST(host_comes_back_before_we_are_down)
{
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECSuccess);
    up();
    shut_down_under_us();
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECFailure);
    use_all();
    down();
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECSuccess);
    ck_assert(host_encrypts());
    ck_assert_int_eq(NSS_Shutdown(), SECSuccess);
}
END_TEST

static void toggle_fips(void)
{
    SECMODModule *module = SECMOD_GetInternalModule();
    ck_assert_int_eq(SECMOD_DeleteInternalModule(module->commonName), SECSuccess);
}

static void assert_refused(void)
{
    const struct signet_handler *nss = signet_handler_find("nss");
    struct signet_handler_info info;
    assert_err(signet_handler_probe(nss), HANDLER_FIPS);
    assert_ok(signet_handler_info(nss, &info));
    ck_assert_int_eq(info.probe_err, -SIGNET_E_HANDLER_FIPS);
    ck_assert_msg(strstr(info.detail, "FIPS") != NULL, "%s", info.detail);
    assert_err(signet_handler_use(nss), HANDLER_FIPS);
}

START_TEST(fips_before_us)
{
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECSuccess);
    toggle_fips();
    ck_assert(PK11_IsFIPS());
    assert_err(init(), HANDLER_FIPS);
    struct signet_options options = {.handler = "nss"};
    assert_ok(signet_init(&options)); /* not strict: with the other one */
    ck_assert_str_eq(signet_handler_name(signet_handler_current()), "openssl");
    assert_refused();
    make_keys();
    use_all();
    down();
    /* we hold nothing of NSS, so the host can go back */
    toggle_fips();
    ck_assert(!PK11_IsFIPS());
    up();
    down();
    ck_assert_int_eq(NSS_Shutdown(), SECSuccess);
}
END_TEST

START_TEST(fips_after_us)
{
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECSuccess);
    up();
    toggle_fips();
    struct signet_key *fresh = NULL;
    assert_err(signet_key_generate(&fresh, SIGNET_KEY_AES, NULL), HANDLER_FIPS);
    ck_assert_ptr_null(fresh);
    /* what was imported before goes on, on old threads and new ones */
    ck_assert(use_old());
    ck_assert(use_old_elsewhere());
    /* a new usage of an old key would be an import */
    uint8_t buf[128];
    size_t len = 1;
    assert_err(
        signet_envelope_seal(keys[1], SIGNET_USAGE_TICKET_BLOB, buf, sizeof(buf), &len, buf, 10),
        HANDLER_FIPS);
    ck_assert_uint_eq(len, 0);
    assert_refused();
    assert_ok(signet_handler_use(signet_handler_find("openssl")));
    ck_assert(use_fresh());
    down();
    /* nothing of ours is in the way of going back */
    toggle_fips();
    up();
    down();
    ck_assert_int_eq(NSS_Shutdown(), SECSuccess);
}
END_TEST

static void in_child(void (*work)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        suite_child_ends_within(30);
        work();
        _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    ck_assert_msg(status == 0, "child: status %x", (unsigned)status);
}

static void child_uses(void)
{
    if (!use_old() || !use_fresh() || !host_encrypts()) {
        _exit(1);
    }
}

/* And its own shut-down and start, which must not touch what it inherited. */
static void child_shuts_down(void)
{
    child_uses();
    down();
    if (init() != 0 || !use_fresh()) {
        _exit(2);
    }
    signet_shutdown();
}

static void child_of_child(void)
{
    child_uses();
    pid_t pid = fork();
    if (pid == 0) {
        suite_child_ends_within(20);
        child_shuts_down();
        _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    if (status != 0) {
        _exit(3);
    }
    child_uses();
}

START_TEST(host_forks)
{
    ck_assert_int_eq(NSS_NoDB_Init(NULL), SECSuccess);
    up();
    in_child(child_uses);
    in_child(child_shuts_down);
    in_child(child_of_child);
    use_all();
    down();
    ck_assert_int_eq(NSS_Shutdown(), SECSuccess);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nss_host");
    TCase *life = tcase_create("life");
    tcase_set_timeout(life, 60);
    tcase_add_loop_test(life, host_first, 0, 3);
    tcase_add_loop_test(life, host_second, 0, 3);
    tcase_add_test(life, host_with_a_context_of_its_own);
    tcase_add_test(life, many_rounds_beside_a_host);
    tcase_add_loop_test(life, host_shuts_down_first, 0, 6);
    tcase_add_test(life, we_start_again_after_that);
    tcase_add_test(life, host_comes_back_before_we_are_down);
    tcase_add_test(life, host_forks);
    suite_add_tcase(suite, life);
    TCase *fips = tcase_create("fips");
    tcase_set_timeout(fips, 60);
    tcase_add_test(fips, fips_before_us);
    tcase_add_test(fips, fips_after_us);
    suite_add_tcase(suite, fips);
    return suite_run(suite);
}
