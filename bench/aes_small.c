/* SPDX-License-Identifier: MIT */
/* What do the smallest operations cost: one AES block, one short GCM message? */
#include "common/bench.h"
#include "common/bench_signet.h"
#include "ref/ref.h"

#include <string.h>

#include <openssl/evp.h>

#include "crypto/handler.h"

enum { SMALL = 64, LARGE = 4096, ROOM = LARGE + 64, FRAMES = 2048, KEY_SEED = 5 };

static struct bench_handlers handlers;
static uint8_t key[REF_KEY_LEN];

/* ---- one block ---- */

struct block {
    const struct signet_handler *handler; /* NULL: OpenSSL's EVP */
    void *lane;
    EVP_CIPHER_CTX *ctx;
    uint8_t in[16], want[16], out[16];
};

static const uint8_t zero_iv[16];

/* A handler has no single block: a CBC message of one block and a zero IV is the same. */
static int block_once(struct block *b)
{
    int len;
    if (b->handler) {
        return b->handler->cbc(b->lane, b->out, b->in, 16, zero_iv);
    }
    return EVP_CipherUpdate(b->ctx, b->out, &len, b->in, 16) != 1;
}

static void run_block(void *arg, uint64_t iters)
{
    struct block *b = arg;
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(block_once(b) == 0, "a block failed");
        bench_use(b->out);
    }
}

static int check_block(void *arg)
{
    struct block *b = arg;
    return block_once(b) || memcmp(b->out, b->want, 16) != 0;
}

static EVP_CIPHER_CTX *evp_block(int encrypt)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    bench_need(EVP_CipherInit_ex(ctx, EVP_aes_128_ecb(), NULL, key, NULL, encrypt) == 1 &&
                   EVP_CIPHER_CTX_set_padding(ctx, 0) == 1,
               "OpenSSL refuses a key");
    return ctx;
}

static struct block *new_block(const struct signet_handler *handler, bool encrypt)
{
    struct block *b = bench_alloc(sizeof *b);
    enum signet_alg alg = encrypt ? SIGNET_ALG_CBC128_SEAL : SIGNET_ALG_CBC128_OPEN;
    void *k;
    int len;
    b->handler = handler;
    b->ctx = evp_block(encrypt);
    bench_fill(b->in, 16, 9);
    bench_need(EVP_CipherUpdate(b->ctx, b->want, &len, b->in, 16) == 1, "OpenSSL fails");
    if (handler) {
        bench_need(handler->key_new(&k, alg, key, sizeof key) == 0 &&
                       handler->lane_new(&b->lane, alg, k, signet_thread_index()) == 0,
                   "a handler refuses a key");
    }
    return b;
}

static void add_blocks(struct bench *b, const char *group, bool encrypt)
{
    struct bench_row row = {.group = group, .bytes = 16, .check = check_block, .run = run_block};
    row.name = "evp, kept context";
    row.arg = new_block(NULL, encrypt);
    bench_add(b, &row);
    for (unsigned h = 0; h < handlers.num; h++) {
        row.name = bench_text(b, "signet %s", handlers.name[h]);
        row.arg = new_block(handlers.at[h], encrypt);
        row.versus[0].row = "evp, kept context";
        row.no_allocs = true;
        bench_add(b, &row);
    }
}

/* ---- GCM ---- */

/* Messages of n bytes by a library itself or, where ref is NULL, by a stream of signet. Each has
 * its own nonce, and all that are opened lie side by side. */
struct message {
    const struct ref_gcm *ref;
    void *state;
    const struct signet_handler *handler;
    struct signet_stream *stream;
    size_t n, num, next;
    uint8_t plain[ROOM], out[ROOM];
    uint8_t *sealed;
};

/* The nonce of the i-th message: u32 fixed, u64 counter, little endian. */
static void nonce_at(uint8_t out[REF_NONCE_LEN], uint64_t i)
{
    memset(out, 0, REF_NONCE_LEN);
    for (int k = 0; k < 8; k++) {
        out[4 + k] = (uint8_t)(i >> (8 * k));
    }
}

static int seal_next(struct message *m)
{
    uint8_t nonce[REF_NONCE_LEN];
    if (!m->ref) {
        return signet_stream_seal(m->stream, m->out, m->plain, m->n);
    }
    nonce_at(nonce, m->next++);
    return m->ref->seal(m->state, m->out, m->plain, m->n, nonce);
}

static int open_next(struct message *m)
{
    uint8_t nonce[REF_NONCE_LEN];
    size_t len = m->n + SIGNET_STREAM_TAG_LEN, at = m->next++;
    if (!m->ref) {
        return signet_stream_open(m->stream, m->out, m->sealed + at * len, len);
    }
    nonce_at(nonce, at);
    return m->ref->open(m->state, m->out, m->sealed + at * len, m->n, nonce);
}

static void run_seal(void *arg, uint64_t iters)
{
    struct message *m = arg;
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(seal_next(m) == 0, "a message does not seal");
    }
}

static void run_open(void *arg, uint64_t iters)
{
    struct message *m = arg;
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(open_next(m) == 0, "a message does not open");
    }
}

static void new_stream(struct message *m, enum signet_direction direction)
{
    uint8_t nonce[REF_NONCE_LEN];
    nonce_at(nonce, 0);
    m->next = 0;
    if (m->ref) {
        return;
    }
    signet_stream_free(m->stream);
    bench_need(signet_stream_new(&m->stream, direction, key, nonce, m->handler) == 0,
               "a stream cannot be made");
}

/* A stream opens each number once; the first message builds its context. */
static void prepare_open(void *arg, uint64_t iters)
{
    (void)iters;
    new_stream(arg, SIGNET_OPEN);
    bench_need(open_next(arg) == 0, "a message does not open");
}

static int check_seal(void *arg)
{
    struct message *m = arg;
    new_stream(m, SIGNET_SEAL);
    for (size_t i = 0; i < m->num; i++) {
        if (seal_next(m) ||
            memcmp(m->out, m->sealed + i * (m->n + REF_TAG_LEN), m->n + REF_TAG_LEN) != 0) {
            return 1;
        }
    }
    return 0;
}

static int check_open(void *arg)
{
    struct message *m = arg;
    uint8_t *first = m->sealed;
    prepare_open(m, 1);
    if (memcmp(m->out, m->plain, m->n) != 0) {
        return 1;
    }
    first[0] ^= 1; /* must be noticed */
    new_stream(m, SIGNET_OPEN);
    int err = open_next(m);
    first[0] ^= 1;
    return err == 0;
}

/* What all rows must give: OpenSSL's EVP. */
static void evp_seal(uint8_t *out, const uint8_t *in, size_t n, uint64_t i)
{
    uint8_t nonce[REF_NONCE_LEN];
    int len;
    nonce_at(nonce, i);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    bench_need(EVP_EncryptInit_ex(ctx, EVP_aes_128_gcm(), NULL, key, nonce) == 1 &&
                   EVP_EncryptUpdate(ctx, out, &len, in, (int)n) == 1 &&
                   EVP_EncryptFinal_ex(ctx, out + n, &len) == 1 &&
                   EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, REF_TAG_LEN, out + n) == 1,
               "OpenSSL fails");
    EVP_CIPHER_CTX_free(ctx);
}

static struct message *new_message(const struct ref_gcm *ref, const struct signet_handler *handler,
                                   size_t n)
{
    struct message *m = bench_alloc(sizeof *m);
    size_t len = n + REF_TAG_LEN;
    m->ref = ref;
    m->state = ref ? ref->make(key) : NULL;
    m->handler = handler;
    m->n = n;
    m->num = n == SMALL ? FRAMES : FRAMES * SMALL / LARGE;
    m->sealed = bench_alloc(m->num * len);
    bench_fill(m->plain, n, 6);
    for (size_t i = 0; i < m->num; i++) {
        evp_seal(m->sealed + i * len, m->plain, n, i);
    }
    return m;
}

static void add_message(struct bench *b, struct bench_row row, struct message *m, bool seal)
{
    row.arg = m;
    row.bytes = m->n;
    row.iters_max = m->num - 1;
    row.check = seal ? check_seal : check_open;
    row.prepare = seal ? NULL : prepare_open;
    row.run = seal ? run_seal : run_open;
    bench_add(b, &row);
}

/* Rows of signet are held to the library that they run on. */
static void add_messages(struct bench *b, const char *group, size_t n, bool seal)
{
    static const struct ref_gcm *const refs[] = {&ref_gcm_nss, &ref_gcm_openssl, &ref_gcm_ipsec_mb};
    for (unsigned i = 0; i < sizeof refs / sizeof *refs; i++) {
        struct message *m = new_message(refs[i], NULL, n);
        if (m->state) {
            add_message(b, (struct bench_row){.group = group, .name = refs[i]->name}, m, seal);
        }
    }
    for (unsigned h = 0; h < handlers.num; h++) {
        bool ipsec = strcmp(handlers.name[h], "ipsec-mb") == 0;
        struct bench_row row = {.group = group,
                                .name = bench_text(b, "signet %s", handlers.name[h]),
                                .floor = bench_text(b, "bare %s", handlers.name[h]),
                                .no_allocs = true};
        if (seal) {
            row.bar_floor = n == SMALL ? (ipsec ? 1.5 : 1.2) : (ipsec ? 1.15 : 1.05);
        }
        add_message(b, row, new_message(NULL, handlers.at[h], n), seal);
    }
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    bench_fact(b, "ipsec-mb", "%s", ref_ipsec_mb_version());
    bench_fill(key, sizeof key, KEY_SEED);
    add_blocks(b, "encrypt one block", true);
    add_blocks(b, "decrypt one block", false);
    add_messages(b, "gcm seal 64 B", SMALL, true);
    add_messages(b, "gcm open 64 B", SMALL, false);
    add_messages(b, "gcm seal 4 KiB", LARGE, true);
    add_messages(b, "gcm open 4 KiB", LARGE, false);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "aes_small",
        .question = "what do the smallest operations cost: a block, a short GCM message?",
        .notes = "  bare: the library's innermost functions on a kept context (C_EncryptMessage,\n"
                 "  the provider's functions); every message has a nonce of its own.\n"
                 "  Blocks are those of a handler: a CBC message of one block.\n",
        .setup = setup,
    };
    return bench_main(argc, argv, &program);
}
