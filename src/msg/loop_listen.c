/* SPDX-License-Identifier: MIT */
/* Listening: one socket per worker, the kernel spreads connections over them; and accepting. */
#include "msg/loop.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "msg/driver_socket.h"
#include "msg/session_internal.h"

#define ACCEPT_PAUSE_NS UINT64_C(100000000)

enum { ACCEPTS = 64 /* of one socket in a round */, BACKLOG = 1024 };

/* --- a new peer ---------------------------------------------------------------------------- */

static void set_options(struct signet_conn_options *o, const struct listener *listener,
                        struct signet_peer *peer)
{
    struct sockaddr_storage dialled;
    socklen_t len = sizeof(dialled);
    *o = listener->o.conn;
    o->role = SIGNET_ROLE_SERVER;
    o->own_type = listener->o.service;
    o->own = listener->o.addr;
    if (listener->any && getsockname(peer->fd, (struct sockaddr *)&dialled, &len) == 0) {
        (void)signet_socket_addr_read(&o->own, &dialled);
    }
    o->target = peer->addr;
    o->login = peer->login;
    o->env = peer->messenger->o.env;
    loop_peer_set_options(peer, o);
}

static int set_up(struct signet_peer *peer, const struct listener *listener)
{
    struct signet_conn_options o;
    int err = signet_login_new(&peer->login, listener->o.keys, listener->o.service);
    if (err == 0) {
        set_options(&o, listener, peer);
        err = signet_conn_new(&peer->conn, &o, peer->worker->now_ns);
    }
    if (err == 0) {
        err = loop_watch(peer->worker, peer->fd, &peer->source);
    }
    return err == 0 ? loop_join(peer) : err;
}

/* Not even a peer came of it. */
static void turn_away(struct signet_peer *peer, int err)
{
    struct worker *worker = peer->worker;
    loop_count_closed(worker, err);
    atomic_fetch_sub_explicit(&worker->num_peers, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&peer->messenger->num_accepted, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&peer->messenger->num_half_open, 1, memory_order_relaxed);
    loop_close_fd(worker, &peer->fd);
    signet_login_free(peer->login);
    signet_peer_unref(peer);
}

static void admit(struct worker *worker, const struct listener *listener, int fd,
                  const struct signet_addr *addr)
{
    struct signet_peer *peer = loop_peer_new(worker, &listener->o.ops, listener->o.arg);
    if (peer == NULL) {
        loop_count_closed(worker, -SIGNET_E_NOMEM);
        atomic_fetch_sub_explicit(&worker->messenger->num_accepted, 1, memory_order_relaxed);
        atomic_fetch_sub_explicit(&worker->messenger->num_half_open, 1, memory_order_relaxed);
        close(fd);
        return;
    }
    atomic_fetch_add_explicit(&worker->num_peers, 1, memory_order_relaxed);
    peer->fd = fd;
    peer->addr = *addr;
    signet_socket_no_delay(fd);
    int err = set_up(peer, listener);
    if (err != 0) {
        turn_away(peer, err);
        return;
    }
    peer->stage = PEER_OPEN;
    peer->accepted = peer->half_open = peer->can_write = true;
    cds_list_add_tail(&peer->in_half_open, &worker->half_open);
    loop_add(&worker->counts.accepted, 1);
    loop_run_soon(peer);
}

/* The limits: 0, or why not. */
static int make_place(struct worker *worker)
{
    struct signet_messenger *m = worker->messenger;
    if (atomic_fetch_add_explicit(&m->num_accepted, 1, memory_order_relaxed) >= m->o.max_peers) {
        atomic_fetch_sub_explicit(&m->num_accepted, 1, memory_order_relaxed);
        return -SIGNET_E_PEER_LIMIT;
    }
    if (atomic_fetch_add_explicit(&m->num_half_open, 1, memory_order_relaxed) <
        m->o.max_half_open) {
        return 0;
    }
    if (!cds_list_empty(&worker->half_open)) {
        loop_finish_err(cds_list_first_entry(&worker->half_open, struct signet_peer, in_half_open),
                        -SIGNET_E_HALF_OPEN_LIMIT);
        return 0;
    }
    atomic_fetch_sub_explicit(&m->num_half_open, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&m->num_accepted, 1, memory_order_relaxed);
    return -SIGNET_E_HALF_OPEN_LIMIT;
}

static void accepted(struct worker *worker, const struct listener *listener, int fd,
                     const struct sockaddr_storage *from)
{
    struct signet_addr addr = {.type = SIGNET_ADDR_MSGR2};
    (void)signet_socket_addr_read(&addr, from);
    int err = make_place(worker);
    if (err != 0) {
        loop_count_closed(worker, err);
        close(fd);
        return;
    }
    admit(worker, listener, fd, &addr);
}

static void accept_failed(struct worker *worker, struct listener_socket *socket, int errnum)
{
    switch (errnum) {
    case EAGAIN:
        socket->can_accept = false;
        break;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM: /* it would fail again at once: wait until something was given back */
        loop_add(&worker->counts.accept_errors, 1);
        worker->accept_ns = worker->now_ns + ACCEPT_PAUSE_NS;
        break;
    case EBADF:
    case EINVAL:
    case ENOTSOCK:
    case EOPNOTSUPP:
        socket->can_accept = false;
        loop_add(&worker->counts.accept_errors, 1);
        break;
    default: /* of that one connection */
        break;
    }
}

void loop_accept(struct worker *worker, struct listener_socket *socket)
{
    for (int i = 0; i < ACCEPTS && socket->can_accept && worker->accept_ns == UINT64_MAX; i++) {
        struct sockaddr_storage from;
        socklen_t len = sizeof(from);
        int fd = accept4(socket->fd, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            accept_failed(worker, socket, errno);
        } else {
            accepted(worker, socket->listener, fd, &from);
        }
    }
}

/* --- sockets ------------------------------------------------------------------------------- */

static int option(int fd, int level, int name)
{
    int on = 1;
    return setsockopt(fd, level, name, &on, sizeof(on));
}

/* Bound to *addr, whose port is set if it was 0. Negative: errno. */
static int bind_new(struct signet_addr *addr, bool share)
{
    struct sockaddr_storage at;
    socklen_t len = signet_socket_addr(&at, addr);
    int fd = signet_socket_new(addr);
    bool ok = fd >= 0 && option(fd, SOL_SOCKET, SO_REUSEADDR) == 0 &&
              (addr->family != SIGNET_FAMILY_IPV6 || option(fd, IPPROTO_IPV6, IPV6_V6ONLY) == 0) &&
              (!share || option(fd, SOL_SOCKET, SO_REUSEPORT) == 0) &&
              bind(fd, (const struct sockaddr *)&at, len) == 0;
    len = sizeof(at);
    if (ok && getsockname(fd, (struct sockaddr *)&at, &len) == 0) {
        (void)signet_socket_addr_read(addr, &at);
        return fd;
    }
    int errnum = errno;
    if (fd >= 0) {
        close(fd);
    }
    return -errnum;
}

static int bind_error(int errnum, const struct signet_addr *addr, struct signet_fail *fail)
{
    char text[SIGNET_ADDR_TEXT_MAX];
    signet_addr_print(addr, text);
    if (errnum == EADDRINUSE) {
        return signet_fail_set(fail, -SIGNET_E_ADDR_IN_USE, "listen", 0,
                               "%s: another program listens there; stop it or take another port",
                               text);
    }
    const char *hint = errnum == EADDRNOTAVAIL ? " (no interface of this host has the address)"
                       : errnum == EACCES      ? " (ports below 1024 need CAP_NET_BIND_SERVICE)"
                                               : "";
    return signet_fail_set(fail, -SIGNET_E_SOCKET, "listen", 0, "%s: %s%s", text, strerror(errnum),
                           hint);
}

/* All workers' sockets share the port, so they would also share it with another process that does
 * the same: a socket that does not share finds out whether somebody is there. */
static int bind_all(struct listener *listener, unsigned num)
{
    int probe = bind_new(&listener->o.addr, false);
    int err = probe < 0 ? probe : 0;
    for (unsigned i = 0; i < num && err == 0; i++) {
        listener->socket[i].fd = bind_new(&listener->o.addr, true);
        err = listener->socket[i].fd < 0 ? listener->socket[i].fd : 0;
    }
    if (probe >= 0) {
        close(probe);
    }
    for (unsigned i = 0; i < num && err == 0; i++) {
        err = listen(listener->socket[i].fd, BACKLOG) != 0 ? -errno : 0;
    }
    return err;
}

static void listener_free(struct listener *listener, unsigned num)
{
    if (listener->o.conn.sessions != NULL) {
        sessions_unref(listener->o.conn.sessions);
    }
    for (unsigned i = 0; i < num; i++) {
        if (listener->socket[i].fd >= 0) {
            close(listener->socket[i].fd);
        }
    }
    free(listener);
}

void loop_listeners_free(struct signet_messenger *m)
{
    struct listener *listener, *next;
    bool child = m->pid != getpid();
    cds_list_for_each_entry_safe(listener, next, &m->listeners, in_listeners)
    {
        listener_free(listener, child ? 0 : m->num_workers);
    }
}

/* --- at the worker ------------------------------------------------------------------------- */

static void begin(struct worker *worker, struct loop_note *note)
{
    struct listener_socket *s = caa_container_of(note, struct listener_socket, note);
    if (worker->draining) {
        loop_close_fd(worker, &s->fd);
        return;
    }
    cds_list_add_tail(&s->in_sockets, &worker->sockets);
    s->can_accept = true;
    worker->expire_ns = worker->now_ns;
    if (loop_watch(worker, s->fd, &s->source) != 0) {
        loop_add(&worker->counts.accept_errors, 1); /* as if it were not there: others accept */
    }
}

void loop_stop_listening(struct worker *worker)
{
    struct listener_socket *s, *next;
    cds_list_for_each_entry_safe(s, next, &worker->sockets, in_sockets)
    {
        cds_list_del_init(&s->in_sockets);
        loop_close_fd(worker, &s->fd);
    }
}

/* One worker is enough for each table. */
void loop_expire(struct worker *worker)
{
    struct listener_socket *s;
    worker->expire_ns = UINT64_MAX;
    cds_list_for_each_entry(s, &worker->sockets, in_sockets)
    {
        struct signet_sessions *sessions = s->listener->o.conn.sessions;
        if (sessions != NULL && worker->index == 0) {
            uint64_t next = sessions_expire_next(sessions, worker->now_ns);
            worker->expire_ns = next < worker->expire_ns ? next : worker->expire_ns;
        }
    }
}

static bool is_any(const struct signet_addr *addr)
{
    static const uint8_t zero[16];
    return memcmp(addr->ip, zero, sizeof(zero)) == 0;
}

static bool valid(const struct signet_listener_options *o)
{
    bool ip = o->addr.family == SIGNET_FAMILY_IPV4 || o->addr.family == SIGNET_FAMILY_IPV6;
    return ip && o->keys != NULL && o->service != 0;
}

static struct listener *listener_new(const struct signet_listener_options *o, unsigned num)
{
    struct listener *l = calloc(1, sizeof(*l) + num * sizeof(l->socket[0]));
    if (l == NULL) {
        return NULL;
    }
    l->o = *o;
    l->any = is_any(&o->addr);
    if (o->conn.sessions != NULL) {
        sessions_ref(o->conn.sessions);
    }
    for (unsigned i = 0; i < num; i++) {
        l->socket[i] = (struct listener_socket){
            .source = {SOURCE_LISTENER}, .listener = l, .fd = -1, .note = {.run = begin}};
        CDS_INIT_LIST_HEAD(&l->socket[i].in_sockets);
    }
    return l;
}

int signet_messenger_listen(struct signet_messenger *m,
                            const struct signet_listener_options *options,
                            struct signet_addr *bound, struct signet_fail *fail)
{
    if (!valid(options)) {
        return signet_fail_set(fail, -SIGNET_E_INVAL, "listen", 0,
                               "an address with an ip, keys and a service are needed");
    }
    if (atomic_load(&m->draining)) {
        return signet_fail_set(fail, -SIGNET_E_STATE, "listen", 0, "the messenger is drained");
    }
    struct listener *listener = listener_new(options, m->num_workers);
    if (listener == NULL) {
        return signet_fail_set(fail, -SIGNET_E_NOMEM, "listen", 0, "out of memory");
    }
    int errnum = -bind_all(listener, m->num_workers);
    if (errnum != 0) {
        listener_free(listener, m->num_workers);
        return bind_error(errnum, &options->addr, fail);
    }
    if (bound != NULL) {
        *bound = listener->o.addr;
    }
    pthread_mutex_lock(&m->lock);
    cds_list_add_tail(&listener->in_listeners, &m->listeners);
    pthread_mutex_unlock(&m->lock);
    for (unsigned i = 0; i < m->num_workers; i++) {
        (void)loop_post(&m->worker[i], &listener->socket[i].note); /* it has not ended */
    }
    return 0;
}
