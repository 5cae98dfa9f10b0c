/* SPDX-License-Identifier: MIT */
#include "seal_ticket.h"

#include <string.h>

enum { BATCH_MAX = 128, BATCH_ROOM = 192 };

/* Batches: the same messages as the other rows of 128 bytes, sealed by one call. */
struct batch {
    const struct cell *cell;
    const struct bench_sealer *sealer; /* NULL: a loop of the bare instructions */
    unsigned num;
    struct signet_seal_job jobs[BATCH_MAX];
};

static int seal_batch(struct batch *t)
{
    const struct cell *c = t->cell;
    if (t->sealer) {
        return signet_key_seal_batch(t->sealer->key, TICKET_USAGE, t->jobs, t->num);
    }
    for (unsigned i = 0; i < t->num; i++) {
        if (c->way->seal(c->way->state, t->jobs[i].out, c->plain, c->n) < 0) {
            return -1;
        }
    }
    return 0;
}

static void run_batch(void *arg, uint64_t iters)
{
    struct batch *t = arg;
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(seal_batch(t) == 0, "a batch does not seal");
        bench_use(t->jobs[0].out);
    }
}

static int check_batch(void *arg)
{
    struct batch *t = arg;
    const struct cell *c = t->cell;
    const struct way *oracle = c->family->oracle;
    int err = seal_batch(t);
    for (unsigned i = 0; i < t->num && !err; i++) {
        const uint8_t *out = t->jobs[i].out;
        err = c->family->random
                  ? !ticket_opened(c, c->back,
                                   oracle->open(oracle->state, c->back, out, c->sealed_len))
                  : memcmp(out, c->sealed, (size_t)c->sealed_len) != 0;
    }
    return err;
}

static struct batch *new_batch(const struct family *f, const struct way *way, unsigned num)
{
    struct batch *t = bench_alloc(sizeof *t);
    struct cell *c = ticket_cell(f, way, TICKET_SIZE);
    uint8_t *room = bench_alloc((size_t)num * BATCH_ROOM);
    *t = (struct batch){.cell = c, .num = num};
    t->sealer = way->seal == bench_sealer_seal ? way->state : NULL;
    for (unsigned i = 0; i < num; i++) {
        t->jobs[i] = (struct signet_seal_job){.in = c->plain + SIGNET_ENVELOPE_HEADER,
                                              .len = TICKET_SIZE - SIGNET_ENVELOPE_HEADER,
                                              .out = room + (size_t)i * BATCH_ROOM,
                                              .cap = BATCH_ROOM};
    }
    return t;
}

static void add_batch(struct bench *b, const struct family *f, unsigned num, bool chained)
{
    const char *group = bench_text(b, "batch of %u x 128 B, %s, per message", num, f->name);
    for (unsigned i = 0; i < f->num; i++) {
        const struct way *way = &f->ways[i];
        bool ours = way->seal == bench_sealer_seal, limit = strcmp(way->name, "limit") == 0;
        if (!ours && !limit) {
            continue;
        }
        struct bench_row row = {.group = group,
                                .name = way->name,
                                .arg = new_batch(f, way, num),
                                .bytes = TICKET_SIZE,
                                .ops = num,
                                .no_allocs = ours,
                                .check = check_batch,
                                .run = run_batch};
        row.floor = ours && chained ? "limit" : NULL;
        if (row.floor && num == 64) {
            row.bar_floor = strcmp(way->name, "signet nss") == 0 ? 0.95 : 0.8;
        }
        bench_add(b, &row);
    }
}

void add_batches(struct bench *b, const struct family *aes, const struct family *aes256k)
{
    for (unsigned num = 1; num <= BATCH_MAX; num *= 2) {
        add_batch(b, aes, num, true);
    }
    add_batch(b, aes256k, 64, false);
}
