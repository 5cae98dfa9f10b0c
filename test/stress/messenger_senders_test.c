/* SPDX-License-Identifier: MIT */
/* Many threads send on shared peers, also while these and their messenger end. */
#include "support/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/rig.h"

enum { PEERS = 2, THREADS = 4, EACH = 3000, TOTAL = PEERS * THREADS * EACH, ROUNDS = 10 };

static struct rig rig;
static struct signet_client *clients[PEERS];
static struct signet_peer *peers[PEERS];
static atomic_uint wrong, busy, ended, started;

static void open_all(void)
{
    rig.server_options.threads = 2;
    rig_start(&rig);
    for (unsigned i = 0; i < PEERS; i++) {
        clients[i] = rig_new_client(&rig);
        peers[i] = rig_dial(&rig, clients[i], true);
    }
    atomic_store(&wrong, 0);
    atomic_store(&busy, 0);
    atomic_store(&ended, 0);
    atomic_store(&started, 0);
}

static void close_all(void)
{
    for (unsigned i = 0; i < PEERS; i++) {
        signet_peer_unref(peers[i]);
    }
    rig_stop(&rig);
    for (unsigned i = 0; i < PEERS; i++) {
        signet_client_free(clients[i]);
    }
}

static int send_one(struct signet_peer *peer, unsigned thread, uint64_t tid)
{
    static const uint8_t bytes[80000];
    struct signet_message m = {.type = (uint16_t)thread, .tid = tid, .front = {bytes, tid % 50}};
    struct iovec data = {(void *)(uintptr_t)bytes, tid % 64 == 0 ? sizeof(bytes) : tid % 500};
    return signet_peer_send(peer, &m, &data, 1, NULL);
}

/* On one peer, what a thread sends keeps its order. */
static int check_order(struct rig_side *side, struct signet_peer *peer,
                       const struct signet_message *m)
{
    uint64_t *last = signet_peer_user(peer);
    if (last == NULL) {
        last = calloc(THREADS, sizeof(*last));
        signet_peer_set_user(peer, last);
    }
    bool right = m->type < THREADS && m->tid == last[m->type] + 1 && m->front.len == m->tid % 50;
    if (right) {
        last[m->type]++;
    } else {
        atomic_fetch_add(&wrong, 1);
    }
    if (m->tid == EACH && last[0] + last[1] + last[2] + last[3] == THREADS * (uint64_t)EACH) {
        free(last);
        signet_peer_set_user(peer, NULL);
    }
    atomic_fetch_add(&side->messages, 1);
    return 0;
}

static pthread_mutex_t room_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;
static uint64_t rooms; /* how often there was room again, on any peer */

static void on_room(struct rig_side *side, struct signet_peer *peer)
{
    (void)side;
    (void)peer;
    pthread_mutex_lock(&room_lock);
    rooms++;
    pthread_cond_broadcast(&room);
    pthread_mutex_unlock(&room_lock);
}

static uint64_t rooms_now(void)
{
    pthread_mutex_lock(&room_lock);
    uint64_t now = rooms;
    pthread_mutex_unlock(&room_lock);
    return now;
}

/* Nobody polls: without the notice this would not end. */
static void await_room(uint64_t seen)
{
    pthread_mutex_lock(&room_lock);
    while (rooms == seen) {
        pthread_cond_wait(&room, &room_lock);
    }
    pthread_mutex_unlock(&room_lock);
}

static int send_patiently(struct signet_peer *peer, unsigned thread, uint64_t tid)
{
    for (;;) {
        uint64_t seen = rooms_now();
        int err = send_one(peer, thread, tid);
        if (err != -SIGNET_E_BUSY) {
            return err;
        }
        atomic_fetch_add(&busy, 1);
        await_room(seen);
    }
}

static void *send_all(void *arg)
{
    unsigned me = *(unsigned *)arg;
    for (uint64_t tid = 1; tid <= EACH; tid++) {
        for (unsigned i = 0; i < PEERS; i++) {
            int err = send_patiently(peers[i], me, tid);
            if (err != 0) {
                atomic_fetch_add(&wrong, 1);
            }
        }
    }
    return NULL;
}

static void run(pthread_t thread[THREADS], unsigned id[THREADS], void *(*fn)(void *arg))
{
    for (unsigned i = 0; i < THREADS; i++) {
        id[i] = i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, fn, &id[i]), 0);
    }
}

static void wait_for(pthread_t thread[THREADS])
{
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
}

START_TEST(order)
{
    pthread_t thread[THREADS];
    unsigned id[THREADS];
    rig_init(&rig);
    rig.client_options.max_queued = 256 << 10;
    rig.at_server.on_message = check_order;
    rig.at_client.on_writable = on_room;
    open_all();
    run(thread, id, send_all);
    wait_for(thread);
    rig_wait(&rig.at_server.messages, TOTAL);
    ck_assert_uint_eq(atomic_load(&wrong), 0);
    ck_assert_uint_eq(rig.at_client.closed, 0);
    close_all();
}
END_TEST

/* Until the peers say that they are over; what was sent before may be lost with them. */
static void *send_to_the_end(void *arg)
{
    unsigned me = *(unsigned *)arg;
    int err = 0;
    for (uint64_t tid = 1; err == 0 || err == -SIGNET_E_BUSY; tid++) {
        err = send_one(peers[tid % PEERS], me, tid);
        atomic_fetch_add(&started, 1);
    }
    if (err == -SIGNET_E_STATE) {
        atomic_fetch_add(&ended, 1);
    }
    return NULL;
}

/* By closing the peers, by draining their messenger, by freeing it, by the other side. */
static void end_by(unsigned way)
{
    for (unsigned i = 0; i < PEERS && way == 0; i++) {
        signet_peer_close(peers[i], -SIGNET_E_TIMEOUT);
    }
    if (way == 1) {
        int err = signet_messenger_drain(rig.client, 10000000);
        ck_assert(err == 0 || err == -SIGNET_E_TIMEOUT);
    } else if (way == 2) {
        signet_messenger_free(rig.client);
        rig.client = NULL;
    } else if (way == 3) {
        signet_messenger_free(rig.server);
        rig.server = NULL;
    }
}

START_TEST(ends_under_senders)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_t thread[THREADS];
        unsigned id[THREADS];
        rig_init(&rig);
        rig.client_options.max_queued = 256 << 10;
        rig.client_options.linger_ns = 20000000;
        open_all();
        run(thread, id, send_to_the_end);
        rig_wait(&started, 100 * THREADS);
        end_by(i % 4);
        wait_for(thread);
        ck_assert_uint_eq(atomic_load(&ended), THREADS);
        close_all();
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_senders");
    TCase *t = suite_case(s, "senders");
    tcase_add_test(t, order);
    tcase_add_test(t, ends_under_senders);
    return suite_run(s);
}
