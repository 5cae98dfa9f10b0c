/* SPDX-License-Identifier: MIT */
/* What does it bring to seal outside the lock when threads write on one connection? */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "common/bench_join.h"
#include "common/bench_signet.h"
#include "common/bench_team.h"

enum { BURSTS = 21, LARGE = 65536, SMALL = 4096, PIECES = 16 };

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
    const struct join_options o = {.handler = j->handler, .senders = j->reserved};
    join_start(&j->join, &o);
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
