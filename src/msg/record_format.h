/* SPDX-License-Identifier: MIT */
/* What sealer and reader of records share: the header, the derived key. Format: doc/record.md. */
#ifndef SIGNET_MSG_RECORD_FORMAT_H
#define SIGNET_MSG_RECORD_FORMAT_H

#include <signet/record.h>

#include "crypto/engine.h"
#include "crypto/registry.h"

enum { SIGNET_RECORD_IV_LEN = 16, SIGNET_RECORD_VERSION = 1 };
#define SIGNET_RECORD_MAGIC UINT32_C(0x63655273) /* "sRec" */

struct signet_record_header {
    uint64_t seq;
    uint32_t len; /* of the body */
    uint8_t kind;
    uint8_t iv[SIGNET_RECORD_IV_LEN];
    uint32_t crc; /* of the bytes before it; begins the crc of a body */
};

/* Sets h->crc. */
void signet_record_header_write(uint8_t out[SIGNET_RECORD_HEADER_LEN],
                                struct signet_record_header *h);
/* Magic, version, kind and crc; the other fields are as they come. On failure *what says what is
 * wrong. -RECORD_HEADER, -RECORD_KIND. */
int signet_record_header_read(struct signet_record_header *h, const uint8_t *in,
                              enum signet_record_kind kind, const char **what);

size_t signet_record_trailer_len(enum signet_record_kind kind);
bool signet_record_kind_known(enum signet_record_kind kind);

/* The key of one IV and the engines made of it. */
struct signet_record_key {
    signet_engine_slot engines[SIGNET_HANDLER_MAX];
    struct signet_row *pin;
    enum signet_alg alg;
    uint8_t derived[SIGNET_RECORD_KEY_LEN];
};

/* Derives the key of an IV from the log's key; what was derived before goes. No operation may be in
 * flight. */
int signet_record_key_set(struct signet_record_key *key, enum signet_record_kind kind,
                          const uint8_t log_key[SIGNET_RECORD_KEY_LEN],
                          const uint8_t iv[SIGNET_RECORD_IV_LEN]);
void signet_record_key_drop(struct signet_record_key *key);
/* The engine on the handler in force, made on first use. */
int signet_record_key_engine(const struct signet_record_key *key, struct signet_engine **out);

/* 12 bytes for GCM, 16 (a counter block) for CTR. */
void signet_record_nonce(uint8_t out[16], enum signet_record_kind kind, uint64_t seq);

#endif
