/* SPDX-License-Identifier: MIT */
/* Peers that send and do not read, and what idle connections cost. */
#include "support/suite.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <signet/driver.h>

#include "msg/conn_internal.h"
#include "support/rig.h"

enum { LIMIT = 1 << 20, IDLE = 300 };

static struct rig rig;
static struct signet_client *client;
static struct signet_driver *driver;
static struct signet_conn *conn;

/* A connection of its own, without a loop. */
static void dial_plainly(void)
{
    struct signet_conn_options o = rig.conn;
    struct signet_event event = {.kind = SIGNET_EVENT_NONE};
    client = rig_new_client(&rig);
    o.role = SIGNET_ROLE_CLIENT;
    o.peer_type = SIGNET_MON;
    o.target = rig.addr;
    o.client = client;
    assert_ok(signet_driver_connect(&driver, &rig.addr, 10 * UINT64_C(1000000000), NULL));
    assert_ok(signet_conn_new(&conn, &o, signet_driver_now_ns()));
    while (event.kind != SIGNET_EVENT_READY) {
        assert_ok(signet_driver_run(driver, conn, &event, UINT64_MAX));
        ck_assert_int_ne(event.kind, SIGNET_EVENT_FAILED);
    }
}

/* Writes what is queued; false when the other side took nothing for a while. */
static bool write_all(void)
{
    uint64_t until = signet_driver_now_ns() + 200 * UINT64_C(1000000);
    return signet_driver_flush(driver, conn, until) == 0;
}

static void add_keepalive(unsigned i)
{
    struct signet_control c = {.tag = SIGNET_TAG_KEEPALIVE2, .stamp = {.sec = i}};
    assert_ok(conn_send_control(conn, &c));
}

/* Each small request is answered with much. */
static int answer_much(struct rig_side *side, struct signet_peer *peer,
                       const struct signet_message *m)
{
    atomic_fetch_add(&side->messages, 1);
    return rig_send(peer, 100000, m->tid);
}

static void add_request(unsigned i)
{
    struct signet_message m = {.type = 1, .tid = i};
    assert_ok(signet_conn_send(conn, &m, NULL, 0, NULL));
}

static void flood_one(void (*add)(unsigned i), enum signet_con_mode mode)
{
    struct signet_event event;
    uint64_t most = 0;
    rig_init(&rig);
    rig.server_options.max_queued = LIMIT;
    rig.at_server.on_message = answer_much;
    rig.conn.modes[0] = mode;
    rig.conn.num_modes = 1;
    rig_start(&rig);
    dial_plainly();
    rig_wait(&rig.at_server.ready, 1);
    struct signet_peer *peer = atomic_load(&rig.at_server.peer); /* it stays open */
    bool going = true;
    for (unsigned i = 0; going && i < 1000000; i++) {
        add(i);
        going = i % 256 != 255 || write_all();
        uint64_t queued = signet_peer_queued(peer);
        most = queued > most ? queued : most;
    }
    ck_assert(!going); /* it reads no more */
    ck_assert_uint_gt(most, LIMIT / 2);
    ck_assert_uint_le(most, LIMIT + 200000);
    /* Once its answers are read it goes on. */
    while (signet_conn_queued(conn) > 0) {
        assert_ok(signet_driver_run(driver, conn, &event, UINT64_MAX));
        ck_assert_int_ne(event.kind, SIGNET_EVENT_FAILED);
    }
    signet_driver_free(driver);
    rig_wait(&rig.at_server.closed, 1);
    signet_conn_free(conn);
    signet_client_free(client);
    rig_stop(&rig);
}

START_TEST(keepalives_without_end)
{
    flood_one(add_keepalive, SIGNET_MODE_SECURE);
    flood_one(add_keepalive, SIGNET_MODE_CRC);
}
END_TEST

START_TEST(requests_without_end)
{
    flood_one(add_request, SIGNET_MODE_SECURE);
}
END_TEST

static _Atomic uint64_t most_queued;

static int answer_and_look(struct rig_side *side, struct signet_peer *peer,
                           const struct signet_message *m)
{
    int err = answer_much(side, peer, m);
    uint64_t queued = signet_peer_queued(peer);
    if (queued > atomic_load(&most_queued)) {
        atomic_store(&most_queued, queued);
    }
    return err;
}

/* Who asks for much and resets the connection leaves requests behind: they are read, since he may
 * have said why, but their answers are for nobody and must take no memory. */
START_TEST(gone_in_the_flood)
{
    const struct linger reset = {.l_onoff = 1};
    rig_init(&rig);
    rig.server_options.max_queued = LIMIT;
    rig.at_server.on_message = answer_and_look;
    rig_start(&rig);
    dial_plainly();
    rig_wait(&rig.at_server.ready, 1);
    atomic_store(&most_queued, 0);
    bool going = true;
    for (unsigned i = 0; going && i < 1000000; i++) {
        add_request(i);
        going = i % 256 != 255 || write_all();
    }
    ck_assert(!going);
    unsigned before = atomic_load(&rig.at_server.messages);
    ck_assert_int_eq(
        setsockopt(signet_driver_fd(driver), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
    signet_driver_free(driver);
    rig_wait(&rig.at_server.closed, 1);
    ck_assert_uint_gt(atomic_load(&rig.at_server.messages), before + 100);
    ck_assert_uint_gt(atomic_load(&most_queued), LIMIT / 2);
    ck_assert_uint_le(atomic_load(&most_queued), LIMIT + 200000);
    signet_conn_free(conn);
    signet_client_free(client);
    rig_stop(&rig);
}
END_TEST

#ifndef __SANITIZE_THREAD__
#ifndef __SANITIZE_ADDRESS__
#define MEASURABLE 1
#endif
#endif

#ifdef MEASURABLE
static size_t resident(void)
{
    malloc_trim(0);
    return rig_resident();
}

/* Both ends of a READY connection are here: none costs more than 24 KiB once it is idle. */
START_TEST(idle_connections_are_small)
{
    static struct signet_client *clients[IDLE];
    static struct signet_peer *peers[IDLE];
    rig_init(&rig);
    rig_start(&rig);
    for (unsigned i = 0; i < IDLE; i++) {
        clients[i] = rig_new_client(&rig);
    }
    signet_peer_unref(rig_dial(&rig, clients[0], true)); /* whatever is done once */
    size_t before = resident();
    for (unsigned i = 1; i < IDLE; i++) {
        peers[i] = rig_dial(&rig, clients[i], true);
        assert_ok(rig_send(peers[i], 300000, i));
    }
    rig_wait(&rig.at_client.messages, IDLE - 1);
    size_t each = SIZE_MAX;
    for (uint64_t until = rig_now_ms() + 20000; each > 24 << 10 && rig_now_ms() < until;) {
        rig_sleep_ms(100);
        size_t idle = resident();
        each = idle > before ? (idle - before) / (2 * (IDLE - 1)) : 0;
    }
    ck_assert_uint_le(each, 24 << 10);
    for (unsigned i = 1; i < IDLE; i++) {
        signet_peer_unref(peers[i]);
    }
    rig_stop(&rig);
    for (unsigned i = 0; i < IDLE; i++) {
        signet_client_free(clients[i]);
    }
}
END_TEST
#endif

int main(void)
{
    Suite *s = suite_create("messenger_flood");
    TCase *t = suite_case(s, "flood");
    tcase_add_test(t, keepalives_without_end);
    tcase_add_test(t, requests_without_end);
    tcase_add_test(t, gone_in_the_flood);
#ifdef MEASURABLE
    tcase_add_test(t, idle_connections_are_small);
#endif
    return suite_run(s);
}
