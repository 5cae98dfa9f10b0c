/* SPDX-License-Identifier: MIT */
/* No message allocates once connections are warm: this program's malloc stands in front of the C
 * library's, for all threads. */
#include "support/suite.h"

#include <stdlib.h>

#include "support/rig.h"

extern void *__libc_malloc(size_t len);
extern void *__libc_calloc(size_t num, size_t len);
extern void *__libc_realloc(void *p, size_t len);

#define SEEN __attribute__((visibility("default")))

static atomic_bool counting;
static atomic_uint calls;
static _Thread_local bool waiting; /* the test library allocates, too */

static void count(void)
{
    if (!waiting && atomic_load_explicit(&counting, memory_order_relaxed)) {
        atomic_fetch_add(&calls, 1);
    }
}

SEEN void *malloc(size_t len)
{
    count();
    return __libc_malloc(len);
}

SEEN void *calloc(size_t num, size_t len)
{
    count();
    return __libc_calloc(num, len);
}

SEEN void *realloc(void *p, size_t len)
{
    count();
    return __libc_realloc(p, len);
}

enum { PEERS = 4, WARM = 20000, MESSAGES = 20000 };

static struct rig rig;
static atomic_bool stop;

static int again(struct rig_side *side, struct signet_peer *peer, const struct signet_message *m)
{
    static const size_t sizes[] = {0, 100, 4096, 70000};
    atomic_fetch_add(&side->messages, 1);
    return atomic_load(&stop) ? 0 : rig_send(peer, sizes[m->tid % 4], m->tid + 1);
}

static void round_trips(enum signet_con_mode mode)
{
    struct signet_client *clients[PEERS];
    struct signet_peer *peers[PEERS];
    rig_init(&rig);
    atomic_store(&stop, false);
    rig.conn.modes[0] = mode;
    rig.conn.num_modes = 1;
    rig.at_client.on_message = again;
    rig_start(&rig);
    for (unsigned i = 0; i < PEERS; i++) {
        clients[i] = rig_new_client(&rig);
        peers[i] = rig_dial(&rig, clients[i], true);
        assert_ok(rig_send(peers[i], 100, i));
    }
    rig_wait(&rig.at_client.messages, WARM);
    waiting = true;
    atomic_store(&calls, 0);
    atomic_store(&counting, true);
    rig_wait(&rig.at_client.messages, WARM + MESSAGES);
    atomic_store(&counting, false);
    waiting = false;
    unsigned seen = atomic_load(&calls);
    ck_assert_uint_le(seen, 4 * PEERS); /* a second without turns, and buffers are let go once */
    atomic_store(&stop, true);
    for (unsigned i = 0; i < PEERS; i++) {
        signet_peer_unref(peers[i]);
    }
    rig_stop(&rig);
    for (unsigned i = 0; i < PEERS; i++) {
        signet_client_free(clients[i]);
    }
}

START_TEST(messages_allocate_nothing)
{
    round_trips(SIGNET_MODE_SECURE);
    round_trips(SIGNET_MODE_CRC);
}
END_TEST

/* From another thread: reserved, sealed, and the worker woken. */
START_TEST(senders_allocate_nothing)
{
    rig_init(&rig);
    rig_start(&rig);
    struct signet_client *client = rig_new_client(&rig);
    struct signet_peer *peer = rig_dial(&rig, client, true);
    for (unsigned i = 1; i <= 2000; i++) {
        atomic_store(&counting, i > 500);
        int err = rig_send(peer, 3000, i);
        waiting = true;
        rig_wait(&rig.at_client.messages, i);
        waiting = false;
        atomic_store(&counting, false);
        assert_ok(err);
        if (i == 500) {
            atomic_store(&calls, 0);
        }
    }
    unsigned seen = atomic_load(&calls);
    ck_assert_uint_eq(seen, 0);
    signet_peer_unref(peer);
    rig_stop(&rig);
    signet_client_free(client);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_alloc");
    TCase *t = suite_case(s, "alloc");
    tcase_add_test(t, messages_allocate_nothing);
    tcase_add_test(t, senders_allocate_nothing);
    return suite_run(s);
}
