/* SPDX-License-Identifier: MIT */
/* Messages that the peer has not acknowledged yet. */
#include "msg/session_internal.h"

#include <stdlib.h>
#include <string.h>

/* Copies len bytes to *at and moves it on. */
static struct signet_span put(uint8_t **at, const uint8_t *p, size_t len)
{
    struct signet_span span = {.p = *at, .len = len};
    if (len > 0) {
        memcpy(*at, p, len);
    }
    *at += len;
    return span;
}

/* Of the parts; UINT64_MAX if that is more than a frame may hold. */
static uint64_t data_total(const struct iovec *data, int num, uint32_t max)
{
    uint64_t sum = 0;
    for (int i = 0; i < num; i++) {
        if (data[i].iov_len > max - sum) {
            return UINT64_MAX;
        }
        sum += data[i].iov_len;
    }
    return num < 0 ? UINT64_MAX : sum;
}

int session_message_new(struct session_message **out, const struct signet_message *message,
                        const struct iovec *data, int num)
{
    struct signet_frame_limits max = signet_frame_limits_default();
    uint64_t data_len = data_total(data, num, max.data);
    *out = NULL;
    if (message->front.len > max.front || message->middle.len > max.middle ||
        data_len == UINT64_MAX) {
        return -SIGNET_E_LENGTH;
    }
    size_t len = message->front.len + message->middle.len + (size_t)data_len;
    struct session_message *m = malloc(sizeof(*m) + len);
    if (m == NULL) {
        return -SIGNET_E_NOMEM;
    }
    uint8_t *at = m->buf;
    m->next = NULL;
    m->bytes = sizeof(*m) + len;
    m->m = *message;
    m->m.front = put(&at, message->front.p, message->front.len);
    m->m.middle = put(&at, message->middle.p, message->middle.len);
    m->m.data = (struct signet_span){.p = at, .len = (size_t)data_len};
    for (int i = 0; i < num; i++) {
        put(&at, data[i].iov_base, data[i].iov_len);
    }
    *out = m;
    return 0;
}

static bool has_room(struct signet_session *session, uint64_t bytes)
{
    struct signet_sessions *table = session->table;
    uint64_t own = session->queue.bytes;
    if (bytes > table->o.max_queued || own > table->o.max_queued - bytes) {
        return false;
    }
    uint64_t all = atomic_fetch_add_explicit(&table->queued, bytes, memory_order_relaxed);
    if (all > table->o.max_total || bytes > table->o.max_total - all) {
        atomic_fetch_sub_explicit(&table->queued, bytes, memory_order_relaxed);
        return false;
    }
    return true;
}

int session_queue_add(struct signet_session *session, struct session_message *message)
{
    struct session_queue *queue = &session->queue;
    if (session->closed) {
        return -SIGNET_E_SESSION_CLOSED;
    }
    if (!has_room(session, message->bytes)) {
        return -SIGNET_E_SESSION_FULL;
    }
    message->seq = ++session->out_seq;
    *queue->tail = message;
    queue->tail = &message->next;
    queue->unsent = queue->unsent != NULL ? queue->unsent : message;
    queue->bytes += message->bytes;
    queue->num++;
    return 0;
}

static void drop_head(struct signet_session *session)
{
    struct session_queue *queue = &session->queue;
    struct session_message *m = queue->head;
    queue->head = m->next;
    queue->tail = queue->head == NULL ? &queue->head : queue->tail;
    queue->unsent = queue->unsent == m ? m->next : queue->unsent;
    queue->bytes -= m->bytes;
    queue->num--;
    atomic_fetch_sub_explicit(&session->table->queued, m->bytes, memory_order_relaxed);
    free(m);
}

void session_queue_ack(struct signet_session *session, uint64_t seq)
{
    while (session->queue.head != NULL && session->queue.head->seq <= seq) {
        drop_head(session);
    }
    session->acked = seq > session->acked ? seq : session->acked;
}

uint64_t session_queue_clear(struct signet_session *session)
{
    uint64_t num = session->queue.num;
    while (session->queue.head != NULL) {
        drop_head(session);
    }
    session->acked = session->out_seq;
    return num;
}
