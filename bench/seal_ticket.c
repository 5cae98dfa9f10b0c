/* SPDX-License-Identifier: MIT */
/* What does it cost to seal or open one cephx envelope? */
#include "seal_ticket.h"

#include <string.h>

#include "ref/ref.h"

static const int sizes[] = {16, 64, 128, 256, 1024, 4096};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };
/* 100 samples of 1,000. */
enum { ITERS_2015 = 1000, ROUNDS_2015 = 100, KEY_SEED = 1 };
static const enum signet_usage usage = TICKET_USAGE;

/* What a row is compared with, and the bars it is held to at 128 bytes. */
struct standard {
    const char *group, *way;
    struct bench_versus versus[BENCH_VERSUS_MAX];
    double floor;
};

static const struct standard standards[] = {
    {"seal 128 B, aes", "signet nss", {{"cached nss", 7, 0, 0}, {"naive nss", 23, 0, 0}}, 0},
    {"seal 128 B, aes", "signet openssl", {{"naive openssl", 6, 0, 0}}, 2.6},
    {"open 128 B, aes", "signet nss", {{"cached nss", 12, 0, 0}}, 0},
    {"open 128 B, aes", "signet openssl", {{"naive openssl", 12, 0, 0}}, 0},
    {"seal 128 B, aes256k", "signet nss", {{"krb5", 2.5, 0, 0}}, 0},
    {"seal 128 B, aes256k", "signet openssl", {{"krb5", 5, 0, 0}}, 0},
    {"open 128 B, aes256k", "signet nss", {{"krb5", 2.5, 0, 0}}, 0},
    {"open 128 B, aes256k", "signet openssl", {{"krb5", 5, 0, 0}}, 0},
    /* Any size: no bars. */
    {NULL, "signet nss", {{"cached nss", 0, 0, 0}, {"naive nss", 0, 0, 0}, {"krb5", 0, 0, 0}}, 0},
    {NULL,
     "signet openssl",
     {{"cached openssl", 0, 0, 0}, {"naive openssl", 0, 0, 0}, {"krb5", 0, 0, 0}},
     0},
    {NULL, "signet ipsec-mb", {{"cached openssl", 0, 0, 0}, {"krb5", 0, 0, 0}}, 0},
};

static struct family aes = {.name = "aes"}, aes256k = {.name = "aes256k", .random = true};
static struct bench_handlers handlers;

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

/* signet returns the structure without the header; for the others the header is part of n. */
bool ticket_opened(const struct cell *c, const uint8_t *out, int len)
{
    size_t skip = SIGNET_ENVELOPE_HEADER;
    return len == c->n && memcmp(out + skip, c->plain + skip, (size_t)c->n - skip) == 0;
}

static int check_seal(void *arg)
{
    const struct cell *c = arg;
    const struct way *oracle = c->family->oracle;
    memset(c->out, 0, (size_t)c->sealed_len);
    int len = c->way->seal(c->way->state, c->out, c->plain, c->n);
    if (len != c->sealed_len) {
        return 1;
    }
    if (!c->family->random) {
        return memcmp(c->out, c->sealed, (size_t)len) != 0;
    }
    return !ticket_opened(c, c->back, oracle->open(oracle->state, c->back, c->out, len));
}

static int check_open(void *arg)
{
    const struct cell *c = arg;
    memset(c->out, 0, (size_t)c->n);
    return !ticket_opened(c, c->out, c->way->open(c->way->state, c->out, c->sealed, c->sealed_len));
}

static void add_ref(const struct ref_cipher *ref, const uint8_t *key)
{
    void *state = ref->make(key);
    if (state) {
        aes.ways[aes.num++] = (struct way){ref->name, state, ref->seal, ref->open};
    }
}

static int krb5_seal(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return ref_krb5_seal(state, usage, out, in, n);
}

static int krb5_open(void *state, uint8_t *out, const uint8_t *in, int n)
{
    return ref_krb5_open(state, usage, out, in, n);
}

static void add_signet(struct bench *b, struct family *f, enum signet_key_type type)
{
    for (unsigned h = 0; h < handlers.num; h++) {
        struct bench_sealer *s = bench_alloc(sizeof *s);
        s->key = bench_key(type, handlers.at[h], KEY_SEED);
        s->usage = usage;
        f->ways[f->num++] = (struct way){bench_text(b, "signet %s", handlers.name[h]), s,
                                         bench_sealer_seal, bench_sealer_open};
    }
}

static void add_ways(struct bench *b)
{
    uint8_t key[SIGNET_KEY_SECRET_MAX];
    bench_fill(key, sizeof key, KEY_SEED);
    add_ref(&ref_limit_unfenced, key);
    add_ref(&ref_limit_fenced, key);
    add_ref(&ref_naive_nss, key);
    add_ref(&ref_cached_nss, key);
    add_ref(&ref_naive_openssl, key);
    add_ref(&ref_evp_openssl, key);
    add_ref(&ref_bare_nss, key);
    add_ref(&ref_bare_openssl, key);
    add_ref(&ref_cached_openssl, key);
    aes.oracle = &aes.ways[aes.num - 1];
    add_signet(b, &aes, SIGNET_KEY_AES);
    struct ref_krb5 *krb5 = ref_krb5_new(key);
    if (krb5) {
        aes256k.ways[aes256k.num++] = (struct way){"krb5", krb5, krb5_seal, krb5_open};
    }
    aes256k.oracle = &aes256k.ways[0];
    add_signet(b, &aes256k, SIGNET_KEY_AES256K);
    bench_fact(b, "krb5", "%s", ref_krb5_version());
}

struct cell *ticket_cell(const struct family *f, const struct way *way, int n)
{
    struct cell *c = bench_alloc(sizeof *c);
    size_t room = (size_t)n + 128;
    *c = (struct cell){.family = f, .way = way, .n = n};
    c->plain = bench_alloc(room);
    c->sealed = bench_alloc(room);
    c->out = bench_alloc(room);
    c->back = bench_alloc(room);
    bench_fill(c->plain, (size_t)n, (unsigned)n);
    memcpy(c->plain, ref_header, sizeof ref_header);
    c->sealed_len = f->oracle->seal(f->oracle->state, c->sealed, c->plain, n);
    bench_need(c->sealed_len > n, "the oracle does not seal");
    return c;
}

static void set_standard(struct bench_row *row)
{
    if (strcmp(row->name, "unfenced limit") != 0) {
        row->floor = "unfenced limit";
    }
    for (unsigned i = 0; i < sizeof standards / sizeof *standards; i++) {
        const struct standard *s = &standards[i];
        if (strcmp(s->way, row->name) != 0 || (s->group && strcmp(s->group, row->group) != 0)) {
            continue;
        }
        memcpy(row->versus, s->versus, sizeof row->versus);
        row->bar_floor = s->floor;
        row->no_allocs = true;
        return;
    }
}

static void add_rows(struct bench *b, const struct family *f, const char *group, int n, bool seal)
{
    bool as_2015 = strncmp(group, "2015", 4) == 0;
    for (unsigned i = 0; i < f->num; i++) {
        struct bench_row row = {.group = group,
                                .name = f->ways[i].name,
                                .arg = ticket_cell(f, &f->ways[i], n),
                                .bytes = (size_t)n,
                                .iters = as_2015 ? ITERS_2015 : 0,
                                .rounds = as_2015 ? ROUNDS_2015 : 0,
                                .check = seal ? check_seal : check_open,
                                .run = seal ? run_seal : run_open};
        set_standard(&row);
        bench_add(b, &row);
    }
}

static void add_sizes(struct bench *b, const struct family *f)
{
    for (int i = 0; i < NUM_SIZES; i++) {
        add_rows(b, f, bench_text(b, "seal %d B, %s", sizes[i], f->name), sizes[i], true);
        add_rows(b, f, bench_text(b, "open %d B, %s", sizes[i], f->name), sizes[i], false);
    }
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    add_ways(b);
    add_rows(b, &aes, "2015: 100,000 seals of 128 B, aes", TICKET_SIZE, true);
    add_sizes(b, &aes);
    add_sizes(b, &aes256k);
    add_batches(b, &aes, &aes256k);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "seal_ticket",
        .question = "what does it cost to seal or open one cephx envelope?",
        .notes =
            "  Sizes are bytes of plaintext with the envelope header: 128 B is the header of\n"
            "  9 bytes, which signet writes itself, and a structure of 119. All rows of one\n"
            "  size give equally many bytes, rows of type aes the same bytes.\n"
            "  limit: the bare AES instructions, each message after the one before is done;\n"
            "  unfenced limit: messages may overlap in the processor.\n"
            "  naive: slot, key import and context per call, as Ceph did in 2015; cached: key\n"
            "  kept, a context per call; evp: a context kept, begun anew by its IV; krb5: "
            "krb5_k_encrypt and _decrypt with a kept key.\n"
            "  batch: signet_key_seal_batch; limit there: a loop over the messages.\n",
        .setup = setup,
    };
    return bench_main(argc, argv, &program);
}
