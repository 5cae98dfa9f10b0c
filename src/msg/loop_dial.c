/* SPDX-License-Identifier: MIT */
/* Connecting without waiting. */
#include "msg/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fail.h"
#include "msg/driver_socket.h"

static void failed(struct signet_peer *peer, int errnum)
{
    char text[SIGNET_ADDR_TEXT_MAX];
    signet_fail_set(&peer->why, signet_socket_connect_error(errnum), "connect", 0, "%s: %s",
                    signet_addr_print(&peer->addr, text), strerror(errnum));
    loop_finish(peer);
}

static int start_connect(struct signet_peer *peer)
{
    struct sockaddr_storage to;
    socklen_t len = signet_socket_addr(&to, &peer->addr);
    peer->fd = signet_socket_new(&peer->addr);
    if (peer->fd < 0) {
        return errno;
    }
    signet_socket_no_delay(peer->fd);
    if (connect(peer->fd, (const struct sockaddr *)&to, len) != 0 && errno != EINPROGRESS &&
        errno != EINTR) {
        return errno;
    }
    return loop_watch(peer->worker, peer->fd, &peer->source) == 0 ? 0 : errno;
}

/* Its worker takes it over. */
static void start(struct worker *worker, struct loop_note *note)
{
    struct signet_peer *peer = caa_container_of(note, struct signet_peer, note);
    loop_peer_begin_notes(peer);
    loop_add(&worker->counts.dialled, 1);
    int err = loop_join(peer);
    if (err == 0 && worker->draining) {
        err = -SIGNET_E_SHUTDOWN;
    }
    if (err != 0) {
        loop_finish_err(peer, err);
        return;
    }
    int errnum = start_connect(peer);
    if (errnum != 0) {
        failed(peer, errnum);
        return;
    }
    peer->stage = PEER_DIALLING;
    loop_run_soon(peer); /* somebody may have closed it; and its deadline */
}

void loop_connected(struct signet_peer *peer)
{
    int errnum = 0;
    socklen_t len = sizeof(errnum);
    if (getsockopt(peer->fd, SOL_SOCKET, SO_ERROR, &errnum, &len) != 0) {
        errnum = errno;
    }
    if (errnum != 0) {
        failed(peer, errnum);
        return;
    }
    peer->stage = PEER_OPEN;
}

static struct worker *choose(struct signet_messenger *m, int index)
{
    if (index >= 0) {
        return &m->worker[index];
    }
    struct worker *best = &m->worker[0];
    unsigned least = UINT32_MAX;
    for (unsigned i = 0; i < m->num_workers; i++) {
        unsigned num = atomic_load_explicit(&m->worker[i].num_peers, memory_order_relaxed);
        if (num < least) {
            best = &m->worker[i];
            least = num;
        }
    }
    return best;
}

static int make(struct signet_messenger *m, const struct signet_dial_options *options,
                struct signet_peer **out)
{
    struct signet_conn_options o = options->conn;
    struct signet_peer *peer =
        loop_peer_new(choose(m, options->worker), &options->ops, options->arg);
    *out = peer;
    if (peer == NULL) {
        return -SIGNET_E_NOMEM;
    }
    loop_peer_set_options(peer, &o);
    peer->addr = o.target;
    peer->user = options->user;
    peer->note.run = start;
    atomic_init(&peer->woken, true); /* by being new */
    return signet_conn_new(&peer->conn, &o, loop_now(m));
}

static bool valid(const struct signet_messenger *m, const struct signet_dial_options *o)
{
    const struct signet_addr *to = &o->conn.target;
    return o->conn.role == SIGNET_ROLE_CLIENT && o->worker >= -1 &&
           o->worker < (int)m->num_workers &&
           (to->family == SIGNET_FAMILY_IPV4 || to->family == SIGNET_FAMILY_IPV6);
}

int signet_messenger_dial(struct signet_messenger *m, const struct signet_dial_options *options,
                          struct signet_peer **out)
{
    struct signet_peer *peer;
    if (out != NULL) {
        *out = NULL;
    }
    if (!valid(m, options)) {
        return -SIGNET_E_INVAL;
    }
    if (atomic_load(&m->draining)) {
        return -SIGNET_E_STATE;
    }
    int err = make(m, options, &peer);
    if (err != 0) {
        signet_peer_unref(peer);
        return err;
    }
    signet_peer_ref(peer); /* this function's, then the caller's */
    struct worker *worker = peer->worker;
    atomic_fetch_add_explicit(&worker->num_peers, 1, memory_order_relaxed);
    if (!loop_post(worker, &peer->note)) {
        atomic_fetch_sub_explicit(&worker->num_peers, 1, memory_order_relaxed);
        signet_peer_unref(peer);
        signet_peer_unref(peer);
        return -SIGNET_E_STATE;
    }
    if (out != NULL) {
        *out = peer;
    } else {
        signet_peer_unref(peer);
    }
    return 0;
}
