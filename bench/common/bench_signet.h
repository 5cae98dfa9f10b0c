/* SPDX-License-Identifier: MIT */
/* The library under test, for all programs. */
#ifndef BENCH_SIGNET_H
#define BENCH_SIGNET_H

#include <signet/signet.h>

#include "common/bench.h"

enum { BENCH_HANDLERS_MAX = 8 };

/* The handlers that passed their self-test, in order of registration. */
struct bench_handlers {
    const struct signet_handler *at[BENCH_HANDLERS_MAX];
    const char *name[BENCH_HANDLERS_MAX];
    unsigned num;
};

/* signet_init() and a fact for each handler; ends the process on failure. */
void bench_signet_start(struct bench *b, struct bench_handlers *out);
void bench_signet_stop(void);
/* A key of a fixed secret on this handler; ends the process on failure. */
struct signet_key *bench_key(enum signet_key_type type, const struct signet_handler *handler,
                             unsigned seed);

/* The state of a row that seals envelopes. Plaintexts are counted with their envelope header of 9
 * bytes, which signet writes itself, so that n bytes are n bytes for every row. */
struct bench_sealer {
    struct signet_key *key;
    enum signet_usage usage;
};
/* in[0..9) is skipped on sealing and out[0..9) is not written on opening. Room: n + 64 bytes. The
 * length written, counted with the header, or -1. */
int bench_sealer_seal(void *sealer, uint8_t *out, const uint8_t *in, int n);
int bench_sealer_open(void *sealer, uint8_t *out, const uint8_t *in, int n);

#endif
