/* SPDX-License-Identifier: MIT */
/* Making frames: control frames, messages, reservations. */
#include "msg/conn_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

int conn_transcribe(struct conn_transcript *t, const uint8_t *p, size_t len)
{
    if (len > t->cap - t->len) {
        size_t cap = 2 * (t->len + len);
        uint8_t *grown = malloc(cap);
        if (grown == NULL) {
            return -SIGNET_E_NOMEM;
        }
        size_t used = t->len;
        if (used > 0) {
            memcpy(grown, t->p, used);
        }
        conn_transcript_free(t);
        *t = (struct conn_transcript){.p = grown, .len = used, .cap = cap};
    }
    memcpy(t->p + t->len, p, len);
    t->len += len;
    return 0;
}

void conn_transcript_free(struct conn_transcript *t)
{
    signet_wipe(t->p, t->len);
    free(t->p);
    *t = (struct conn_transcript){0};
}

static void publish(struct signet_reserved *slot, enum slot_state state)
{
    /* Pairs with the acquire in signet_conn_output(). */
    atomic_store_explicit(&slot->state, (int)state, memory_order_release);
}

int conn_send_banner(struct signet_conn *conn)
{
    const struct signet_banner mine = {SIGNET_MSGR2_REVISION_1, SIGNET_MSGR2_REVISION_1};
    conn_queue_lock(&conn->out);
    struct signet_reserved *slot = conn_queue_add(conn, SIGNET_BANNER_LEN);
    conn_queue_unlock(&conn->out);
    if (slot == NULL) {
        return -SIGNET_E_NOMEM;
    }
    signet_banner_encode(&mine, slot->buf);
    publish(slot, SLOT_SEALED);
    return conn_transcribe(&conn->tx, slot->buf, slot->len);
}

static bool nonces_left(const struct signet_conn *conn, unsigned num)
{
    uint64_t used = signet_stream_used(conn->seal);
    return used <= conn->o.max_nonces && num <= conn->o.max_nonces - used;
}

static int take_nonces(struct signet_conn *conn, const uint32_t *segment_len, uint64_t *nonce)
{
    *nonce = 0;
    if (conn->seal == NULL) {
        return 0;
    }
    unsigned num = signet_frame_nonces(segment_len);
    return nonces_left(conn, num) ? signet_stream_reserve(conn->seal, nonce, num)
                                  : -SIGNET_E_NONCES_SPENT;
}

int conn_reserve_frame(struct signet_conn *conn, struct signet_reserved **out,
                       const uint32_t segment_len[SIGNET_SEGMENTS_MAX])
{
    enum signet_layout layout = conn->seal != NULL ? SIGNET_LAYOUT_SECURE : SIGNET_LAYOUT_CRC;
    uint64_t nonce;
    *out = NULL;
    int err = take_nonces(conn, segment_len, &nonce);
    if (err != 0) {
        return err;
    }
    struct signet_reserved *slot = conn_queue_add(conn, signet_frame_len(layout, segment_len));
    if (slot == NULL) {
        return -SIGNET_E_NOMEM; /* the nonces are lost: the connection must fail */
    }
    slot->nonce = nonce;
    memcpy(slot->segment_len, segment_len, sizeof(slot->segment_len));
    *out = slot;
    return 0;
}

static int seal(struct signet_reserved *slot, const struct signet_frame *frame)
{
    size_t len;
    if (slot->handler == NULL) {
        slot->handler = signet_handler_current();
    }
    int err = signet_frame_build(slot->buf, slot->len, &len, frame, slot->stream, slot->nonce);
    publish(slot, err == 0 ? SLOT_SEALED : SLOT_ABANDONED);
    return err;
}

int conn_send_control(struct signet_conn *conn, const struct signet_control *control)
{
    uint8_t small[SIGNET_CONTROL_MAX];
    bool large = conn->scratch != NULL;
    uint8_t *payload = large ? conn->scratch + SIGNET_AUTH_PAYLOAD_MAX : small;
    size_t cap = large ? (size_t)SIGNET_AUTH_PAYLOAD_MAX + SIGNET_CONTROL_MAX : sizeof(small);
    size_t len;
    int err = signet_control_encode(control, payload, cap, &len);
    if (err != 0) {
        return err;
    }
    uint32_t segment_len[SIGNET_SEGMENTS_MAX] = {(uint32_t)len};
    struct iovec part = {.iov_base = payload, .iov_len = len};
    struct signet_frame frame = {.tag = control->tag, .segment = {{.parts = &part, .num = 1}}};
    struct signet_reserved *slot;
    conn_queue_lock(&conn->out);
    err = conn_reserve_frame(conn, &slot, segment_len);
    conn_queue_unlock(&conn->out);
    if (err != 0) {
        return conn_die(conn, err);
    }
    err = seal(slot, &frame);
    if (err == 0 && conn_is_signed(conn->state)) {
        err = conn_transcribe(&conn->tx, slot->buf, slot->len);
    }
    return err;
}

static int check_ready(const struct signet_conn *conn)
{
    return conn->state == CONN_READY    ? 0
           : conn->state == CONN_FAILED ? conn->fail.err
                                        : -SIGNET_E_STATE;
}

/* Under the lock. A failure after the gate is the end of the connection. */
static int reserve(struct signet_conn *conn, struct signet_reserved **out,
                   const uint32_t len[SIGNET_SEGMENTS_MAX])
{
    int err = conn_reserve_frame(conn, out, len);
    if (err != 0) {
        atomic_store_explicit(&conn->out.gate, err, memory_order_relaxed);
        return err;
    }
    struct signet_reserved *slot = *out;
    slot->message = true;
    slot->seq = atomic_load_explicit(&conn->out_seq, memory_order_relaxed) + 1;
    slot->ack_seq = atomic_load_explicit(&conn->in_seq, memory_order_relaxed);
    atomic_store_explicit(&conn->out_seq, slot->seq, memory_order_relaxed);
    atomic_store_explicit(&conn->told, slot->ack_seq, memory_order_relaxed);
    return 0;
}

int signet_conn_reserve(struct signet_conn *conn, struct signet_reserved **out, uint32_t front_len,
                        uint32_t middle_len, uint32_t data_len)
{
    struct signet_frame_limits max = signet_frame_limits_default();
    uint32_t len[SIGNET_SEGMENTS_MAX] = {SIGNET_MESSAGE_HEADER_LEN, front_len, middle_len,
                                         data_len};
    bool fits = front_len <= max.front && middle_len <= max.middle && data_len <= max.data;
    *out = NULL;
    conn_queue_lock(&conn->out);
    int gate = atomic_load_explicit(&conn->out.gate, memory_order_relaxed);
    if (gate == 0 && conn->session != NULL) {
        gate = -SIGNET_E_STATE;
    }
    int err = gate != 0 ? gate : fits ? reserve(conn, out, len) : -SIGNET_E_LENGTH;
    conn_queue_unlock(&conn->out);
    if (gate == 0 && err != 0 && fits && !conn->out.shared) {
        conn_die(conn, err);
    }
    return err;
}

uint64_t signet_reserved_seq(const struct signet_reserved *reserved)
{
    return reserved->seq;
}

static uint64_t total(const struct iovec *data, int num)
{
    uint64_t sum = 0;
    for (int i = 0; i < num; i++) {
        sum = data[i].iov_len > UINT32_MAX - sum ? UINT32_MAX : sum + data[i].iov_len;
    }
    return sum;
}

/* iovec is not const, but the parts of a frame are only read. */
static struct iovec part_of(struct signet_span span)
{
    return (struct iovec){.iov_base = (void *)(uintptr_t)span.p, .iov_len = span.len};
}

int signet_conn_seal_reserved(struct signet_reserved *reserved,
                              const struct signet_message *message, const struct iovec *data,
                              int num)
{
    struct signet_message m = *message;
    uint8_t header[SIGNET_MESSAGE_HEADER_LEN];
    const uint32_t *len = reserved->segment_len;
    if (num < 0 || m.front.len != len[1] || m.middle.len != len[2] || total(data, num) != len[3]) {
        publish(reserved, SLOT_ABANDONED);
        return -SIGNET_E_LENGTH;
    }
    m.seq = reserved->seq;
    m.ack_seq = reserved->ack_seq;
    signet_message_header_encode(&m, header);
    struct iovec fixed[3] = {
        {.iov_base = header, .iov_len = sizeof(header)}, part_of(m.front), part_of(m.middle)};
    struct signet_frame frame = {
        .tag = SIGNET_TAG_MESSAGE,
        .segment = {{&fixed[0], 1}, {&fixed[1], 1}, {&fixed[2], 1}, {data, (size_t)num}}};
    return seal(reserved, &frame);
}

void signet_conn_abandon(struct signet_reserved *reserved)
{
    publish(reserved, SLOT_ABANDONED);
}

int signet_conn_send(struct signet_conn *conn, const struct signet_message *message,
                     const struct iovec *data, int num, uint64_t *seq)
{
    struct signet_reserved *slot;
    uint64_t data_len = num >= 0 ? total(data, num) : UINT32_MAX;
    if (conn->session != NULL) {
        return conn_session_send(conn, message, data, num, seq);
    }
    if (message->front.len > UINT32_MAX || message->middle.len > UINT32_MAX) {
        return -SIGNET_E_LENGTH;
    }
    int err = signet_conn_reserve(conn, &slot, (uint32_t)message->front.len,
                                  (uint32_t)message->middle.len, (uint32_t)data_len);
    if (err != 0) {
        return err;
    }
    if (seq != NULL) {
        *seq = slot->seq;
    }
    err = signet_conn_seal_reserved(slot, message, data, num);
    return err != 0 && !conn->out.shared ? conn_die(conn, err) : err;
}

int signet_conn_ack(struct signet_conn *conn)
{
    int err = check_ready(conn);
    if (err == 0) {
        struct signet_control ack = {.tag = SIGNET_TAG_ACK, .value = conn->in_seq};
        conn->told = conn->in_seq;
        err = conn_send_control(conn, &ack);
    }
    return err;
}
