/* SPDX-License-Identifier: MIT */
#include "support/rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "msg/driver_socket.h"

static int on_ready(void *arg, struct signet_peer *peer, const struct signet_event_ready *ready)
{
    struct rig_side *side = arg;
    (void)ready;
    atomic_store(&side->peer, peer);
    atomic_fetch_add(&side->ready, 1);
    return side->ready_err;
}

static int on_message(void *arg, struct signet_peer *peer, const struct signet_message *message)
{
    struct rig_side *side = arg;
    if (side->on_message != NULL) {
        return side->on_message(side, peer, message);
    }
    if (side->echo) {
        struct iovec data = {(void *)(uintptr_t)message->data.p, message->data.len};
        struct signet_message m = *message;
        int err = signet_peer_send(peer, &m, &data, 1, NULL);
        if (err != 0) {
            return err;
        }
    }
    atomic_fetch_add(&side->bytes, message->data.len);
    atomic_fetch_add(&side->messages, 1);
    return side->message_err;
}

static void on_closed(void *arg, struct signet_peer *peer, const struct signet_fail *why)
{
    struct rig_side *side = arg;
    (void)peer;
    memcpy(side->last_text, why->text, sizeof(side->last_text));
    atomic_fetch_add(&side->cause[-why->err], 1);
    atomic_fetch_add(&side->closed, 1);
}

static void on_writable(void *arg, struct signet_peer *peer)
{
    struct rig_side *side = arg;
    atomic_fetch_add(&side->writable, 1);
    if (side->on_writable != NULL) {
        side->on_writable(side, peer);
    }
}

static void on_event(void *arg, struct signet_peer *peer, const struct signet_event *event)
{
    struct rig_side *side = arg;
    (void)peer;
    (void)event;
    atomic_fetch_add(&side->events, 1);
}

static const struct signet_peer_ops ops = {.event = on_event,
                                           .ready = on_ready,
                                           .message = on_message,
                                           .writable = on_writable,
                                           .closed = on_closed};

void rig_init(struct rig *rig)
{
    memset(rig, 0, sizeof(*rig));
    rig->server_options.threads = rig->client_options.threads = 1;
    rig->listen = "v2:127.0.0.1:0/0";
    rig->at_server.rig = rig->at_client.rig = rig;
    rig->at_server.echo = true;
    rig->conn.env = signet_env_system();
}

static void open_keys(struct rig *rig)
{
    static const struct signet_cap caps[] = {{"mon", "allow r"}};
    struct signet_keyserver_options o = {.env = signet_env_system()};
    struct signet_name name;
    assert_ok(signet_keyserver_open(&rig->keys, &o, NULL));
    assert_ok(signet_key_generate(&rig->key, SIGNET_KEY_AES256K, NULL));
    assert_ok(signet_name_parse(&name, "client.a"));
    assert_ok(signet_keyserver_put(rig->keys, &name, rig->key, caps, 1));
}

void rig_start(struct rig *rig)
{
    struct signet_fail fail = {0};
    struct signet_listener_options o = {
        .service = SIGNET_MON, .ops = ops, .arg = &rig->at_server, .conn = rig->conn};
    open_keys(rig);
    o.keys = rig->keys;
    o.conn.pin = rig->server_pin;
    assert_ok(signet_addr_parse(&o.addr, rig->listen));
    assert_ok(signet_messenger_new(&rig->server, &rig->server_options));
    assert_ok(signet_messenger_new(&rig->client, &rig->client_options));
    ck_assert_msg(signet_messenger_listen(rig->server, &o, &rig->addr, &fail) == 0, "%s",
                  fail.text);
    ck_assert_uint_ne(rig->addr.port, 0);
}

void rig_stop(struct rig *rig)
{
    signet_messenger_free(rig->client);
    signet_messenger_free(rig->server);
    signet_keyserver_free(rig->keys);
    signet_key_unref(rig->key);
    rig->client = rig->server = NULL;
}

struct signet_client *rig_new_client(struct rig *rig)
{
    struct signet_client_options o = {
        .key = rig->key, .want = SIGNET_MON, .env = signet_env_system()};
    struct signet_client *client;
    assert_ok(signet_name_parse(&o.name, "client.a"));
    assert_ok(signet_client_new(&client, &o));
    return client;
}

struct signet_peer *rig_dial(struct rig *rig, struct signet_client *client, bool wait)
{
    struct signet_peer *peer;
    struct signet_dial_options o = {.conn = rig->conn,
                                    .ops = ops,
                                    .arg = &rig->at_client,
                                    .user = &rig->at_client,
                                    .worker = -1};
    unsigned before = atomic_load(&rig->at_client.ready);
    o.conn.role = SIGNET_ROLE_CLIENT;
    o.conn.peer_type = SIGNET_MON;
    o.conn.client = client;
    o.conn.target = rig->addr;
    o.conn.pin = rig->client_pin;
    assert_ok(signet_messenger_dial(rig->client, &o, &peer));
    if (wait) {
        rig_wait(&rig->at_client.ready, before + 1);
    }
    return peer;
}

int rig_send(struct signet_peer *peer, size_t len, uint64_t tid)
{
    static const uint8_t bytes[1 << 20];
    struct signet_message m = {.type = 42, .priority = 63, .version = 1, .tid = tid};
    struct iovec data = {(void *)(uintptr_t)bytes, len};
    return signet_peer_send(peer, &m, &data, 1, NULL);
}

uint64_t rig_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void rig_sleep_ms(unsigned ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

void rig_wait(atomic_uint *what, unsigned num)
{
    uint64_t until = rig_now_ms() + 30000;
    while (atomic_load(what) < num) {
        ck_assert_msg(rig_now_ms() < until, "%u of %u after 30 s", atomic_load(what), num);
        rig_sleep_ms(1);
    }
}

void rig_connect(const struct rig *rig, int fd)
{
    struct sockaddr_storage to;
    socklen_t len = signet_socket_addr(&to, &rig->addr);
    ck_assert_msg(connect(fd, (const struct sockaddr *)&to, len) == 0, "%s", strerror(errno));
}

int rig_socket(const struct rig *rig)
{
    int domain = rig->addr.family == SIGNET_FAMILY_IPV4 ? AF_INET : AF_INET6;
    int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    rig_connect(rig, fd);
    return fd;
}

uint16_t rig_port(const struct sockaddr_storage *at)
{
    struct signet_addr addr = {0};
    ck_assert(signet_socket_addr_read(&addr, at));
    return addr.port;
}

void rig_hold(void *go)
{
    while (atomic_load((atomic_uint *)go) == 0) {
        rig_sleep_ms(1);
    }
}

void rig_drain_here(void *messenger)
{
    assert_err(signet_messenger_drain(messenger, 0), STATE);
}

size_t rig_resident(void)
{
    char text[128] = {0};
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
    close(fd);
    return strtoul(strchr(text, ' '), NULL, 10) * 4096;
}
