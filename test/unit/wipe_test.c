/* SPDX-License-Identifier: MIT */
/* What a connection and a session give back to the system holds no plaintext any more. */
#include "support/lines.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "msg/conn_internal.h"
#include "msg/session_internal.h"

static const char marker[] = "a plaintext that nobody else shall find";
static volatile unsigned found; /* compilers know that free() changes no variable */

void __real_free(void *p); /* NOLINT: the linker's names */
void __wrap_free(void *p); /* NOLINT */

void __wrap_free(void *p) /* NOLINT */
{
    if (p != NULL && memmem(p, malloc_usable_size(p), marker, sizeof(marker) - 1) != NULL) {
        found++;
    }
    __real_free(p);
}

static void say_marked(struct signet_session *session, unsigned times)
{
    struct signet_message m = {.type = 42, .front = {(const uint8_t *)marker, sizeof(marker)}};
    struct iovec *data = calloc(times, sizeof(*data));
    for (unsigned i = 0; i < times; i++) {
        data[i] = (struct iovec){(void *)(uintptr_t)marker, sizeof(marker)};
    }
    assert_ok(signet_session_send(session, &m, data, (int)times, NULL));
    free(data);
}

/* Sizes of all kinds: of classes that are kept, above them, above the receive buffer. */
static void say_all(void)
{
    static const unsigned times[] = {0, 1, 10, 200, 1000, 5000, 20000};
    for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        say_marked(s, times[i]);
    }
}

START_TEST(the_test_finds_it)
{
    char *p = malloc(200);
    memset(p, 1, 200);
    memcpy(p + 100, marker, sizeof(marker));
    __asm__ volatile("" : : "r"(p) : "memory"); /* the compiler shall not spare it */
    found = 0;
    free(p);
    ck_assert_uint_eq(found, 1);
}
END_TEST

START_TEST(secure_connections)
{
    start_with(SIGNET_MODE_SECURE, (struct signet_sessions_options){0});
    struct line *l = dial(0);
    found = 0;
    say_all();
    run(l);
    ck_assert_uint_eq(l->seen[1].num[SIGNET_EVENT_MESSAGE], 7);
    ck_assert_uint_eq(status(s).num_queued, 0);
    ck_assert_ptr_nonnull(memmem(l->link.end[1]->in.p, l->link.end[1]->in.cap, marker, 20));
    signet_conn_trim(l->link.end[1]);
    signet_conn_trim(l->link.end[1]);
    ck_assert_ptr_null(l->link.end[1]->in.p);
    say_all();
    run(l);
    conn_recv_shrink(l->link.end[1]);
    say_all(); /* still there at the end */
    link_take(&l->link, 0, SIZE_MAX);
    stop();
    ck_assert_uint_eq(found, 0);
}
END_TEST

/* Output that was not sealed, and never sent: the wire would have it in the clear. */
START_TEST(crc_connections)
{
    struct iovec iov[8];
    int num = 8;
    start_with(SIGNET_MODE_CRC, (struct signet_sessions_options){0});
    struct line *l = dial(0);
    found = 0;
    say_all();
    assert_ok(signet_conn_output(l->link.end[0], iov, &num));
    ck_assert_int_ge(num, 5);
    ck_assert_ptr_nonnull(memmem(iov[1].iov_base, iov[1].iov_len, marker, 20));
    stop();
    ck_assert_uint_eq(found, 0);
}
END_TEST

/* A message that finds no room was copied already. */
START_TEST(messages_that_are_refused)
{
    start_with(SIGNET_MODE_SECURE, (struct signet_sessions_options){.max_queued = 4096});
    struct signet_message m = {.type = 42};
    char *big = calloc(1, 8000);
    memcpy(big, marker, sizeof(marker));
    struct iovec data = {big, 8000};
    found = 0;
    assert_err(signet_session_send(s, &m, &data, 1, NULL), SESSION_FULL);
    signet_wipe(big, sizeof(marker));
    free(big);
    stop();
    ck_assert_uint_eq(found, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wipe");
    TCase *t = suite_case(suite, "wipe");
    tcase_add_test(t, the_test_finds_it);
    tcase_add_test(t, secure_connections);
    tcase_add_test(t, crc_connections);
    tcase_add_test(t, messages_that_are_refused);
    return suite_run(suite);
}
