/* SPDX-License-Identifier: MIT */
/* Two hundred clients that ask for much and never read: what the process takes stays bounded, a
 * client that reads is served all the time, and memory comes back. */
#include "support/suite.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <signet/driver.h>

#include "support/rig.h"

enum { DEAF = 200, ASKS = 20, ANSWER = 1000000 };
#define MIB   (UINT64_C(1) << 20)
#define LIMIT (64 * MIB)

static struct rig rig;
static struct signet_client *clients[DEAF], *good_client;
static struct signet_driver *drivers[DEAF];
static struct signet_conn *conns[DEAF];

static void dial_plainly(unsigned i)
{
    struct signet_conn_options o = rig.conn;
    struct signet_event event = {.kind = SIGNET_EVENT_NONE};
    clients[i] = rig_new_client(&rig);
    o.role = SIGNET_ROLE_CLIENT;
    o.peer_type = SIGNET_MON;
    o.target = rig.addr;
    o.client = clients[i];
    assert_ok(signet_driver_connect(&drivers[i], &rig.addr, 30 * UINT64_C(1000000000), NULL));
    assert_ok(signet_conn_new(&conns[i], &o, signet_driver_now_ns()));
    while (event.kind != SIGNET_EVENT_READY) {
        assert_ok(signet_driver_run(drivers[i], conns[i], &event, UINT64_MAX));
        ck_assert_int_ne(event.kind, SIGNET_EVENT_FAILED);
    }
}

static int answer_much(struct rig_side *side, struct signet_peer *peer,
                       const struct signet_message *m)
{
    atomic_fetch_add(&side->messages, 1);
    return rig_send(peer, m->type == 1 ? ANSWER : 100, m->tid);
}

static void still_good(struct signet_peer *good)
{
    unsigned before = atomic_load(&rig.at_client.messages);
    assert_ok(rig_send(good, 1000, 1));
    rig_wait(&rig.at_client.messages, before + 1);
    ck_assert_uint_eq(rig.at_client.closed, 0);
}

static void ask(unsigned i)
{
    struct signet_message m = {.type = 1};
    uint64_t until = signet_driver_now_ns() + 20 * UINT64_C(1000000);
    int err = signet_conn_send(conns[i], &m, NULL, 0, NULL);
    err = err == 0 ? signet_driver_flush(drivers[i], conns[i], until) : err;
    (void)err; /* it was closed, or nobody reads it any more */
}

static struct signet_messenger_stats stats(void)
{
    struct signet_messenger_stats s;
    signet_messenger_stats(rig.server, &s);
    return s;
}

START_TEST(deaf_clients)
{
    size_t most = 0;
    uint64_t most_output = 0;
    rig_init(&rig);
    rig.server_options.threads = 2;
    rig.server_options.max_output = LIMIT;
    rig.at_server.on_message = answer_much;
    rig_start(&rig);
    good_client = rig_new_client(&rig);
    struct signet_peer *good = rig_dial(&rig, good_client, true);
    for (unsigned i = 0; i < DEAF; i++) {
        dial_plainly(i);
    }
    size_t before = rig_resident();
    for (unsigned n = 0; n < ASKS; n++) {
        for (unsigned i = 0; i < DEAF; i++) {
            ask(i);
        }
        still_good(good);
        size_t now = rig_resident();
        uint64_t output = stats().output_bytes;
        most = now > most ? now : most;
        most_output = output > most_output ? output : most_output;
    }
    struct signet_messenger_stats s = stats();
    ck_assert_uint_gt(s.closed[SIGNET_E_OUTPUT_LIMIT], DEAF / 4);
    ck_assert_uint_eq(s.closed[SIGNET_E_OUTPUT_LIMIT], rig.at_server.cause[SIGNET_E_OUTPUT_LIMIT]);
    ck_assert_uint_gt(most_output, LIMIT / 4);
    ck_assert_uint_le(most_output, LIMIT + 2 * (uint64_t)ANSWER + MIB);
    printf(
        "%u deaf clients: at most %lu MiB more than before, %lu MiB of output of %lu, %lu closed\n",
        DEAF, (unsigned long)((most > before ? most - before : 0) / MIB),
        (unsigned long)(most_output / MIB), (unsigned long)(LIMIT / MIB),
        (unsigned long)s.closed[SIGNET_E_OUTPUT_LIMIT]);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    ck_assert_uint_le(most, before + 2 * LIMIT);
#endif
    for (unsigned i = 0; i < DEAF; i++) {
        signet_driver_free(drivers[i]);
        signet_conn_free(conns[i]);
        signet_client_free(clients[i]);
    }
    rig_wait(&rig.at_server.closed, DEAF);
    ck_assert_uint_le(stats().output_bytes, 100000); /* of the good one */
    still_good(good);
    signet_peer_unref(good);
    rig_stop(&rig);
    signet_client_free(good_client);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_deaf");
    TCase *t = suite_case(s, "deaf");
    tcase_add_test(t, deaf_clients);
    return suite_run(s);
}
