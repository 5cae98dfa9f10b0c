/* SPDX-License-Identifier: MIT */
#include "support/pair.h"

#include <stdio.h>
#include <string.h>

static void use(const char *handler)
{
    if (handler != NULL) {
        assert_ok(signet_handler_use(signet_handler_find(handler)));
    }
}

void pair_init(struct pair *p, struct cluster *cluster, struct signet_client *client,
               uint32_t service, enum signet_con_mode mode)
{
    struct signet_addr listen;
    memset(p, 0, sizeof(*p));
    p->cluster = cluster;
    assert_ok(signet_addr_parse(&listen, service == SIGNET_MON ? "v2:127.0.0.1:3300/0"
                                                               : "v2:127.0.0.1:6800/77"));
    struct signet_conn_options common = {
        .env = fake_env_make(&cluster->fake), .modes = {mode}, .num_modes = 1};
    p->client_options = p->server_options = common;
    p->client_options.role = SIGNET_ROLE_CLIENT;
    p->client_options.peer_type = service;
    p->client_options.target = listen;
    p->client_options.client = client;
    p->server_options.role = SIGNET_ROLE_SERVER;
    p->server_options.own_type = service;
    p->server_options.own = listen;
    assert_ok(signet_addr_parse(&p->server_options.target, "v2:127.0.0.1:40000/0"));
}

void pair_open(struct pair *p)
{
    uint64_t now = p->cluster->fake.mono_ns;
    use(p->server_on);
    assert_ok(signet_login_new(&p->login, p->cluster->server, p->server_options.own_type));
    p->server_options.login = p->login;
    assert_ok(signet_conn_new(&p->server, &p->server_options, now));
    use(p->client_on);
    assert_ok(signet_conn_new(&p->client, &p->client_options, now));
}

void pair_close(struct pair *p)
{
    signet_conn_free(p->client);
    signet_conn_free(p->server);
    signet_login_free(p->login);
    p->client = p->server = NULL;
    p->login = NULL;
}

static void note(struct pair_log *log, const struct signet_event *event)
{
    ck_assert_uint_lt(log->num, PAIR_EVENTS);
    log->kind[log->num++] = event->kind;
    if (event->kind == SIGNET_EVENT_FAILED) {
        log->fail = *event->fail;
    } else if (event->kind == SIGNET_EVENT_REFUSED) {
        log->refused = event->refused;
    } else if (event->kind == SIGNET_EVENT_MESSAGE) {
        log->message = event->message;
        snprintf(log->text, sizeof(log->text), "%.*s", (int)event->message.data.len,
                 (const char *)event->message.data.p);
    }
}

static void drain(struct signet_conn *conn, struct pair_log *log)
{
    struct signet_event event;
    do {
        assert_ok(signet_conn_next(conn, &event));
        if (event.kind != SIGNET_EVENT_NONE) {
            note(log, &event);
        }
    } while (event.kind != SIGNET_EVENT_NONE);
}

/* Up to chunk bytes; false when there is nothing to move. */
static bool move_some(struct signet_conn *from, struct signet_conn *to, size_t chunk, uint64_t now)
{
    struct iovec iov;
    uint8_t *room;
    size_t cap;
    int num = 1;
    if (signet_conn_output(from, &iov, &num) != 0 || num == 0) {
        return false;
    }
    size_t n = iov.iov_len < chunk ? iov.iov_len : chunk;
    if (signet_conn_recv_buffer(to, &room, &cap) == 0) {
        n = n < cap ? n : cap;
        memcpy(room, iov.iov_base, n);
        assert_ok(signet_conn_received(to, n, now));
    }
    signet_conn_sent(from, n);
    return true;
}

void pair_run(struct pair *p, size_t chunk)
{
    uint64_t now = p->cluster->fake.mono_ns;
    bool moved = true;
    while (moved) {
        use(p->server_on);
        drain(p->server, &p->at_server);
        moved = move_some(p->server, p->client, chunk, now);
        use(p->client_on);
        drain(p->client, &p->at_client);
        moved = move_some(p->client, p->server, chunk, now) || moved;
    }
}

bool pair_saw(const struct pair_log *log, enum signet_event_kind kind)
{
    for (unsigned i = 0; i < log->num; i++) {
        if (log->kind[i] == kind) {
            return true;
        }
    }
    return false;
}

void pair_say(struct signet_conn *from, const char *text)
{
    struct signet_message message = {.type = 42, .priority = 63, .version = 1};
    struct iovec data = {.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text)};
    assert_ok(signet_conn_send(from, &message, &data, 1, NULL));
}
