/* SPDX-License-Identifier: MIT */
/*
 * Two nodes and a network between them that delays, cuts, half-cuts, loses and repeats connections,
 * all by one seed and a clock of its own. Whatever happens: every message arrives once and in
 * order, both sides end with the same session, and the run ends.
 */
#ifndef SIGNET_TEST_SIM_H
#define SIGNET_TEST_SIM_H

#include "support/link.h"

enum sim_shape {
    SIM_CLIENT,     /* node 0 dials, node 1 only accepts */
    SIM_PEERS,      /* both dial, both know of each other */
    SIM_PEERS_MADE, /* both dial, node 1 learns of node 0 when that dials */
    SIM_SHAPES
};

/* A cut at a place: when `at` bytes of that end of the link-th connection have arrived. */
struct sim_cut {
    unsigned link; /* from 1; 0: none */
    unsigned end;
    unsigned how; /* which ends hear of it, bit by bit */
    uint64_t at;
};

struct sim_options {
    uint64_t seed;
    enum sim_shape shape;
    enum signet_con_mode mode;
    unsigned messages[2]; /* that each node sends */
    unsigned faults;      /* at random places */
    bool forgetful;       /* nodes lose their session now and then, and messages with it; those that
                           * arrive still do so in order and once (not with PEERS_MADE) */
    bool trace;           /* tells on stderr what happens */
    bool swapped;         /* node 0 has the larger address */
    struct sim_cut cuts[2];
};

struct sim_result {
    uint64_t handshake[2][2]; /* bytes of each end of connections 1 and 2 until both were READY */
    unsigned links, steps, resumed, replaced, waits, stale;
    uint64_t ns; /* simulated time */
};

/* What all runs share: keys and tickets. The clock is set back before each run. */
struct sim_world {
    struct cluster cluster;
    struct fake_env start;
    struct signet_client *client[2];
};
void sim_world_start(struct sim_world *world);
void sim_world_stop(struct sim_world *world);

/* One run; aborts the test with the options that repeat it when anything is wrong. */
void sim_run(struct sim_world *world, const struct sim_options *options, struct sim_result *result);

#endif
