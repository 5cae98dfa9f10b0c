/* SPDX-License-Identifier: MIT */
/*
 * What the segments of frames hold: the payload of each control frame, both directions, and the
 * header of messages. Formats: msgr2.md 6, 8. All functions: any thread, no state.
 */
#ifndef SIGNET_CONTROL_H
#define SIGNET_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include <signet/addr.h>
#include <signet/error.h>
#include <signet/frame.h>
#include <signet/utime.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIGNET_LIST_MAX = 32 }; /* longer lists of methods or modes are refused */

struct signet_u32_list {
    uint32_t num;
    uint32_t v[SIGNET_LIST_MAX];
};

struct signet_hello {
    uint8_t entity_type;     /* of the sender */
    struct signet_addr peer; /* the receiver, as the sender sees it */
};
struct signet_auth_request_frame {
    uint32_t method;
    struct signet_u32_list modes; /* by preference */
    struct signet_span payload;
};
struct signet_auth_bad_method {
    uint32_t method;
    int32_t result;                        /* negative errno */
    struct signet_u32_list methods, modes; /* what would be allowed */
};
struct signet_auth_done {
    uint64_t global_id;
    uint32_t con_mode;
    struct signet_span payload;
};
/* CLIENT_IDENT and, without target, SERVER_IDENT. */
struct signet_ident {
    struct signet_addrvec addrs; /* of the sender */
    struct signet_addr target;
    int64_t gid;
    uint64_t global_seq;
    uint64_t supported, required; /* connection features */
    uint64_t flags;               /* bit 0: lossy */
    uint64_t cookie;
};
enum { SIGNET_IDENT_LOSSY = 1 };
struct signet_reconnect {
    struct signet_addrvec addrs;
    uint64_t client_cookie, server_cookie, global_seq, connect_seq, msg_seq;
};
struct signet_compression {
    uint8_t is_compress;
    struct signet_u32_list methods; /* DONE: exactly one */
};

/* One control payload. Which member is used depends on the tag; byte views point into what was
 * decoded or, for encoding, to the caller's bytes. */
struct signet_control {
    uint8_t tag; /* enum signet_tag, anything but MESSAGE */
    union {
        struct signet_hello hello;
        struct signet_auth_request_frame auth_request;
        struct signet_auth_bad_method bad_method;
        struct signet_span payload; /* AUTH_REPLY_MORE, AUTH_REQUEST_MORE */
        struct signet_auth_done done;
        uint8_t signature[SIGNET_SIGNATURE_LEN]; /* AUTH_SIGNATURE */
        struct signet_ident ident;               /* CLIENT_IDENT, SERVER_IDENT */
        struct signet_reconnect reconnect;
        uint8_t full;   /* SESSION_RESET */
        uint64_t value; /* IDENT_MISSING_FEATURES: mask; RETRY: connect_seq; RETRY_GLOBAL:
                         * global_seq; RECONNECT_OK: msg_seq; ACK: seq */
        struct signet_utime stamp; /* KEEPALIVE2, KEEPALIVE2_ACK */
        struct signet_compression compression;
    };
};

enum { SIGNET_CONTROL_MAX = 4096 }; /* encoded bytes of any control without its payload, at most */

/* Bytes behind the known fields are ignored. -TAG, -SHORT, -LENGTH, -COUNT, and those of the
 * addresses; fail (may be NULL) names the frame and field. */
SIGNET_MUST SIGNET_API int signet_control_decode(struct signet_control *out, uint8_t tag,
                                                 const uint8_t *in, size_t in_len,
                                                 struct signet_fail *fail);
/* -TAG, -COUNT, -SPACE; then *out_len is 0. out must not overlap the payload. */
SIGNET_MUST SIGNET_API int signet_control_encode(const struct signet_control *in, uint8_t *out,
                                                 size_t cap, size_t *out_len);

/* A message: header fields and views of its parts. */
struct signet_message {
    uint64_t seq; /* set by the connection when sending */
    uint64_t tid;
    uint64_t ack_seq; /* set by the connection when sending */
    uint16_t type, priority, version, compat_version;
    uint16_t data_off;
    uint32_t data_pre_padding_len;
    uint8_t flags; /* not interpreted; 3 from Ceph */
    struct signet_span front, middle, data;
};

/* The 41 bytes of segment 0; the parts are not looked at. */
SIGNET_API void signet_message_header_encode(const struct signet_message *message,
                                             uint8_t out[SIGNET_MESSAGE_HEADER_LEN]);
/* From a complete MESSAGE frame; the views point into it. -TAG, -MESSAGE_SHORT. */
SIGNET_MUST SIGNET_API int signet_message_decode(struct signet_message *out,
                                                 const struct signet_frame_view *view);

#ifdef __cplusplus
}
#endif
#endif
