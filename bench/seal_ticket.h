/* SPDX-License-Identifier: MIT */
/* Ways of sealing envelopes, shared by the files of bench_seal_ticket. */
#ifndef BENCH_SEAL_TICKET_H
#define BENCH_SEAL_TICKET_H

#include "common/bench.h"
#include "common/bench_signet.h"

enum { TICKET_SIZE = 128 }; /* bytes, as in the table of 2015 */
#define TICKET_USAGE SIGNET_USAGE_AUTHORIZE

/* One way of sealing; n counts the envelope header. */
struct way {
    const char *name;
    void *state;
    int (*seal)(void *state, uint8_t *out, const uint8_t *in, int n);
    int (*open)(void *state, uint8_t *out, const uint8_t *in, int n);
};

/* The ways of one key type. The oracle is independent of signet where there is such a way: it makes
 * what is to be opened, and opens what is not deterministic. */
struct family {
    const char *name;
    struct way ways[16];
    unsigned num;
    const struct way *oracle;
    bool random; /* two seals of one plaintext differ */
};

/* One row: a way at one size. */
struct cell {
    const struct family *family;
    const struct way *way;
    int n, sealed_len;
    uint8_t *plain, *sealed, *out, *back;
};

/* A new row's state, with what is to be sealed and, by the oracle, to be opened. */
struct cell *ticket_cell(const struct family *f, const struct way *way, int n);
/* Whether the len bytes that opening gave are those of the cell. */
bool ticket_opened(const struct cell *c, const uint8_t *out, int len);

/* Rows that seal 1 to 128 envelopes by one call. */
void add_batches(struct bench *b, const struct family *aes, const struct family *aes256k);

#endif
