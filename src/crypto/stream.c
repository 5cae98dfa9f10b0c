/* SPDX-License-Identifier: MIT */
/* Source: msgr2.md 5, revision 1. */
#include <signet/stream.h>

#include <string.h>

#include "base/secret.h"
#include "crypto/stream_state.h"

int signet_stream_new(struct signet_stream **out, enum signet_direction direction,
                      const uint8_t key[SIGNET_STREAM_KEY_LEN],
                      const uint8_t nonce[SIGNET_STREAM_NONCE_LEN],
                      const struct signet_handler *pin)
{
    *out = NULL;
    struct signet_row *row;
    int err = signet_row_pin(&row, pin);
    if (err != 0) {
        return err;
    }
    struct signet_stream *stream = signet_secret_alloc(sizeof(*stream));
    if (stream == NULL) {
        return -SIGNET_E_NOMEM;
    }
    stream->pin = row;
    stream->direction = (uint8_t)direction;
    memcpy(stream->key, key, sizeof(stream->key));
    memcpy(stream->fixed, nonce, sizeof(stream->fixed));
    stream->counter = signet_load_u64(nonce + 4);
    *out = stream;
    return 0;
}

void signet_stream_free(struct signet_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    for (unsigned h = 0; h < SIGNET_HANDLER_MAX; h++) {
        signet_engine_drop(&stream->engines[h]);
    }
    signet_secret_free(stream, sizeof(*stream));
}

/* Streams are never const objects; what operations add to a shared one is atomic. */
static struct signet_stream *shared(const struct signet_stream *stream)
{
    return (struct signet_stream *)(uintptr_t)stream;
}

static int engine_of(const struct signet_stream *stream, struct signet_engine **out)
{
    struct signet_row *row = signet_row_now(stream->pin);
    if (row == NULL) {
        return -SIGNET_E_STATE;
    }
    signet_engine_slot *slot = &shared(stream)->engines[row->index];
    *out = atomic_load_explicit(slot, memory_order_acquire);
    if (*out != NULL) {
        return 0;
    }
    bool seal = stream->direction == SIGNET_SEAL;
    return signet_engine_fill(slot, out, row->handler,
                              seal ? SIGNET_ALG_GCM128_SEAL : SIGNET_ALG_GCM128_OPEN, stream->key,
                              sizeof(stream->key));
}

static void nonce_at(const struct signet_stream *stream, uint8_t nonce[12], uint64_t seq)
{
    memcpy(nonce, stream->fixed, 4);
    signet_store_u64(nonce + 4, stream->counter + seq); /* wraps, as the protocol wants */
}

int signet_stream_reserve(struct signet_stream *stream, uint64_t *seq, unsigned num)
{
    if (stream->direction != SIGNET_SEAL) {
        return -SIGNET_E_STATE;
    }
    if (atomic_load_explicit(&stream->broken, memory_order_relaxed)) {
        return -SIGNET_E_ABANDONED;
    }
    /* Relaxed: the number orders nothing but itself. One addition, as a compare-and-swap would
     * fetch the line once more whenever another thread was quicker. */
    uint64_t first = atomic_fetch_add_explicit(&stream->used, num, memory_order_relaxed);
    if (__builtin_expect(first > SIGNET_STREAM_NUMBERS - num, 0)) {
        /* All later requests fail as well, so that the counter may be set to its end. */
        atomic_store_explicit(&stream->used, SIGNET_STREAM_NUMBERS, memory_order_relaxed);
        return -SIGNET_E_NONCES_SPENT;
    }
    *seq = first;
    return 0;
}

static int seal_lane(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len,
                     const uint8_t nonce[12])
{
    struct signet_lane lane;
    int err = signet_lane_enter(engine, &lane);
    if (err == 0) {
        err = engine->handler->gcm_seal(lane.p, out, in, len, nonce);
        signet_lane_leave(&lane);
    }
    return err;
}

int signet_stream_seal_at(const struct signet_stream *stream, uint64_t seq, uint8_t *out,
                          const uint8_t *in, size_t len)
{
    if (stream->direction != SIGNET_SEAL) {
        return -SIGNET_E_STATE;
    }
    if (atomic_load_explicit(&stream->broken, memory_order_relaxed)) {
        return -SIGNET_E_ABANDONED;
    }
    struct signet_engine *engine;
    uint8_t nonce[12];
    nonce_at(stream, nonce, seq);
    int err = engine_of(stream, &engine);
    if (err == 0) {
        err = seal_lane(engine, out, in, len, nonce);
    }
    if (err != 0) {
        /* The peer waits for this number: nothing that follows could be opened. */
        atomic_store_explicit(&shared(stream)->broken, true, memory_order_relaxed);
        signet_wipe(out, len + SIGNET_STREAM_TAG_LEN);
    }
    return err;
}

int signet_stream_seal(struct signet_stream *stream, uint8_t *out, const uint8_t *in, size_t len)
{
    uint64_t seq;
    int err = signet_stream_reserve(stream, &seq, 1);
    return err != 0 ? err : signet_stream_seal_at(stream, seq, out, in, len);
}

static int open_lane(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len,
                     const uint8_t nonce[12])
{
    struct signet_lane lane;
    int err = signet_lane_enter(engine, &lane);
    if (err == 0) {
        err = engine->handler->gcm_open(lane.p, out, in, len, nonce);
        signet_lane_leave(&lane);
    }
    return err;
}

int signet_stream_open(struct signet_stream *stream, uint8_t *out, const uint8_t *in, size_t len)
{
    uint64_t seq = atomic_load_explicit(&stream->used, memory_order_relaxed);
    if (stream->direction != SIGNET_OPEN ||
        atomic_load_explicit(&stream->broken, memory_order_relaxed)) {
        return -SIGNET_E_STATE;
    }
    if (seq >= SIGNET_STREAM_NUMBERS) {
        return -SIGNET_E_NONCES_SPENT;
    }
    if (len < SIGNET_STREAM_TAG_LEN) {
        atomic_store_explicit(&stream->broken, true, memory_order_relaxed);
        return -SIGNET_E_OPEN;
    }
    size_t plain_len = len - SIGNET_STREAM_TAG_LEN;
    struct signet_engine *engine;
    uint8_t nonce[12];
    nonce_at(stream, nonce, seq);
    int err = engine_of(stream, &engine);
    if (err == 0) {
        err = open_lane(engine, out, in, plain_len, nonce);
    }
    if (err != 0) {
        atomic_store_explicit(&stream->broken, true, memory_order_relaxed);
        signet_wipe(out, plain_len);
        return err;
    }
    atomic_store_explicit(&stream->used, seq + 1, memory_order_relaxed);
    return 0;
}

uint64_t signet_stream_used(const struct signet_stream *stream)
{
    return atomic_load_explicit(&stream->used, memory_order_relaxed);
}
