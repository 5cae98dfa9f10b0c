/* SPDX-License-Identifier: MIT */
/* Deadlines and keepalives. Source: msgr2.md 12; holding answers back: Ceph 16's librados against
 * a monitor that answers at once. */
#include "msg/conn_internal.h"

#define SECOND UINT64_C(1000000000)

/* When the oldest keepalive without an answer runs out. */
static uint64_t answer_deadline(const struct signet_conn *conn)
{
    return conn->num_pongs > 0 ? conn->pongs[0].sent_ns + conn->o.keepalive_timeout_ns : UINT64_MAX;
}

uint64_t signet_conn_deadline_ns(const struct signet_conn *conn)
{
    if (conn->state == CONN_FAILED) {
        return UINT64_MAX;
    }
    if (conn->session != NULL && atomic_load_explicit(&conn->taken, memory_order_relaxed) != 0) {
        return 0; /* it fails at its next call */
    }
    if (conn->state != CONN_READY) {
        return conn->deadline_ns;
    }
    uint64_t answer = answer_deadline(conn);
    uint64_t first = answer < conn->keepalive_ns ? answer : conn->keepalive_ns;
    return first < conn->answer_ns ? first : conn->answer_ns;
}

int conn_answer_keepalive(struct signet_conn *conn)
{
    struct signet_control c = {.tag = SIGNET_TAG_KEEPALIVE2_ACK, .stamp = conn->answer};
    conn->answer_ns = UINT64_MAX;
    return conn_send_control(conn, &c);
}

/* The wall clock, but never the same twice: an answer is known by its stamp. */
static struct signet_utime next_stamp(struct signet_conn *conn)
{
    uint64_t now = conn->o.env.real_ns(conn->o.env.arg);
    struct signet_utime last = conn->last_stamp;
    struct signet_utime stamp = {.sec = (uint32_t)(now / SECOND), .nsec = (uint32_t)(now % SECOND)};
    if (stamp.sec == last.sec && stamp.nsec <= last.nsec) {
        stamp.nsec = last.nsec + 1;
        stamp.sec += stamp.nsec / (uint32_t)SECOND;
        stamp.nsec %= (uint32_t)SECOND;
    }
    conn->last_stamp = stamp;
    return stamp;
}

int signet_conn_keepalive(struct signet_conn *conn, uint64_t now_ns)
{
    if (conn->state == CONN_FAILED) {
        return conn->fail.err;
    }
    if (conn->state != CONN_READY || conn->num_pongs == CONN_PONGS) {
        return -SIGNET_E_STATE;
    }
    struct signet_control c = {.tag = SIGNET_TAG_KEEPALIVE2};
    c.stamp = next_stamp(conn);
    conn->now_ns = now_ns;
    conn->pongs[conn->num_pongs++] = (struct conn_pong){.stamp = c.stamp, .sent_ns = now_ns};
    int err = conn_send_control(conn, &c);
    return err != 0 ? conn_die(conn, err) : 0;
}

static int tick_ready(struct signet_conn *conn)
{
    if (conn->now_ns >= answer_deadline(conn)) {
        return conn_die(conn,
                        conn_fault(conn, -SIGNET_E_KEEPALIVE_TIMEOUT,
                                   "no answer to a keepalive within %llu ms",
                                   (unsigned long long)conn->o.keepalive_timeout_ns / 1000000U));
    }
    if (conn->now_ns >= conn->answer_ns) {
        int err = conn_answer_keepalive(conn);
        if (err != 0) {
            return conn_die(conn, err);
        }
    }
    if (conn->now_ns < conn->keepalive_ns) {
        return 0;
    }
    conn->keepalive_ns = conn->now_ns + conn->o.keepalive_interval_ns;
    return conn->num_pongs < CONN_PONGS ? signet_conn_keepalive(conn, conn->now_ns) : 0;
}

int signet_conn_tick(struct signet_conn *conn, uint64_t now_ns)
{
    if (conn->state == CONN_FAILED) {
        return conn->fail.err;
    }
    conn->now_ns = now_ns;
    if (conn->session != NULL && conn_session_check(conn) != 0) {
        return conn->fail.err;
    }
    if (conn->state == CONN_READY) {
        return tick_ready(conn);
    }
    if (now_ns < conn->deadline_ns) {
        return 0;
    }
    return conn_die(conn, conn_fault(conn, -SIGNET_E_HANDSHAKE_TIMEOUT,
                                     "the handshake is not done after %llu ms",
                                     (unsigned long long)conn->o.handshake_timeout_ns / 1000000U));
}
