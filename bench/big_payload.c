/* SPDX-License-Identifier: MIT */
/* Does it matter how a large payload is cut for AES-CBC, and whether a crc is taken on the way? */
#include "common/bench.h"
#include "common/bench_signet.h"
#include "ref/ref.h"

#include <string.h>

#include <isa-l/crc.h>
#include <openssl/evp.h>

#include "base/crc32c.h"
#include "crypto/fused.h"

enum { MIB = 1 << 20, LARGE = 30 * MIB, SMALL = 2 * MIB, CACHE = 6144, KEY_SEED = 41 };
static const size_t chunks[] = {4096, 16384, 65536, 262144, MIB};
enum { NUM_CHUNKS = sizeof chunks / sizeof *chunks };

static struct bench_handlers handlers;
static size_t total;
static uint8_t key[REF_KEY_LEN], *plain, *sealed, *out, *place;
static uint32_t plain_crc;

enum crc { NONE, AFTERWARDS, FUSED, CACHED, BARE };

/* One row. */
struct job {
    struct signet_engine *engine; /* NULL: the bare instructions */
    void *limit;
    size_t chunk;
    bool opens, in_place;
    enum crc crc;
    uint32_t got; /* the crc */
};

/* All of it, in chunks; each begins with the last block of ciphertext before it. */
static int in_chunks(struct job *j, uint8_t *to, const uint8_t *from)
{
    struct signet_lane lane;
    uint8_t iv[16], next[16];
    memcpy(iv, ref_iv, 16);
    int err = signet_lane_enter(j->engine, &lane);
    for (size_t at = 0; at < total && !err; at += j->chunk) {
        size_t n = total - at < j->chunk ? total - at : j->chunk;
        const uint8_t *last = j->opens ? from + at + n - 16 : to + at + n - 16;
        /* Before the call only where it is overwritten: until then it is not in the cache, and
         * waiting for it takes as long as opening a KiB. */
        if (j->opens && j->in_place) {
            memcpy(next, last, 16);
            last = next;
        }
        err = j->engine->handler->cbc(lane.p, to + at, from + at, n, iv);
        memcpy(iv, last, 16);
    }
    signet_lane_leave(&lane);
    return err;
}

/* The work of both without the memory: a chunk that stays in the first-level cache, again and
 * again. Calls can't overlap more of it than they do here. */
static int in_the_cache(struct job *j)
{
    int err = 0;
    for (size_t at = 0; at < total && !err; at += j->chunk) {
        j->got = UINT32_MAX;
        err = signet_fused_cbc_open(j->engine, out, sealed, j->chunk, ref_iv, SIGNET_CRC_OUT,
                                    &j->got);
    }
    return err;
}

/* The same by ISA-L's function alone, which may leave data in the upper parts of the vector
 * registers (base/crc32c.c). */
static int in_the_cache_bare(struct job *j)
{
    struct signet_lane lane;
    int err = signet_lane_enter(j->engine, &lane);
    for (size_t at = 0; at < total && !err; at += j->chunk) {
        err = j->engine->handler->cbc(lane.p, out, sealed, j->chunk, ref_iv);
        j->got = crc32_iscsi(out, (int)j->chunk, UINT32_MAX);
    }
    signet_lane_leave(&lane);
    return err;
}

static int once(struct job *j)
{
    uint8_t *to = j->in_place ? place : out;
    const uint8_t *from = j->in_place ? place : j->opens ? sealed : plain;
    j->got = UINT32_MAX;
    if (!j->engine) {
        const struct ref_cipher *ref = &ref_limit_unfenced;
        return (j->opens ? ref->open(j->limit, to, from, (int)total)
                         : ref->seal(j->limit, to, from, (int)total - 16)) == 0;
    }
    if (j->crc == CACHED) {
        return in_the_cache(j);
    }
    if (j->crc == BARE) {
        return in_the_cache_bare(j);
    }
    if (j->crc == FUSED) {
        return signet_fused_cbc_open(j->engine, to, from, total, ref_iv, SIGNET_CRC_OUT, &j->got);
    }
    int err = in_chunks(j, to, from);
    if (j->crc == AFTERWARDS) {
        j->got = signet_crc32c(UINT32_MAX, to, total);
    }
    return err;
}

/* In place what comes out goes in again the next time: that takes as long. */
static void run(void *arg, uint64_t iters)
{
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(once(arg) == 0, "an operation failed");
    }
}

static int check(void *arg)
{
    struct job *j = arg;
    if (j->crc == CACHED || j->crc == BARE) {
        return once(j) || memcmp(out, plain, j->chunk) != 0 ||
               j->got != signet_crc32c(UINT32_MAX, plain, j->chunk);
    }
    const uint8_t *want = j->opens ? plain : sealed;
    /* The instructions alone add the padding and so leave the last block out. */
    size_t len = j->engine ? total : total - 16;
    memcpy(place, j->opens ? sealed : plain, total);
    memset(out, 0, total);
    int err = once(j);
    return (err && j->engine) || memcmp(j->in_place ? place : out, want, len) != 0 ||
           (j->crc != NONE && j->got != plain_crc);
}

static struct job *new_job(const struct signet_handler *handler, bool opens, size_t chunk)
{
    struct job *j = bench_alloc(sizeof *j);
    j->opens = opens;
    j->chunk = chunk;
    if (!handler) {
        j->limit = ref_limit_unfenced.make(key);
        return j;
    }
    bench_need(signet_engine_new(&j->engine, handler,
                                 opens ? SIGNET_ALG_CBC128_OPEN : SIGNET_ALG_CBC128_SEAL, key,
                                 sizeof key) == 0,
               "a handler refuses a key");
    return j;
}

static const struct bench_versus nothing;
static const char in_cache[] = "both in the cache";

static void add(struct bench *b, const char *group, const char *name, struct job *j,
                struct bench_versus versus)
{
    bench_add(b, &(struct bench_row){.group = group,
                                     .name = name,
                                     .versus = {versus},
                                     .floor = j->crc == FUSED ? in_cache : NULL,
                                     .arg = j,
                                     .bytes = total,
                                     .iters = 1,
                                     .no_allocs = j->engine != NULL,
                                     .check = check,
                                     .run = run});
}

static void add_cuts(struct bench *b, const char *group, const struct signet_handler *handler,
                     bool opens)
{
    struct job *limit = new_job(NULL, opens, total), *j;
    if (limit->limit) {
        add(b, group, "the AES instructions", limit, nothing);
    }
    add(b, group, "one call", new_job(handler, opens, total), nothing);
    for (int i = 0; i < NUM_CHUNKS; i++) {
        add(b, group, bench_text(b, "chunks of %zu KiB", chunks[i] / 1024),
            new_job(handler, opens, chunks[i]),
            (struct bench_versus){.row = "one call", .bar = opens ? 0.9 : 0});
    }
    j = new_job(handler, opens, total);
    j->in_place = true;
    add(b, group, "one call, in place", j, (struct bench_versus){.row = "one call"});
}

static void add_crcs(struct bench *b, const char *group, const struct signet_handler *handler)
{
    struct job *j = new_job(handler, true, total);
    j->crc = AFTERWARDS;
    add(b, group, "one call, then crc32c", j, nothing);
    j = new_job(handler, true, CACHE);
    j->crc = CACHED;
    add(b, group, in_cache, j, (struct bench_versus){.row = "one call, then crc32c"});
    j = new_job(handler, true, CACHE);
    j->crc = BARE;
    add(b, group, "both in the cache, crc by ISA-L alone", j,
        (struct bench_versus){.row = in_cache});
    j = new_job(handler, true, total);
    j->crc = FUSED;
    add(b, group, "fused with crc32c", j,
        (struct bench_versus){.row = "one call, then crc32c", .bar = 1.12});
    j = new_job(handler, true, total);
    j->crc = AFTERWARDS;
    j->in_place = true;
    add(b, group, "one call, then crc32c, in place", j, nothing);
    j = new_job(handler, true, total);
    j->crc = FUSED;
    j->in_place = true;
    add(b, group, "fused with crc32c, in place", j,
        (struct bench_versus){.row = "one call, then crc32c, in place", .bar = 1.12});
}

/* In place rows check before they time, so that place holds plaintext then only. */
static void make_payload(void)
{
    int len;
    bench_fill(key, sizeof key, KEY_SEED);
    plain = bench_alloc(total);
    sealed = bench_alloc(total);
    out = bench_alloc(total);
    place = bench_alloc(total);
    bench_fill(plain, total, KEY_SEED);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    bench_need(EVP_EncryptInit_ex(ctx, EVP_aes_128_cbc(), NULL, key, ref_iv) == 1 &&
                   EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 &&
                   EVP_EncryptUpdate(ctx, sealed, &len, plain, (int)total) == 1,
               "OpenSSL fails");
    EVP_CIPHER_CTX_free(ctx);
    plain_crc = signet_crc32c(UINT32_MAX, plain, total);
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    total = bench_quick(b) ? SMALL : LARGE;
    make_payload();
    for (unsigned h = 0; h < handlers.num; h++) {
        const char *name = handlers.name[h];
        add_cuts(b, bench_text(b, "seal 30 MiB, %s", name), handlers.at[h], false);
        const char *open = bench_text(b, "open 30 MiB, %s", name);
        add_cuts(b, open, handlers.at[h], true);
        add_crcs(b, open, handlers.at[h]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "big_payload",
        .question = "does it matter how a large payload is cut, and how its crc is taken?",
        .notes =
            "  AES-128-CBC. Sealing is a chain: the AES unit waits, however it is cut. fused: a\n"
            "  piece is opened and its crc taken while it is in the cache (crypto/fused.h). both "
            "in\n"
            "  the cache: the same calls on one piece again and again, so the least that fusing\n"
            "  costs if memory costs nothing; what it gains is what it may gain at most. crc by\n"
            "  ISA-L alone: it may leave data in vector registers, which slows down the AES that\n"
            "  follows; signet's crc does not.\n",
        .setup = setup,
        .rounds = 21,
    };
    return bench_main(argc, argv, &program);
}
