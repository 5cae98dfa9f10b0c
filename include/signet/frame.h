/* SPDX-License-Identifier: MIT */
/*
 * msgr2.1 on the wire: the banner, the crc and the secure layout of frames, and the signature
 * over the handshake. Usable without a connection, for either direction of a stream. Formats:
 * msgr2.md 1-5, 7.1, 11. What the control frames hold is in control.h.
 */
#ifndef SIGNET_FRAME_H
#define SIGNET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <signet/error.h>
#include <signet/key.h>
#include <signet/span.h>
#include <signet/stream.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- banner ------------------------------------------------------------------------------ */

enum {
    SIGNET_BANNER_LEN = 26,
    SIGNET_BANNER_PAYLOAD_MAX = 1024, /* of a peer's banner; more is refused */
};

/* Feature bits of the banner (not the connection features of the idents). */
enum { SIGNET_MSGR2_REVISION_1 = 1, SIGNET_MSGR2_COMPRESSION = 2 };

struct signet_banner {
    uint64_t supported, required;
};

SIGNET_API void signet_banner_encode(const struct signet_banner *banner,
                                     uint8_t out[SIGNET_BANNER_LEN]);
/* Reads the banner at the start of a stream. Returns 0 with *used = 0 while more bytes are
 * needed; else *used is its length (all of it counts for the transcript).
 * -MSGR1_PEER: an old messenger ("ceph v027"); -NOT_CEPH: nothing that speaks Ceph, told at the
 * first byte that differs; -BANNER: its payload length is below 16 or above the maximum. */
SIGNET_MUST SIGNET_API int signet_banner_parse(struct signet_banner *out, const uint8_t *in,
                                               size_t in_len, size_t *used);
/* Whether a connection of these two is possible. -MSGR20_PEER: the peer has not revision 1 but I
 * require it; -BANNER_FEATURES: another required bit is missing on one side. */
SIGNET_MUST SIGNET_API int signet_banner_check(const struct signet_banner *mine,
                                               const struct signet_banner *theirs);

/* --- frames ------------------------------------------------------------------------------ */

enum {
    SIGNET_PREAMBLE_LEN = 32,
    SIGNET_SEGMENTS_MAX = 4, /* control, front, middle, data */
    SIGNET_FRAME_NONCES_MAX = 3,
    SIGNET_SIGNATURE_LEN = 32,
    SIGNET_MESSAGE_HEADER_LEN = 41,
};

enum signet_tag {
    SIGNET_TAG_HELLO = 1,
    SIGNET_TAG_AUTH_REQUEST = 2,
    SIGNET_TAG_AUTH_BAD_METHOD = 3,
    SIGNET_TAG_AUTH_REPLY_MORE = 4,
    SIGNET_TAG_AUTH_REQUEST_MORE = 5,
    SIGNET_TAG_AUTH_DONE = 6,
    SIGNET_TAG_AUTH_SIGNATURE = 7,
    SIGNET_TAG_CLIENT_IDENT = 8,
    SIGNET_TAG_SERVER_IDENT = 9,
    SIGNET_TAG_IDENT_MISSING_FEATURES = 10,
    SIGNET_TAG_SESSION_RECONNECT = 11,
    SIGNET_TAG_SESSION_RESET = 12,
    SIGNET_TAG_SESSION_RETRY = 13,
    SIGNET_TAG_SESSION_RETRY_GLOBAL = 14,
    SIGNET_TAG_SESSION_RECONNECT_OK = 15,
    SIGNET_TAG_WAIT = 16,
    SIGNET_TAG_MESSAGE = 17,
    SIGNET_TAG_KEEPALIVE2 = 18,
    SIGNET_TAG_KEEPALIVE2_ACK = 19,
    SIGNET_TAG_ACK = 20,
    SIGNET_TAG_COMPRESSION_REQUEST = 21,
    SIGNET_TAG_COMPRESSION_DONE = 22,
    SIGNET_TAG_NUM
};
/* "HELLO", ...; NULL for a number that is no tag. */
SIGNET_API const char *signet_tag_name(unsigned tag);

enum signet_layout { SIGNET_LAYOUT_CRC, SIGNET_LAYOUT_SECURE };

/* Bytes on the wire and, for SECURE, nonces that a frame with these segment lengths takes.
 * len[] has four entries; trailing empty segments do not count. 0 if the sum does not fit. */
SIGNET_API size_t signet_frame_len(enum signet_layout layout,
                                   const uint32_t len[SIGNET_SEGMENTS_MAX]);
SIGNET_API unsigned signet_frame_nonces(const uint32_t len[SIGNET_SEGMENTS_MAX]);

/* One frame to send. A segment is the concatenation of its parts, which are only read. */
struct signet_segment {
    const struct iovec *parts;
    size_t num;
};
struct signet_frame {
    uint8_t tag;
    bool aborted; /* the receiver is to drop it; needs more than one segment */
    struct signet_segment segment[SIGNET_SEGMENTS_MAX];
};

/* Gathers the segments into out, each byte once, and seals them there. stream NULL: crc layout;
 * else secure, under the reserved numbers seq .. seq + signet_frame_nonces() - 1. Writes exactly
 * signet_frame_len() bytes; on failure *out_len is 0 and out holds no plaintext. out must not
 * overlap the parts. No allocation after the stream's first use on a thread. Any thread.
 * -SPACE, -LENGTH (a segment above 4 GiB - 1), -INVAL (aborted with one segment), and those of
 * signet_stream_seal_at(). */
SIGNET_MUST SIGNET_API int signet_frame_build(uint8_t *out, size_t cap, size_t *out_len,
                                              const struct signet_frame *frame,
                                              const struct signet_stream *stream, uint64_t seq);

/* What a received frame may hold, bytes per segment. */
struct signet_frame_limits {
    uint32_t control, front, middle, data;
    bool any_shape; /* for tools: check the layout only, not the number and the minimum of segments
                     * that each tag needs */
    bool strict;    /* for tools: also refuse the reserved bits of late_status, which are ignored
                     * otherwise */
};
/* Before authentication: 64 KiB of control, nothing else. */
SIGNET_API struct signet_frame_limits signet_frame_limits_preauth(void);
/* After it: control 1 MiB, front and middle 16 MiB, data 64 MiB. */
SIGNET_API struct signet_frame_limits signet_frame_limits_default(void);

/* A received frame: views into the receive buffer, opened and checked. */
struct signet_frame_view {
    uint64_t offset; /* of its first byte in the stream */
    size_t len;      /* its bytes on the wire; 0: not complete yet */
    uint8_t tag;
    uint8_t num_segments;
    bool aborted; /* late_status says so: its segments must not be used */
    bool secure;
    struct signet_span segment[SIGNET_SEGMENTS_MAX];
};

/* Takes one direction of a connection apart. One thread at a time. */
struct signet_frame_reader;

/* offset: stream position of the first frame (behind the banner), for failures and views. */
SIGNET_MUST SIGNET_API int signet_frame_reader_new(struct signet_frame_reader **out,
                                                   const struct signet_frame_limits *limits,
                                                   uint64_t offset);
SIGNET_API void signet_frame_reader_free(struct signet_frame_reader *reader);
/* From the next frame on. Only between frames. */
SIGNET_API void signet_frame_reader_limits(struct signet_frame_reader *reader,
                                           const struct signet_frame_limits *limits);
/* From the next frame on the secure layout under stream, which is borrowed. */
SIGNET_API void signet_frame_reader_secure(struct signet_frame_reader *reader,
                                           struct signet_stream *stream);
/*
 * buf[0..len) is what has arrived from the start of the present frame on; it is opened in place,
 * so what was passed must be kept (it may be moved) until the frame is complete. Returns 0 with
 * view->len = 0 while bytes are missing: *need is the length that buf must reach for the next
 * step, the whole frame as soon as its preamble is known. Else the view is complete, valid
 * until buf is changed, and the next call begins behind view->len bytes; *need is 32 or 96 again.
 * After a failure the reader fails for ever. No allocation after the stream's first use.
 * -PREAMBLE_CRC, -SEGMENT_CRC, -OPEN, -NONCES_SPENT, -TAG, -SEGMENTS, -FRAME_FLAGS, -FRAME_LIMIT,
 * -MESSAGE_SHORT, -LATE_STATUS, -PADDING; fail (may be NULL) says where.
 */
SIGNET_MUST SIGNET_API int signet_frame_reader_next(struct signet_frame_reader *reader,
                                                    uint8_t *buf, size_t len,
                                                    struct signet_frame_view *view, size_t *need,
                                                    struct signet_fail *fail);

/* --- the secure connection --------------------------------------------------------------- */

/* The client is the side that connected. */
enum signet_role { SIGNET_ROLE_CLIENT, SIGNET_ROLE_SERVER };

/* Both streams of one side from the connection secret; either pointer may be NULL when that
 * stream is not wanted (a recorded connection: open of the CLIENT role reads what the server
 * sent, open of the SERVER role what the client sent). -CONN_SECRET: shorter than 40 bytes;
 * -NONCE_CLASH: both directions have the same fixed part, so that their nonces could meet.
 * On failure both are NULL. */
SIGNET_MUST SIGNET_API int signet_streams_new(struct signet_stream **seal,
                                              struct signet_stream **open, const uint8_t *secret,
                                              size_t secret_len, enum signet_role role,
                                              const struct signet_handler *pin);

/* The value of AUTH_SIGNATURE: HMAC-SHA256 of all bytes received (own signature) or sent (the
 * peer's), from the banner to the last frame before it. key NULL (AUTH NONE): zeros. */
SIGNET_MUST SIGNET_API int signet_auth_signature(const struct signet_key *key,
                                                 uint8_t out[SIGNET_SIGNATURE_LEN],
                                                 const uint8_t *transcript, size_t len);

#ifdef __cplusplus
}
#endif
#endif
