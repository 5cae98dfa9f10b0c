/* SPDX-License-Identifier: MIT */
/* The wire between a connection and the test's server, and the log of events. */
#include "support/conn_peer.h"

#include <stdlib.h>
#include <string.h>

void test_bytes_add(struct test_bytes *b, const void *p, size_t len)
{
    ck_assert_uint_le(b->len + len, PEER_BUF);
    if (b->p == NULL) {
        b->p = malloc(PEER_BUF);
    }
    if (len > 0) {
        memcpy(b->p + b->len, p, len);
    }
    b->len += len;
}

void test_bytes_drop(struct test_bytes *b, size_t len)
{
    memmove(b->p, b->p + len, b->len - len);
    b->len -= len;
}

void log_reset(struct test_log *log)
{
    free(log->data.p);
    memset(log, 0, sizeof(*log));
}

static bool from_conn(struct test_peer *peer, struct signet_conn *conn, size_t chunk)
{
    struct iovec iov[3];
    int num = 3;
    bool moved = false;
    if (signet_conn_output(conn, iov, &num) != 0) {
        return false;
    }
    for (int i = 0; i < num && !moved; i++) {
        size_t n = iov[i].iov_len < chunk ? iov[i].iov_len : chunk;
        peer_input(peer, iov[i].iov_base, n);
        signet_conn_sent(conn, n);
        moved = true;
    }
    return moved;
}

static void note(struct test_log *log, const struct signet_event *event)
{
    ck_assert_uint_lt(log->num, PEER_EVENTS);
    log->kind[log->num++] = event->kind;
    log->last[event->kind] = *event;
    if (event->kind == SIGNET_EVENT_MESSAGE) {
        log->data.len = 0;
        test_bytes_add(&log->data, event->message.data.p, event->message.data.len);
    } else if (event->kind == SIGNET_EVENT_FAILED) {
        log->fail = *event->fail;
    }
}

static bool to_conn(struct test_peer *peer, struct signet_conn *conn, size_t chunk,
                    struct test_log *log)
{
    uint8_t *p;
    size_t cap, n = 0;
    struct signet_event event;
    if (peer->out.len > 0 && signet_conn_recv_buffer(conn, &p, &cap) == 0) {
        ck_assert_uint_gt(cap, 0);
        n = peer->out.len < chunk ? peer->out.len : chunk;
        n = n < cap ? n : cap;
        memcpy(p, peer->out.p, n);
        test_bytes_drop(&peer->out, n);
        assert_ok(signet_conn_received(conn, n, peer->fake.mono_ns));
    }
    do {
        assert_ok(signet_conn_next(conn, &event));
        if (event.kind != SIGNET_EVENT_NONE) {
            note(log, &event);
        }
    } while (event.kind != SIGNET_EVENT_NONE);
    return n > 0;
}

void peer_run(struct test_peer *peer, struct signet_conn *conn, size_t chunk, struct test_log *log)
{
    bool moved;
    do {
        moved = from_conn(peer, conn, chunk);
        moved = to_conn(peer, conn, chunk, log) || moved;
    } while (moved);
}

struct signet_conn *peer_reach(struct test_peer *peer, enum peer_step step, struct test_log *log)
{
    log_reset(log);
    peer->stop = step;
    struct signet_conn *conn = peer_dial(peer);
    peer_run(peer, conn, SIZE_MAX, log);
    return conn;
}
