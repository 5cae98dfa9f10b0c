/* SPDX-License-Identifier: MIT */
#include "msg/record_format.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/secret.h"

enum { CRC_AT = SIGNET_RECORD_HEADER_LEN - 4 };

size_t signet_record_trailer_len(enum signet_record_kind kind)
{
    return kind == SIGNET_RECORD_GCM ? SIGNET_RECORD_GCM_TRAILER_LEN
                                     : SIGNET_RECORD_CTR_TRAILER_LEN;
}

bool signet_record_kind_known(enum signet_record_kind kind)
{
    return kind == SIGNET_RECORD_GCM || kind == SIGNET_RECORD_CTR;
}

size_t signet_record_len(enum signet_record_kind kind, size_t len)
{
    return len <= SIGNET_RECORD_MAX
               ? SIGNET_RECORD_HEADER_LEN + len + signet_record_trailer_len(kind)
               : 0;
}

void signet_record_header_write(uint8_t out[SIGNET_RECORD_HEADER_LEN],
                                struct signet_record_header *h)
{
    struct signet_writer w = signet_writer_init(out, SIGNET_RECORD_HEADER_LEN);
    signet_write_u32(&w, SIGNET_RECORD_MAGIC);
    signet_write_u8(&w, SIGNET_RECORD_VERSION);
    signet_write_u8(&w, h->kind);
    signet_write_u16(&w, 0);
    signet_write_u64(&w, h->seq);
    signet_write_bytes(&w, h->iv, sizeof(h->iv));
    signet_write_u32(&w, h->len);
    h->crc = signet_crc32c(UINT32_MAX, out, CRC_AT);
    signet_write_u32(&w, h->crc);
}

int signet_record_header_read(struct signet_record_header *h, const uint8_t *in,
                              enum signet_record_kind kind, const char **what)
{
    struct signet_reader r = signet_reader_init(in, SIGNET_RECORD_HEADER_LEN);
    uint32_t magic = signet_read_u32(&r);
    uint8_t version = signet_read_u8(&r);
    h->kind = signet_read_u8(&r);
    uint16_t zero = signet_read_u16(&r);
    h->seq = signet_read_u64(&r);
    signet_read_bytes(&r, h->iv, sizeof(h->iv));
    h->len = signet_read_u32(&r);
    h->crc = signet_read_u32(&r);
    *what = NULL;
    if (magic != SIGNET_RECORD_MAGIC) {
        *what = "no record begins here";
    } else if (h->crc != signet_crc32c(UINT32_MAX, in, CRC_AT)) {
        *what = "the crc of the header is wrong";
    } else if (version != SIGNET_RECORD_VERSION || zero != 0 || h->seq >= SIGNET_RECORD_SEQ_END) {
        *what = "the header is of a version that is not known";
    } else if (h->kind != (uint8_t)kind) {
        *what = "the record is of another kind than its log";
        return -SIGNET_E_RECORD_KIND;
    }
    return *what == NULL ? 0 : -SIGNET_E_RECORD_HEADER;
}

void signet_record_nonce(uint8_t out[16], enum signet_record_kind kind, uint64_t seq)
{
    memset(out, 0, 16);
    signet_store_u64(kind == SIGNET_RECORD_GCM ? out + 4 : out, seq);
}

/* HMAC-SHA256 of a label, the kind and the IV. */
static int derive(const struct signet_handler *handler, uint8_t out[SIGNET_RECORD_KEY_LEN],
                  enum signet_record_kind kind, const uint8_t *log_key, const uint8_t *iv)
{
    static const uint8_t label[] = "signet record key";
    const uint8_t kind_byte = (uint8_t)kind;
    const struct signet_span parts[3] = {
        {label, sizeof(label) - 1}, {&kind_byte, 1}, {iv, SIGNET_RECORD_IV_LEN}};
    struct signet_engine *mac;
    int err =
        signet_engine_new(&mac, handler, SIGNET_ALG_HMAC_SHA256, log_key, SIGNET_RECORD_KEY_LEN);
    if (err == 0) {
        err = signet_engine_hmac(mac, out, parts, 3);
    }
    signet_engine_free(mac);
    return err;
}

int signet_record_key_set(struct signet_record_key *key, enum signet_record_kind kind,
                          const uint8_t log_key[SIGNET_RECORD_KEY_LEN],
                          const uint8_t iv[SIGNET_RECORD_IV_LEN])
{
    struct signet_row *row = signet_row_now(key->pin);
    if (row == NULL) {
        return -SIGNET_E_STATE;
    }
    uint8_t derived[SIGNET_RECORD_KEY_LEN];
    int err = derive(row->handler, derived, kind, log_key, iv);
    if (err == 0) {
        signet_record_key_drop(key);
        memcpy(key->derived, derived, sizeof(derived));
    }
    signet_wipe(derived, sizeof(derived));
    return err;
}

void signet_record_key_drop(struct signet_record_key *key)
{
    for (unsigned h = 0; h < SIGNET_HANDLER_MAX; h++) {
        signet_engine_drop(&key->engines[h]);
    }
}

int signet_record_key_engine(const struct signet_record_key *key, struct signet_engine **out)
{
    struct signet_row *row = signet_row_now(key->pin);
    if (row == NULL) {
        return -SIGNET_E_STATE;
    }
    /* Sealers and readers are never const objects; what operations add to a shared one is atomic.
     */
    signet_engine_slot *slot = &((struct signet_record_key *)(uintptr_t)key)->engines[row->index];
    *out = atomic_load_explicit(slot, memory_order_acquire);
    return *out != NULL ? 0
                        : signet_engine_fill(slot, out, row->handler, key->alg, key->derived,
                                             sizeof(key->derived));
}
