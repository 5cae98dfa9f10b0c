/* SPDX-License-Identifier: MIT */
/* Figures: each worker counts for itself, and whoever asks gets the sum. Sweeping idle peers. */
#include "msg/loop.h"

#include <string.h>

#define SWEEP_NS UINT64_C(1000000000)

/* The first sweep finds what the last activity needed, the second that nothing was needed. */
enum { TRIMS = 2 };

void loop_count_closed(struct worker *worker, int err)
{
    int cause = -err;
    loop_add(&worker->counts.closed[cause > 0 && cause < SIGNET_E_NUM_ ? cause : 0], 1);
}

static void count_handler(struct loop_counts *counts, const struct signet_handler *handler,
                          uint64_t sealed, uint64_t opened)
{
    unsigned i = 0;
    for (; i < SIGNET_MESSENGER_HANDLERS - 1; i++) {
        const struct signet_handler *at =
            atomic_load_explicit(&counts->by_handler[i].handler, memory_order_relaxed);
        if (at == handler || at == NULL) {
            break;
        }
    }
    loop_add(&counts->by_handler[i].sealed, sealed);
    loop_add(&counts->by_handler[i].opened, opened);
    atomic_store_explicit(&counts->by_handler[i].handler, handler, memory_order_relaxed);
}

void loop_take_figures(struct signet_peer *peer)
{
    struct loop_counts *counts = &peer->worker->counts;
    struct signet_conn_figures f;
    signet_conn_take_figures(peer->conn, &f);
    peer->nonces_left = f.nonces_left;
    loop_add(&counts->messages_in, f.messages_in);
    loop_add(&counts->messages_out, f.messages_out);
    for (unsigned i = 0; i < SIGNET_CONN_HANDLERS && f.by_handler[i].handler != NULL; i++) {
        count_handler(counts, f.by_handler[i].handler, f.by_handler[i].sealed,
                      f.by_handler[i].opened);
    }
}

void loop_active(struct signet_peer *peer)
{
    peer->trims = TRIMS;
    if (peer->worker->sweep_ns == UINT64_MAX) {
        peer->worker->sweep_ns = peer->worker->now_ns + SWEEP_NS;
    }
}

void loop_sweep(struct worker *worker)
{
    struct signet_peer *peer;
    uint64_t least = UINT64_MAX;
    bool again = false;
    cds_list_for_each_entry(peer, &worker->peers, in_peers)
    {
        least = peer->nonces_left < least ? peer->nonces_left : least;
        if (peer->trims > 0) {
            peer->trims--;
            again = true;
            signet_conn_trim(peer->conn);
            loop_weigh(peer);
        }
    }
    atomic_store_explicit(&worker->counts.nonces_left, least, memory_order_relaxed);
    again = loop_sweep_hungry(worker) || again;
    worker->sweep_ns = again ? worker->now_ns + SWEEP_NS : UINT64_MAX;
}

static void add(uint64_t *sum, const loop_count *count)
{
    *sum += atomic_load_explicit(count, memory_order_relaxed);
}

static void add_handlers(struct signet_messenger_stats *out, const struct loop_counts *c)
{
    for (unsigned i = 0; i < SIGNET_MESSENGER_HANDLERS; i++) {
        const struct signet_handler *handler =
            atomic_load_explicit(&c->by_handler[i].handler, memory_order_relaxed);
        unsigned at = 0;
        if (handler == NULL) {
            continue;
        }
        while (at < SIGNET_MESSENGER_HANDLERS - 1 && out->by_handler[at].handler != handler &&
               out->by_handler[at].handler != NULL) {
            at++;
        }
        out->by_handler[at].handler = handler;
        add(&out->by_handler[at].sealed, &c->by_handler[i].sealed);
        add(&out->by_handler[at].opened, &c->by_handler[i].opened);
    }
}

static void add_worker(struct signet_messenger_stats *out, const struct worker *worker)
{
    const struct loop_counts *c = &worker->counts;
    add(&out->accepted, &c->accepted);
    add(&out->dialled, &c->dialled);
    add(&out->ready, &c->ready);
    add(&out->received, &c->received);
    add(&out->sent, &c->sent);
    add(&out->messages_in, &c->messages_in);
    add(&out->messages_out, &c->messages_out);
    add(&out->accept_errors, &c->accept_errors);
    add(&out->output_bytes, &c->output);
    add(&out->input_bytes, &c->input);
    for (unsigned i = 0; i < SIGNET_E_NUM_; i++) {
        add(&out->closed[i], &c->closed[i]);
    }
    add_handlers(out, c);
    uint64_t left = atomic_load_explicit(&c->nonces_left, memory_order_relaxed);
    out->nonces_left = left < out->nonces_left ? left : out->nonces_left;
    out->peers += atomic_load_explicit(&worker->num_peers, memory_order_relaxed);
}

void signet_messenger_stats(const struct signet_messenger *messenger,
                            struct signet_messenger_stats *out)
{
    memset(out, 0, sizeof(*out));
    out->nonces_left = UINT64_MAX;
    out->half_open = atomic_load_explicit(&messenger->num_half_open, memory_order_relaxed);
    for (unsigned i = 0; i < messenger->num_workers; i++) {
        add_worker(out, &messenger->worker[i]);
    }
}
