/* SPDX-License-Identifier: MIT */
/* The output queue: frames in the order of their nonces, sealed by any thread. */
#include "msg/conn_internal.h"

#include <stdlib.h>

static unsigned class_of(size_t len)
{
    unsigned c = 0;
    while (c < CONN_CLASSES && ((size_t)CONN_CLASS_MIN << c) < len) {
        c++;
    }
    return c;
}

static size_t class_size(unsigned c)
{
    return (size_t)CONN_CLASS_MIN << c;
}

static struct signet_reserved *take(struct conn_queue *queue, unsigned c)
{
    struct signet_reserved *slot = queue->kept[c];
    if (slot != NULL) {
        queue->kept[c] = slot->next;
        queue->kept_bytes -= class_size(c);
        return slot;
    }
    slot = malloc(sizeof(*slot) + class_size(c));
    if (slot != NULL) {
        slot->size_class = c;
    }
    return slot;
}

static void give_back(struct conn_queue *queue, struct signet_reserved *slot)
{
    unsigned c = slot->size_class;
    if (queue->kept_bytes + class_size(c) > CONN_KEEP_MAX) {
        free(slot);
        return;
    }
    slot->next = queue->kept[c];
    queue->kept[c] = slot;
    queue->kept_bytes += class_size(c);
}

struct signet_reserved *conn_queue_add(struct signet_conn *conn, size_t len)
{
    struct conn_queue *queue = &conn->out;
    unsigned c = class_of(len);
    struct signet_reserved *slot = c < CONN_CLASSES ? take(queue, c) : NULL;
    if (slot == NULL) {
        return NULL;
    }
    slot->next = NULL;
    slot->stream = conn->seal;
    slot->len = len;
    atomic_init(&slot->state, SLOT_RESERVED);
    *queue->tail = slot;
    queue->tail = &slot->next;
    queue->queued += len;
    return slot;
}

void conn_queue_free(struct conn_queue *queue)
{
    while (queue->head != NULL) {
        struct signet_reserved *slot = queue->head;
        queue->head = slot->next;
        free(slot);
    }
    for (unsigned c = 0; c < CONN_CLASSES; c++) {
        while (queue->kept[c] != NULL) {
            struct signet_reserved *slot = queue->kept[c];
            queue->kept[c] = slot->next;
            free(slot);
        }
    }
}

int signet_conn_output(struct signet_conn *conn, struct iovec *iov, int *num)
{
    int room = *num, n = 0;
    size_t skip = conn->out.sent;
    *num = 0;
    for (struct signet_reserved *s = conn->out.head; s != NULL; s = s->next) {
        /* Pairs with the release in signet_conn_seal_reserved(). */
        int state = atomic_load_explicit(&s->state, memory_order_acquire);
        if (state == SLOT_ABANDONED) {
            conn_die(conn, -SIGNET_E_ABANDONED);
        }
        if (state != SLOT_SEALED || n >= room) {
            break;
        }
        iov[n++] = (struct iovec){.iov_base = s->buf + skip, .iov_len = s->len - skip};
        skip = 0;
    }
    if (conn->state == CONN_FAILED && !conn->farewell) {
        return conn->fail.err;
    }
    *num = n;
    return 0;
}

void signet_conn_sent(struct signet_conn *conn, size_t n)
{
    struct conn_queue *queue = &conn->out;
    while (n > 0 && queue->head != NULL) {
        struct signet_reserved *slot = queue->head;
        size_t left = slot->len - queue->sent;
        size_t done = n < left ? n : left;
        queue->sent += done;
        queue->queued -= done;
        n -= done;
        if (queue->sent == slot->len) {
            queue->head = slot->next;
            queue->tail = queue->head == NULL ? &queue->head : queue->tail;
            queue->sent = 0;
            give_back(queue, slot);
        }
    }
}

uint64_t signet_conn_queued(const struct signet_conn *conn)
{
    return conn->out.queued;
}
