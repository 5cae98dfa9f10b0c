/* SPDX-License-Identifier: MIT */
/* Messages that the peer has not acknowledged yet. */
#include "msg/session_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

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

/* SESSION_CLASSES: larger than any. */
static unsigned class_of(uint64_t bytes)
{
    unsigned c = 0;
    while (c < SESSION_CLASSES && (uint64_t)SESSION_CLASS_MIN << c < bytes) {
        c++;
    }
    return c;
}

static struct session_message *take(struct signet_session *session, uint64_t bytes)
{
    struct session_queue *queue = &session->queue;
    unsigned c = class_of(bytes);
    struct session_message *m = NULL;
    if (c < SESSION_CLASSES) {
        bytes = (uint64_t)SESSION_CLASS_MIN << c;
        pthread_mutex_lock(&session->lock);
        m = queue->kept[c];
        if (m != NULL) {
            queue->kept[c] = m->next;
            queue->kept_bytes -= bytes;
        }
        pthread_mutex_unlock(&session->lock);
    }
    if (m == NULL && (m = malloc((size_t)bytes)) != NULL) {
        m->used = 0;
    }
    if (m != NULL) {
        m->next = NULL;
        m->bytes = bytes;
    }
    return m;
}

void session_message_free(struct session_message *message)
{
    signet_wipe(message->buf, message->used);
    free(message);
}

static void give_back(struct session_queue *queue, struct session_message *m)
{
    unsigned c = class_of(m->bytes);
    if (c == SESSION_CLASSES || queue->kept_bytes + m->bytes > SESSION_KEEP_MAX) {
        session_message_free(m);
        return;
    }
    m->next = queue->kept[c];
    queue->kept[c] = m;
    queue->kept_bytes += m->bytes;
}

int session_message_new(struct signet_session *session, struct session_message **out,
                        const struct signet_message *message, const struct iovec *data, int num)
{
    struct signet_frame_limits max = signet_frame_limits_default();
    uint64_t data_len = data_total(data, num, max.data);
    *out = NULL;
    if (message->front.len > max.front || message->middle.len > max.middle ||
        data_len == UINT64_MAX) {
        return -SIGNET_E_LENGTH;
    }
    uint64_t len = message->front.len + message->middle.len + data_len;
    struct session_message *m = take(session, sizeof(*m) + len);
    if (m == NULL) {
        return -SIGNET_E_NOMEM;
    }
    uint8_t *at = m->buf;
    m->used = len > m->used ? len : m->used;
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
    give_back(queue, m);
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

void session_queue_trim(struct signet_session *session)
{
    for (unsigned c = 0; c < SESSION_CLASSES; c++) {
        struct session_message *m = session->queue.kept[c];
        session->queue.kept[c] = NULL;
        while (m != NULL) {
            struct session_message *next = m->next;
            session_message_free(m);
            m = next;
        }
    }
    session->queue.kept_bytes = 0;
}
