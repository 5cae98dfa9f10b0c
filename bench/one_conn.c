/* SPDX-License-Identifier: MIT */
/* What does it bring to seal outside the lock when threads write on one connection? */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <signet/conn.h>
#include <signet/keyserver.h>

#include "common/bench_signet.h"
#include "common/bench_team.h"

enum { BURSTS = 21, LARGE = 65536, SMALL = 4096, PIECES = 16 };

/* A login of client.a and both ends of its connection, joined in memory. */
struct join {
    struct signet_keyserver *keys;
    struct signet_client *client;
    struct signet_login *login;
    struct signet_conn *sender, *receiver;
};

struct job {
    const struct signet_handler *handler;
    bool reserved; /* seal outside the lock */
    size_t len;
    struct bench_team team;
    struct join join;
    pthread_mutex_t sending, driving;
    uint8_t data[LARGE];
};

static struct bench_handlers handlers;

static void need(int err, const char *what)
{
    bench_need(err == 0, what);
}

static void make_keys(struct join *j)
{
    struct signet_keyserver_options o = {.env = signet_env_system()};
    struct signet_cap cap = {"mon", "allow r"};
    struct signet_client_options c = {.want = SIGNET_MON, .env = signet_env_system()};
    need(signet_keyserver_open(&j->keys, &o, NULL), "no key server");
    need(signet_key_generate(&c.key, SIGNET_KEY_AES256K, NULL), "no key");
    need(signet_name_parse(&c.name, "client.a"), "no name");
    need(signet_keyserver_put(j->keys, &c.name, c.key, &cap, 1), "no principal");
    need(signet_client_new(&j->client, &c), "no client");
    need(signet_login_new(&j->login, j->keys, SIGNET_MON), "no login");
    signet_key_unref(c.key);
}

static void make_ends(struct join *j, const struct job *job)
{
    struct signet_conn_options o = {.env = signet_env_system(), .pin = job->handler};
    struct signet_addr addr;
    need(signet_addr_parse(&addr, "v2:127.0.0.1:3300/0"), "no address");
    o.role = SIGNET_ROLE_SERVER;
    o.own_type = SIGNET_MON;
    o.own = o.target = addr;
    o.login = j->login;
    need(signet_conn_new(&j->receiver, &o, 0), "no server");
    o.role = SIGNET_ROLE_CLIENT;
    o.own_type = SIGNET_CLIENT;
    o.peer_type = SIGNET_MON;
    o.own = (struct signet_addr){0};
    o.client = j->client;
    o.senders = job->reserved;
    need(signet_conn_new(&j->sender, &o, 0), "no client");
}

/* Moves what is there; the number of messages that arrived in *got. */
static bool move(struct signet_conn *from, struct signet_conn *to, unsigned *got)
{
    struct signet_event event;
    struct iovec iov;
    uint8_t *room;
    size_t cap;
    int num = 1;
    do {
        need(signet_conn_next(from, &event), "a connection failed");
    } while (event.kind != SIGNET_EVENT_NONE);
    need(signet_conn_output(from, &iov, &num), "a connection failed");
    if (num == 0) {
        return false;
    }
    need(signet_conn_recv_buffer(to, &room, &cap), "a connection failed");
    size_t n = iov.iov_len < cap ? iov.iov_len : cap;
    memcpy(room, iov.iov_base, n);
    need(signet_conn_received(to, n, 0), "a connection failed");
    signet_conn_sent(from, n);
    do {
        need(signet_conn_next(to, &event), "a connection failed");
        bench_need(event.kind != SIGNET_EVENT_FAILED, "a connection failed");
        *got += event.kind == SIGNET_EVENT_MESSAGE ? 1 : 0;
    } while (event.kind != SIGNET_EVENT_NONE);
    return true;
}

static void join_start(struct join *j, const struct job *job)
{
    unsigned got = 0;
    bool moved = true;
    make_keys(j);
    make_ends(j, job);
    while (moved) {
        moved = move(j->sender, j->receiver, &got);
        moved = move(j->receiver, j->sender, &got) || moved;
    }
    bench_need(strcmp(signet_conn_state(j->sender), "READY") == 0, "the session is not open");
}

static void join_stop(struct join *j)
{
    signet_conn_free(j->sender);
    signet_conn_free(j->receiver);
    signet_login_free(j->login);
    signet_client_free(j->client);
    signet_keyserver_free(j->keys);
    memset(j, 0, sizeof(*j));
}

/* Drops what is sealed. */
static void discard(struct signet_conn *conn)
{
    for (;;) {
        struct iovec iov[PIECES];
        size_t len = 0;
        int num = PIECES;
        need(signet_conn_output(conn, iov, &num), "the connection failed");
        for (int i = 0; i < num; i++) {
            len += iov[i].iov_len;
        }
        if (len == 0) {
            return;
        }
        signet_conn_sent(conn, len);
    }
}

static void send_one(struct job *j)
{
    struct signet_message m = {.type = 1};
    struct iovec data = {j->data, j->len};
    need(signet_conn_send(j->join.sender, &m, &data, 1, NULL), "a message was not sent");
}

/* Whoever finds nobody at it drives the connection. */
static void run_member(void *arg, unsigned index, uint64_t iters)
{
    struct job *j = arg;
    (void)index;
    for (uint64_t i = 0; i < iters; i++) {
        if (!j->reserved) {
            pthread_mutex_lock(&j->sending);
            send_one(j);
            discard(j->join.sender);
            pthread_mutex_unlock(&j->sending);
            continue;
        }
        send_one(j);
        if (pthread_mutex_trylock(&j->driving) == 0) {
            discard(j->join.sender);
            pthread_mutex_unlock(&j->driving);
        }
    }
}

static double measure(void *arg, uint64_t iters)
{
    struct job *j = arg;
    return bench_team_ns(&j->team, iters);
}

static void prepare(void *arg, uint64_t iters)
{
    struct job *j = arg;
    (void)iters;
    if (j->join.sender != NULL) {
        join_stop(&j->join);
    }
    join_start(&j->join, j);
}

/* What was sent arrives at the other end, opened. */
static int check(void *arg)
{
    struct job *j = arg;
    unsigned got = 0;
    prepare(j, 1);
    for (int i = 0; i < 3; i++) {
        send_one(j);
    }
    while (move(j->join.sender, j->join.receiver, &got)) {
    }
    return got != 3;
}

static void add_row(struct bench *b, const char *group, const char *name, const char *reference,
                    const struct job *like)
{
    struct job *j = bench_alloc(sizeof *j);
    *j = *like;
    pthread_mutex_init(&j->sending, NULL);
    pthread_mutex_init(&j->driving, NULL);
    bench_fill(j->data, sizeof j->data, 7);
    j->team.bursts = bench_quick(b) ? 3 : BURSTS;
    j->team.run = run_member;
    j->team.arg = j;
    struct bench_row row = {.group = group,
                            .name = name,
                            .arg = j,
                            .bytes = j->len,
                            .ops = j->team.members,
                            .iters = bench_quick(b) ? 20 : 0,
                            .check = check,
                            .prepare = prepare,
                            .measure = measure};
    if (reference != NULL) {
        row.versus[0].row = reference;
        row.versus[0].bar_median = j->reserved && j->team.members == 2 && j->len == LARGE ? 1.6 : 0;
    }
    bench_add(b, &row);
}

static void add_group(struct bench *b, unsigned handler, size_t len)
{
    static const char lock[] = "2 threads, seal under a lock";
    const char *group = bench_text(b, "%zu bytes, %s", len, handlers.name[handler]);
    struct job j = {.handler = handlers.at[handler], .len = len, .team = {.members = 2}};
    add_row(b, group, lock, NULL, &j);
    j.team.members = 1;
    add_row(b, group, "1 thread, seal under a lock", lock, &j);
    j.reserved = true;
    add_row(b, group, "1 thread, reserve then seal", lock, &j);
    j.team.members = 2;
    add_row(b, group, "2 threads, reserve then seal", lock, &j);
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    for (unsigned h = 0; h < handlers.num; h++) {
        add_group(b, h, LARGE);
        add_group(b, h, SMALL);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "one_conn",
        .question = "does sealing outside the lock pay when threads write on one connection?",
        .notes = "  ns are wall time per message of all threads together, header and frame\n"
                 "  included; what was sealed is dropped. Each sample is a fresh connection.\n",
        .setup = setup,
        .rounds = 20,
        .sample_ns = 2e6,
    };
    return bench_main(argc, argv, &program);
}
