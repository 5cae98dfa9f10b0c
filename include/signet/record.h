/* SPDX-License-Identifier: MIT */
/*
 * Sealed records of a log that many threads append to: a plaintext header, a sealed body, a
 * trailer. Numbers are reserved first, one or several at once; records are sealed outside any
 * lock, in any order, into the caller's buffer, whose length is known before; reading back tells
 * records that were torn from records that were changed, and where. No I/O. Format: doc/record.md.
 *
 * Authentication. SIGNET_RECORD_GCM authenticates all of a record, also its header: number, IV and
 * length are part of what the tag is made over, the rest is constant. SIGNET_RECORD_CTR does not
 * authenticate: it hides what the log says, and its trailer is a crc that notices accidents, but
 * whoever can write to the log can change records unnoticed. It is for logs below which something
 * else authenticates, and for those that have to tear and replace parts of records. A reader is
 * told the kind of its log and refuses the other, so that nobody can turn one into the other.
 * Neither notices a log that was put back, as a whole or behind some record, to a former state.
 *
 * Nonces. Each sealer draws an IV of 16 random bytes, which all its headers carry, and derives a
 * key of its own from the log's key and the IV. So a sealer may begin anew with a number whose
 * record was lost in a crash, and two logs may have one key.
 */
#ifndef SIGNET_RECORD_H
#define SIGNET_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>
#include <signet/handler.h>
#include <signet/span.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

enum signet_record_kind {
    SIGNET_RECORD_GCM = 1, /* AES-256-GCM; the trailer is its tag */
    SIGNET_RECORD_CTR = 2, /* AES-256-CTR, not authenticated; the trailer is a crc32c */
};

enum {
    SIGNET_RECORD_KEY_LEN = 32,
    SIGNET_RECORD_HEADER_LEN = 40,
    SIGNET_RECORD_GCM_TRAILER_LEN = 16,
    SIGNET_RECORD_CTR_TRAILER_LEN = 4,
    SIGNET_RECORD_MAX = 1 << 26,         /* bytes of a body */
    SIGNET_RECORD_RESERVE_MAX = 1 << 16, /* numbers reserved at once */
};

/* Numbers are below this. */
#define SIGNET_RECORD_SEQ_END (UINT64_C(1) << 63)
/* For a reader that takes whatever number the first record has. */
#define SIGNET_RECORD_SEQ_ANY UINT64_MAX

/* Bytes of a record with a body of len bytes; 0 when len is above SIGNET_RECORD_MAX. */
SIGNET_API size_t signet_record_len(enum signet_record_kind kind, size_t len);

/* --- sealing ------------------------------------------------------------------------------ */

/* Any number of threads at once, but for its making and freeing. */
struct signet_record_sealer;

/* key: the log's, copied. first: the number of the first record to be sealed; behind what the log
 * holds. Follows the current handler per operation unless pinned. -INVAL: no such kind, or first is
 * no number; -RANDOM, -NOMEM, and why the handler refuses the key. On failure *out is NULL. */
SIGNET_MUST SIGNET_API int signet_record_sealer_new(struct signet_record_sealer **out,
                                                    enum signet_record_kind kind,
                                                    const uint8_t key[SIGNET_RECORD_KEY_LEN],
                                                    uint64_t first,
                                                    const struct signet_handler *pin);
/* NULL is fine. No operation may be in flight. */
SIGNET_API void signet_record_sealer_free(struct signet_record_sealer *sealer);
/* Takes num consecutive numbers, *seq being the first: one atomic addition. Where many threads
 * append short records, the counter is what they wait for: take several at once.
 * -INVAL: num is 0 or above SIGNET_RECORD_RESERVE_MAX; -NONCES_SPENT: the last number is near. */
SIGNET_MUST SIGNET_API int signet_record_reserve(struct signet_record_sealer *sealer, uint64_t *seq,
                                                 unsigned num);
/* Seals a record under a reserved number into out; *out_len is signet_record_len(), or 0 on
 * failure, and then out holds no plaintext. in may be out + SIGNET_RECORD_HEADER_LEN, otherwise
 * they must not overlap. Each number is for one record; one that does not get into the log is a
 * gap, at which reading stops. No allocation after a thread's first use of the sealer. -LENGTH: len
 * is above SIGNET_RECORD_MAX; -SPACE; -HANDLER_FAILED; -NOMEM (first use on a thread). */
SIGNET_MUST SIGNET_API int signet_record_seal_at(const struct signet_record_sealer *sealer,
                                                 uint64_t seq, uint8_t *out, size_t cap,
                                                 size_t *out_len, const uint8_t *in, size_t len);

/* --- reading back ------------------------------------------------------------------------- */

struct signet_record_view {
    uint64_t offset; /* of its first byte in the log */
    uint64_t seq;
    size_t len;              /* of the whole record; 0: the log ends here */
    struct signet_span body; /* in the buffer, opened */
};

/* One thread at a time. */
struct signet_record_reader;

/* first: the number that the first record must have, or SIGNET_RECORD_SEQ_ANY. offset: of that
 * record in the log, for views and failures. max_len: the longest body to accept, at most
 * SIGNET_RECORD_MAX. Errors as signet_record_sealer_new(), and -INVAL for max_len. */
SIGNET_MUST SIGNET_API int
signet_record_reader_new(struct signet_record_reader **out, enum signet_record_kind kind,
                         const uint8_t key[SIGNET_RECORD_KEY_LEN], uint64_t first, uint64_t offset,
                         uint32_t max_len, const struct signet_handler *pin);
SIGNET_API void signet_record_reader_free(struct signet_record_reader *reader);
/*
 * Opens the record at the start of buf[0..len), in place. Returns 0 with view->len = 0 where the
 * log ends: len is 0, or a header is all zeros (space that was made ahead). After a success the
 * next record begins view->len bytes further on; after a failure the reader is as it was before,
 * but a body that did not open has been overwritten with zeros. -RECORD_TORN: the bytes end before
 * the record does, or were made ahead and never written over: zeros are its trailer, or the end of
 * its trailer or header from a sector on (an offset that is a multiple of 512). *need says how many
 * bytes it takes (a header's, as long as that is not there): who has read a part of the log reads
 * on and calls again; at the end of a log it is a write that did not finish, and the log ends in
 * front of it. Other failures:
 *   -RECORD_HEADER  the header is not one, or was damaged
 *   -RECORD_KIND    the log has records of the other kind
 *   -RECORD_SEQ     a record is missing or comes twice
 *   -LENGTH         the body is longer than max_len
 *   -RECORD_BODY    the body or its trailer was damaged or changed, or the key is wrong
 * and -HANDLER_FAILED, -NOMEM. fail (may be NULL) says where and what. need may be NULL.
 */
SIGNET_MUST SIGNET_API int signet_record_open(struct signet_record_reader *reader, uint8_t *buf,
                                              size_t len, struct signet_record_view *view,
                                              size_t *need, struct signet_fail *fail);

#ifdef __cplusplus
}
#endif
#endif
