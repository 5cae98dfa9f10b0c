/* SPDX-License-Identifier: MIT */
/* The NIST and RFC 4231 vectors that Debian's python3-cryptography-vectors installs; skipped with
 * a message where it is not installed. They test the primitives of a handler. */
#include "support/suite.h"

#include <signet/signet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crypto/engine.h"

#define DIR "/usr/lib/python3/dist-packages/cryptography_vectors/"

enum field { KEY, IV, PLAIN, CIPHER, AAD, TAG, FIELDS };

static const struct {
    const char *name;
    enum field field;
} names[] = {{"KEY", KEY},           {"Key", KEY},   {"IV", IV},
             {"PLAINTEXT", PLAIN},   {"PT", PLAIN},  {"Msg", PLAIN},
             {"CIPHERTEXT", CIPHER}, {"CT", CIPHER}, {"AAD", AAD},
             {"Tag", TAG},           {"MD", TAG}};

struct record {
    uint8_t *p[FIELDS];
    size_t len[FIELDS];
    bool fails; /* a line FAIL: the tag is wrong */
};

static void clear(struct record *r)
{
    for (int f = 0; f < FIELDS; f++) {
        free(r->p[f]);
    }
    memset(r, 0, sizeof(*r));
}

static void read_line(struct record *r, char *line)
{
    line[strcspn(line, "\r\n")] = 0;
    char *is = strstr(line, " =");
    if (strcmp(line, "FAIL") == 0) {
        r->fails = true;
    }
    if (is == NULL || line[0] == '[') {
        return;
    }
    *is = 0;
    const char *value = is[2] == ' ' ? is + 3 : is + 2;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(line, names[i].name) == 0) {
            free(r->p[names[i].field]);
            r->p[names[i].field] = unhex(value, &r->len[names[i].field]);
        }
    }
}

typedef bool check_fn(const struct record *r);

/* Each record ends with an empty line; returns how many were checked. */
static unsigned run_file(const char *name, check_fn *check)
{
    static char path[512], line[65536];
    snprintf(path, sizeof(path), DIR "%s", name);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "cannot open %s", path);
    struct record r = {.fails = false};
    unsigned num = 0;
    while (fgets(line, sizeof(line), f) != NULL) {
        read_line(&r, line);
        if (line[0] == 0) {
            num += r.p[KEY] != NULL && check(&r);
            clear(&r);
        }
    }
    num += r.p[KEY] != NULL && check(&r);
    clear(&r);
    fclose(f);
    return num;
}

static struct signet_engine *engine(enum signet_alg alg, const struct record *r)
{
    struct signet_engine *e;
    assert_ok(signet_engine_new(&e, signet_handler_current(), alg, r->p[KEY], r->len[KEY]));
    return e;
}

static void cbc_both_ways(const struct record *r, enum signet_alg seal, enum signet_alg open)
{
    struct signet_engine *s = engine(seal, r), *o = engine(open, r);
    uint8_t *out = malloc(r->len[PLAIN]);
    assert_ok(signet_engine_cbc(s, out, r->p[PLAIN], r->len[PLAIN], r->p[IV]));
    ck_assert_mem_eq(out, r->p[CIPHER], r->len[CIPHER]);
    assert_ok(signet_engine_cbc(o, out, r->p[CIPHER], r->len[CIPHER], r->p[IV]));
    ck_assert_mem_eq(out, r->p[PLAIN], r->len[PLAIN]);
    free(out);
    signet_engine_free(s);
    signet_engine_free(o);
}

static bool check_cbc(const struct record *r)
{
    if (r->len[KEY] == 16) {
        cbc_both_ways(r, SIGNET_ALG_CBC128_SEAL, SIGNET_ALG_CBC128_OPEN);
    } else {
        cbc_both_ways(r, SIGNET_ALG_CBC256_SEAL, SIGNET_ALG_CBC256_OPEN);
    }
    return true;
}

static bool is_ours(const struct record *r)
{
    return r->len[IV] == 12 && r->len[AAD] == 0 && r->len[TAG] == 16;
}

static bool check_gcm_open(const struct record *r)
{
    if (!is_ours(r)) {
        return false;
    }
    struct signet_engine *e =
        engine(r->len[KEY] == 16 ? SIGNET_ALG_GCM128_OPEN : SIGNET_ALG_GCM256_OPEN, r);
    struct signet_lane lane;
    uint8_t in[256], out[256];
    size_t len = r->len[CIPHER];
    memcpy(in, r->p[CIPHER], len);
    memcpy(in + len, r->p[TAG], 16);
    assert_ok(signet_lane_enter(e, &lane));
    int err = e->handler->gcm_open(lane.p, out, in, len, r->p[IV]);
    signet_lane_leave(&lane);
    ck_assert_int_eq(err, r->fails ? -SIGNET_E_OPEN : 0);
    ck_assert(r->fails || memcmp(out, r->p[PLAIN], len) == 0);
    signet_engine_free(e);
    return true;
}

static bool check_gcm_seal(const struct record *r)
{
    if (!is_ours(r)) {
        return false;
    }
    struct signet_engine *e =
        engine(r->len[KEY] == 16 ? SIGNET_ALG_GCM128_SEAL : SIGNET_ALG_GCM256_SEAL, r);
    struct signet_lane lane;
    uint8_t out[256];
    size_t len = r->len[PLAIN];
    assert_ok(signet_lane_enter(e, &lane));
    assert_ok(e->handler->gcm_seal(lane.p, out, r->p[PLAIN], len, r->p[IV]));
    signet_lane_leave(&lane);
    ck_assert_mem_eq(out, r->p[CIPHER], len);
    ck_assert_mem_eq(out + len, r->p[TAG], 16);
    signet_engine_free(e);
    return true;
}

static bool check_hmac(const struct record *r)
{
    if (r->len[KEY] > 64) {
        return false;
    }
    struct signet_engine *e =
        engine(r->len[TAG] == 32 ? SIGNET_ALG_HMAC_SHA256 : SIGNET_ALG_HMAC_SHA384, r);
    struct signet_span part = {r->p[PLAIN], r->len[PLAIN]};
    uint8_t out[48];
    assert_ok(signet_engine_hmac(e, out, &part, 1));
    ck_assert_mem_eq(out, r->p[TAG], r->len[TAG]);
    signet_engine_free(e);
    return true;
}

static const struct {
    const char *name;
    check_fn *check;
    unsigned at_least;
} files[] = {
    {"ciphers/AES/CBC/CBCGFSbox128.rsp", check_cbc, 14},
    {"ciphers/AES/CBC/CBCGFSbox256.rsp", check_cbc, 10},
    {"ciphers/AES/CBC/CBCKeySbox128.rsp", check_cbc, 42},
    {"ciphers/AES/CBC/CBCKeySbox256.rsp", check_cbc, 32},
    {"ciphers/AES/CBC/CBCMMT128.rsp", check_cbc, 20},
    {"ciphers/AES/CBC/CBCMMT256.rsp", check_cbc, 20},
    {"ciphers/AES/CBC/CBCVarKey128.rsp", check_cbc, 256},
    {"ciphers/AES/CBC/CBCVarKey256.rsp", check_cbc, 512},
    {"ciphers/AES/CBC/CBCVarTxt128.rsp", check_cbc, 256},
    {"ciphers/AES/CBC/CBCVarTxt256.rsp", check_cbc, 256},
    {"ciphers/AES/GCM/gcmDecrypt128.rsp", check_gcm_open, 70},
    {"ciphers/AES/GCM/gcmEncryptExtIV128.rsp", check_gcm_seal, 70},
    {"ciphers/AES/GCM/gcmDecrypt256.rsp", check_gcm_open, 70},
    {"ciphers/AES/GCM/gcmEncryptExtIV256.rsp", check_gcm_seal, 70},
    {"HMAC/rfc-4231-sha256.txt", check_hmac, 4},
    {"HMAC/rfc-4231-sha384.txt", check_hmac, 4},
};

START_TEST(standard_vectors)
{
    unsigned num = run_file(files[_i].name, files[_i].check);
    ck_assert_msg(num >= files[_i].at_least, "%s: %u checked", files[_i].name, num);
}
END_TEST

int main(void)
{
    if (access(DIR, R_OK) != 0) {
        puts("skipped: python3-cryptography-vectors is not installed");
        return 77;
    }
    Suite *s = suite_create("nist");
    tcase_add_loop_test(suite_case(s, "vectors"), standard_vectors, 0,
                        sizeof(files) / sizeof(files[0]));
    return suite_run(s);
}
