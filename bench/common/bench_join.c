/* SPDX-License-Identifier: MIT */
/* Two ends of a connection, joined in memory. */
#include "common/bench_join.h"

#include <string.h>

#include "common/bench.h"

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

static void make_ends(struct join *j, const struct join_options *options)
{
    struct signet_conn_options o = {.env = signet_env_system(),
                                    .pin = options->handler,
                                    .modes = {options->mode},
                                    .num_modes = options->mode != 0 ? 1 : 0};
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
    o.senders = options->senders;
    need(signet_conn_new(&j->sender, &o, 0), "no client");
}

/* Moves what is there; the number of messages that arrived in *got. */
bool join_move(struct signet_conn *from, struct signet_conn *to, unsigned *got)
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

void join_start(struct join *j, const struct join_options *options)
{
    unsigned got = 0;
    bool moved = true;
    make_keys(j);
    make_ends(j, options);
    while (moved) {
        moved = join_move(j->sender, j->receiver, &got);
        moved = join_move(j->receiver, j->sender, &got) || moved;
    }
    bench_need(strcmp(signet_conn_state(j->sender), "READY") == 0, "the session is not open");
}

void join_stop(struct join *j)
{
    signet_conn_free(j->sender);
    signet_conn_free(j->receiver);
    signet_login_free(j->login);
    signet_client_free(j->client);
    signet_keyserver_free(j->keys);
    memset(j, 0, sizeof(*j));
}
