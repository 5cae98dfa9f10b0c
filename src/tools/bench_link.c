/* SPDX-License-Identifier: MIT */
/* Connections to the OSD, as their workers see them. */
#include "bench_load.h"

void bench_link_set(struct bench_load *load, struct bench_link *link, enum bench_link_state state,
                    const struct signet_fail *why)
{
    pthread_mutex_lock(&load->lock);
    link->state = state;
    link->ups += state == LINK_UP;
    if (why)
        link->why = *why;
    pthread_mutex_unlock(&load->lock);
    sem_post(&load->event);
}

static int ready(void *arg, struct signet_peer *peer, const struct signet_event_ready *event)
{
    struct bench_conn *c = arg;
    if (!signet_addr_equal(signet_peer_addr(peer), &c->place.osd))
        return -SIGNET_E_PEER_ADDR; /* the OSD has moved meanwhile */
    c->peer = peer;
    c->features = event->features;
    c->resent = false;
    bench_link_set(c->load, &c->link, LINK_UP, NULL);
    if (c->working) {
        bench_resend(c, true);
        bench_refill(c);
    }
    return 0;
}

static void closed(void *arg, struct signet_peer *peer, const struct signet_fail *fail)
{
    struct bench_conn *c = arg;
    (void)peer;
    c->peer = NULL;
    bench_drop_backoffs(c);
    if (atomic_load(&c->load->ending))
        return;
    if (c->broken || !atomic_load(&c->load->opened)) {
        struct bench_why why = {.err = fail->err, .fail = *fail};
        bench_fail(c->load, &why);
    }
    bench_link_set(c->load, &c->link, LINK_DOWN, fail);
}

int bench_link_dial(struct bench_load *load, struct bench_link *link,
                    const struct signet_dial_options *dial)
{
    bench_link_set(load, link, LINK_DIALLING, NULL);
    int err = signet_messenger_dial(load->messenger, dial, NULL);
    if (err)
        bench_link_set(load, link, LINK_DOWN, &(struct signet_fail){.err = err});
    return err;
}

int bench_dial(struct bench_load *load, struct bench_conn *c)
{
    struct signet_dial_options dial = {
        .conn = ping_conn_options(load->ping, SIGNET_OSD, &load->ping->peer),
        .ops = {.ready = ready, .message = bench_answer, .closed = closed},
        .arg = c,
        .worker = (int)(c->index % load->options->threads),
    };
    return bench_link_dial(load, &c->link, &dial);
}
