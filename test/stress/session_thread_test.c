/* SPDX-License-Identifier: MIT */
/*
 * Sessions that wander between threads: each thread dials for a session of its own, two others
 * drive the accepted ends in turn, and the next connection takes the session away from it in the
 * middle of its work. Messages and their echoes stay in order; what counts them has no lock of its
 * own.
 */
#include "support/link.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { THREADS = 3, ROUNDS = 40, EACH = 15 };

/* One connection. Each end belongs to one thread, what is under way to the lock. */
struct lane {
    pthread_mutex_t lock;
    struct link link;
    atomic_bool owned, done; /* the accepted end was handed over; both ends are gone */
};

static struct cluster c;
static struct link_node dialler[THREADS], acceptor;
static struct signet_session *session[THREADS];
static struct lane lanes[THREADS][2];
/* By session; touched by whoever has a message of it. */
static uint64_t expected[THREADS], echoed[THREADS];
static atomic_uint wrong, replaced, finished;

static void complain(const char *what, int err)
{
    fprintf(stderr, "%s: %s\n", what, signet_strerror(err));
    atomic_fetch_add(&wrong, 1);
}

static void say(struct signet_session *to, uint64_t tid)
{
    struct signet_message m = {.type = 1, .tid = tid};
    int err = signet_session_send(to, &m, NULL, 0, NULL);
    if (err != 0) {
        complain("sending", err);
    }
}

static void on_message(unsigned t, unsigned end, struct signet_conn *conn, uint64_t tid)
{
    uint64_t *counter = end == LINK_ACCEPTOR ? &expected[t] : &echoed[t];
    if (tid != ++*counter) {
        complain("a message out of order", 0);
    }
    if (tid % 8 == 0) { /* long work, during which the next connection may come */
        struct timespec pause = {.tv_nsec = 3000000};
        nanosleep(&pause, NULL);
    }
    if (tid != *counter) {
        complain("another thread has a message of this session at the same time", 0);
    }
    if (end == LINK_ACCEPTOR) {
        say(signet_conn_session(conn), tid);
    }
}

/* Whether the end lives on. */
static bool drain(unsigned t, struct lane *lane, unsigned end)
{
    struct signet_conn *conn = lane->link.end[end];
    struct signet_event event;
    do {
        int err = signet_conn_next(conn, &event);
        if (err != 0 || event.kind == SIGNET_EVENT_RESET) {
            complain("next", err);
        }
        if (event.kind == SIGNET_EVENT_MESSAGE) {
            on_message(t, end, conn, event.message.tid);
        } else if (event.kind == SIGNET_EVENT_FAILED) {
            bool taken = event.fail->err == -SIGNET_E_SESSION_REPLACED;
            atomic_fetch_add(&replaced, taken ? 1 : 0);
            if (!taken && event.fail->err != -SIGNET_E_SESSION_RETRIES) {
                complain(event.fail->text, event.fail->err);
            }
            return false;
        }
    } while (event.kind != SIGNET_EVENT_NONE);
    return true;
}

static void drop(struct lane *lane, unsigned end)
{
    struct signet_conn *conn = lane->link.end[end];
    pthread_mutex_lock(&lane->lock);
    lane->link.end[end] = NULL;
    bool last = lane->link.end[1 - end] == NULL;
    pthread_mutex_unlock(&lane->lock);
    signet_conn_free(conn);
    if (last) {
        atomic_store(&lane->owned, false);
        link_close(&lane->link);
        atomic_store(&lane->done, true);
    }
}

/* Moves what there is at this end. */
static void pump(struct lane *lane, unsigned end)
{
    uint64_t now = c.options.env.mono_ns(c.options.env.arg);
    pthread_mutex_lock(&lane->lock);
    while (link_take(&lane->link, end, SIZE_MAX) > 0) {
    }
    link_give(&lane->link, 1 - end, SIZE_MAX, now);
    pthread_mutex_unlock(&lane->lock);
}

/* The accepted ends that thread t drives: in turn two others have those of one session. */
static void serve(unsigned t)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned of = (t + THREADS - 1 - i) % THREADS;
        struct lane *lane = &lanes[of][i];
        if (atomic_load(&lane->owned) && lane->link.end[LINK_ACCEPTOR] != NULL) {
            pump(lane, LINK_ACCEPTOR);
            if (!drain(of, lane, LINK_ACCEPTOR)) {
                drop(lane, LINK_ACCEPTOR);
            }
        }
    }
}

/* Both ends on this thread until the accepted one is READY. */
static bool shake(unsigned t, struct lane *lane)
{
    bool alive = true;
    int err = link_open(&lane->link, &dialler[t], &acceptor, session[t]);
    if (err != 0) {
        complain("dialling", err);
        return false;
    }
    while (alive && strcmp(signet_conn_state(lane->link.end[1]), "READY") != 0) {
        for (unsigned end = 0; end < 2 && alive; end++) {
            pump(lane, end);
            alive = drain(t, lane, end);
        }
    }
    return alive;
}

static bool all_echoed(unsigned t, unsigned round)
{
    struct signet_session_status s;
    signet_session_status(session[t], &s);
    return round + 1 < ROUNDS || (echoed[t] == (uint64_t)ROUNDS * EACH && s.num_queued == 0);
}

static void talk(unsigned t, unsigned round, struct lane *lane)
{
    bool alive = true;
    for (unsigned i = 0; i < EACH; i++) {
        say(session[t], (uint64_t)round * EACH + i + 1);
    }
    for (unsigned i = 0; alive && (i < 3 + round % 7 || !all_echoed(t, round)); i++) {
        pump(lane, LINK_DIALLER);
        alive = drain(t, lane, LINK_DIALLER);
        serve(t);
        sched_yield();
    }
}

static void *work(void *arg)
{
    unsigned t = *(unsigned *)arg;
    for (unsigned round = 0; round < ROUNDS && atomic_load(&wrong) == 0; round++) {
        struct lane *lane = &lanes[t][round & 1];
        while (!atomic_load(&lane->done)) {
            serve(t);
        }
        atomic_store(&lane->done, false);
        while (!shake(t, lane)) {
            link_close(&lane->link);
            serve(t);
        }
        atomic_store(&lane->owned, true);
        talk(t, round, lane);
        drop(lane, LINK_DIALLER);
    }
    atomic_fetch_add(&finished, 1);
    while (atomic_load(&finished) < THREADS) {
        serve(t);
        sched_yield();
    }
    return NULL;
}

static void start_cluster(void)
{
    static const struct signet_cap caps[] = {{"osd", "allow rw"}, {"mon", "allow r"}};
    struct signet_name name;
    c.options.env = signet_env_system();
    assert_ok(signet_keyserver_open(&c.server, &c.options, NULL));
    assert_ok(signet_key_generate(&c.key, SIGNET_KEY_AES256K, NULL));
    assert_ok(signet_name_parse(&name, "client.a"));
    assert_ok(signet_keyserver_put(c.server, &name, c.key, caps, 2));
}

static void start_node(struct link_node *n, const char *addr, uint32_t type)
{
    n->cluster = &c;
    assert_ok(signet_addr_parse(&n->addr, addr));
    struct signet_conn_options common = {.own_type = type,
                                         .own = n->addr,
                                         .env = c.options.env,
                                         .modes = {SIGNET_MODE_CRC},
                                         .num_modes = 1,
                                         .handshake_timeout_ns = 600 * SEC};
    struct signet_sessions_options table = {.env = c.options.env};
    assert_ok(signet_sessions_new(&n->table, &table));
    n->dial = n->accept = common;
    n->accept.role = SIGNET_ROLE_SERVER;
    n->accept.target = n->addr;
    n->accept.sessions = n->table;
}

static void start_dialler(unsigned t)
{
    static const char *const addrs[THREADS] = {"any:127.0.0.1:0/1", "any:127.0.0.1:0/2",
                                               "any:127.0.0.1:0/3"};
    struct link_node *n = &dialler[t];
    struct signet_client_options options = {
        .key = c.key, .want = SIGNET_MON | SIGNET_OSD, .env = c.options.env};
    start_node(n, addrs[t], SIGNET_CLIENT);
    assert_ok(signet_name_parse(&options.name, "client.a"));
    assert_ok(signet_client_new(&n->client, &options));
    assert_ok(cluster_login(&c, n->client, SIGNET_MODE_SECURE));
    n->dial.client = n->client;
    session[t] = node_session(n, &acceptor, SIGNET_LOSSLESS_CLIENT);
    for (unsigned i = 0; i < 2; i++) {
        pthread_mutex_init(&lanes[t][i].lock, NULL);
        atomic_store(&lanes[t][i].done, true);
    }
}

START_TEST(sessions_wander_between_threads)
{
    pthread_t thread[THREADS];
    unsigned number[THREADS];
    start_cluster();
    start_node(&acceptor, "v2:127.0.0.1:6800/77", SIGNET_OSD);
    for (unsigned t = 0; t < THREADS; t++) {
        start_dialler(t);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        number[t] = t;
        ck_assert_int_eq(pthread_create(&thread[t], NULL, work, &number[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        ck_assert_uint_eq(expected[t], (uint64_t)ROUNDS * EACH);
        ck_assert_uint_eq(echoed[t], (uint64_t)ROUNDS * EACH);
    }
    ck_assert_uint_eq(atomic_load(&wrong), 0);
    ck_assert_uint_ge(atomic_load(&replaced), THREADS * (ROUNDS - 2));
    for (unsigned t = 0; t < THREADS; t++) {
        link_close(&lanes[t][0].link);
        link_close(&lanes[t][1].link);
        signet_session_unref(session[t]);
        node_free(&dialler[t]);
    }
    node_free(&acceptor);
    cluster_stop(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("session_thread");
    TCase *t = suite_case(s, "threads");
    tcase_add_test(t, sessions_wander_between_threads);
    return suite_run(s);
}
