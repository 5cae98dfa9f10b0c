/* SPDX-License-Identifier: MIT */
/* What does it cost to prove a secret, to sign a handshake, to sign a message? */
#include "common/bench.h"
#include "common/bench_signet.h"

#include <string.h>

#include <openssl/hmac.h>

#include <signet/frame.h>
#include <signet/sign.h>
#include <signet/ticket.h>

enum { KEY_SEED = 21, TRANSCRIPT = 4096 };

static struct bench_handlers handlers;
static uint8_t transcript[TRANSCRIPT];

/* One row: an operation with a key. other: the same key on another handler, which must give the
 * same; for HMAC with OpenSSL's HMAC(). */
struct signer {
    struct signet_key *key, *other;
    size_t len; /* of what is signed, where that varies */
    uint64_t challenge;
    uint8_t out[SIGNET_SIGNATURE_LEN];
};

static uint64_t proof_of(const struct signet_key *key, uint64_t challenge)
{
    uint64_t proof;
    bench_need(signet_proof(&proof, key, challenge, 0x1122334455667788) == 0, "no proof");
    return proof;
}

static void run_proof(void *arg, uint64_t iters)
{
    struct signer *s = arg;
    for (uint64_t i = 0; i < iters; i++) {
        uint64_t proof = proof_of(s->key, s->challenge++);
        bench_use(&proof);
    }
}

static int check_proof(void *arg)
{
    struct signer *s = arg;
    return proof_of(s->key, 1) != proof_of(s->other, 1) ||
           proof_of(s->key, 1) == proof_of(s->key, 2);
}

static void run_handshake(void *arg, uint64_t iters)
{
    struct signer *s = arg;
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(signet_auth_signature(s->key, s->out, transcript, s->len) == 0, "no signature");
        bench_use(s->out);
    }
}

static int check_handshake(void *arg)
{
    struct signer *s = arg;
    uint8_t secret[SIGNET_KEY_SECRET_MAX], want[SIGNET_SIGNATURE_LEN];
    unsigned len = sizeof want;
    bench_fill(secret, sizeof secret, KEY_SEED);
    HMAC(EVP_sha256(), secret, (int)signet_key_type_len(signet_key_type(s->key)), transcript,
         s->len, want, &len);
    run_handshake(s, 1);
    return memcmp(want, s->out, sizeof want) != 0;
}

static uint64_t message_of(const struct signet_key *key, uint64_t seq)
{
    struct signet_sign_input input = {.header_crc = 1,
                                      .front_crc = 2,
                                      .front_len = 300,
                                      .data_crc = 3,
                                      .data_len = 4096,
                                      .seq = seq};
    uint64_t signature;
    bench_need(signet_sign(key, &input, &signature) == 0, "no signature");
    return signature;
}

static void run_message(void *arg, uint64_t iters)
{
    struct signer *s = arg;
    for (uint64_t i = 0; i < iters; i++) {
        uint64_t signature = message_of(s->key, s->challenge++);
        bench_use(&signature);
    }
}

static int check_message(void *arg)
{
    struct signer *s = arg;
    return message_of(s->key, 1) != message_of(s->other, 1) ||
           message_of(s->key, 1) == message_of(s->key, 2);
}

static const struct {
    const char *name;
    size_t len;
    int (*check)(void *arg);
    void (*run)(void *arg, uint64_t iters);
} operations[] = {
    {"challenge proof", 0, check_proof, run_proof},
    {"AUTH_SIGNATURE over 1 KiB", 1024, check_handshake, run_handshake},
    {"AUTH_SIGNATURE over 4 KiB", 4096, check_handshake, run_handshake},
    {"msgr1 message signature", 0, check_message, run_message},
};

static void add_operation(struct bench *b, unsigned op, enum signet_key_type type)
{
    const char *group = bench_text(b, "%s, %s", operations[op].name, signet_key_type_name(type));
    for (unsigned h = 0; h < handlers.num; h++) {
        struct signer *s = bench_alloc(sizeof *s);
        s->key = bench_key(type, handlers.at[h], KEY_SEED);
        s->other = bench_key(type, handlers.at[(h + 1) % handlers.num], KEY_SEED);
        s->len = operations[op].len;
        bench_add(b, &(struct bench_row){.group = group,
                                         .name = bench_text(b, "signet %s", handlers.name[h]),
                                         .arg = s,
                                         .bytes = s->len,
                                         .no_allocs = true,
                                         .check = operations[op].check,
                                         .run = operations[op].run});
    }
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    bench_fill(transcript, sizeof transcript, 8);
    for (unsigned op = 0; op < sizeof operations / sizeof *operations; op++) {
        add_operation(b, op, SIGNET_KEY_AES);
        add_operation(b, op, SIGNET_KEY_AES256K);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "sign",
        .question = "what does it cost to prove a secret, to sign a handshake, to sign a message?",
        .notes = "  AUTH_SIGNATURE: HMAC-SHA256 of what went over the wire so far, once a\n"
                 "  connection; the msgr1 signature is made and checked for every message.\n",
        .setup = setup,
    };
    return bench_main(argc, argv, &program);
}
