/* SPDX-License-Identifier: MIT */
/* The output queue: frames in the order of their nonces, sealed by any thread. */
#include "msg/conn_internal.h"

#include <stdlib.h>

#include "base/secret.h"

void conn_queue_init(struct conn_queue *queue, bool shared)
{
    queue->shared = shared;
    queue->tail = &queue->head;
    atomic_init(&queue->gate, -SIGNET_E_STATE);
    queue->lock = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP; /* short: it spins */
}

void conn_queue_lock(struct conn_queue *queue)
{
    if (queue->shared) {
        pthread_mutex_lock(&queue->lock);
    }
}

void conn_queue_unlock(struct conn_queue *queue)
{
    if (queue->shared) {
        pthread_mutex_unlock(&queue->lock);
    }
}

void conn_queue_gate(struct conn_queue *queue, int err)
{
    conn_queue_lock(queue);
    int now = atomic_load_explicit(&queue->gate, memory_order_relaxed);
    if (now == 0 || now == -SIGNET_E_STATE) {
        atomic_store_explicit(&queue->gate, err, memory_order_relaxed);
    }
    conn_queue_unlock(queue);
}

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

static struct signet_reserved *next_of(const struct signet_reserved *slot)
{
    return atomic_load_explicit(&slot->next, memory_order_relaxed);
}

static void set_next(struct signet_reserved *slot, struct signet_reserved *next)
{
    atomic_store_explicit(&slot->next, next, memory_order_relaxed);
}

static struct signet_reserved *take_kept(struct conn_queue *queue, unsigned c)
{
    struct signet_reserved *slot = queue->kept[c];
    if (slot != NULL) {
        queue->kept[c] = next_of(slot);
        queue->kept_bytes -= class_size(c);
        queue->kept_num[c]--;
    }
    if (queue->kept_low[c] > queue->kept_num[c]) {
        queue->kept_low[c] = queue->kept_num[c];
    }
    return slot;
}

static struct signet_reserved *take(struct conn_queue *queue, unsigned c)
{
    struct signet_reserved *slot = take_kept(queue, c);
    if (slot != NULL) {
        return slot;
    }
    slot = malloc(sizeof(*slot) + class_size(c));
    if (slot != NULL) {
        slot->size_class = c;
        slot->used = 0;
        slot->plain = false;
    }
    return slot;
}

/* Under the lock. Slots that nobody wrote to so far take no memory. */
static void hold(struct conn_queue *queue, uint64_t more)
{
    uint64_t held = atomic_load_explicit(&queue->held, memory_order_relaxed);
    atomic_store_explicit(&queue->held, held + more, memory_order_relaxed);
}

/* Under the lock, before it is freed. */
static void let_go(struct conn_queue *queue, struct signet_reserved *slot,
                   struct signet_reserved **list)
{
    hold(queue, 0 - (uint64_t)slot->used);
    set_next(slot, *list);
    *list = slot;
}

/* What is too much to keep goes to *surplus. */
static void give_back(struct conn_queue *queue, struct signet_reserved *slot,
                      struct signet_reserved **surplus)
{
    unsigned c = slot->size_class;
    if (queue->kept_bytes + class_size(c) > CONN_KEEP_MAX) {
        let_go(queue, slot, surplus);
        return;
    }
    set_next(slot, queue->kept[c]);
    queue->kept[c] = slot;
    queue->kept_num[c]++;
    queue->kept_bytes += class_size(c);
}

static void free_list(struct signet_reserved *slot)
{
    while (slot != NULL) {
        struct signet_reserved *next = next_of(slot);
        if (slot->plain) {
            signet_wipe(slot->buf, slot->used);
        }
        free(slot);
        slot = next;
    }
}

struct signet_reserved *conn_queue_add(struct signet_conn *conn, size_t len)
{
    struct conn_queue *queue = &conn->out;
    unsigned c = class_of(len);
    struct signet_reserved *slot = c < CONN_CLASSES ? take(queue, c) : NULL;
    if (slot == NULL) {
        return NULL;
    }
    set_next(slot, NULL);
    slot->stream = conn->seal;
    slot->handler = conn->o.pin;
    slot->len = len;
    slot->message = false;
    slot->plain = slot->plain || conn->seal == NULL;
    if (len > slot->used) {
        hold(queue, len - slot->used);
        slot->used = len;
    }
    atomic_init(&slot->state, SLOT_RESERVED);
    /* Pairs with the acquire of the driving thread, which walks the queue without the lock. */
    atomic_store_explicit(queue->tail, slot, memory_order_release);
    queue->tail = &slot->next;
    uint64_t queued = atomic_load_explicit(&queue->queued, memory_order_relaxed);
    atomic_store_explicit(&queue->queued, queued + len, memory_order_relaxed);
    return slot;
}

void conn_queue_free(struct conn_queue *queue)
{
    free_list(atomic_load_explicit(&queue->head, memory_order_relaxed));
    for (unsigned c = 0; c < CONN_CLASSES; c++) {
        free_list(queue->kept[c]);
    }
}

void conn_queue_trim(struct conn_queue *queue)
{
    struct signet_reserved *surplus = NULL;
    conn_queue_lock(queue);
    for (unsigned c = 0; c < CONN_CLASSES && queue->kept_bytes > 0; c++) {
        for (uint32_t n = queue->kept_low[c]; n > 0; n--) {
            let_go(queue, take_kept(queue, c), &surplus);
        }
        queue->kept_low[c] = queue->kept_num[c];
    }
    conn_queue_unlock(queue);
    free_list(surplus);
}

void conn_queue_trim_all(struct conn_queue *queue)
{
    conn_queue_trim(queue); /* the first one looks what was needed since the last, the second */
    conn_queue_trim(queue); /* lets all of it go */
}

/* Others may have found that it must fail: it belongs to the driving thread to do so. */
static void notice_gate(struct signet_conn *conn)
{
    int gate = atomic_load_explicit(&conn->out.gate, memory_order_relaxed);
    if (gate != 0 && conn->state == CONN_READY) {
        conn_die(conn, gate);
    }
}

int signet_conn_output(struct signet_conn *conn, struct iovec *iov, int *num)
{
    int room = *num, n = 0;
    *num = 0;
    notice_gate(conn);
    if (conn->session != NULL && conn->state == CONN_READY &&
        (conn_session_check(conn) != 0 || conn_session_flush(conn) != 0)) {
        return conn->fail.err;
    }
    size_t skip = conn->out.sent;
    struct signet_reserved *s = atomic_load_explicit(&conn->out.head, memory_order_acquire);
    for (; s != NULL; s = atomic_load_explicit(&s->next, memory_order_acquire)) {
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

/* Takes the head off; under the lock. */
static void unlink_head(struct conn_queue *queue, const struct signet_reserved *slot)
{
    struct signet_reserved *next = next_of(slot);
    atomic_store_explicit(&queue->head, next, memory_order_relaxed);
    queue->tail = next == NULL ? &queue->head : queue->tail;
    queue->sent = 0;
}

void signet_conn_sent(struct signet_conn *conn, size_t n)
{
    struct conn_queue *queue = &conn->out;
    struct signet_reserved *surplus = NULL;
    conn_queue_lock(queue);
    uint64_t queued = atomic_load_explicit(&queue->queued, memory_order_relaxed);
    while (n > 0) {
        struct signet_reserved *slot = atomic_load_explicit(&queue->head, memory_order_relaxed);
        if (slot == NULL) {
            break;
        }
        size_t left = slot->len - queue->sent;
        size_t done = n < left ? n : left;
        queue->sent += done;
        queued -= done;
        n -= done;
        if (queue->sent == slot->len) {
            conn_count_sent(conn, slot);
            unlink_head(queue, slot);
            give_back(queue, slot, &surplus);
        }
    }
    atomic_store_explicit(&queue->queued, queued, memory_order_relaxed);
    conn_queue_unlock(queue);
    free_list(surplus);
}

void conn_queue_drop(struct conn_queue *queue)
{
    struct signet_reserved *dropped = NULL, *slot;
    conn_queue_lock(queue);
    while ((slot = atomic_load_explicit(&queue->head, memory_order_relaxed)) != NULL &&
           atomic_load_explicit(&slot->state, memory_order_acquire) != SLOT_RESERVED) {
        uint64_t queued = atomic_load_explicit(&queue->queued, memory_order_relaxed);
        atomic_store_explicit(&queue->queued, queued - (slot->len - queue->sent),
                              memory_order_relaxed);
        unlink_head(queue, slot);
        let_go(queue, slot, &dropped);
    }
    conn_queue_unlock(queue);
    free_list(dropped);
    conn_queue_trim_all(queue);
}

uint64_t signet_conn_queued(const struct signet_conn *conn)
{
    return atomic_load_explicit(&conn->out.queued, memory_order_relaxed);
}
