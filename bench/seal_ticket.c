/* SPDX-License-Identifier: MIT */
/* What does it cost to seal or open one cephx envelope? */
#include "common/bench.h"
#include "ref/ref.h"

#include <string.h>

static const int sizes[] = {16, 64, 128, 256, 1024, 4096};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes, SIZE_2015 = 128, NUM_2015 = 100000 };

/* What all rows seal: the envelope header and then the structure. */
static const uint8_t header[9] = {1, 0x55, 0xaa, 0x26, 0x88, 0xad, 0x9c, 0x00, 0xff};

/* One way of sealing; n counts the envelope header. */
struct way {
    const char *name;
    void *state;
    int (*seal)(void *state, uint8_t *out, const uint8_t *in, int n);
    int (*open)(void *state, uint8_t *out, const uint8_t *in, int n);
};

/* One row: a way at one size. */
struct cell {
    const struct way *way;
    int n, sealed_len;
    uint8_t *plain, *sealed, *out;
};

static void run_seal(void *arg, uint64_t iters)
{
    const struct cell *c = arg;
    for (uint64_t i = 0; i < iters; i++) {
        c->way->seal(c->way->state, c->out, c->plain, c->n);
        bench_use(c->out);
    }
}

static void run_open(void *arg, uint64_t iters)
{
    const struct cell *c = arg;
    for (uint64_t i = 0; i < iters; i++) {
        c->way->open(c->way->state, c->out, c->sealed, c->sealed_len);
        bench_use(c->out);
    }
}

/* Type 1 sealing is deterministic: all ways give the same bytes. */
static int check_seal(void *arg)
{
    const struct cell *c = arg;
    memset(c->out, 0, (size_t)c->sealed_len);
    return c->way->seal(c->way->state, c->out, c->plain, c->n) != c->sealed_len ||
           memcmp(c->out, c->sealed, (size_t)c->sealed_len) != 0;
}

static int check_open(void *arg)
{
    const struct cell *c = arg;
    memset(c->out, 0, (size_t)c->n);
    return c->way->open(c->way->state, c->out, c->sealed, c->sealed_len) != c->n ||
           memcmp(c->out, c->plain, (size_t)c->n) != 0;
}

static struct way ways_aes[16];
static unsigned num_aes;

static void add_ref(const struct ref_cipher *ref, const uint8_t *key)
{
    void *state = ref->make(key);
    if (state)
        ways_aes[num_aes++] = (struct way){ref->name, state, ref->seal, ref->open};
}

static struct cell *new_cell(const struct way *way, const struct way *oracle, int n)
{
    struct cell *c = bench_alloc(sizeof *c);
    size_t room = (size_t)n + 64;
    *c = (struct cell){.way = way, .n = n};
    c->plain = bench_alloc(room);
    c->sealed = bench_alloc(room);
    c->out = bench_alloc(room);
    bench_fill(c->plain, (size_t)n, (unsigned)n);
    memcpy(c->plain, header, sizeof header);
    c->sealed_len = oracle->seal(oracle->state, c->sealed, c->plain, n);
    bench_need(c->sealed_len > n, "the reference row does not seal");
    return c;
}

static void add_rows(struct bench *b, const char *group, int n, bool seal,
                     const struct bench_row *add)
{
    for (unsigned i = 0; i < num_aes; i++) {
        struct bench_row row = *add;
        row.group = group;
        row.name = ways_aes[i].name;
        row.arg = new_cell(&ways_aes[i], &ways_aes[0], n);
        row.bytes = (size_t)n;
        row.check = seal ? check_seal : check_open;
        row.run = seal ? run_seal : run_open;
        row.floor = strcmp(row.name, "limit") ? "limit" : NULL;
        bench_add(b, &row);
    }
}

static int setup(struct bench *b)
{
    uint8_t key[16];
    bench_fill(key, sizeof key, 1);
    add_ref(&ref_limit_fenced, key);
    add_ref(&ref_limit_unfenced, key);
    add_ref(&ref_naive_nss, key);
    add_ref(&ref_cached_nss, key);
    add_ref(&ref_naive_openssl, key);
    add_ref(&ref_cached_openssl, key);
    struct bench_row once = {.iters = NUM_2015, .rounds = 5};
    add_rows(b, "2015: seal 100,000 x 128 B, aes", SIZE_2015, true, &once);
    for (int i = 0; i < NUM_SIZES; i++) {
        add_rows(b, bench_text(b, "seal %d B, aes", sizes[i]), sizes[i], true,
                 &(struct bench_row){0});
        add_rows(b, bench_text(b, "open %d B, aes", sizes[i]), sizes[i], false,
                 &(struct bench_row){0});
    }
    bench_fact(b, "krb5", "%s", ref_krb5_version());
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "seal_ticket",
        .question = "what does it cost to seal or open one cephx envelope?",
        .setup = setup,
    };
    return bench_main(argc, argv, &program);
}
