/* SPDX-License-Identifier: MIT */
/* The receive buffer: frames are opened where they arrived. */
#include "msg/conn_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

void conn_recv_release(struct signet_conn *conn)
{
    struct conn_recv *in = &conn->in;
    if (conn->showing) {
        conn_session_release(conn);
    }
    in->head += in->view;
    in->view = 0;
    if (in->head == in->len) {
        in->head = in->len = 0;
    }
}

/* It may hold what was opened there. */
static void free_buffer(struct conn_recv *in)
{
    signet_wipe(in->p, in->top);
    free(in->p);
}

static void move_to_front(struct conn_recv *in)
{
    size_t have = in->len - in->head;
    if (in->head > 0 && have > 0) {
        memmove(in->p, in->p + in->head, have);
    }
    in->head = 0;
    in->len = have;
}

static int grow(struct conn_recv *in, size_t size, size_t unit)
{
    size_t have = in->len - in->head;
    size = (size / unit + 1) * unit;
    uint8_t *p = malloc(size);
    if (p == NULL) {
        return -SIGNET_E_NOMEM;
    }
    if (have > 0) {
        memcpy(p, in->p + in->head, have);
    }
    free_buffer(in);
    *in = (struct conn_recv){
        .p = p, .cap = size, .len = have, .need = in->need, .peak = in->peak, .top = have};
    return 0;
}

/* Room for the whole present frame; and for a good read, if only few bytes must move for it. A
 * large frame is never moved again once its buffer is there. */
static int make_room(struct conn_recv *in, size_t unit)
{
    size_t have = in->len - in->head;
    in->peak = in->need > in->peak ? in->need : in->peak > 0 ? in->peak : 1;
    bool few = have <= CONN_RECV_MIN / 4 && in->cap - in->len < CONN_RECV_MIN / 4;
    if (few || in->len == in->cap || in->head + in->need > in->cap) {
        move_to_front(in);
    }
    if (in->len == in->cap || in->need > in->cap || (have == 0 && in->cap < unit)) {
        return grow(in, in->need > have ? in->need : have, unit);
    }
    return 0;
}

bool signet_conn_wants_input(const struct signet_conn *conn)
{
    return !conn->waits;
}

int signet_conn_recv_buffer(struct signet_conn *conn, uint8_t **p, size_t *cap)
{
    struct conn_recv *in = &conn->in;
    *p = NULL;
    *cap = 0;
    if (conn->state == CONN_FAILED) {
        return conn->fail.err;
    }
    conn_recv_release(conn);
    int err = make_room(in, conn_is_preauth(conn->state) ? CONN_RECV_PREAUTH : CONN_RECV_MIN);
    if (err != 0) {
        return conn_die(conn, err);
    }
    *p = in->p + in->len;
    *cap = in->cap - in->len;
    return 0;
}

int signet_conn_received(struct signet_conn *conn, size_t n, uint64_t now_ns)
{
    if (n > conn->in.cap - conn->in.len) {
        return -SIGNET_E_INVAL;
    }
    conn->in.len += n;
    conn->in.top = conn->in.len > conn->in.top ? conn->in.len : conn->in.top;
    conn->now_ns = now_ns;
    return 0;
}

void conn_recv_free(struct signet_conn *conn)
{
    if (conn->showing) {
        conn_session_release(conn);
    }
    free_buffer(&conn->in);
    conn->in = (struct conn_recv){0};
}

/* An empty buffer is let go when it was not used, or is far too large for what came. */
void conn_recv_trim(struct signet_conn *conn)
{
    struct conn_recv *in = &conn->in;
    conn_recv_release(conn);
    bool unused = in->peak == 0;
    bool large = in->cap > CONN_RECV_MIN && in->cap / 4 > in->peak;
    if (in->head == in->len && (unused || large)) {
        free_buffer(in);
        *in = (struct conn_recv){.need = in->need};
    }
    in->peak = 0;
}

void conn_recv_shrink(struct signet_conn *conn)
{
    struct conn_recv *in = &conn->in;
    if (in->cap <= CONN_RECV_MIN) {
        return;
    }
    conn_recv_release(conn);
    if (in->head == in->len) {
        free_buffer(in);
        *in = (struct conn_recv){.need = in->need, .peak = in->peak};
    }
}
