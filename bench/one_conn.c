/* SPDX-License-Identifier: MIT */
/* What does it bring to seal outside the lock when threads write on one connection? */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "common/bench_join.h"
#include "common/bench_signet.h"
#include "common/bench_team.h"
#include "one_conn_wire.h"

enum {
    BURSTS = 21,
    LARGE = 65536,
    SMALL = 4096,
    PIECES = 16,
    QUEUED_MAX = 512 << 10, /* sealed and not written: who finds more waits for its turn to write */
};

struct job {
    const struct signet_handler *handler;
    bool reserved; /* seal outside the lock */
    bool socket;   /* what is sealed goes to a reader, else it is dropped */
    size_t len;
    struct bench_team team;
    struct join join;
    struct wire wire;
    pthread_mutex_t sending, driving;
    _Atomic uint64_t sent;  /* messages, while there is a reader */
    pthread_barrier_t done; /* members at the end of their bursts */
    uint8_t data[LARGE];
};

static struct bench_handlers handlers;

static void need(int err, const char *what)
{
    bench_need(err == 0, what);
}

/* Writes or drops what is sealed. */
static void give_out(struct job *j)
{
    struct signet_conn *conn = j->join.sender;
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
        if (j->socket) {
            wire_write(&j->wire, iov, num);
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

static void send_locked(struct job *j)
{
    pthread_mutex_lock(&j->sending);
    send_one(j);
    give_out(j);
    pthread_mutex_unlock(&j->sending);
}

/* Whoever finds nobody at it drives the connection. */
static void send_reserved(struct job *j)
{
    send_one(j);
    if (signet_conn_queued(j->join.sender) > QUEUED_MAX) {
        pthread_mutex_lock(&j->driving);
    } else if (pthread_mutex_trylock(&j->driving) != 0) {
        return;
    }
    give_out(j);
    pthread_mutex_unlock(&j->driving);
}

/* With a reader a burst lasts until it has opened all: one member sees to that, the others sleep.
 */
static void finish_burst(struct job *j, uint64_t iters)
{
    atomic_fetch_add(&j->sent, iters);
    int turn = pthread_barrier_wait(&j->done);
    if (turn == PTHREAD_BARRIER_SERIAL_THREAD) {
        give_out(j);
        wire_await(&j->wire, atomic_load(&j->sent));
    }
    pthread_barrier_wait(&j->done);
}

static void run_member(void *arg, unsigned index, uint64_t iters)
{
    struct job *j = arg;
    (void)index;
    for (uint64_t i = 0; i < iters; i++) {
        if (j->reserved) {
            send_reserved(j);
        } else {
            send_locked(j);
        }
    }
    if (j->socket) {
        finish_burst(j, iters);
    }
}

static double measure(void *arg, uint64_t iters)
{
    struct job *j = arg;
    if (!j->socket) {
        return bench_team_ns(&j->team, iters);
    }
    atomic_store(&j->sent, 0);
    j->wire.receiver = j->join.receiver;
    j->wire.len = j->len;
    wire_start(&j->wire);
    double ns = bench_team_ns(&j->team, iters);
    wire_stop(&j->wire);
    return ns;
}

static void prepare(void *arg, uint64_t iters)
{
    struct job *j = arg;
    (void)iters;
    if (j->join.sender != NULL) {
        join_stop(&j->join);
    }
    const struct join_options o = {.handler = j->handler, .senders = j->reserved};
    join_start(&j->join, &o);
}

/* What was sent arrives at the other end, opened. */
static int check(void *arg)
{
    struct job *j = arg;
    unsigned got = 0;
    prepare(j, 1);
    if (j->socket) {
        j->wire.expect = j->data;
        (void)measure(j, 3); /* returns when the reader has opened as many as were sent */
        j->wire.expect = NULL;
        return atomic_load(&j->wire.opened) != atomic_load(&j->sent);
    }
    for (int i = 0; i < 3; i++) {
        send_one(j);
    }
    while (join_move(j->join.sender, j->join.receiver, &got)) {
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
    pthread_barrier_init(&j->done, NULL, j->team.members);
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
        bool held = j->reserved && !j->socket && j->team.members == 2 && j->len == LARGE;
        row.versus[0].row = reference;
        row.versus[0].bar_median = held ? 1.6 : 0;
    }
    bench_add(b, &row);
}

static void add_group(struct bench *b, unsigned handler, size_t len, bool socket)
{
    static const unsigned members[] = {1, 2, 4, 8};
    const char *group = bench_text(b, "%zu KiB, %s, %s", len >> 10,
                                   socket ? "to a reader" : "dropped", handlers.name[handler]);
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++) {
        const char *who = bench_text(b, "%u writer%s", members[i], members[i] > 1 ? "s" : "");
        const char *lock = bench_text(b, "%s, seal under a lock", who);
        const char *reserve = bench_text(b, "%s, reserve then seal", who);
        struct job j = {.handler = handlers.at[handler],
                        .len = len,
                        .socket = socket,
                        .team = {.members = members[i]}};
        add_row(b, group, lock, NULL, &j);
        j.reserved = true;
        add_row(b, group, reserve, lock, &j);
    }
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    for (unsigned h = 0; h < handlers.num; h++) {
        for (unsigned socket = 0; socket < 2; socket++) {
            add_group(b, h, LARGE, socket == 1);
            add_group(b, h, SMALL, socket == 1);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "one_conn",
        .question = "does sealing outside the lock pay when threads write on one connection?",
        .notes = "  ns are wall time per message of all writers together, header and frame\n"
                 "  included. What was sealed is dropped, or written to a socket whose other end\n"
                 "  another thread on the same processors reads and opens; then a sample ends\n"
                 "  when all is opened. Each sample is a fresh connection.\n",
        .setup = setup,
        .rounds = 20,
        .sample_ns = 2e6,
    };
    return bench_main(argc, argv, &program);
}
