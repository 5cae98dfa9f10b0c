/* SPDX-License-Identifier: MIT */
/* Limits of the messenger: peers, half-open ones, handshake time, queued output, descriptors. */
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "support/rig.h"

#define MS UINT64_C(1000000)

static struct rig rig;
static struct signet_client *client;

static struct signet_peer *start_and_dial(void)
{
    rig_start(&rig);
    client = rig_new_client(&rig);
    return rig_dial(&rig, client, true);
}

static void stop(struct signet_peer *peer)
{
    signet_peer_unref(peer);
    rig_stop(&rig);
    signet_client_free(client);
}

/* That the one good connection works. */
static void still_good(struct signet_peer *peer)
{
    unsigned before = atomic_load(&rig.at_client.messages);
    assert_ok(rig_send(peer, 1000, 1));
    rig_wait(&rig.at_client.messages, before + 1);
}

static void wait_closed(struct signet_messenger *m, enum signet_err cause, uint64_t num)
{
    struct signet_messenger_stats stats;
    uint64_t until = rig_now_ms() + 30000;
    do {
        signet_messenger_stats(m, &stats);
        ck_assert_msg(rig_now_ms() < until, "%s: %lu of %lu", signet_err_name((int)cause),
                      (unsigned long)stats.closed[cause], (unsigned long)num);
        rig_sleep_ms(1);
    } while (stats.closed[cause] < num);
}

/* The end of the stream, or its reset. */
static void expect_end(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char buf[256];
    ssize_t n = 1;
    while (n > 0) {
        ck_assert_int_eq(poll(&p, 1, 30000), 1);
        n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
    }
    ck_assert(n == 0 || errno == ECONNRESET);
    close(fd);
}

START_TEST(too_many_peers)
{
    struct signet_messenger_stats stats;
    rig_init(&rig);
    rig.server_options.max_peers = 3;
    struct signet_peer *peer = start_and_dial();
    int a = rig_socket(&rig), b = rig_socket(&rig), c = rig_socket(&rig);
    expect_end(c);
    wait_closed(rig.server, SIGNET_E_PEER_LIMIT, 1);
    signet_messenger_stats(rig.server, &stats);
    ck_assert_uint_eq(stats.peers, 3);
    ck_assert_uint_eq(stats.half_open, 2);
    still_good(peer);
    close(a);
    wait_closed(rig.server, SIGNET_E_PEER_CLOSED, 1);
    int d = rig_socket(&rig); /* there is a place again */
    rig_sleep_ms(20);
    signet_messenger_stats(rig.server, &stats);
    ck_assert_uint_eq(stats.closed[SIGNET_E_PEER_LIMIT], 1);
    ck_assert_uint_eq(stats.peers, 3);
    close(b);
    close(d);
    stop(peer);
}
END_TEST

START_TEST(too_many_half_open)
{
    int fd[6];
    struct signet_messenger_stats stats;
    rig_init(&rig);
    rig.server_options.max_half_open = 4;
    struct signet_peer *peer = start_and_dial();
    for (unsigned i = 0; i < 6; i++) {
        fd[i] = rig_socket(&rig);
        rig_sleep_ms(5); /* so that they are accepted in this order */
    }
    expect_end(fd[0]); /* the oldest ones */
    expect_end(fd[1]);
    wait_closed(rig.server, SIGNET_E_HALF_OPEN_LIMIT, 2);
    ck_assert_uint_eq(rig.at_server.cause[SIGNET_E_HALF_OPEN_LIMIT], 2);
    signet_messenger_stats(rig.server, &stats);
    ck_assert_uint_eq(stats.half_open, 4);
    still_good(peer);
    for (unsigned i = 2; i < 6; i++) {
        close(fd[i]);
    }
    wait_closed(rig.server, SIGNET_E_PEER_CLOSED, 4);
    stop(peer);
}
END_TEST

START_TEST(slow_handshakes)
{
    rig_init(&rig);
    rig.conn.handshake_timeout_ns = 300 * MS;
    struct signet_peer *peer = start_and_dial();
    int silent = rig_socket(&rig), slow = rig_socket(&rig);
    ck_assert_int_eq(send(slow, "ceph v2\n", 8, MSG_NOSIGNAL), 8);
    expect_end(silent);
    expect_end(slow);
    wait_closed(rig.server, SIGNET_E_HANDSHAKE_TIMEOUT, 2);
    still_good(peer);
    stop(peer);
}
END_TEST

START_TEST(a_server_that_says_nothing)
{
    rig_init(&rig);
    rig.conn.handshake_timeout_ns = 200 * MS;
    rig_start(&rig);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(listen(fd, 5), 0); /* any port */
    struct sockaddr_storage at;
    socklen_t len = sizeof(at);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    rig.addr.port = rig_port(&at);
    client = rig_new_client(&rig);
    struct signet_peer *peer = rig_dial(&rig, client, false);
    rig_wait(&rig.at_client.closed, 1);
    ck_assert_uint_eq(rig.at_client.cause[SIGNET_E_HANDSHAKE_TIMEOUT], 1);
    close(fd);
    stop(peer);
}
END_TEST

/* A peer that does not read: others' output waits up to the limit, then they hear of it. */
START_TEST(busy)
{
    int err = 0;
    unsigned num = 0;
    rig_init(&rig);
    rig.client_options.max_queued = 1 << 20;
    rig.server_options.max_queued = 1 << 20;
    struct signet_peer *peer = start_and_dial();
    /* The server stops reading, since its answers are not read: this side's worker is kept busy. */
    static atomic_uint go;
    atomic_store(&go, 0);
    assert_ok(signet_messenger_post(rig.client, 0, rig_hold, &go));
    while (err == 0 && num < 100000) {
        err = rig_send(peer, 100000, ++num);
    }
    ck_assert_int_eq(err, -SIGNET_E_BUSY);
    ck_assert_uint_le(signet_peer_queued(peer), (1 << 20) + 110000);
    assert_err(rig_send(peer, 1, 0), BUSY);
    ck_assert_uint_eq(rig.at_client.writable, 0); /* nothing was written yet */
    atomic_store(&go, 1);
    rig_wait(&rig.at_client.writable, 1);
    rig_wait(&rig.at_client.messages, num - 1);
    ck_assert_uint_eq(rig.at_client.writable, 1); /* once for all that were told BUSY */
    ck_assert_uint_eq(signet_peer_queued(peer), 0);
    still_good(peer);
    stop(peer);
}
END_TEST

static atomic_uint full, rounds;

static void when_writable(struct rig_side *side, struct signet_peer *peer)
{
    (void)side;
    if (signet_peer_queued(peer) > (256 << 10) / 2) {
        atomic_fetch_add(&full, 1);
    }
    assert_ok(rig_send(peer, 10, 0)); /* a worker may */
    atomic_fetch_add(&rounds, 1);
}

/* A sender that never polls: it sleeps until it hears that there is room, many times over. */
START_TEST(writable_again)
{
    enum { ROUNDS = 50 };
    unsigned sent = 0;
    rig_init(&rig);
    rig.client_options.max_queued = 256 << 10;
    rig.at_client.on_writable = when_writable;
    atomic_store(&full, 0);
    atomic_store(&rounds, 0);
    struct signet_peer *peer = start_and_dial();
    for (unsigned i = 1; i <= ROUNDS; i++) {
        int err = 0;
        while ((err = rig_send(peer, 50000, 1)) == 0) {
            sent++;
        }
        ck_assert_int_eq(err, -SIGNET_E_BUSY);
        rig_wait(&rounds, i);
    }
    rig_wait(&rig.at_client.messages, sent + ROUNDS);
    ck_assert_uint_eq(rig.at_client.writable, ROUNDS);
    ck_assert_uint_eq(atomic_load(&full), 0);
    stop(peer);
}
END_TEST

/* The end comes instead, when there is never room again. */
START_TEST(never_writable)
{
    int err = 0;
    rig_init(&rig);
    rig.client_options.max_queued = 256 << 10;
    struct signet_peer *peer = start_and_dial();
    static atomic_uint go;
    atomic_store(&go, 0);
    assert_ok(signet_messenger_post(rig.client, 0, rig_hold, &go));
    while (err == 0) {
        err = rig_send(peer, 100000, 1);
    }
    ck_assert_int_eq(err, -SIGNET_E_BUSY);
    signet_peer_close(peer, -SIGNET_E_TIMEOUT);
    atomic_store(&go, 1);
    rig_wait(&rig.at_client.closed, 1);
    ck_assert_uint_eq(rig.at_client.writable, 0);
    assert_err(rig_send(peer, 1, 1), STATE);
    stop(peer);
}
END_TEST

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* No descriptor is left for what waits to be accepted: it waits, and nobody spins. */
START_TEST(no_descriptors)
{
    enum { MAX = 4096 };
    static int taken[MAX];
    struct signet_messenger_stats stats;
    struct rlimit old, few;
    unsigned num = 0;
    rig_init(&rig);
    struct signet_peer *peer = start_and_dial();
    int waiting = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    getrlimit(RLIMIT_NOFILE, &old);
    few = old;
    few.rlim_cur = 200;
    setrlimit(RLIMIT_NOFILE, &few);
    while (num < MAX && (taken[num] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
        num++;
    }
    rig_connect(&rig, waiting);
    uint64_t until = rig_now_ms() + 30000;
    do {
        rig_sleep_ms(1);
        signet_messenger_stats(rig.server, &stats);
    } while (stats.accept_errors == 0 && rig_now_ms() < until);
    ck_assert_uint_gt(stats.accept_errors, 0);
    double before = cpu_seconds();
    rig_sleep_ms(500);
    ck_assert(cpu_seconds() - before < 0.25);
    still_good(peer);
    while (num > 0) {
        close(taken[--num]);
    }
    setrlimit(RLIMIT_NOFILE, &old);
    do {
        rig_sleep_ms(1);
        signet_messenger_stats(rig.server, &stats);
    } while (stats.accepted < 2 && rig_now_ms() < until);
    ck_assert_uint_eq(stats.accepted, 2);
    ck_assert_uint_lt(stats.accept_errors, 30);
    close(waiting);
    stop(peer);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_limits");
    TCase *t = suite_case(s, "limits");
    tcase_add_test(t, too_many_peers);
    tcase_add_test(t, too_many_half_open);
    tcase_add_test(t, slow_handshakes);
    tcase_add_test(t, a_server_that_says_nothing);
    tcase_add_test(t, busy);
    tcase_add_test(t, writable_again);
    tcase_add_test(t, never_writable);
    tcase_add_test(t, no_descriptors);
    return suite_run(s);
}
