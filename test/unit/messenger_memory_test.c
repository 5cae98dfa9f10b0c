/* SPDX-License-Identifier: MIT */
/* What the buffers of all peers together may take: output that nobody reads, messages that do not
 * end. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <signet/driver.h>

#include "support/rig.h"

enum { CLIENTS = 6 };
#define MIB (UINT64_C(1) << 20)

/* A connection of its own, without a loop: it reads when it is told to. */
struct plain {
    struct signet_client *client;
    struct signet_driver *driver;
    struct signet_conn *conn;
};

static struct rig rig;
static struct plain plain[CLIENTS];
static struct signet_client *good_client;
static struct signet_peer *good;

static void dial_plainly(struct plain *p)
{
    struct signet_conn_options o = rig.conn;
    struct signet_event event = {.kind = SIGNET_EVENT_NONE};
    unsigned before = atomic_load(&rig.at_server.ready);
    p->client = rig_new_client(&rig);
    o.role = SIGNET_ROLE_CLIENT;
    o.peer_type = SIGNET_MON;
    o.target = rig.addr;
    o.client = p->client;
    assert_ok(signet_driver_connect(&p->driver, &rig.addr, 10 * UINT64_C(1000000000), NULL));
    assert_ok(signet_conn_new(&p->conn, &o, signet_driver_now_ns()));
    while (event.kind != SIGNET_EVENT_READY) {
        assert_ok(signet_driver_run(p->driver, p->conn, &event, UINT64_MAX));
        ck_assert_int_ne(event.kind, SIGNET_EVENT_FAILED);
    }
    rig_wait(&rig.at_server.ready, before + 1);
}

static void start(void)
{
    rig_start(&rig);
    good_client = rig_new_client(&rig);
    good = rig_dial(&rig, good_client, true);
    for (unsigned i = 0; i < CLIENTS; i++) {
        dial_plainly(&plain[i]);
    }
}

static void stop(void)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        signet_driver_free(plain[i].driver);
        signet_conn_free(plain[i].conn);
        signet_client_free(plain[i].client);
    }
    signet_peer_unref(good);
    rig_stop(&rig);
    signet_client_free(good_client);
}

static struct signet_messenger_stats stats(void)
{
    struct signet_messenger_stats s;
    signet_messenger_stats(rig.server, &s);
    return s;
}

/* That the good one works, with a message of this size. */
static void still_good(size_t len)
{
    unsigned before = atomic_load(&rig.at_client.messages);
    assert_ok(rig_send(good, len, 1));
    rig_wait(&rig.at_client.messages, before + 1);
    ck_assert_uint_eq(atomic_load(&rig.at_client.closed), 0);
}

/* --- output -------------------------------------------------------------------------------- */

static void ask(struct plain *p, unsigned num, size_t len)
{
    static const uint8_t bytes[MIB];
    for (unsigned i = 0; i < num; i++) {
        struct signet_message m = {.type = 1, .tid = i};
        struct iovec data = {(void *)(uintptr_t)bytes, len};
        assert_ok(signet_conn_send(p->conn, &m, &data, 1, NULL));
        assert_ok(signet_driver_flush(p->driver, p->conn, UINT64_MAX));
    }
}

static int answer_much(struct rig_side *side, struct signet_peer *peer,
                       const struct signet_message *m)
{
    (void)side;
    return rig_send(peer, m->type == 1 ? 1000000 : 100, m->tid);
}

/* Each may have 4 MiB and what the system takes; all of them 8. Whoever goes over it is closed, and
 * that is not the good one. */
START_TEST(answers_that_nobody_reads)
{
    rig_init(&rig);
    rig.server_options.max_queued = 4 * MIB;
    rig.server_options.max_output = 8 * MIB;
    rig.at_server.on_message = answer_much;
    start();
    uint64_t most = 0, end = signet_driver_now_ns() + 20 * UINT64_C(1000000000);
    for (unsigned i = 0; signet_driver_now_ns() < end; i++) {
        if (rig.at_server.cause[SIGNET_E_OUTPUT_LIMIT] >= 3) {
            break;
        }
        struct plain *p = &plain[i % CLIENTS];
        struct signet_message m = {.type = 1, .tid = i};
        uint64_t until = signet_driver_now_ns() + 50 * UINT64_C(1000000);
        int err = signet_conn_send(p->conn, &m, NULL, 0, NULL);
        err = err == 0 ? signet_driver_flush(p->driver, p->conn, until) : err;
        (void)err; /* closed, or it is not read from any more */
        rig_sleep_ms(2);
        uint64_t now = stats().output_bytes;
        most = now > most ? now : most;
    }
    ck_assert_uint_ge(rig.at_server.cause[SIGNET_E_OUTPUT_LIMIT], 3);
    ck_assert_uint_eq(stats().closed[SIGNET_E_OUTPUT_LIMIT],
                      rig.at_server.cause[SIGNET_E_OUTPUT_LIMIT]);
    ck_assert_uint_gt(most, 4 * MIB);
    ck_assert_uint_le(most, 8 * MIB + 2 * 1000200); /* and what is answered in one turn */
    ck_assert_ptr_nonnull(strstr(rig.at_server.last_text, " bytes of output are held for it"));
    still_good(100000);
    stop();
}
END_TEST

/* Buffers are kept for the next messages, but nobody is closed for those. */
START_TEST(kept_buffers_are_given_back_first)
{
    rig_init(&rig);
    rig.server_options.max_output = 3 * MIB;
    start();
    for (unsigned i = 0; i < 3 * CLIENTS; i++) {
        struct plain *p = &plain[i % CLIENTS];
        struct signet_event event = {.kind = SIGNET_EVENT_NONE};
        ask(p, 1, 900000);
        while (event.kind != SIGNET_EVENT_MESSAGE) {
            assert_ok(signet_driver_run(p->driver, p->conn, &event, UINT64_MAX));
            ck_assert_int_ne(event.kind, SIGNET_EVENT_FAILED);
        }
        ck_assert_uint_le(stats().output_bytes, 3 * MIB + 950000);
    }
    ck_assert_uint_eq(rig.at_server.closed, 0);
    stop();
}
END_TEST

/* --- input --------------------------------------------------------------------------------- */

/* Begins a message of len bytes and sends part of it. */
static void begin(struct plain *p, size_t len, size_t part)
{
    struct signet_message m = {.type = 1};
    uint8_t *bytes = calloc(1, len);
    struct iovec data = {bytes, len}, iov;
    assert_ok(signet_conn_send(p->conn, &m, &data, 1, NULL));
    free(bytes);
    while (part > 0) {
        int num = 1;
        assert_ok(signet_conn_output(p->conn, &iov, &num));
        ck_assert_int_eq(num, 1);
        ssize_t n = send(signet_driver_fd(p->driver), iov.iov_base,
                         iov.iov_len < part ? iov.iov_len : part, MSG_NOSIGNAL);
        if (n > 0) {
            signet_conn_sent(p->conn, (size_t)n);
            part -= (size_t)n;
        } else {
            rig_sleep_ms(1);
        }
    }
}

static void wait_input(uint64_t least)
{
    uint64_t until = rig_now_ms() + 30000;
    while (stats().input_bytes < least) {
        ck_assert_uint_lt(rig_now_ms(), until);
        rig_sleep_ms(1);
    }
}

/* Two messages that never end leave no room for a third one, until somebody goes. */
START_TEST(messages_that_do_not_end)
{
    rig_init(&rig);
    rig.server_options.max_input = 4 * MIB;
    start();
    begin(&plain[0], 2 * MIB, MIB);
    wait_input(2 * MIB);
    begin(&plain[1], MIB + 500000, MIB);
    wait_input(3 * MIB + 500000);
    uint64_t from = rig_now_ms();
    still_good(900000);
    ck_assert_uint_ge(rig_now_ms() - from, 1500);
    ck_assert_uint_eq(rig.at_server.cause[SIGNET_E_INPUT_LIMIT], 1);
    ck_assert_uint_eq(rig.at_server.closed, 1);
    ck_assert_ptr_nonnull(strstr(rig.at_server.last_text, " bytes of input are held for it"));
    ck_assert_uint_le(stats().input_bytes, 4 * MIB);
    assert_ok(signet_driver_flush(plain[1].driver, plain[1].conn, UINT64_MAX)); /* it may go on */
    rig_wait(&rig.at_server.messages, 2);
    stop();
}
END_TEST

/* Those that end only wait for each other. */
START_TEST(messages_that_end)
{
    static const unsigned rounds = 3;
    rig_init(&rig);
    rig.server_options.max_input = 2 * MIB;
    rig.at_server.echo = false;
    start();
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned i = 0; i < CLIENTS; i++) {
            struct signet_message m = {.type = 1};
            static const uint8_t bytes[1500000];
            struct iovec data = {(void *)(uintptr_t)bytes, sizeof(bytes)};
            assert_ok(signet_conn_send(plain[i].conn, &m, &data, 1, NULL));
        }
        for (bool more = true; more;) { /* a bit of each, round and round */
            more = false;
            for (unsigned i = 0; i < CLIENTS; i++) {
                int err = signet_driver_flush(plain[i].driver, plain[i].conn,
                                              signet_driver_now_ns() + 2000000);
                ck_assert(err == 0 || err == -SIGNET_E_TIMEOUT);
                more = more || err != 0;
            }
            ck_assert_uint_le(stats().input_bytes, 2 * MIB + (CLIENTS + 1) * (UINT64_C(33) << 10));
        }
    }
    rig_wait(&rig.at_server.messages, rounds * CLIENTS);
    ck_assert_uint_eq(rig.at_server.closed, 0);
    stop();
}
END_TEST

START_TEST(a_message_larger_than_all_may_be)
{
    rig_init(&rig);
    rig.server_options.max_input = 2 * MIB;
    start();
    begin(&plain[0], 3 * MIB, 100000);
    rig_wait(&rig.at_server.closed, 1);
    ck_assert_uint_eq(rig.at_server.cause[SIGNET_E_INPUT_LIMIT], 1);
    ck_assert_ptr_nonnull(strstr(rig.at_server.last_text, "has no room"));
    still_good(900000);
    stop();
}
END_TEST

/* Who waits for room and goes away leaves no place behind. */
START_TEST(who_waits_may_go)
{
    rig_init(&rig);
    rig.server_options.max_input = 2 * MIB;
    start();
    begin(&plain[0], MIB + 500000, MIB);
    wait_input(MIB + 500000);
    for (unsigned i = 1; i < CLIENTS; i++) {
        begin(&plain[i], MIB, 100000);
    }
    rig_sleep_ms(50);
    for (unsigned i = 0; i < CLIENTS; i++) {
        signet_conn_closed(plain[i].conn, -SIGNET_E_PEER_CLOSED);
        (void)shutdown(signet_driver_fd(plain[i].driver), SHUT_RDWR);
    }
    rig_wait(&rig.at_server.closed, CLIENTS);
    ck_assert_uint_le(stats().input_bytes, 200000);
    ck_assert_uint_eq(rig.at_server.cause[SIGNET_E_INPUT_LIMIT], 0);
    still_good(900000);
    stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_memory");
    TCase *t = suite_case(s, "memory");
    tcase_add_test(t, answers_that_nobody_reads);
    tcase_add_test(t, kept_buffers_are_given_back_first);
    tcase_add_test(t, messages_that_do_not_end);
    tcase_add_test(t, messages_that_end);
    tcase_add_test(t, a_message_larger_than_all_may_be);
    tcase_add_test(t, who_waits_may_go);
    return suite_run(s);
}
