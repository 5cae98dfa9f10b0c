/* SPDX-License-Identifier: MIT */
/* What a connection did: counted by the thread that drives it, frame by frame. */
#include "msg/conn_internal.h"

#include <string.h>

/* The place of handler among those seen; the last one is shared if there are too many. */
static unsigned place_of(struct signet_conn_figures *f, const struct signet_handler *handler)
{
    unsigned i = 0;
    while (i < SIGNET_CONN_HANDLERS - 1 && f->by_handler[i].handler != handler &&
           f->by_handler[i].handler != NULL) {
        i++;
    }
    f->by_handler[i].handler = handler;
    return i;
}

static uint64_t sum_of(const uint32_t segment_len[SIGNET_SEGMENTS_MAX])
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        sum += segment_len[i];
    }
    return sum;
}

void conn_count_sent(struct signet_conn *conn, const struct signet_reserved *slot)
{
    struct signet_conn_figures *f = &conn->figures;
    f->messages_out += slot->message ? 1 : 0;
    if (slot->stream != NULL) {
        f->by_handler[place_of(f, slot->handler)].sealed += sum_of(slot->segment_len);
    }
}

void conn_count_received(struct signet_conn *conn, const struct signet_frame_view *view)
{
    struct signet_conn_figures *f = &conn->figures;
    if (view->secure) {
        const struct signet_handler *pin = conn->o.pin;
        unsigned i = place_of(f, pin != NULL ? pin : signet_handler_current());
        for (unsigned s = 0; s < view->num_segments; s++) {
            f->by_handler[i].opened += view->segment[s].len;
        }
    }
}

static uint64_t left_of(const struct signet_conn *conn, const struct signet_stream *stream)
{
    uint64_t used = signet_stream_used(stream);
    return used < conn->o.max_nonces ? conn->o.max_nonces - used : 0;
}

static uint64_t nonces_left(const struct signet_conn *conn)
{
    if (conn->seal == NULL || conn->open == NULL) {
        return UINT64_MAX;
    }
    uint64_t out = left_of(conn, conn->seal), in = left_of(conn, conn->open);
    return out < in ? out : in;
}

void signet_conn_take_figures(struct signet_conn *conn, struct signet_conn_figures *out)
{
    *out = conn->figures;
    out->nonces_left = nonces_left(conn);
    memset(&conn->figures, 0, sizeof(conn->figures));
}
