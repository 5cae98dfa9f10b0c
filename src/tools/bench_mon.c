/* SPDX-License-Identifier: MIT */
/* The session at a monitor while a load runs: newer maps come by it, and tickets. Its callbacks
 * run on the first worker. */
#include "bench_load.h"
#include "lite/osd_client.h"

enum { MSG_AUTH = 17, MSG_AUTH_REPLY = 18 };
#define KEEPALIVE_NS UINT64_C(10000000000)

static int subscribe(struct signet_peer *peer)
{
    uint8_t front[64];
    struct signet_message message = {.type = LITE_MSG_MON_SUBSCRIBE,
                                     .priority = 127,
                                     .version = 3,
                                     .compat_version = 1,
                                     .front.p = front};
    int err = lite_osdmap_subscribe(false, front, sizeof(front), &message.front.len);
    return err ? err : signet_peer_send(peer, &message, NULL, 0, NULL);
}

static int ready(void *arg, struct signet_peer *peer, const struct signet_event_ready *event)
{
    struct bench_load *load = arg;
    (void)event;
    pthread_mutex_lock(&load->lock);
    load->mon.peer = signet_peer_ref(peer);
    pthread_mutex_unlock(&load->lock);
    bench_link_set(load, &load->mon.link, LINK_UP, NULL);
    return subscribe(peer);
}

static int take_map(struct bench_load *load, const struct signet_message *message)
{
    struct signet_span whole;
    struct lite_osdmap map;
    uint32_t newest;
    uint64_t offset;
    int err = lite_osdmap_find(&whole, &newest, message->front);
    if (err == -SIGNET_E_NOT_FOUND) { /* what has changed: the whole is asked for */
        bench_heard(load, newest);
        return 0;
    }
    if (err == 0)
        err = lite_osdmap_read(&map, load->options->pool, whole, &offset);
    if (err)
        return err;
    pthread_mutex_lock(&load->lock);
    load->mon.map = map;
    load->mon.fresh = true;
    pthread_mutex_unlock(&load->lock);
    sem_post(&load->event);
    return 0;
}

/* Only what was asked for: the client is then this worker's. */
static void take_tickets(struct bench_load *load, const struct signet_message *message)
{
    struct signet_fail fail = {0};
    pthread_mutex_lock(&load->lock);
    bool asked = load->mon.renewing;
    pthread_mutex_unlock(&load->lock);
    if (!asked)
        return;
    int err = signet_client_reply(load->ping->client, message->front.p, message->front.len, &fail);
    pthread_mutex_lock(&load->lock);
    load->mon.renewing = false;
    bool counts = err == 0 && load->mon.counts;
    pthread_mutex_unlock(&load->lock);
    if (counts)
        atomic_fetch_add(&load->renewals, 1);
    sem_post(&load->event);
}

static int on_message(void *arg, struct signet_peer *peer, const struct signet_message *message)
{
    (void)peer;
    if (message->type == LITE_MSG_OSD_MAP)
        return take_map(arg, message);
    if (message->type == MSG_AUTH_REPLY)
        take_tickets(arg, message);
    return 0;
}

static void closed(void *arg, struct signet_peer *peer, const struct signet_fail *fail)
{
    struct bench_load *load = arg;
    (void)peer;
    pthread_mutex_lock(&load->lock);
    struct signet_peer *held = load->mon.peer;
    load->mon.peer = NULL;
    load->mon.renewing = false;
    pthread_mutex_unlock(&load->lock);
    signet_peer_unref(held);
    if (!atomic_load(&load->ending))
        bench_link_set(load, &load->mon.link, LINK_DOWN, fail);
}

void bench_mon_begin(struct bench_load *load)
{
    const struct ping *ping = load->ping;
    for (size_t i = 0; i < ping->num_mon; i++)
        for (uint32_t j = 0; j < ping->mon[i].num; j++)
            if (signet_addr_equal(&ping->mon[i].addr[j], &ping->peer)) {
                load->mon.next = i;
                return;
            }
}

/* The next monitor that speaks msgr2. */
static bool choose(struct bench_load *load)
{
    struct ping *ping = load->ping;
    for (size_t i = 0; i < ping->num_mon; i++) {
        const struct signet_addrvec *vec = &ping->mon[load->mon.next++ % ping->num_mon];
        for (uint32_t j = 0; j < vec->num; j++) {
            load->mon.addr = vec->addr[j];
            if (load->mon.addr.type != SIGNET_ADDR_LEGACY)
                return true;
        }
    }
    return false;
}

int bench_mon_dial(struct bench_load *load)
{
    if (!choose(load))
        return -SIGNET_E_MSGR1_PEER;
    struct signet_dial_options dial = {
        .conn = ping_conn_options(load->ping, SIGNET_MON, &load->mon.addr),
        .ops = {.ready = ready, .message = on_message, .closed = closed},
        .arg = load,
        .worker = 0,
    };
    dial.conn.keepalive_interval_ns = KEEPALIVE_NS;
    return bench_link_dial(load, &load->mon.link, &dial);
}

void bench_mon_free(struct bench_load *load)
{
    signet_peer_unref(load->mon.peer);
    load->mon.peer = NULL;
}

/* With a reference; NULL while there is none. */
static struct signet_peer *peer_of(struct bench_load *load)
{
    pthread_mutex_lock(&load->lock);
    struct signet_peer *peer = load->mon.peer ? signet_peer_ref(load->mon.peer) : NULL;
    pthread_mutex_unlock(&load->lock);
    return peer;
}

void bench_mon_ask(struct bench_load *load)
{
    uint32_t heard = atomic_load(&load->heard);
    if (heard <= load->map.epoch || heard <= load->mon.asked)
        return;
    struct signet_peer *peer = peer_of(load);
    if (peer && subscribe(peer) == 0)
        load->mon.asked = heard;
    signet_peer_unref(peer);
}

bool bench_mon_renew(struct bench_load *load)
{
    uint8_t front[SIGNET_AUTH_PAYLOAD_MAX];
    struct signet_message message = {
        .type = MSG_AUTH, .priority = 127, .version = 1, .compat_version = 1, .front.p = front};
    pthread_mutex_lock(&load->lock);
    bool renewing = load->mon.renewing;
    pthread_mutex_unlock(&load->lock);
    struct signet_peer *peer = renewing ? NULL : peer_of(load);
    if (!peer)
        return renewing;
    uint32_t due = signet_client_need(load->ping->client);
    int err = signet_client_renew(load->ping->client, front, sizeof(front), &message.front.len);
    if (err == 0 && message.front.len > 0) {
        pthread_mutex_lock(&load->lock);
        renewing = load->mon.renewing = load->mon.peer == peer;
        load->mon.counts = (due & (SIGNET_AUTH | SIGNET_OSD)) != 0;
        pthread_mutex_unlock(&load->lock);
        if (renewing && signet_peer_send(peer, &message, NULL, 0, NULL) != 0)
            signet_peer_close(peer, -SIGNET_E_PEER_CLOSED); /* which ends the renewal too */
    }
    signet_peer_unref(peer);
    return renewing;
}
