/* SPDX-License-Identifier: MIT */
/*
 * The accepting side of a connection, made of frame functions and a small cephx server, and the
 * wire between it and a signet_conn. It answers each frame of the client as a server would, up to
 * the step where it is told to stop; from there on tests send what they like.
 */
#ifndef SIGNET_TEST_CONN_PEER_H
#define SIGNET_TEST_CONN_PEER_H

#include <signet/conn.h>
#include <signet/session.h>

#include "support/auth_server.h"
#include "support/frames.h"

/* The steps of the server, each named after what it then sends. */
enum peer_step {
    PEER_NOTHING,
    PEER_BANNER,
    PEER_HELLO,
    PEER_REPLY_MORE,
    PEER_DONE,
    PEER_SIGNATURE,
    PEER_IDENT,
    PEER_ALL
};

enum { PEER_BUF = 4 << 20, PEER_EVENTS = 64 };

struct test_bytes {
    uint8_t *p;
    size_t len;
};

void test_bytes_add(struct test_bytes *b, const void *p, size_t len);
/* From the front. */
void test_bytes_drop(struct test_bytes *b, size_t len);

struct test_peer {
    struct test_mon mon;
    struct fake_env fake;
    struct test_osd osd;
    struct signet_client *client;
    uint32_t type;             /* SIGNET_MON or SIGNET_OSD */
    enum signet_con_mode mode; /* what it chooses */
    enum peer_step stop;       /* the last step it takes */

    struct signet_session *session; /* of the client; NULL: lossy */

    /* set to bend what it sends */
    struct signet_banner banner;
    uint8_t hello_type;
    uint32_t con_mode; /* in AUTH_DONE; 0: mode */
    bool bad_signature, refuse;
    bool no_streams; /* stops after AUTH_DONE, for secrets that give no streams */
    size_t tampered; /* byte of what it got before signing that was changed on the way */
    struct signet_auth_bad_method refusal;
    struct signet_ident ident;

    /* what happened */
    struct signet_ident client_ident;
    struct signet_auth_request_frame request; /* without payload */
    enum peer_step step;
    struct signet_frame_reader *reader;
    struct signet_stream *seal, *open;
    struct test_bytes in, out, rx, tx; /* in: unread; out: unsent */
    struct signet_message got;         /* the last MESSAGE, its parts as copies */
    struct test_bytes got_data;
    unsigned num_got[SIGNET_TAG_NUM];
    uint64_t seq, acked;               /* of its own messages */
    struct signet_utime stamp, answer; /* of the last keepalive, of the last answer to one */
    bool silent;                       /* does not answer keepalives */
};

/* The events of a connection, in order. */
struct test_log {
    enum signet_event_kind kind[PEER_EVENTS];
    unsigned num;
    struct signet_event last[SIGNET_EVENT_FAILED + 1]; /* by kind; views are dead */
    struct signet_fail fail;
    struct test_bytes data; /* of the last message */
};

/* Empties it; a static one starts empty. */
void log_reset(struct test_log *log);

void peer_init(struct test_peer *peer, uint32_t type, enum signet_con_mode mode);
void peer_free(struct test_peer *peer);
/* Options of a connection to it: mode alone, as own address a blank one. */
struct signet_conn_options peer_options(struct test_peer *peer);
struct signet_conn *peer_dial(struct test_peer *peer);

/* Bytes from the client, by whatever way; its answers are put behind out. */
void peer_input(struct test_peer *peer, const void *p, size_t len);
/* Moves bytes both ways, in pieces of at most chunk, until nothing moves. */
void peer_run(struct test_peer *peer, struct signet_conn *conn, size_t chunk, struct test_log *log);
/* A connection driven up to step; the conn is in the state that waits for what follows it. */
struct signet_conn *peer_reach(struct test_peer *peer, enum peer_step step, struct test_log *log);

/* Puts a frame behind what it sends, sealed if the connection is. */
void peer_send(struct test_peer *peer, struct test_frame frame);
void peer_send_control(struct test_peer *peer, const struct signet_control *control);
/* A message with the next sequence number (seq 0) or any. */
void peer_send_message(struct test_peer *peer, uint64_t seq, const void *data, size_t len);
void peer_send_raw(struct test_peer *peer, const void *p, size_t len);

#endif
