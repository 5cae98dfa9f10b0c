/* SPDX-License-Identifier: MIT */
/*
 * What the buffers of all peers hold, summed by each worker for itself, and its bounds. Output that
 * waits is there already: above the bound, whoever holds most of it is closed. Input is announced:
 * a message that finds no room is not read yet, and only when nobody gets room for a while, whoever
 * holds most of it is closed.
 */
#include "msg/loop.h"

#include "base/fail.h"
#include "msg/conn_internal.h"

#define PATIENCE_NS UINT64_C(2000000000)
#define LOOK_NS     UINT64_C(1000000000)

static uint64_t sum(const loop_count *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* The worker's count follows the peer's. */
static void note(loop_count *count, uint64_t *noted, uint64_t now)
{
    if (now != *noted) {
        loop_add(count, now - *noted);
        *noted = now;
    }
}

static void note_output(struct signet_peer *peer)
{
    note(&peer->worker->counts.output, &peer->output,
         atomic_load_explicit(&peer->conn->out.held, memory_order_relaxed));
}

static void note_input(struct signet_peer *peer)
{
    note(&peer->worker->counts.input, &peer->input, conn_recv_memory(peer->conn));
}

void loop_unweigh(struct signet_peer *peer)
{
    note(&peer->worker->counts.output, &peer->output, 0);
    note(&peer->worker->counts.input, &peer->input, 0);
    cds_list_del_init(&peer->in_hungry);
}

static bool is_hungry(const struct signet_peer *peer)
{
    return peer->in_hungry.next != &peer->in_hungry;
}

static void end(struct signet_peer *peer, const struct signet_fail *why)
{
    if (peer->stage < PEER_LINGERING) {
        peer->why = *why;
    }
    loop_finish(peer);
}

/* Who holds most of what is too much. */
static void end_most(struct signet_peer *peer, int err, const char *what, uint64_t own,
                     uint64_t all, uint64_t max)
{
    struct signet_fail why;
    signet_fail_set(
        &why, err, signet_conn_state(peer->conn), 0,
        "%llu bytes of %s are held for it, the most of %llu of all peers of its worker, "
        "which may be %llu",
        (unsigned long long)own, what, (unsigned long long)all, (unsigned long long)max);
    end(peer, &why);
}

/* --- output -------------------------------------------------------------------------------- */

static struct signet_peer *most_output(struct worker *worker)
{
    struct signet_peer *peer, *most = NULL;
    cds_list_for_each_entry(peer, &worker->peers, in_peers)
    {
        if (peer->output > (most != NULL ? most->output : 0)) {
            most = peer;
        }
    }
    return most;
}

/* Buffers that are kept for the next messages go first. */
static void trim_output(struct worker *worker)
{
    struct signet_peer *peer;
    cds_list_for_each_entry(peer, &worker->peers, in_peers)
    {
        if (peer->output > 0) {
            conn_queue_trim_all(&peer->conn->out);
            note_output(peer);
        }
    }
}

void loop_bound_output(struct worker *worker)
{
    const loop_count *all = &worker->counts.output;
    struct signet_peer *most;
    trim_output(worker);
    while (sum(all) > worker->max_output && (most = most_output(worker)) != NULL) {
        end_most(most, -SIGNET_E_OUTPUT_LIMIT, "output", most->output, sum(all),
                 worker->max_output);
    }
}

/* --- input --------------------------------------------------------------------------------- */

static bool has_room(const struct signet_peer *peer)
{
    const struct worker *worker = peer->worker;
    uint64_t all = sum(&worker->counts.input), more = conn_recv_growth(peer->conn);
    return more == 0 || (all <= worker->max_input && more <= worker->max_input - all);
}

/* Buffers in which nothing waits. */
static void shrink_input(struct worker *worker)
{
    struct signet_peer *peer;
    cds_list_for_each_entry(peer, &worker->peers, in_peers)
    {
        conn_recv_shrink(peer->conn);
        note_input(peer);
    }
}

static struct signet_peer *first_hungry(struct worker *worker)
{
    return cds_list_first_entry(&worker->hungry, struct signet_peer, in_hungry);
}

static void begin_hunger(struct signet_peer *peer)
{
    struct worker *worker = peer->worker;
    uint64_t look = worker->now_ns + LOOK_NS;
    peer->hungry_ns = worker->now_ns;
    cds_list_add_tail(&peer->in_hungry, &worker->hungry);
    worker->sweep_ns = look < worker->sweep_ns ? look : worker->sweep_ns;
}

/* Its message is larger than all of them may be. */
static void end_vain(struct signet_peer *peer)
{
    struct signet_fail why;
    signet_fail_set(&why, -SIGNET_E_INPUT_LIMIT, signet_conn_state(peer->conn), 0,
                    "a message of %zu bytes has no room: all peers of a worker may have %llu",
                    peer->conn->in.need, (unsigned long long)peer->worker->max_input);
    end(peer, &why);
}

bool loop_may_grow(struct signet_peer *peer)
{
    struct worker *worker = peer->worker;
    bool turn = peer->fed || cds_list_empty(&worker->hungry);
    if (conn_recv_growth(peer->conn) > worker->max_input) {
        end_vain(peer);
        return false;
    }
    if (is_hungry(peer)) {
        return false;
    }
    peer->fed = false;
    note_input(peer);
    if (turn && !has_room(peer)) {
        shrink_input(worker);
    }
    if (turn && has_room(peer)) {
        worker->fed_ns = worker->now_ns;
        return true;
    }
    begin_hunger(peer);
    return false;
}

/* Only for its turn: if it does not come for its room, the next one does. */
void loop_feed(struct worker *worker)
{
    struct signet_peer *first = cds_list_empty(&worker->hungry) ? NULL : first_hungry(worker);
    if (first != NULL && has_room(first)) {
        cds_list_del_init(&first->in_hungry);
        first->fed = true;
        loop_run_soon(first);
    }
}

/* Of those who keep others waiting. */
static struct signet_peer *most_input(struct worker *worker)
{
    struct signet_peer *peer, *most = NULL;
    cds_list_for_each_entry(peer, &worker->peers, in_peers)
    {
        if (!is_hungry(peer) && peer->input > (most != NULL ? most->input : 0)) {
            most = peer;
        }
    }
    return most;
}

bool loop_sweep_hungry(struct worker *worker)
{
    if (cds_list_empty(&worker->hungry)) {
        return false;
    }
    struct signet_peer *first = first_hungry(worker), *most = most_input(worker);
    uint64_t since = worker->fed_ns > first->hungry_ns ? worker->fed_ns : first->hungry_ns;
    if (worker->now_ns - since >= PATIENCE_NS) {
        most = most != NULL && most->input > CONN_RECV_MIN ? most : first;
        end_most(most, -SIGNET_E_INPUT_LIMIT, "input", most->input, sum(&worker->counts.input),
                 worker->max_input);
        loop_feed(worker);
    }
    return !cds_list_empty(&worker->hungry);
}

void loop_weigh(struct signet_peer *peer)
{
    note_output(peer);
    if (!cds_list_empty(&peer->worker->hungry)) {
        conn_recv_shrink(peer->conn);
    }
    note_input(peer);
}
