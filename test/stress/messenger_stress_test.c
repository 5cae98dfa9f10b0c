/* SPDX-License-Identifier: MIT */
/*
 * The messenger under load. Handlers are switched a hundred times a second and keys are rotated
 * while 64 connections work and others come and go; and a thousand half-open and a thousand garbage
 * connections lay siege while 64 good ones work. SIGNET_STRESS_SECONDS: for how long (default 2).
 */
#include "support/suite.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/rig.h"

enum { GOOD = 64, BAD = 1000, HALF_OPEN = 200, MEMORY = 96 << 20 };

static struct rig rig;
static struct signet_client *clients[GOOD];
static struct signet_peer *peers[GOOD];
static atomic_bool stop;
static atomic_uint wrong;

static unsigned seconds(void)
{
    const char *text = getenv("SIGNET_STRESS_SECONDS");
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 2;
}

/* Each answer is the next request: all are busy all the time. */
static int again(struct rig_side *side, struct signet_peer *peer, const struct signet_message *m)
{
    static const uint8_t bytes[20000];
    atomic_fetch_add(&side->messages, 1);
    if (atomic_load(&stop)) {
        return 0;
    }
    struct signet_message next = {.type = 1, .tid = m->tid + 1};
    struct iovec data = {(void *)(uintptr_t)bytes, (m->tid * 997) % sizeof(bytes)};
    int err = signet_peer_send(peer, &next, &data, 1, NULL);
    if (err != 0) {
        atomic_fetch_add(&wrong, 1);
    }
    return 0;
}

static void open_good(void)
{
    atomic_store(&stop, false);
    atomic_store(&wrong, 0);
    rig.at_client.on_message = again;
    rig.server_options.threads = rig.client_options.threads = 2;
    rig_start(&rig);
    for (unsigned i = 0; i < GOOD; i++) {
        clients[i] = rig_new_client(&rig);
        peers[i] = rig_dial(&rig, clients[i], false);
    }
    rig_wait(&rig.at_client.ready, GOOD);
    for (unsigned i = 0; i < GOOD; i++) {
        assert_ok(rig_send(peers[i], 100, i));
    }
}

static void close_good(void)
{
    for (unsigned i = 0; i < GOOD; i++) {
        signet_peer_unref(peers[i]);
    }
    rig_stop(&rig);
    for (unsigned i = 0; i < GOOD; i++) {
        signet_client_free(clients[i]);
    }
}

static void *switch_handlers(void *arg)
{
    (void)arg;
    for (size_t i = 0, done = 0; !atomic_load(&stop); i++) {
        const struct signet_handler *next = signet_handler_at(i);
        if (next == NULL) {
            if (done < 2) { /* in vain */
                atomic_fetch_add(&wrong, 1);
            }
            i = SIZE_MAX;
            done = 0;
        } else if (signet_handler_use(next) == 0) {
            done++;
            rig_sleep_ms(10);
        }
    }
    return NULL;
}

static void *rotate_keys(void *arg)
{
    struct signet_name name;
    (void)arg;
    bool ok = signet_name_parse(&name, "client.other") == 0;
    while (ok && !atomic_load(&stop)) {
        struct signet_key *key = NULL;
        ok = signet_keyserver_wipe_rotating(rig.keys) == 0 &&
             signet_key_generate(&key, SIGNET_KEY_AES256K, NULL) == 0;
        ok = ok && signet_keyserver_put(rig.keys, &name, key, NULL, 0) == 0;
        signet_key_unref(key);
        rig_sleep_ms(3);
    }
    if (!ok) {
        atomic_fetch_add(&wrong, 1);
    }
    return NULL;
}

/* Connections that come and go beside those that stay. */
static unsigned come_and_go(void)
{
    struct signet_client *client = rig_new_client(&rig);
    unsigned num = 0;
    for (uint64_t until = rig_now_ms() + 1000 * seconds(); rig_now_ms() < until; num++) {
        struct signet_peer *peer = rig_dial(&rig, client, true);
        assert_ok(rig_send(peer, 1000, num));
        signet_peer_close(peer, -SIGNET_E_TIMEOUT);
        rig_wait(&rig.at_client.closed, num + 1);
        signet_peer_unref(peer);
    }
    signet_client_free(client);
    return num;
}

START_TEST(switching_under_load)
{
    pthread_t thread[2];
    rig_init(&rig);
    open_good();
    ck_assert_int_eq(pthread_create(&thread[0], NULL, switch_handlers, NULL), 0);
    ck_assert_int_eq(pthread_create(&thread[1], NULL, rotate_keys, NULL), 0);
    unsigned num = come_and_go();
    atomic_store(&stop, true);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    ck_assert_uint_eq(atomic_load(&wrong), 0);
    ck_assert_uint_eq(rig.at_client.closed, num); /* none of those that stay */
    ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_TIMEOUT], num);
    ck_assert_uint_gt(atomic_load(&rig.at_client.messages), 10 * GOOD);
    struct signet_messenger_stats stats;
    signet_messenger_stats(rig.server, &stats);
    ck_assert_ptr_nonnull(stats.by_handler[1].handler); /* both were used */
    ck_assert_uint_gt(stats.by_handler[0].opened, 0);
    ck_assert_uint_gt(stats.by_handler[1].opened, 0);
    close_good();
}
END_TEST

/* What a bad connection says, by its number. */
static void say_bad(int fd, unsigned i)
{
    static const char http[] = "GET / HTTP/1.1\r\n\r\n";
    static const char old[] = "ceph v027 and much more that is long enough to be read";
    static const char none[] =
        "ceph v2\n\x10\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0this is no preamble, "
        "is it? really not";
    static const char *const bad[] = {http, old, none};
    static const size_t lens[] = {sizeof(http) - 1, sizeof(old), sizeof(none)};
    ssize_t n = send(fd, bad[i % 3], lens[i % 3], MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)n;
}

static uint64_t sum_closed(const struct signet_messenger_stats *s)
{
    return s->closed[SIGNET_E_HALF_OPEN_LIMIT] + s->closed[SIGNET_E_HANDSHAKE_TIMEOUT] +
           s->closed[SIGNET_E_NOT_CEPH] + s->closed[SIGNET_E_MSGR1_PEER] +
           s->closed[SIGNET_E_PREAMBLE_CRC];
}

static void allow_descriptors(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    ck_assert_uint_gt(limit.rlim_cur, 4 * BAD + 4 * GOOD + 100);
}

START_TEST(siege)
{
    static int half[BAD], garbage[BAD];
    struct signet_messenger_stats stats;
    allow_descriptors();
    rig_init(&rig);
    rig.conn.handshake_timeout_ns = UINT64_C(2000000000);
    rig.server_options.max_half_open = HALF_OPEN;
    open_good();
    size_t before = rig_resident(), most = 0;
    for (unsigned i = 0; i < BAD; i++) {
        half[i] = rig_socket(&rig);
        garbage[i] = rig_socket(&rig);
        say_bad(garbage[i], i);
        size_t now = i % 100 == 99 ? rig_resident() : 0;
        most = now > most ? now : most;
    }
    uint64_t until = rig_now_ms() + 30000;
    do {
        rig_sleep_ms(20);
        signet_messenger_stats(rig.server, &stats);
    } while (sum_closed(&stats) < 2 * (uint64_t)BAD && rig_now_ms() < until);
    ck_assert_uint_eq(sum_closed(&stats), 2 * BAD); /* each with its cause */
    ck_assert_uint_ge(stats.closed[SIGNET_E_HANDSHAKE_TIMEOUT], 1);
    ck_assert_uint_ge(stats.closed[SIGNET_E_HALF_OPEN_LIMIT], 1);
    ck_assert_uint_ge(stats.closed[SIGNET_E_NOT_CEPH], 1);
    ck_assert_uint_ge(stats.closed[SIGNET_E_MSGR1_PEER], 1);
    ck_assert_uint_ge(stats.closed[SIGNET_E_PREAMBLE_CRC], 1);
    ck_assert_msg(most < before + MEMORY, "%zu bytes more", most - before);
    ck_assert_uint_eq(stats.peers, GOOD);
    /* The good ones did not notice. */
    unsigned sofar = atomic_load(&rig.at_client.messages);
    rig_wait(&rig.at_client.messages, sofar + 10 * GOOD);
    ck_assert_uint_eq(atomic_load(&rig.at_client.closed), 0);
    ck_assert_uint_eq(atomic_load(&wrong), 0);
    atomic_store(&stop, true);
    for (unsigned i = 0; i < BAD; i++) {
        close(half[i]);
        close(garbage[i]);
    }
    close_good();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_stress");
    TCase *t = suite_case(s, "stress");
    tcase_add_test(t, switching_under_load);
    tcase_add_test(t, siege);
    return suite_run(s);
}
