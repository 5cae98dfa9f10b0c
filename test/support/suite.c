/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <signet/signet.h>

int suite_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}

const char *suite_handler(void)
{
    const char *name = getenv("SIGNET_TEST_HANDLER");
    return name != NULL ? name : "openssl";
}

void suite_start(void)
{
    struct signet_options options = {.handler = suite_handler(),
                                     .strict = true,
                                     .plain_calls = getenv("SIGNET_TEST_PLAIN") != NULL};
    assert_ok(signet_init(&options));
}

void suite_stop(void)
{
    signet_shutdown();
}

void suite_child_ends_within(unsigned seconds)
{
    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
}

TCase *suite_case(Suite *suite, const char *name)
{
    TCase *t = tcase_create(name);
    tcase_add_checked_fixture(t, suite_start, suite_stop);
    tcase_set_timeout(t, 60); /* sanitizers on a busy machine are slow */
    suite_add_tcase(suite, t);
    return t;
}

const char *kat_path(const char *name)
{
    static char path[1024];
    const char *dir = getenv("SIGNET_KAT");
    snprintf(path, sizeof(path), "%s/%s", dir != NULL ? dir : "test/kat", name);
    return path;
}

uint8_t *kat_read(const char *name, size_t *len)
{
    FILE *f = fopen(kat_path(name), "rb");
    ck_assert_msg(f != NULL, "cannot open %s", kat_path(name));
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    ck_assert(size >= 0);
    uint8_t *data = malloc((size_t)size + 1);
    ck_assert(data != NULL);
    *len = fread(data, 1, (size_t)size, f);
    data[*len] = 0;
    fclose(f);
    return data;
}

json_t *kat_json(const char *name)
{
    json_error_t error;
    json_t *json = json_load_file(kat_path(name), 0, &error);
    ck_assert_msg(json != NULL, "%s: %s", kat_path(name), error.text);
    return json;
}

static unsigned nibble(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c != 0 ? strchr(digits, c | 0x20) : NULL;
    if (at == NULL) { /* not an assertion: those write to a pipe each time */
        ck_abort_msg("not a hex digit: %c", c);
    }
    return (unsigned)(at - digits);
}

void unhex_to(uint8_t *out, size_t len, const char *hex)
{
    ck_assert_uint_eq(strlen(hex), 2 * len);
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
    }
}

uint8_t *unhex(const char *hex, size_t *len)
{
    *len = strlen(hex) / 2;
    uint8_t *out = malloc(*len + 1);
    ck_assert(out != NULL);
    unhex_to(out, *len, hex);
    return out;
}

void assert_hex(const uint8_t *got, size_t len, const char *hex)
{
    size_t want_len;
    uint8_t *want = unhex(hex, &want_len);
    ck_assert_uint_eq(len, want_len);
    ck_assert_mem_eq(got, want, want_len);
    free(want);
}
