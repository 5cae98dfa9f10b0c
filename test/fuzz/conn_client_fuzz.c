/* SPDX-License-Identifier: MIT */
/*
 * A client's connection to a monitor, fed by a script. Byte 0: bit 0 secure mode, bit 1 one byte at
 * a time, bit 3 authentication none; bytes 1 and 2: the port dialled. Then steps, each a byte and
 * its operands:
 *   0 len16 bytes          raw bytes
 *   1 tag len16 bytes      a control frame, sealed once the connection is
 *   2 len16 x 3 bytes      a message: segment 0, front, data
 *   3                      the right AUTH_SIGNATURE
 *   4 time16               time passes, 10 ms each
 *   5 what                 the caller sends something
 *   6                      the stream ends
 */
#include "frames_common.h"

#include "msg/conn_internal.h"

struct run {
    struct signet_conn *conn;
    struct signet_stream *seal; /* the server's */
    uint64_t now_ns;
    bool trickle;
};

static uint64_t fixed_clock(void *arg)
{
    (void)arg;
    return UINT64_C(1796041300000000000);
}

static int counting_random(void *arg, uint8_t *out, size_t len)
{
    uint8_t *next = arg;
    for (size_t i = 0; i < len; i++) {
        out[i] = ++*next;
    }
    return 0;
}

/* The client of the recorded streams. */
static struct signet_client *new_client(struct signet_env env, bool none)
{
    struct signet_client_options o = {.want = SIGNET_MON | SIGNET_OSD | SIGNET_MGR, .env = env};
    struct signet_client *client;
    uint8_t secret[16];
    for (unsigned i = 0; i < sizeof(secret); i++) {
        secret[i] = (uint8_t)(0xb0 + i);
    }
    demand(signet_name_parse(&o.name, "client.admin") == 0);
    o.method = none ? SIGNET_AUTH_NONE : SIGNET_AUTH_CEPHX;
    demand(signet_key_import(&o.key, SIGNET_KEY_AES, secret, sizeof(secret), 0, NULL) == 0);
    demand(signet_client_new(&client, &o) == 0);
    signet_key_unref(o.key);
    return client;
}

static void touch(struct signet_span span)
{
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < span.len; i++) {
        sum = (uint8_t)(sum + span.p[i]);
    }
}

static void drain(struct run *run)
{
    struct signet_event event;
    struct iovec iov[3];
    do {
        demand(signet_conn_next(run->conn, &event) == 0);
        if (event.kind == SIGNET_EVENT_MESSAGE) {
            touch(event.message.front);
            touch(event.message.middle);
            touch(event.message.data);
        } else if (event.kind == SIGNET_EVENT_FAILED) {
            demand(event.fail->err < 0 && event.fail->text[0] != 0);
        }
        int num = 3;
        int err = signet_conn_output(run->conn, iov, &num);
        demand((err == 0) == (signet_conn_failure(run->conn) == NULL));
        for (int i = 0; i < num; i++) {
            touch((struct signet_span){iov[i].iov_base, iov[i].iov_len});
        }
        signet_conn_sent(run->conn, num > 0 ? (iov[0].iov_len + 1) / 2 : 0);
    } while (event.kind != SIGNET_EVENT_NONE);
}

static void feed(struct run *run, const uint8_t *p, size_t len)
{
    while (len > 0) {
        uint8_t *to;
        size_t cap, n = run->trickle ? 1 : len;
        if (signet_conn_recv_buffer(run->conn, &to, &cap) != 0) {
            return;
        }
        demand(cap > 0);
        n = n < cap ? n : cap;
        memcpy(to, p, n);
        p += n;
        len -= n;
        demand(signet_conn_received(run->conn, n, run->now_ns) == 0);
        drain(run);
    }
}

/* The server switches when the client does. */
static void follow_switch(struct run *run)
{
    if (run->seal == NULL && run->conn->open != NULL) {
        demand(signet_streams_new(&run->seal, NULL, run->conn->result.secret, 64,
                                  SIGNET_ROLE_SERVER, NULL) == 0);
    }
}

static void feed_frame(struct run *run, uint8_t tag, const struct signet_span *segment)
{
    struct iovec part[SIGNET_SEGMENTS_MAX];
    struct signet_frame frame = {.tag = tag};
    uint32_t len[SIGNET_SEGMENTS_MAX] = {0};
    uint64_t seq = 0;
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        part[i] = (struct iovec){(void *)(uintptr_t)segment[i].p, segment[i].len};
        frame.segment[i] = (struct signet_segment){&part[i], 1};
        len[i] = (uint32_t)segment[i].len;
    }
    if (run->conn->state == CONN_AUTH_CONNECTING_SIGN) {
        follow_switch(run);
    }
    if (run->seal != NULL) {
        demand(signet_stream_reserve(run->seal, &seq, signet_frame_nonces(len)) == 0);
    }
    size_t room =
        signet_frame_len(run->seal != NULL ? SIGNET_LAYOUT_SECURE : SIGNET_LAYOUT_CRC, len);
    uint8_t *p = malloc(room);
    size_t built = 0;
    demand(p != NULL && signet_frame_build(p, room, &built, &frame, run->seal, seq) == 0);
    feed(run, p, built);
    free(p);
}

static void feed_signature(struct run *run)
{
    uint8_t signature[SIGNET_SIGNATURE_LEN] = {0};
    const struct signet_span segment[SIGNET_SEGMENTS_MAX] = {{signature, sizeof(signature)}};
    struct signet_conn *conn = run->conn;
    if (conn->state == CONN_AUTH_CONNECTING_SIGN) {
        demand(signet_auth_signature(conn->result.session_key, signature, conn->tx.p,
                                     conn->tx.len) == 0);
    }
    feed_frame(run, SIGNET_TAG_AUTH_SIGNATURE, segment);
}

static void send_something(struct run *run, uint8_t what)
{
    static uint8_t data[300];
    struct iovec part = {data, what};
    struct signet_message m = {.type = what, .front = {data, what & 3U}};
    struct signet_reserved *r;
    if ((what & 0x80) != 0) {
        (void)!signet_conn_send(run->conn, &m, &part, 1, NULL);
    } else if ((what & 0x40) != 0) {
        (void)!signet_conn_keepalive(run->conn, run->now_ns);
    } else if ((what & 0x20) != 0) {
        (void)!signet_conn_ack(run->conn);
    } else if (signet_conn_reserve(run->conn, &r, what & 3U, 0, what) == 0) {
        (void)!signet_conn_seal_reserved(r, &m, &part, (what & 0x10) != 0 ? 0 : 1);
    }
    drain(run);
}

static void feed_message(struct run *run, struct signet_reader *r)
{
    uint64_t len[3];
    struct signet_span segment[SIGNET_SEGMENTS_MAX] = {{NULL, 0}};
    for (unsigned i = 0; i < 3; i++) {
        len[i] = signet_read_u16(r);
    }
    segment[0] = signet_read_view(r, len[0]);
    segment[1] = signet_read_view(r, len[1]);
    segment[3] = signet_read_view(r, len[2]);
    feed_frame(run, SIGNET_TAG_MESSAGE, segment);
}

static void step(struct run *run, struct signet_reader *r)
{
    struct signet_span segment[SIGNET_SEGMENTS_MAX] = {{NULL, 0}};
    uint8_t what = signet_read_u8(r) % 7;
    uint8_t tag = what == 1 || what == 5 ? signet_read_u8(r) : 0;
    if (what <= 1) {
        segment[0] = signet_read_view(r, signet_read_u16(r));
    }
    if (what == 0) {
        feed(run, segment[0].p, segment[0].len);
    } else if (what == 1) {
        feed_frame(run, tag, segment);
    } else if (what == 2) {
        feed_message(run, r);
    } else if (what == 3) {
        feed_signature(run);
    } else if (what == 4) {
        run->now_ns += signet_read_u16(r) * UINT64_C(10000000);
        (void)!signet_conn_tick(run->conn, run->now_ns);
        demand(signet_conn_deadline_ns(run->conn) > run->now_ns);
    } else if (what == 5) {
        send_something(run, tag);
    } else {
        signet_conn_closed(run->conn, -SIGNET_E_PEER_CLOSED);
        drain(run);
        demand(signet_conn_failure(run->conn) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t next_random = 0;
    const struct signet_env env = {fixed_clock, fixed_clock, counting_random, &next_random};
    struct signet_reader r = signet_reader_init(data, size);
    struct signet_conn_options o = {.peer_type = SIGNET_MON, .num_modes = 1, .env = env};
    struct run run = {.now_ns = 1};
    if (size < 3) {
        return 0;
    }
    fuzz_init();
    uint8_t flags = signet_read_u8(&r);
    run.trickle = (flags & 2) != 0;
    bool none = (flags & 8) != 0;
    o.modes[0] = (flags & 1) != 0 && !none ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
    o.keepalive_interval_ns = (flags & 4) != 0 ? UINT64_C(1000000000) : 0;
    o.client = new_client(env, none);
    demand(signet_addr_parse(&o.target, "v2:127.0.0.1:1") == 0);
    o.target.port = signet_read_u16(&r);
    demand(signet_conn_new(&run.conn, &o, run.now_ns) == 0);
    while (r.err == 0 && signet_reader_left(&r) > 0) {
        step(&run, &r);
    }
    signet_conn_free(run.conn);
    signet_stream_free(run.seal);
    signet_client_free(o.client);
    return 0;
}
