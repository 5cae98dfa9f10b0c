/* SPDX-License-Identifier: MIT */
/* Reading records back. Format: doc/record.md. */
#include "msg/record_format.h"

#include <string.h>

#include "base/fail.h"
#include "base/secret.h"
#include "base/zeros.h"
#include "crypto/fused.h"

static const char where[] = "record";

enum { SECTOR = 512 }; /* of a disk: it is written whole or not */

struct signet_record_reader {
    struct signet_record_key key;
    enum signet_record_kind kind;
    bool keyed; /* key is that of iv */
    uint8_t log_key[SIGNET_RECORD_KEY_LEN];
    uint8_t iv[SIGNET_RECORD_IV_LEN];
    uint64_t next, offset;
    uint32_t max_len;
};

int signet_record_reader_new(struct signet_record_reader **out, enum signet_record_kind kind,
                             const uint8_t key[SIGNET_RECORD_KEY_LEN], uint64_t first,
                             uint64_t offset, uint32_t max_len, const struct signet_handler *pin)
{
    *out = NULL;
    struct signet_row *row;
    if (!signet_record_kind_known(kind) || max_len > SIGNET_RECORD_MAX ||
        (first >= SIGNET_RECORD_SEQ_END && first != SIGNET_RECORD_SEQ_ANY)) {
        return -SIGNET_E_INVAL;
    }
    int err = signet_row_pin(&row, pin);
    if (err != 0) {
        return err;
    }
    struct signet_record_reader *r = signet_secret_alloc(sizeof(*r));
    if (r == NULL) {
        return -SIGNET_E_NOMEM;
    }
    r->key.pin = row;
    r->key.alg = kind == SIGNET_RECORD_GCM ? SIGNET_ALG_GCM256_OPEN : SIGNET_ALG_CTR256;
    r->kind = kind;
    r->next = first;
    r->offset = offset;
    r->max_len = max_len;
    memcpy(r->log_key, key, sizeof(r->log_key));
    *out = r;
    return 0;
}

void signet_record_reader_free(struct signet_record_reader *reader)
{
    if (reader != NULL) {
        signet_record_key_drop(&reader->key);
        signet_secret_free(reader, sizeof(*reader));
    }
}

static int torn(const struct signet_record_reader *r, size_t have, size_t want,
                struct signet_fail *fail)
{
    return signet_fail_set(fail, -SIGNET_E_RECORD_TORN, where, r->offset,
                           "%zu bytes of %zu are there", have, want);
}

/* How much of the end of a part of a record must be zeros for it to be one that was never written,
 * when it ends at `end` in the log: a crash may leave each sector with its contents or without. */
static size_t unwritten_len(uint64_t end, size_t len)
{
    size_t in_sector = (size_t)(end % SECTOR);
    return in_sector != 0 && in_sector < len ? in_sector : len;
}

static bool is_unwritten(const uint8_t *p, size_t len, uint64_t end)
{
    size_t last = unwritten_len(end, len);
    return signet_all_zeros(p + len - last, last);
}

/* The header against what this reader expects. */
static int check_header(const struct signet_record_reader *r, struct signet_record_header *h,
                        const uint8_t *buf, struct signet_fail *fail)
{
    const char *what;
    int err = signet_record_header_read(h, buf, r->kind, &what);
    if (err == -SIGNET_E_RECORD_HEADER &&
        is_unwritten(buf, SIGNET_RECORD_HEADER_LEN, r->offset + SIGNET_RECORD_HEADER_LEN)) {
        return signet_fail_set(fail, -SIGNET_E_RECORD_TORN, where, r->offset,
                               "the end of a header was never written: zeros from a sector on");
    }
    if (err != 0) {
        return signet_fail_set(fail, err, where, r->offset, "%s", what);
    }
    if (r->next != SIGNET_RECORD_SEQ_ANY && h->seq != r->next) {
        return signet_fail_set(fail, -SIGNET_E_RECORD_SEQ, where, r->offset,
                               "record %llu follows where %llu is expected",
                               (unsigned long long)h->seq, (unsigned long long)r->next);
    }
    if (h->len > r->max_len) {
        return signet_fail_set(fail, -SIGNET_E_LENGTH, where, r->offset,
                               "a body of %u bytes, %u are allowed", (unsigned)h->len,
                               (unsigned)r->max_len);
    }
    return 0;
}

/* The engine of the header's IV, which changes where another sealer went on. */
static int engine_of(struct signet_record_reader *r, const struct signet_record_header *h,
                     struct signet_engine **engine)
{
    if (!r->keyed || memcmp(r->iv, h->iv, sizeof(r->iv)) != 0) {
        r->keyed = false;
        int err = signet_record_key_set(&r->key, r->kind, r->log_key, h->iv);
        if (err != 0) {
            return err;
        }
        memcpy(r->iv, h->iv, sizeof(r->iv));
        r->keyed = true;
    }
    return signet_record_key_engine(&r->key, engine);
}

static int open_gcm(struct signet_engine *engine, const struct signet_record_header *h,
                    uint8_t *body)
{
    uint8_t nonce[16];
    struct signet_lane lane;
    signet_record_nonce(nonce, SIGNET_RECORD_GCM, h->seq);
    int err = signet_lane_enter(engine, &lane);
    if (err == 0) {
        err = engine->handler->gcm_open(lane.p, body, body, h->len, nonce);
        signet_lane_leave(&lane);
    }
    return err;
}

static int open_ctr(struct signet_engine *engine, const struct signet_record_header *h,
                    uint8_t *body)
{
    uint8_t counter[16];
    uint32_t crc = h->crc;
    signet_record_nonce(counter, SIGNET_RECORD_CTR, h->seq);
    int err = signet_fused_ctr(engine, body, body, h->len, counter, SIGNET_CRC_IN, &crc);
    return err != 0 ? err : crc == signet_load_u32(body + h->len) ? 0 : -SIGNET_E_OPEN;
}

/* A trailer of zeros, or with zeros from a sector on, is none that was written. One that was and
 * looks like it does not get here unless it is wrong. */
static int body_failed(const struct signet_record_reader *r, const struct signet_record_header *h,
                       const uint8_t *trailer, struct signet_fail *fail)
{
    size_t trailer_len = signet_record_trailer_len(r->kind);
    uint64_t end = r->offset + signet_record_len(r->kind, h->len);
    if (is_unwritten(trailer, trailer_len, end)) {
        return signet_fail_set(fail, -SIGNET_E_RECORD_TORN, where, r->offset,
                               "the end of record %llu was never written: %zu zeros",
                               (unsigned long long)h->seq, unwritten_len(end, trailer_len));
    }
    return signet_fail_set(fail, -SIGNET_E_RECORD_BODY, where, r->offset + SIGNET_RECORD_HEADER_LEN,
                           "the %u bytes of record %llu do not open: damaged, changed, or sealed "
                           "with another key",
                           (unsigned)h->len, (unsigned long long)h->seq);
}

static int open_body(struct signet_record_reader *r, const struct signet_record_header *h,
                     uint8_t *body, struct signet_fail *fail)
{
    struct signet_engine *engine;
    int err = engine_of(r, h, &engine);
    if (err != 0) {
        return signet_fail_set(fail, err, where, r->offset, "%s", signet_strerror(err));
    }
    err = r->kind == SIGNET_RECORD_GCM ? open_gcm(engine, h, body) : open_ctr(engine, h, body);
    if (err == 0) {
        return 0;
    }
    signet_wipe(body, h->len);
    return err == -SIGNET_E_OPEN
               ? body_failed(r, h, body + h->len, fail)
               : signet_fail_set(fail, err, where, r->offset, "%s", signet_strerror(err));
}

int signet_record_open(struct signet_record_reader *reader, uint8_t *buf, size_t len,
                       struct signet_record_view *view, size_t *need, struct signet_fail *fail)
{
    size_t unused;
    size_t *want = need != NULL ? need : &unused;
    struct signet_record_header h;
    *view = (struct signet_record_view){.offset = reader->offset};
    *want = SIGNET_RECORD_HEADER_LEN;
    if (signet_all_zeros(buf, len < SIGNET_RECORD_HEADER_LEN ? len : SIGNET_RECORD_HEADER_LEN)) {
        return 0;
    }
    if (len < SIGNET_RECORD_HEADER_LEN) {
        return torn(reader, len, SIGNET_RECORD_HEADER_LEN, fail);
    }
    int err = check_header(reader, &h, buf, fail);
    if (err != 0) {
        return err;
    }
    *want = signet_record_len(reader->kind, h.len);
    if (len < *want) {
        return torn(reader, len, *want, fail);
    }
    uint8_t *body = buf + SIGNET_RECORD_HEADER_LEN;
    err = open_body(reader, &h, body, fail);
    if (err == 0) {
        *view = (struct signet_record_view){
            .offset = reader->offset, .seq = h.seq, .len = *want, .body = {body, h.len}};
        reader->next = h.seq + 1;
        reader->offset += *want;
    }
    return err;
}
