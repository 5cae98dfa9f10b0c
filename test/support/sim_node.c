/* SPDX-License-Identifier: MIT */
/* The two nodes: their clock and chance, tables and sessions. */
#include "support/sim_internal.h"

static uint64_t env_real(void *arg)
{
    return ((struct sim *)arg)->clock->real_ns;
}

static uint64_t env_mono(void *arg)
{
    return ((struct sim *)arg)->clock->mono_ns;
}

static int env_random(void *arg, uint8_t *out, size_t len)
{
    struct sim *sim = arg;
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)next_mixed(&sim->rng);
    }
    return 0;
}

void sim_start_node(struct sim *sim, unsigned i)
{
    static const char *const addrs[2] = {"v2:127.0.0.1:6800/10", "v2:127.0.0.1:6801/11"};
    struct sim_node *n = &sim->node[i];
    struct signet_env env = {env_real, env_mono, env_random, sim};
    bool peers = sim->o->shape != SIM_CLIENT;
    struct signet_sessions_options table = {.env = env, .peers = peers ? SIGNET_OSD : 0};
    assert_ok(signet_addr_parse(&n->node.addr, addrs[i ^ (sim->o->swapped ? 1U : 0U)]));
    assert_ok(signet_sessions_new(&n->table, &table));
    struct signet_conn_options common = {.own_type = SIGNET_OSD,
                                         .own = n->node.addr,
                                         .gid = i,
                                         .env = env,
                                         .modes = {sim->o->mode},
                                         .num_modes = 1,
                                         .keepalive_interval_ns = 3 * SEC,
                                         .keepalive_timeout_ns = 5 * SEC};
    n->node.cluster = &sim->world->cluster;
    n->node.client = sim->world->client[i];
    n->node.table = n->table;
    n->node.dial = n->node.accept = common;
    n->node.dial.role = SIGNET_ROLE_CLIENT;
    n->node.dial.client = n->node.client;
    n->node.accept.role = SIGNET_ROLE_SERVER;
    n->node.accept.sessions = n->table;
    n->node.accept.target = n->node.addr;
}

void sim_start_session(struct sim *sim, unsigned i)
{
    struct sim_node *n = &sim->node[i];
    const struct link_node *peer = &sim->node[1 - i].node;
    struct signet_session_options o = {.peer_type = SIGNET_OSD,
                                       .peer = peer->addr,
                                       .own = n->node.addr,
                                       .stay = sim->o->shape == SIM_CLIENT};
    o.policy = sim->o->shape == SIM_CLIENT ? SIGNET_LOSSLESS_CLIENT : SIGNET_LOSSLESS_PEER;
    assert_ok(signet_name_parse(&o.name, i == 0 ? "osd.1" : "osd.0"));
    assert_ok(signet_session_new(&n->session, n->table, &o));
}

void sim_forget(struct sim *sim, unsigned i)
{
    struct sim_node *n = &sim->node[i];
    struct signet_session_status s;
    if (n->session == NULL) {
        return;
    }
    signet_session_status(n->session, &s);
    n->lost += (unsigned)s.num_queued;
    signet_session_close(n->session);
    signet_session_unref(n->session);
    n->session = NULL;
    n->acked = 0;
    if (i == 0 || sim->o->shape == SIM_PEERS) {
        sim_start_session(sim, i);
    }
    sim->moved = true;
}
