/* SPDX-License-Identifier: MIT */
/*
 * One direction of a secure connection: AES-128-GCM without additional data, a
 * 12-byte nonce of u32 fixed and u64 counter, one counter value per operation.
 * Format: msgr2.md 5.
 */
#ifndef SIGNET_STREAM_H
#define SIGNET_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>
#include <signet/handler.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SIGNET_STREAM_KEY_LEN = 16,
    SIGNET_STREAM_NONCE_LEN = 12,
    SIGNET_STREAM_TAG_LEN = 16,
};

/* Sealing with reserved numbers may run on many threads; `reserve` on any thread; opening is
 * for one thread at a time (bytes arrive in order). */
struct signet_stream;

enum signet_direction { SIGNET_SEAL, SIGNET_OPEN };

/* key and nonce are copied. Follows the current handler per operation unless pinned. */
SIGNET_MUST SIGNET_API int signet_stream_new(struct signet_stream **out,
                                             enum signet_direction direction,
                                             const uint8_t key[SIGNET_STREAM_KEY_LEN],
                                             const uint8_t nonce[SIGNET_STREAM_NONCE_LEN],
                                             const struct signet_handler *pin);
SIGNET_API void signet_stream_free(struct signet_stream *stream);
/* Takes num consecutive sequence numbers (0 is the first of the stream). One atomic addition; any
 * thread. -NONCES_SPENT when fewer than num are left of a stream's 2^63: from then on the stream
 * gives none, and no nonce is ever used twice. -ABANDONED: sealing has failed before. */
SIGNET_MUST SIGNET_API int signet_stream_reserve(struct signet_stream *stream, uint64_t *seq,
                                                 unsigned num);
/* Seals len bytes under a reserved number: out gets len + 16 bytes. out may equal in, otherwise
 * they must not overlap. Each reserved number must be used exactly once; one that will not be
 * used means that the connection must fail. */
SIGNET_MUST SIGNET_API int signet_stream_seal_at(const struct signet_stream *stream, uint64_t seq,
                                                 uint8_t *out, const uint8_t *in, size_t len);
/* reserve(1) and seal_at. */
SIGNET_MUST SIGNET_API int signet_stream_seal(struct signet_stream *stream, uint8_t *out,
                                              const uint8_t *in, size_t len);
/* Opens the next len bytes of ciphertext and tag (len >= 16); out gets len - 16. out may equal
 * in. -OPEN: the tag is wrong; out then holds zeros and the stream opens nothing more. */
SIGNET_MUST SIGNET_API int signet_stream_open(struct signet_stream *stream, uint8_t *out,
                                              const uint8_t *in, size_t len);
/* Operations done or reserved so far. */
SIGNET_API uint64_t signet_stream_used(const struct signet_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
