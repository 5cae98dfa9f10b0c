/* SPDX-License-Identifier: MIT */
/*
 * CBC is a chain: a block waits for the one before it, and the processor's AES unit idles most of
 * the time. Messages that have nothing to do with each other can go through it side by side: block
 * b of every message is XORed with what came out for its block b - 1, and all of them are encrypted
 * by one call that does not chain.
 */
#include <string.h>

#include "base/secret.h"
#include "crypto/blocks.h"
#include "crypto/key_state.h"
#include "crypto/type1.h"

enum {
    GROUP = 64, /* messages side by side: their blocks are a call of 1 KiB */
    FEW = 4,    /* fewer are faster one after the other */
};

/* 16 bytes at any address; a vector, so that each is one load and one store. */
typedef uint64_t block __attribute__((vector_size(16), aligned(1), may_alias));

struct group {
    struct signet_engine *ecb, *cbc;
    unsigned num;                          /* messages that are not done */
    uint8_t *at[GROUP];                    /* the next block of each */
    size_t left[GROUP];                    /* bytes from there on */
    _Alignas(64) uint8_t chain[GROUP][16]; /* what their next block is XORed with */
};

/* Takes done messages out of the group. */
static void close_ranks(struct group *g)
{
    unsigned num = 0;
    for (unsigned i = 0; i < g->num; i++) {
        if (g->left[i] == 0) {
            continue;
        }
        if (i != num) {
            g->at[num] = g->at[i];
            g->left[num] = g->left[i];
            memcpy(g->chain[num], g->chain[i], 16);
        }
        num++;
    }
    g->num = num;
}

static size_t shortest(const struct group *g)
{
    size_t least = g->left[0];
    for (unsigned i = 1; i < g->num; i++) {
        least = g->left[i] < least ? g->left[i] : least;
    }
    return least;
}

/* The next len bytes of all messages. */
static int advance(struct group *g, void *lane, size_t len)
{
    int err = 0;
    for (size_t at = 0; at < len && err == 0; at += 16) {
        for (unsigned i = 0; i < g->num; i++) {
            *(block *)g->chain[i] ^= *(const block *)(g->at[i] + at);
        }
        err = g->ecb->handler->ecb(lane, g->chain[0], g->chain[0], (size_t)16 * g->num);
        for (unsigned i = 0; i < g->num && err == 0; i++) {
            *(block *)(g->at[i] + at) = *(const block *)g->chain[i];
        }
    }
    for (unsigned i = 0; i < g->num; i++) {
        g->at[i] += len;
        g->left[i] -= len;
    }
    return err;
}

static int side_by_side(struct group *g)
{
    struct signet_lane lane;
    if (g->num < FEW) {
        return 0;
    }
    int err = signet_lane_enter(g->ecb, &lane);
    if (err != 0) {
        return err;
    }
    while (err == 0 && g->num >= FEW) {
        err = advance(g, lane.p, shortest(g));
        close_ranks(g);
    }
    signet_lane_leave(&lane);
    return err;
}

/* What is left when the others of the group are done. */
static int one_by_one(struct group *g)
{
    int err = 0;
    for (unsigned i = 0; i < g->num && err == 0; i++) {
        err = signet_engine_cbc(g->cbc, g->at[i], g->at[i], g->left[i], g->chain[i]);
    }
    return err;
}

static int seal_group(struct group *g, const struct signet_seal_job *jobs, size_t num)
{
    g->num = (unsigned)num;
    for (size_t i = 0; i < num; i++) {
        size_t plain = SIGNET_ENVELOPE_HEADER + jobs[i].len, total = signet_type1_len(plain);
        signet_put_envelope(jobs[i].out, jobs[i].in, jobs[i].len, (uint8_t)(total - plain));
        g->at[i] = jobs[i].out;
        g->left[i] = total;
        memcpy(g->chain[i], signet_type1_iv, 16);
    }
    int err = side_by_side(g);
    return err != 0 ? err : one_by_one(g);
}

static int find_engines(struct group *g, const struct signet_key *key, enum signet_usage usage)
{
    struct signet_row *row = signet_row_now(key->pin);
    struct signet_state *state;
    if (row == NULL) {
        return -SIGNET_E_STATE;
    }
    int err = signet_key_state(key, row, usage, &state);
    if (err == 0) {
        err = signet_state_engine(key, row, state, KEY_ROLE_SEAL, &g->cbc);
    }
    if (err != 0) {
        return err;
    }
    signet_engine_slot *slot = &((struct signet_key *)(uintptr_t)key)->batch[row->index];
    g->ecb = atomic_load_explicit(slot, memory_order_acquire);
    return g->ecb != NULL ? 0
                          : signet_engine_fill(slot, &g->ecb, row->handler, SIGNET_ALG_ECB128_SEAL,
                                               key->secret, 16);
}

static int seal_type1(const struct signet_key *key, enum signet_usage usage,
                      const struct signet_seal_job *jobs, size_t num)
{
    struct group g;
    int err = find_engines(&g, key, usage);
    for (size_t at = 0; at < num && err == 0; at += GROUP) {
        err = seal_group(&g, jobs + at, num - at < GROUP ? num - at : GROUP);
    }
    if (err != 0) {
        signet_wipe(g.chain, sizeof(g.chain)); /* plaintext is left there by a call that failed */
    }
    return err;
}

static int seal_each(const struct signet_key *key, enum signet_usage usage,
                     struct signet_seal_job *jobs, size_t num)
{
    int err = 0;
    for (size_t i = 0; i < num && err == 0; i++) {
        struct signet_seal_job *j = &jobs[i];
        err = signet_envelope_seal(key, usage, j->out, j->cap, &j->out_len, j->in, j->len);
    }
    return err;
}

/* Lengths before anything is written. */
static int measure(const struct signet_key *key, struct signet_seal_job *jobs, size_t num)
{
    int err = 0;
    for (size_t i = 0; i < num; i++) {
        size_t total = signet_envelope_len(key, jobs[i].len);
        err = total == 0 || jobs[i].cap < total ? -SIGNET_E_SPACE : err;
        jobs[i].out_len = 0;
    }
    return err;
}

int signet_key_seal_batch(const struct signet_key *key, enum signet_usage usage,
                          struct signet_seal_job *jobs, size_t num)
{
    int err = measure(key, jobs, num);
    if (err != 0) {
        return err;
    }
    bool lockstep = signet_key_type(key) == SIGNET_KEY_AES && num >= FEW;
    err = lockstep ? seal_type1(key, usage, jobs, num) : seal_each(key, usage, jobs, num);
    for (size_t i = 0; i < num; i++) {
        size_t total = signet_envelope_len(key, jobs[i].len);
        if (err != 0) {
            signet_wipe(jobs[i].out, total);
        }
        jobs[i].out_len = err == 0 ? total : 0;
    }
    return err;
}
