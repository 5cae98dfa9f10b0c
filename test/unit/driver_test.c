/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/driver.h>

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "msg/driver_socket.h"
#include "support/conn_peer.h"

#define MS UINT64_C(1000000)

static struct test_peer peer;

/* A listening socket on loopback; its address is set. */
static int listen_on(bool six, struct signet_addr *addr)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in6 s6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr *any = six ? (struct sockaddr *)&s6 : (struct sockaddr *)&four;
    socklen_t len = six ? sizeof(s6) : sizeof(four);
    int fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, any, len) != 0 || listen(fd, 1) != 0) {
        return -1;
    }
    ck_assert_int_eq(getsockname(fd, any, &len), 0);
    assert_ok(signet_addr_parse(addr, six ? "v2:[::1]:1/0" : "v2:127.0.0.1:1/0"));
    addr->port = ntohs(six ? s6.sin6_port : four.sin_port);
    return fd;
}

/* What a server thread does with its one connection. */
struct service {
    int fd;
    const char *greeting; /* instead of the protocol, then the end of the stream */
    bool mute;            /* says nothing at all */
    bool deaf;            /* reads nothing after the handshake, until woken */
    sem_t wake;
};

static void *serve(void *arg)
{
    struct service *s = arg;
    uint8_t buf[4096];
    ssize_t n = 0;
    int fd = accept(s->fd, NULL, NULL);
    if (s->greeting != NULL) {
        n = send(fd, s->greeting, strlen(s->greeting), MSG_NOSIGNAL);
    }
    while (s->greeting == NULL && (n = recv(fd, buf, sizeof(buf), 0)) > 0) {
        if (!s->mute) {
            peer_input(&peer, buf, (size_t)n);
            n = send(fd, peer.out.p, peer.out.len, MSG_NOSIGNAL);
            peer.out.len = 0;
        }
        if (s->deaf && peer.num_got[SIGNET_TAG_CLIENT_IDENT] > 0) {
            sem_wait(&s->wake);
            s->deaf = false;
        }
    }
    close(fd);
    return NULL;
}

struct call {
    struct service service;
    pthread_t thread;
    struct signet_driver *driver;
    struct signet_conn *conn;
};

/* Dials the service of c, whose thread is started. */
static bool call_start(struct call *c, bool six, uint64_t handshake_ns)
{
    struct signet_addr addr;
    c->service.fd = listen_on(six, &addr);
    if (c->service.fd < 0) {
        return false; /* no IPv6 here */
    }
    peer_init(&peer, SIGNET_MON, SIGNET_MODE_SECURE);
    peer.ident.addrs.addr[0] = addr;
    sem_init(&c->service.wake, 0, 0);
    struct signet_conn_options options = peer_options(&peer);
    options.handshake_timeout_ns = handshake_ns;
    ck_assert_int_eq(pthread_create(&c->thread, NULL, serve, &c->service), 0);
    assert_ok(signet_driver_connect(&c->driver, &addr, 5000 * MS, NULL));
    assert_ok(signet_conn_new(&c->conn, &options, signet_driver_now_ns()));
    return true;
}

static void call_end(struct call *c)
{
    sem_post(&c->service.wake);
    signet_driver_free(c->driver);
    signet_conn_free(c->conn);
    pthread_join(c->thread, NULL);
    close(c->service.fd);
    peer_free(&peer);
}

/* Runs until an event of this kind, which must come within ten seconds. */
static void run_to(struct call *c, enum signet_event_kind kind, struct signet_event *event)
{
    uint64_t end = signet_driver_now_ns() + 10 * SEC;
    do {
        assert_ok(signet_driver_run(c->driver, c->conn, event, end));
        ck_assert_msg(event->kind != SIGNET_EVENT_FAILED || kind == SIGNET_EVENT_FAILED, "%s",
                      event->kind == SIGNET_EVENT_FAILED ? event->fail->text : "");
    } while (event->kind != kind);
}

START_TEST(whole_session)
{
    struct call c = {.service = {.greeting = NULL}};
    struct signet_event event;
    if (!call_start(&c, _i != 0, 0)) {
        return;
    }
    ck_assert_int_ge(signet_driver_fd(c.driver), 0);
    run_to(&c, SIGNET_EVENT_READY, &event);
    for (int i = 0; i < 3; i++) {
        fake_env_pass(&peer.fake, 1);
        assert_ok(signet_conn_keepalive(c.conn, signet_driver_now_ns()));
        run_to(&c, SIGNET_EVENT_KEEPALIVE_ACK, &event);
        ck_assert_uint_lt(event.pong.rtt_ns, 10 * SEC);
    }
    assert_err(signet_driver_run(c.driver, c.conn, &event, signet_driver_now_ns() + 20 * MS),
               TIMEOUT);
    ck_assert_int_eq(event.kind, SIGNET_EVENT_NONE);
    static uint8_t big[1 << 20];
    struct iovec data = {big, sizeof(big)};
    struct signet_message m = {.type = 1};
    assert_ok(signet_conn_send(c.conn, &m, &data, 1, NULL));
    assert_ok(signet_driver_flush(c.driver, c.conn, signet_driver_now_ns() + 10 * SEC));
    ck_assert_uint_eq(signet_conn_queued(c.conn), 0);
    call_end(&c);
}
END_TEST

START_TEST(failures_of_the_peer)
{
    static const struct {
        struct service service;
        int err;
    } rows[] = {
        {{.greeting = ""}, -SIGNET_E_PEER_CLOSED},
        {{.greeting = "ceph v2\n"}, -SIGNET_E_PEER_CLOSED},
        {{.greeting = "ceph v027..."}, -SIGNET_E_MSGR1_PEER},
        {{.greeting = "SSH-2.0-OpenSSH_9.2p1\r\n"}, -SIGNET_E_NOT_CEPH},
        {{.mute = true}, -SIGNET_E_HANDSHAKE_TIMEOUT},
    };
    struct call c = {.service = rows[_i].service};
    struct signet_event event;
    ck_assert(call_start(&c, false, rows[_i].service.mute ? 100 * MS : 0));
    run_to(&c, SIGNET_EVENT_FAILED, &event);
    ck_assert_int_eq(event.fail->err, rows[_i].err);
    /* and again, without an event */
    ck_assert_int_eq(signet_driver_run(c.driver, c.conn, &event, UINT64_MAX), rows[_i].err);
    call_end(&c);
}
END_TEST

START_TEST(flush_has_an_end)
{
    struct call c = {.service = {.deaf = true}};
    struct signet_event event;
    static uint8_t big[1 << 20];
    struct iovec data = {big, sizeof(big)};
    struct signet_message m = {.type = 1};
    ck_assert(call_start(&c, false, 0));
    run_to(&c, SIGNET_EVENT_READY, &event);
    for (int i = 0; i < 32; i++) { /* more than sockets hold */
        assert_ok(signet_conn_send(c.conn, &m, &data, 1, NULL));
    }
    assert_err(signet_driver_flush(c.driver, c.conn, 0), TIMEOUT);
    call_end(&c);
}
END_TEST

START_TEST(nobody_listens)
{
    struct signet_addr addr;
    struct signet_driver *driver;
    struct signet_fail fail = {0};
    int fd = listen_on(false, &addr);
    close(fd);
    assert_err(signet_driver_connect(&driver, &addr, 1000 * MS, &fail), CONNECT_REFUSED);
    ck_assert_ptr_null(driver);
    ck_assert_int_eq(fail.err, -SIGNET_E_CONNECT_REFUSED);
    ck_assert_ptr_nonnull(strstr(fail.text, "127.0.0.1"));
    addr.family = SIGNET_FAMILY_NONE;
    assert_err(signet_driver_connect(&driver, &addr, 1000 * MS, &fail), INVAL);
}
END_TEST

START_TEST(connect_times_out)
{
    /* A full backlog: further connection requests are not answered. */
    struct signet_addr addr;
    struct signet_driver *drivers[8] = {NULL};
    int fd = listen_on(false, &addr), err = 0;
    for (int i = 0; i < 8 && err == 0; i++) {
        err = signet_driver_connect(&drivers[i], &addr, 100 * MS, NULL);
    }
    ck_assert_int_eq(err, -SIGNET_E_TIMEOUT);
    for (int i = 0; i < 8; i++) {
        signet_driver_free(drivers[i]);
    }
    close(fd);
}
END_TEST

START_TEST(errors_of_connect)
{
    assert_err(signet_socket_connect_error(ECONNREFUSED), CONNECT_REFUSED);
    assert_err(signet_socket_connect_error(ENETUNREACH), UNREACHABLE);
    assert_err(signet_socket_connect_error(EHOSTUNREACH), UNREACHABLE);
    assert_err(signet_socket_connect_error(EAFNOSUPPORT), UNREACHABLE);
    assert_err(signet_socket_connect_error(ETIMEDOUT), TIMEOUT);
    assert_err(signet_socket_connect_error(EACCES), SOCKET);
}
END_TEST

START_TEST(resolver)
{
    struct signet_addr addr = {0};
    struct signet_addrvec list[2];
    size_t num;
    char label[80];
    assert_ok(signet_driver_resolve(NULL, "localhost", &addr));
    ck_assert(addr.family == SIGNET_FAMILY_IPV4 || addr.family == SIGNET_FAMILY_IPV6);
    assert_ok(signet_addr_list_parse(list, 2, &num, "v2:localhost:3300", signet_driver_resolve,
                                     NULL, NULL));
    memset(label, 'a', sizeof(label)); /* longer than a label may be: no server is asked */
    label[79] = 0;
    assert_err(signet_driver_resolve(NULL, label, &addr), RESOLVE);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("driver");
    TCase *t = suite_case(s, "driver");
    tcase_add_loop_test(t, whole_session, 0, 2);
    tcase_add_loop_test(t, failures_of_the_peer, 0, 5);
    tcase_add_test(t, flush_has_an_end);
    tcase_add_test(t, nobody_listens);
    tcase_add_test(t, connect_times_out);
    tcase_add_test(t, errors_of_connect);
    tcase_add_test(t, resolver);
    return suite_run(s);
}
