/* SPDX-License-Identifier: MIT */
#include "support/sim_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

unsigned sim_pick(struct sim *sim, unsigned below)
{
    return (unsigned)(next_mixed(&sim->rng) % below);
}

/* --- what all runs share --------------------------------------------------------------------- */

void sim_world_start(struct sim_world *world)
{
    static const struct signet_cap caps[] = {{"osd", "allow *"}, {"mon", "allow r"}};
    struct signet_name name;
    memset(world, 0, sizeof(*world));
    cluster_start(&world->cluster, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    assert_ok(signet_name_parse(&name, "osd.1"));
    assert_ok(signet_keyserver_put(world->cluster.server, &name, world->cluster.key, caps, 2));
    for (unsigned i = 0; i < 2; i++) {
        world->client[i] =
            cluster_client(&world->cluster, i == 0 ? "osd.0" : "osd.1", world->cluster.key);
        assert_ok(cluster_login(&world->cluster, world->client[i], SIGNET_MODE_SECURE));
    }
    world->cluster.fake.mix = 1;
    world->start = world->cluster.fake;
}

void sim_world_stop(struct sim_world *world)
{
    signet_client_free(world->client[0]);
    signet_client_free(world->client[1]);
    cluster_stop(&world->cluster);
}

/* --- the network ----------------------------------------------------------------------------- */

static struct sim_link *free_link(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_LINKS; i++) {
        if (!sim->links[i].used) {
            return &sim->links[i];
        }
    }
    return NULL;
}

static struct sim_link *dial(struct sim *sim, unsigned i, struct signet_session *session)
{
    struct sim_link *l = free_link(sim);
    if (l == NULL) {
        return NULL;
    }
    memset(l, 0, sizeof(*l));
    int err = link_open(&l->link, &sim->node[i].node, &sim->node[1 - i].node, session);
    if (err != 0) {
        sim_fail(sim, "node %u cannot dial: %s", i, signet_strerror(err));
    }
    l->used = true;
    l->from = i;
    l->no = ++sim->result->links;
    sim->moved = true;
    return l;
}

/* What the first dialler sent comes once more, from nowhere. */
static void replay(struct sim *sim)
{
    struct sim_link *l = sim->record_len > 0 ? dial(sim, 0, NULL) : NULL;
    if (l == NULL) {
        return;
    }
    sim_drop_end(sim, l, LINK_DIALLER);
    l->replay = true;
    l->link.way[0] = malloc(sim->record_len);
    memcpy(l->link.way[0], sim->record, sim->record_len);
    l->link.len[0] = l->link.cap[0] = sim->record_len;
}

static void hear(struct sim_link *l, unsigned ends)
{
    for (unsigned i = 0; i < 2; i++) {
        if ((ends >> i & 1) != 0 && l->link.end[i] != NULL) {
            signet_conn_closed(l->link.end[i], -SIGNET_E_PEER_CLOSED);
        }
    }
}

/* Nothing more gets through, of what is under way only with drop unset. */
static void cut(struct sim *sim, struct sim_link *l, unsigned ends, bool drop)
{
    for (unsigned i = 0; i < 2; i++) {
        l->link.cut[i] = true;
        l->link.len[i] = drop ? 0 : l->link.len[i];
    }
    hear(l, ends);
    sim->moved = true;
}

static void strike(struct sim *sim, struct sim_link *l)
{
    sim->faults--;
    switch (sim_pick(sim, sim->o->forgetful ? 8 : 6)) {
    case 0:
        cut(sim, l, 3, true);
        break;
    case 1: /* one of them, or nobody, hears of it */
        cut(sim, l, sim_pick(sim, 3), sim_pick(sim, 2) == 0);
        break;
    case 2: /* the dialler gives up; what it has sent still arrives */
    case 3:
        if (l->link.end[LINK_DIALLER] != NULL) {
            sim_drop_end(sim, l, LINK_DIALLER);
            l->ended[LINK_DIALLER] = sim_pick(sim, 2) == 0; /* or nobody is told */
        }
        break;
    case 4:
        if (l->link.end[LINK_ACCEPTOR] != NULL) {
            sim_drop_end(sim, l, LINK_ACCEPTOR);
        }
        break;
    case 5:
        replay(sim);
        break;
    default:
        sim_forget(sim, sim_pick(sim, 2));
    }
}

/* The cut that the options want on this way; NULL: none, or it was made. */
static const struct sim_cut *wanted(const struct sim *sim, const struct sim_link *l, unsigned end)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct sim_cut *c = &sim->o->cuts[i];
        if (c->link == l->no && c->end == end && !l->link.cut[end]) {
            return c;
        }
    }
    return NULL;
}

/* As link_give(); the first dialler's bytes are kept for replay(). */
static size_t give_some(struct sim *sim, struct sim_link *l, unsigned end, size_t n)
{
    uint8_t *keep = sim->record + sim->record_len;
    bool kept = end == LINK_DIALLER && l->no == 1 && n <= SIM_RECORD - sim->record_len;
    if (kept && n > 0) {
        memcpy(keep, l->link.way[end], n);
    }
    size_t given = link_give(&l->link, end, n, sim->clock->mono_ns);
    sim->record_len += kept ? given : 0;
    return given;
}

static void give(struct sim *sim, struct sim_link *l, unsigned end)
{
    const struct sim_cut *c = wanted(sim, l, end);
    size_t have = l->link.len[end], n = have;
    if ((have == 0 && c == NULL) || l->busy[1 - end] > 0) {
        return;
    }
    if (have > 0 && sim->o->faults > 0 && sim_pick(sim, 3) == 0) {
        n = 1 + sim_pick(sim, (unsigned)have);
    }
    if (c != NULL && n > c->at - l->link.given[end]) {
        n = (size_t)(c->at - l->link.given[end]);
    }
    sim->moved = give_some(sim, l, end, n) > 0 || sim->moved;
    if (c != NULL && l->link.given[end] == c->at) {
        cut(sim, l, c->how, true);
    }
    sim_drain(sim, l, 1 - end);
}

static void step_link(struct sim *sim, struct sim_link *l)
{
    for (unsigned i = 0; i < 2; i++) {
        l->busy[i] -= l->busy[i] > 0 ? 1 : 0;
        sim->moved = sim->moved || l->busy[i] > 0;
        sim_drain(sim, l, i);
        while (l->link.len[i] < 16384 && link_take(&l->link, i, SIZE_MAX) > 0) {
            sim->moved = true;
        }
        if (l->ended[i] && l->link.len[i] == 0 && !l->link.cut[i]) {
            hear(l, 1U << (1 - i));
        }
        sim_drain(sim, l, i);
    }
    give(sim, l, sim_pick(sim, 2));
    sim->moved = sim->moved || l->link.len[0] > 0 || l->link.len[1] > 0;
    if (!l->ready[0] || !l->ready[1]) {
        sim_measure(sim, l);
    }
    if (l->link.end[0] == NULL && l->link.end[1] == NULL) {
        link_close(&l->link);
        l->used = false;
    }
}

/* --- time ------------------------------------------------------------------------------------ */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_due(const struct sim *sim)
{
    uint64_t due = UINT64_MAX;
    for (unsigned i = 0; i < 2; i++) {
        if (sim->node[i].session != NULL) {
            due = earlier(due, signet_session_dial_ns(sim->node[i].session));
        }
    }
    for (unsigned i = 0; i < SIM_LINKS; i++) {
        for (unsigned end = 0; sim->links[i].used && end < 2; end++) {
            const struct signet_conn *conn = sim->links[i].link.end[end];
            due = conn != NULL ? earlier(due, signet_conn_deadline_ns(conn)) : due;
        }
    }
    return due;
}

static void tick(struct sim *sim, struct sim_link *l)
{
    for (unsigned end = 0; end < 2; end++) {
        struct signet_conn *conn = l->link.end[end];
        if (conn != NULL && l->busy[end] == 0 &&
            signet_conn_deadline_ns(conn) <= sim->clock->mono_ns) {
            int err = signet_conn_tick(conn, sim->clock->mono_ns);
            sim->moved = sim->moved || err != 0; /* FAILED follows */
            sim_drain(sim, l, end);
        }
    }
}

/* Whether somebody will say something yet. */
static bool talks(const struct sim *sim)
{
    for (unsigned i = 0; i < 2; i++) {
        if (sim->node[i].session != NULL && sim->node[i].sent < sim->o->messages[i]) {
            return true;
        }
    }
    return false;
}

static void pass_time(struct sim *sim)
{
    uint64_t due = next_due(sim);
    uint64_t now = sim->clock->mono_ns;
    if (sim->moved) {
        fake_env_pass(sim->clock, 1000 * sim_pick(sim, 2000));
    } else if (due == UINT64_MAX && !talks(sim) && !sim_is_done(sim)) {
        sim_fail(sim, "nothing moves any more");
    } else if (due > now && due != UINT64_MAX) {
        fake_env_pass(sim->clock, due - now);
    }
}

static void step(struct sim *sim)
{
    sim->moved = false;
    for (unsigned i = 0; i < 2; i++) {
        if (sim_pick(sim, 8) == 0) {
            sim_say(sim, i);
        }
        if (sim->node[i].session != NULL &&
            signet_session_dial_ns(sim->node[i].session) <= sim->clock->mono_ns) {
            dial(sim, i, sim->node[i].session);
        }
    }
    for (unsigned i = 0; i < SIM_LINKS; i++) {
        struct sim_link *l = &sim->links[i];
        if (l->used) {
            tick(sim, l);
            step_link(sim, l);
        }
        if (l->used && sim->faults > 0 && sim_pick(sim, 40) == 0) {
            strike(sim, l);
        }
    }
    pass_time(sim);
}

static bool quiet(const struct sim *sim)
{
    for (unsigned i = 0; i < SIM_LINKS; i++) {
        const struct sim_link *l = &sim->links[i];
        bool open = l->ready[0] && l->ready[1];
        if (l->used && (l->link.len[0] > 0 || l->link.len[1] > 0 || !open ||
                        (l->link.end[0] == NULL) != (l->link.end[1] == NULL))) {
            return false;
        }
    }
    return sim_is_done(sim);
}

void sim_run(struct sim_world *world, const struct sim_options *options, struct sim_result *result)
{
    static struct sim sim;
    uint64_t begin = world->start.mono_ns;
    memset(&sim, 0, sizeof(sim));
    memset(result, 0, sizeof(*result));
    world->cluster.fake = world->start;
    sim = (struct sim){.o = options,
                       .world = world,
                       .result = result,
                       .clock = &world->cluster.fake,
                       .rng = options->seed,
                       .faults = options->faults};
    sim_start_node(&sim, 0);
    sim_start_node(&sim, 1);
    sim_start_session(&sim, 0);
    if (options->shape == SIM_PEERS) {
        sim_start_session(&sim, 1);
    }
    while (!quiet(&sim)) {
        step(&sim);
        if (++result->steps > SIM_STEPS || sim.clock->mono_ns - begin > SIM_TIME) {
            sim_fail(&sim, "no end after %u steps and %llu s", result->steps,
                     (unsigned long long)((sim.clock->mono_ns - begin) / SEC));
        }
    }
    sim_compare(&sim);
    result->ns = sim.clock->mono_ns - begin;
    for (unsigned i = 0; i < SIM_LINKS; i++) {
        if (sim.links[i].used) {
            link_close(&sim.links[i].link);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        signet_session_close(sim.node[i].session);
        signet_session_unref(sim.node[i].session);
        signet_sessions_free(sim.node[i].table);
    }
}
