/* SPDX-License-Identifier: MIT */
/* Sealing records. Format: doc/record.md. */
#include "msg/record_format.h"

#include <string.h>

#include "base/secret.h"
#include "crypto/fused.h"

struct signet_record_sealer {
    /* Read by every operation. */
    struct signet_record_key key;
    enum signet_record_kind kind;
    uint8_t iv[SIGNET_RECORD_IV_LEN];
    /* Written by every reservation: on lines of its own. */
    _Alignas(128) _Atomic uint64_t next;
};

static int set_up(struct signet_record_sealer *s, const uint8_t *log_key)
{
    struct signet_row *row = signet_row_now(s->key.pin);
    struct signet_engine *engine;
    int err = row != NULL ? row->handler->random(s->iv, sizeof(s->iv)) : -SIGNET_E_STATE;
    if (err == 0) {
        err = signet_record_key_set(&s->key, s->kind, log_key, s->iv);
    }
    return err != 0 ? err : signet_record_key_engine(&s->key, &engine);
}

int signet_record_sealer_new(struct signet_record_sealer **out, enum signet_record_kind kind,
                             const uint8_t key[SIGNET_RECORD_KEY_LEN], uint64_t first,
                             const struct signet_handler *pin)
{
    *out = NULL;
    struct signet_row *row;
    if (!signet_record_kind_known(kind) || first >= SIGNET_RECORD_SEQ_END) {
        return -SIGNET_E_INVAL;
    }
    int err = signet_row_pin(&row, pin);
    if (err != 0) {
        return err;
    }
    struct signet_record_sealer *s = signet_secret_alloc(sizeof(*s));
    if (s == NULL) {
        return -SIGNET_E_NOMEM;
    }
    s->key.pin = row;
    s->key.alg = kind == SIGNET_RECORD_GCM ? SIGNET_ALG_GCM256_SEAL : SIGNET_ALG_CTR256;
    s->kind = kind;
    atomic_init(&s->next, first);
    err = set_up(s, key);
    if (err != 0) {
        signet_record_sealer_free(s);
        return err;
    }
    *out = s;
    return 0;
}

void signet_record_sealer_free(struct signet_record_sealer *sealer)
{
    if (sealer != NULL) {
        signet_record_key_drop(&sealer->key);
        signet_secret_free(sealer, sizeof(*sealer));
    }
}

int signet_record_reserve(struct signet_record_sealer *sealer, uint64_t *seq, unsigned num)
{
    if (num == 0 || num > SIGNET_RECORD_RESERVE_MAX) {
        return -SIGNET_E_INVAL;
    }
    /* Relaxed: the number orders nothing but itself. */
    uint64_t first = atomic_fetch_add_explicit(&sealer->next, num, memory_order_relaxed);
    if (first > SIGNET_RECORD_SEQ_END - num) {
        /* Later requests fail as well; the counter never comes round to 0. */
        atomic_store_explicit(&sealer->next, SIGNET_RECORD_SEQ_END, memory_order_relaxed);
        return -SIGNET_E_NONCES_SPENT;
    }
    *seq = first;
    return 0;
}

static int seal_gcm(struct signet_engine *engine, uint64_t seq, uint8_t *body, const uint8_t *in,
                    size_t len)
{
    uint8_t nonce[16];
    struct signet_lane lane;
    signet_record_nonce(nonce, SIGNET_RECORD_GCM, seq);
    int err = signet_lane_enter(engine, &lane);
    if (err == 0) {
        err = engine->handler->gcm_seal(lane.p, body, in, len, nonce);
        signet_lane_leave(&lane);
    }
    return err;
}

/* The crc goes on from that of the header, so that a body belongs to its header. */
static int seal_ctr(struct signet_engine *engine, const struct signet_record_header *h,
                    uint8_t *body, const uint8_t *in)
{
    uint8_t counter[16];
    uint32_t crc = h->crc;
    signet_record_nonce(counter, SIGNET_RECORD_CTR, h->seq);
    int err = signet_fused_ctr(engine, body, in, h->len, counter, SIGNET_CRC_OUT, &crc);
    signet_store_u32(body + h->len, crc);
    return err;
}

int signet_record_seal_at(const struct signet_record_sealer *sealer, uint64_t seq, uint8_t *out,
                          size_t cap, size_t *out_len, const uint8_t *in, size_t len)
{
    struct signet_engine *engine;
    size_t total = signet_record_len(sealer->kind, len);
    uint8_t *body = out + SIGNET_RECORD_HEADER_LEN;
    *out_len = 0;
    if (total == 0) {
        return -SIGNET_E_LENGTH;
    }
    if (cap < total) {
        return -SIGNET_E_SPACE;
    }
    int err = signet_record_key_engine(&sealer->key, &engine);
    if (err != 0) {
        return err;
    }
    struct signet_record_header h = {
        .seq = seq, .len = (uint32_t)len, .kind = (uint8_t)sealer->kind};
    memcpy(h.iv, sealer->iv, sizeof(h.iv));
    signet_record_header_write(out, &h);
    err = sealer->kind == SIGNET_RECORD_GCM ? seal_gcm(engine, seq, body, in, len)
                                            : seal_ctr(engine, &h, body, in);
    if (err != 0) {
        signet_wipe(out, total);
        return err;
    }
    *out_len = total;
    return 0;
}
