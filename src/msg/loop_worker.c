/* SPDX-License-Identifier: MIT */
/* What a worker does, round by round: wait, note what happened, then let each peer that has
 * something to do go on. Peers end only after the events were noted, so that none of them tells of
 * one that is gone. */
#include "msg/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/thread.h"

#define MS   UINT64_C(1000000)
#define HOUR (UINT64_C(3600000) * MS)

enum { EVENTS = 128 };

int loop_watch(struct worker *worker, int fd, struct loop_source *source)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                            .data.ptr = source};
    return epoll_ctl(worker->epoll, EPOLL_CTL_ADD, fd, &e) == 0 ? 0 : -SIGNET_E_SOCKET;
}

void loop_close_fd(struct worker *worker, int *fd)
{
    if (*fd >= 0) {
        (void)epoll_ctl(worker->epoll, EPOLL_CTL_DEL, *fd, NULL);
        (void)shutdown(*fd, SHUT_RDWR);
        close(*fd);
        *fd = -1;
    }
}

int loop_worker_init(struct worker *worker, struct signet_messenger *messenger, unsigned index)
{
    worker->messenger = messenger;
    worker->index = index;
    worker->source.kind = SOURCE_WAKE;
    worker->accept_ns = worker->sweep_ns = worker->drain_ns = UINT64_MAX;
    worker->expire_ns = UINT64_MAX;
    worker->counts.nonces_left = UINT64_MAX;
    worker->max_output = messenger->o.max_output / messenger->num_workers;
    worker->max_input = messenger->o.max_input / messenger->num_workers;
    CDS_INIT_LIST_HEAD(&worker->peers);
    CDS_INIT_LIST_HEAD(&worker->half_open);
    CDS_INIT_LIST_HEAD(&worker->run);
    CDS_INIT_LIST_HEAD(&worker->sockets);
    CDS_INIT_LIST_HEAD(&worker->hungry);
    loop_inbox_init(worker);
    pthread_mutex_init(&worker->turn, NULL);
    worker->epoll = epoll_create1(EPOLL_CLOEXEC);
    worker->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return worker->epoll >= 0 && worker->wake >= 0
               ? loop_watch(worker, worker->wake, &worker->source)
               : -SIGNET_E_SOCKET;
}

void loop_worker_fini(struct worker *worker)
{
    if (worker->messenger == NULL) {
        return; /* never begun */
    }
    if (worker->epoll >= 0) {
        close(worker->epoll);
    }
    free(worker->heap.v);
    pthread_mutex_destroy(&worker->turn);
}

void loop_worker_abandon(struct worker *worker)
{
    struct signet_peer *peer, *next_peer;
    struct loop_note *note = atomic_load(&worker->inbox);
    while (note != NULL) {
        struct loop_note *next = note->next;
        loop_note_abandon(note);
        note = next;
    }
    cds_list_for_each_entry_safe(peer, next_peer, &worker->peers, in_peers)
    {
        loop_peer_abandon(peer);
    }
    free(worker->heap.v);
}

void loop_run_soon(struct signet_peer *peer)
{
    if (cds_list_empty(&peer->in_run)) {
        cds_list_add_tail(&peer->in_run, &peer->worker->run);
    }
}

static struct signet_peer *peer_of_timer(struct loop_timer *timer)
{
    return caa_container_of(timer, struct signet_peer, timer);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool can_accept(struct worker *worker)
{
    struct listener_socket *s;
    cds_list_for_each_entry(s, &worker->sockets, in_sockets)
    {
        if (s->can_accept && worker->accept_ns == UINT64_MAX) {
            return true;
        }
    }
    return false;
}

/* For epoll_wait(), which counts in milliseconds. */
static int wait_ms(struct worker *worker)
{
    const struct loop_timer *first = loop_timer_first(&worker->heap);
    if (worker->stopping || !cds_list_empty(&worker->run) || can_accept(worker)) {
        return 0;
    }
    uint64_t at = earlier(worker->accept_ns, earlier(worker->sweep_ns, worker->expire_ns));
    at = first != NULL ? earlier(at, first->at_ns) : at;
    if (at == UINT64_MAX) {
        return -1;
    }
    uint64_t now = loop_now(worker->messenger);
    return at > now ? (int)(earlier(at - now, HOUR) / MS + 1) : 0;
}

static void note_peer(struct signet_peer *peer, uint32_t events)
{
    const uint32_t end = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
    peer->can_read = peer->can_read || (events & (EPOLLIN | end)) != 0;
    peer->can_write = peer->can_write || (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
    peer->ended = peer->ended || (events & end) != 0;
    loop_run_soon(peer);
}

static void note(const struct epoll_event *event)
{
    struct loop_source *source = event->data.ptr;
    if (source->kind == SOURCE_PEER) {
        note_peer(caa_container_of(source, struct signet_peer, source), event->events);
    } else if (source->kind == SOURCE_LISTENER) {
        caa_container_of(source, struct listener_socket, source)->can_accept = true;
    }
}

static void wait(struct worker *worker)
{
    struct epoll_event events[EVENTS];
    int ms = wait_ms(worker);
    if (ms != 0 && !loop_may_sleep(worker)) {
        ms = 0;
    }
    pthread_mutex_unlock(&worker->turn);
    int n = epoll_wait(worker->epoll, events, EVENTS, ms);
    loop_fork_let();
    pthread_mutex_lock(&worker->turn);
    loop_woke_up(worker);
    worker->now_ns = loop_now(worker->messenger);
    for (int i = 0; i < n; i++) {
        note(&events[i]);
    }
}

static void accept_all(struct worker *worker)
{
    struct listener_socket *s;
    if (worker->accept_ns != UINT64_MAX && worker->now_ns < worker->accept_ns) {
        return;
    }
    worker->accept_ns = UINT64_MAX;
    cds_list_for_each_entry(s, &worker->sockets, in_sockets)
    {
        if (s->can_accept && worker->accept_ns == UINT64_MAX) {
            loop_accept(worker, s);
        }
    }
}

static void run_timers(struct worker *worker)
{
    for (;;) {
        struct loop_timer *first = loop_timer_first(&worker->heap);
        if (first == NULL || first->at_ns > worker->now_ns) {
            return;
        }
        struct signet_peer *peer = peer_of_timer(first);
        loop_timer_set(&worker->heap, first, UINT64_MAX);
        if (peer->stage < PEER_LINGERING) {
            int err = signet_conn_tick(peer->conn, worker->now_ns);
            (void)err; /* comes as an event */
        }
        loop_run_soon(peer);
    }
}

/* Each of those that are there now, once. */
static void run_peers(struct worker *worker)
{
    CDS_LIST_HEAD(now);
    cds_list_splice(&worker->run, &now);
    CDS_INIT_LIST_HEAD(&worker->run);
    while (!cds_list_empty(&now)) {
        struct signet_peer *peer = cds_list_first_entry(&now, struct signet_peer, in_run);
        cds_list_del_init(&peer->in_run);
        loop_pump(peer);
        if (atomic_load_explicit(&worker->counts.output, memory_order_relaxed) >
            worker->max_output) {
            loop_bound_output(worker);
        }
    }
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    const struct signet_messenger_options *o = &worker->messenger->o;
    pthread_mutex_lock(&worker->turn);
    if (o->worker_begin != NULL) {
        o->worker_begin(o->arg, worker->index);
    }
    worker->now_ns = loop_now(worker->messenger);
    while (!worker->stopping) {
        wait(worker);
        loop_take_notes(worker);
        accept_all(worker);
        run_timers(worker);
        run_peers(worker);
        if (!cds_list_empty(&worker->hungry)) {
            loop_feed(worker);
        }
        if (worker->now_ns >= worker->sweep_ns) {
            loop_sweep(worker);
        }
        if (worker->now_ns >= worker->expire_ns) {
            loop_expire(worker);
        }
    }
    loop_close_inbox(worker);
    if (o->worker_end != NULL) {
        o->worker_end(o->arg, worker->index);
    }
    pthread_mutex_unlock(&worker->turn);
    return NULL;
}

int loop_worker_start(struct worker *worker)
{
    char name[16]; /* as long as names may be */
    snprintf(name, sizeof(name), "signet-%u", worker->index);
    pthread_mutex_lock(&worker->turn); /* it must know its own number before it begins */
    int err = signet_thread_start(&worker->thread, name, work, worker);
    worker->running = err == 0;
    pthread_mutex_unlock(&worker->turn);
    return err;
}
