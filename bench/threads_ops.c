/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include <string.h>

#include <openssl/hmac.h>

static const uint8_t stream_key[SIGNET_STREAM_KEY_LEN] = {1, 2, 3};
static const uint8_t stream_nonce[SIGNET_STREAM_NONCE_LEN] = {4, 5, 6};

static struct signet_stream *new_stream(const struct job *j, enum signet_direction direction)
{
    struct signet_stream *s;
    bench_need(signet_stream_new(&s, direction, stream_key, stream_nonce, j->handler) == 0,
               "a stream cannot be made");
    return s;
}

static int seal_once(struct job *j, struct desk *d)
{
    return bench_sealer_seal(&j->sealer, d->out, j->plain, PLAIN) < 0;
}

static int open_once(struct job *j, struct desk *d)
{
    return bench_sealer_open(&j->sealer, d->out, j->sealed, j->sealed_len) < 0;
}

static int hmac_once(struct job *j, struct desk *d)
{
    return signet_key_hmac(j->sealer.key, d->out, j->plain, SMALL);
}

static int gcm_seal_once(struct job *j, struct desk *d)
{
    return signet_stream_seal(j->stream, d->out, j->plain, j->op->bytes);
}

static int gcm_seal_reserved(struct job *j, struct desk *d)
{
    if (d->left == 0) {
        if (signet_stream_reserve(j->stream, &d->seq, RESERVED)) {
            return -1;
        }
        d->left = RESERVED;
    }
    d->left--;
    return signet_stream_seal_at(j->stream, d->seq++, d->out, j->plain, j->op->bytes);
}

static int gcm_open_once(struct job *j, struct desk *d)
{
    size_t len = j->op->bytes + SIGNET_STREAM_TAG_LEN;
    return signet_stream_open(d->opener, d->out, j->frames + d->seq++ * len, len);
}

/* A stream opens each number once, so each burst needs one that starts anew; its first message
 * builds the context. */
static void gcm_open_reset(void *arg, unsigned index)
{
    struct job *j = arg;
    struct desk *d = &j->desk[index];
    signet_stream_free(d->opener);
    d->opener = new_stream(j, SIGNET_OPEN);
    d->seq = 0;
    bench_need(gcm_open_once(j, d) == 0, "a message does not open");
}

static void gcm_seal_reset(void *arg, unsigned index)
{
    struct job *j = arg;
    j->desk[index].left = 0;
}

static bool seal_right(struct job *j, struct desk *d)
{
    uint8_t back[ROOM];
    return bench_sealer_open(&j->sealer, back, d->out, j->sealed_len) == PLAIN &&
           memcmp(back + SIGNET_ENVELOPE_HEADER, j->plain + SIGNET_ENVELOPE_HEADER,
                  PLAIN - SIGNET_ENVELOPE_HEADER) == 0;
}

static bool open_right(struct job *j, struct desk *d)
{
    (void)j;
    return memcmp(d->out + SIGNET_ENVELOPE_HEADER, j->plain + SIGNET_ENVELOPE_HEADER,
                  PLAIN - SIGNET_ENVELOPE_HEADER) == 0;
}

static bool hmac_right(struct job *j, struct desk *d)
{
    uint8_t secret[SIGNET_KEY_SECRET_MAX], want[SIGNET_HMAC_LEN];
    unsigned len = sizeof want;
    bench_fill(secret, sizeof secret, KEY_SEED);
    HMAC(EVP_sha256(), secret, (int)signet_key_type_len(j->op->type), j->plain, SMALL, want, &len);
    return memcmp(want, d->out, sizeof want) == 0;
}

/* Right after the first message of a stream. */
static bool gcm_seal_right(struct job *j, struct desk *d)
{
    uint8_t back[ROOM];
    struct signet_stream *opener = new_stream(j, SIGNET_OPEN);
    int err = signet_stream_open(opener, back, d->out, j->op->bytes + SIGNET_STREAM_TAG_LEN);
    signet_stream_free(opener);
    return err == 0 && memcmp(back, j->plain, j->op->bytes) == 0;
}

static bool gcm_open_right(struct job *j, struct desk *d)
{
    return memcmp(d->out, j->plain, j->op->bytes) == 0;
}

#define AES     SIGNET_KEY_AES
#define AES256K SIGNET_KEY_AES256K
#define STREAM  SIGNET_KEY_NONE

const struct op thread_ops[] = {
    {"seal 128 B, aes", AES, PLAIN, 0, NULL, seal_once, seal_right},
    {"open 128 B, aes", AES, PLAIN, 0, NULL, open_once, open_right},
    {"seal 128 B, aes256k", AES256K, PLAIN, 0, NULL, seal_once, seal_right},
    {"open 128 B, aes256k", AES256K, PLAIN, 0, NULL, open_once, open_right},
    {"hmac 64 B", AES, SMALL, 0, NULL, hmac_once, hmac_right},
    {"gcm seal 64 B", STREAM, SMALL, 0, NULL, gcm_seal_once, gcm_seal_right},
    {"gcm seal 64 B, 16 numbers at once", STREAM, SMALL, 0, gcm_seal_reset, gcm_seal_reserved,
     gcm_seal_right},
    {"gcm seal 4 KiB", STREAM, LARGE, 0, NULL, gcm_seal_once, gcm_seal_right},
    {"gcm open 64 B", STREAM, SMALL, FRAMES - 1, gcm_open_reset, gcm_open_once, gcm_open_right},
};
const unsigned num_thread_ops = sizeof thread_ops / sizeof *thread_ops;

static void start_stream(struct job *j)
{
    j->stream = new_stream(j, SIGNET_SEAL);
    if (j->op->reset != gcm_open_reset) {
        return;
    }
    size_t len = j->op->bytes + SIGNET_STREAM_TAG_LEN;
    if (!j->frames) {
        j->frames = bench_alloc(FRAMES * len);
    }
    for (size_t i = 0; i < FRAMES; i++) {
        bench_need(signet_stream_seal(j->stream, j->frames + i * len, j->plain, j->op->bytes) == 0,
                   "a message does not seal");
    }
}

void job_start(struct job *j)
{
    bench_fill(j->plain, sizeof j->plain, 7);
    if (j->op->type == STREAM) {
        start_stream(j);
        return;
    }
    j->sealer.usage = SIGNET_USAGE_AUTHORIZE;
    j->sealer.key = bench_key(j->op->type, j->handler, KEY_SEED);
    j->sealed_len = bench_sealer_seal(&j->sealer, j->sealed, j->plain, PLAIN);
    bench_need(j->sealed_len > 0, "an envelope does not seal");
}

void job_stop(struct job *j)
{
    signet_key_unref(j->sealer.key);
    signet_stream_free(j->stream);
    j->sealer.key = NULL;
    j->stream = NULL;
    for (unsigned i = 0; i < MEMBERS; i++) {
        signet_stream_free(j->desk[i].opener);
        j->desk[i].opener = NULL;
        j->desk[i].left = 0;
    }
}
