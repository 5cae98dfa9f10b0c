/* SPDX-License-Identifier: MIT */
/* What every check program shares: start-up on the handler under test, hex, vectors. */
#ifndef SIGNET_TEST_SUITE_H
#define SIGNET_TEST_SUITE_H

#include <check.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>

/* Runs the suite and returns main's exit code. */
int suite_run(Suite *suite);
/* SIGNET_TEST_HANDLER: the handler under test. */
const char *suite_handler(void);
/* signet_init() on the handler under test (strict; with plain_calls when SIGNET_TEST_PLAIN is set)
 * and signet_shutdown(). */
void suite_start(void);
void suite_stop(void);
/* A new case of the suite with these two as checked fixture. */
TCase *suite_case(Suite *suite, const char *name);
/* In a forked child: a hang ends it by SIGALRM. check's own handler, which a child inherits, would
 * kill the case, too. */
void suite_child_ends_within(unsigned seconds);
/* Path of a file of test/kat in a static buffer. */
const char *kat_path(const char *name);
/* Whole file, malloc'd; len is set. Aborts the test when it can't be read. */
uint8_t *kat_read(const char *name, size_t *len);
json_t *kat_json(const char *name);
/* Hex to bytes in a malloc'd buffer (at least 1 byte); len is set. */
uint8_t *unhex(const char *hex, size_t *len);
/* Into a fixed buffer, whose length must match. */
void unhex_to(uint8_t *out, size_t len, const char *hex);
/* Fails the test unless the bytes equal the hex text. */
void assert_hex(const uint8_t *got, size_t len, const char *hex);

#define assert_err(call, name) ck_assert_int_eq((call), -SIGNET_E_##name)
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        int ok_ = (call);                                                                          \
        ck_assert_msg(ok_ == 0, "%s: %s", #call, signet_err_name(ok_));                            \
    } while (0)

#endif
