/* SPDX-License-Identifier: MIT */
/*
 * Lossless sessions between two OSDs in crc mode, where frames can be put in after the real
 * handshake. Byte 0: bit 0 both dial, bit 1 keep_on_restart. Then steps, each a byte for what, one
 * for which connection and end (bit 7), and operands: small numbers, so that they hit each other.
 */
#include "session_setup.h"

/* --- steps ----------------------------------------------------------------------------------- */

/* A small number, one of the session's own, or an absurd one. */
static uint64_t pick(struct run *run, unsigned node, struct signet_reader *r)
{
    uint8_t b = signet_read_u8(r);
    struct signet_session_status s = {0};
    if (run->session[node] != NULL) {
        signet_session_status(run->session[node], &s);
    }
    switch (b >> 4) {
    case 8:
        return s.client_cookie;
    case 9:
        return s.server_cookie;
    case 10:
        return s.global_seq + (b & 15U);
    case 11:
        return s.connect_seq + (b & 15U);
    case 12:
        return s.in_seq + (b & 15U);
    case 15:
        return UINT64_MAX - (b & 15U);
    default:
        return b;
    }
}

static void ask(struct run *run, struct line *l, struct signet_reader *r, bool reconnect)
{
    struct signet_control c = {.tag = SIGNET_TAG_CLIENT_IDENT};
    struct signet_addrvec *a = &c.ident.addrs;
    unsigned node = 1 - l->from;
    if (reconnect) {
        c.tag = SIGNET_TAG_SESSION_RECONNECT;
        a = &c.reconnect.addrs;
        c.reconnect.client_cookie = pick(run, node, r);
        c.reconnect.server_cookie = pick(run, node, r);
        c.reconnect.global_seq = pick(run, node, r);
        c.reconnect.connect_seq = pick(run, node, r);
        c.reconnect.msg_seq = pick(run, node, r);
    } else {
        c.ident.target = addrs[node];
        c.ident.supported = SIGNET_FEATURES_SUPPORTED;
        c.ident.global_seq = pick(run, node, r);
        c.ident.cookie = pick(run, node, r);
        c.ident.flags = signet_read_u8(r) & 1U;
    }
    a->num = 1;
    a->addr[0] = addrs[l->from];
    a->addr[0].nonce += signet_read_u8(r) % 4U;
    inject(l, ACCEPTOR, &c, NULL);
}

static void answer(struct run *run, struct line *l, unsigned end, struct signet_reader *r)
{
    static const uint8_t tags[] = {
        SIGNET_TAG_SESSION_RESET,        SIGNET_TAG_SESSION_RETRY, SIGNET_TAG_SESSION_RETRY_GLOBAL,
        SIGNET_TAG_SESSION_RECONNECT_OK, SIGNET_TAG_WAIT,          SIGNET_TAG_ACK,
        SIGNET_TAG_SERVER_IDENT,         SIGNET_TAG_MESSAGE};
    unsigned node = end == DIALLER ? l->from : 1 - l->from;
    struct signet_control c = {.tag = tags[signet_read_u8(r) % sizeof(tags)]};
    uint64_t value = pick(run, node, r);
    if (c.tag == SIGNET_TAG_MESSAGE) {
        struct signet_message m = {.type = 1, .seq = value, .ack_seq = pick(run, node, r)};
        inject(l, end, NULL, &m);
        return;
    }
    if (c.tag == SIGNET_TAG_SESSION_RESET) {
        c.full = (uint8_t)(value & 1);
    } else if (c.tag == SIGNET_TAG_SERVER_IDENT) {
        c.ident.addrs.num = 1;
        c.ident.addrs.addr[0] = addrs[1 - l->from];
        c.ident.supported = SIGNET_FEATURES_SUPPORTED;
        c.ident.cookie = value;
        c.ident.global_seq = pick(run, node, r);
    } else if (c.tag != SIGNET_TAG_WAIT) {
        c.value = value;
    }
    inject(l, end, &c, NULL);
}

static void say(struct run *run, unsigned node, uint8_t len)
{
    static uint8_t data[256];
    struct signet_message m = {.type = 1};
    struct iovec part = {data, len};
    if (run->session[node] != NULL) {
        int err = signet_session_send(run->session[node], &m, &part, 1, NULL);
        demand(err == 0 || err == -SIGNET_E_SESSION_FULL || err == -SIGNET_E_SESSION_CLOSED);
    }
}

/* Node 1 has the session that its table made, unless it has one of its own. */
static void adopt(struct run *run, struct line *l)
{
    struct signet_session *s =
        l->end[ACCEPTOR] != NULL ? signet_conn_session(l->end[ACCEPTOR]) : NULL;
    if (s != NULL && run->session[1 - l->from] == NULL) {
        run->session[1 - l->from] = signet_session_ref(s);
    }
}

static void check(struct run *run)
{
    for (unsigned i = 0; i < 2; i++) {
        struct signet_session_status s;
        demand(signet_sessions_num(run->table[i]) <= 4);
        demand(signet_sessions_queued(run->table[i]) <= 8192);
        if (run->session[i] != NULL) {
            signet_session_status(run->session[i], &s);
            demand(s.acked <= s.out_seq && s.out_seq - s.acked == s.num_queued);
            demand((s.num_queued == 0) == (s.queued == 0));
            demand(s.queued <= signet_sessions_queued(run->table[i]));
            demand((s.state == SIGNET_SESSION_CLOSED) <= (s.num_queued == 0));
        }
    }
}

static void pass(struct run *run, uint8_t tenths)
{
    now_ns += tenths * UINT64_C(100000000);
    for (unsigned i = 0; i < LINKS; i++) {
        for (unsigned end = 0; end < 2; end++) {
            if (run->line[i].end[end] != NULL) {
                (void)!signet_conn_tick(run->line[i].end[end], now_ns);
                drain(&run->line[i], end);
            }
        }
    }
    signet_sessions_expire(run->table[0], now_ns);
    signet_sessions_expire(run->table[1], now_ns);
}

static void step(struct run *run, struct signet_reader *r)
{
    uint8_t what = signet_read_u8(r), which = signet_read_u8(r);
    struct line *l = &run->line[which % LINKS];
    unsigned end = which >> 7;
    switch (what % 9) {
    case 0:
    case 1:
        dial(run, l, end, what % 9 == 0);
        break;
    case 2:
        ask(run, l, r, false);
        break;
    case 3:
        ask(run, l, r, true);
        break;
    case 4:
        answer(run, l, end, r);
        break;
    case 5:
        say(run, end, which);
        break;
    case 6:
        run_freely(l);
        break;
    case 7:
        signet_conn_free(l->end[end]);
        l->end[end] = NULL;
        break;
    default:
        pass(run, which);
    }
    adopt(run, l);
    check(run);
}

static void start(struct run *run, uint8_t flags)
{
    struct signet_sessions_options t = {.env = env,
                                        .max_sessions = 4,
                                        .max_queued = 4096,
                                        .max_total = 8192,
                                        .standby_ns = UINT64_C(20000000000)};
    struct signet_session_options s = {.peer_type = SIGNET_OSD, .own = addrs[0], .peer = addrs[1]};
    t.peers = (flags & 1) != 0 ? SIGNET_OSD : 0;
    t.keep_on_restart = (flags & 2) != 0;
    s.policy = (flags & 1) != 0 ? SIGNET_LOSSLESS_PEER : SIGNET_LOSSLESS_CLIENT;
    s.stay = (flags & 4) != 0;
    demand(signet_name_parse(&s.name, "osd.1") == 0);
    demand(signet_sessions_new(&run->table[0], &t) == 0);
    demand(signet_sessions_new(&run->table[1], &t) == 0);
    demand(signet_session_new(&run->session[0], run->table[0], &s) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_reader r = signet_reader_init(data, size);
    struct run run = {.session = {NULL}};
    now_ns = mixed = 1;
    if (keys == NULL) {
        set_up();
    }
    start(&run, signet_read_u8(&r));
    while (r.err == 0 && signet_reader_left(&r) > 0) {
        step(&run, &r);
    }
    for (unsigned i = 0; i < LINKS; i++) {
        close_line(&run.line[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        signet_session_unref(run.session[i]);
        signet_sessions_free(run.table[i]);
    }
    return 0;
}
