/* SPDX-License-Identifier: MIT */
/* sim.c is the network and the clock, sim_node.c makes the nodes, sim_host.c is what their programs
 * do. */
#ifndef SIGNET_TEST_SIM_INTERNAL_H
#define SIGNET_TEST_SIM_INTERNAL_H

#include "support/sim.h"

enum { SIM_LINKS = 16, SIM_STEPS = 60000, SIM_RECORD = 8192 };
#define SIM_TIME (3600 * SEC)

struct sim_link {
    struct link link;
    bool used, replay;
    unsigned no, from; /* counted from 1; the node that dialled */
    bool ready[2];
    bool ended[2];    /* the end is gone: when its last bytes have arrived the other one hears */
    unsigned busy[2]; /* steps that the end's caller still works on a message */
};

struct sim_node {
    struct signet_sessions *table;
    struct signet_session *session; /* to the other node */
    struct link_node node;
    unsigned sent, expected;
    unsigned got, lost; /* messages; lost: of its own, by what it was told */
    uint64_t acked;
};

struct sim {
    const struct sim_options *o;
    struct sim_world *world;
    struct sim_result *result;
    struct fake_env *clock;
    uint64_t rng;
    struct sim_node node[2];
    struct sim_link links[SIM_LINKS];
    unsigned faults;
    uint8_t record[SIM_RECORD]; /* what the first dialler sent */
    size_t record_len;
    bool moved; /* something happened in this step */
};

#define sim_fail(sim, ...) sim_fail_at(sim, __LINE__, __VA_ARGS__)
void sim_fail_at(const struct sim *sim, int line, const char *format, ...) SIGNET_PRINTF(3, 4);
/* 0 to below - 1. */
unsigned sim_pick(struct sim *sim, unsigned below);

void sim_start_node(struct sim *sim, unsigned i);
/* A session to the other node. */
void sim_start_session(struct sim *sim, unsigned i);
/* Node i has lost its session, as if its program had been started again. */
void sim_forget(struct sim *sim, unsigned i);
/* All events of one end. */
void sim_drain(struct sim *sim, struct sim_link *l, unsigned end);
/* Queues a message if node i has one left. */
void sim_say(struct sim *sim, unsigned i);
/* Node i's program closes this end. */
void sim_drop_end(struct sim *sim, struct sim_link *l, unsigned end);
/* The bytes of the handshake so far, if this is one of the first two connections. */
void sim_measure(struct sim *sim, const struct sim_link *l);
bool sim_is_done(const struct sim *sim);
/* Both sides agree on the session. */
void sim_compare(const struct sim *sim);

#endif
