/* SPDX-License-Identifier: MIT */
/* Two OSDs, their connections in memory, and frames that neither of them has sent. */
#ifndef SIGNET_FUZZ_SESSION_SETUP_H
#define SIGNET_FUZZ_SESSION_SETUP_H

#include "auth_setup.h"

#include <signet/conn.h>
#include <signet/server.h>
#include <signet/session.h>

enum { LINKS = 6, DIALLER = 0, ACCEPTOR = 1 };

struct line {
    struct signet_conn *end[2];
    struct signet_login *login;
    unsigned from;
};

static struct signet_keyserver *keys;
static struct signet_client *clients[2];
static struct signet_addr addrs[2];
static uint64_t now_ns, mixed;

struct run {
    struct signet_sessions *table[2];
    struct signet_session *session[2];
    struct line line[LINKS];
};

static uint64_t clock_now(void *arg)
{
    (void)arg;
    return FUZZ_NOW + now_ns;
}

static int mixed_random(void *arg, uint8_t *out, size_t len)
{
    (void)arg;
    for (size_t i = 0; i < len; i++) {
        mixed = mixed * UINT64_C(6364136223846793005) + 1442695040888963407U;
        out[i] = (uint8_t)(mixed >> 56);
    }
    return 0;
}

static const struct signet_env env = {clock_now, clock_now, mixed_random, NULL};

/* --- once ------------------------------------------------------------------------------------ */

static void log_in(struct signet_client *client)
{
    static uint8_t a[FUZZ_BUF], b[FUZZ_BUF];
    struct signet_login *login;
    struct signet_auth_result ours, theirs;
    enum signet_verdict verdict;
    size_t a_len, b_len;
    demand(signet_login_new(&login, keys, SIGNET_MON) == 0);
    demand(signet_client_login(client, a, sizeof(a), &a_len) == 0);
    demand(signet_login_step(login, SIGNET_MODE_CRC, b, sizeof(b), &b_len, a, a_len, &verdict,
                             NULL) == 0);
    demand(signet_client_challenge(client, a, sizeof(a), &a_len, b, b_len, NULL) == 0);
    demand(signet_login_step(login, SIGNET_MODE_CRC, b, sizeof(b), &b_len, a, a_len, &verdict,
                             NULL) == 0);
    demand(signet_login_take(login, &theirs) == 0);
    demand(signet_client_done(client, &ours, theirs.global_id, SIGNET_MODE_CRC, b, b_len, NULL) ==
           0);
    signet_auth_result_clear(&ours);
    signet_auth_result_clear(&theirs);
    signet_login_free(login);
}

static void set_up(void)
{
    static const struct signet_cap caps[] = {{"osd", "allow *"}, {"mon", "allow r"}};
    struct signet_keyserver_options o = {.env = env};
    demand(signet_keyserver_open(&keys, &o, NULL) == 0);
    for (unsigned i = 0; i < 2; i++) {
        struct signet_client_options c = {.key = fuzz_keys[SIGNET_KEY_AES256K][FUZZ_PRINCIPAL],
                                          .want = SIGNET_MON | SIGNET_OSD,
                                          .env = env};
        demand(signet_name_parse(&c.name, i == 0 ? "osd.0" : "osd.1") == 0);
        demand(signet_keyserver_put(keys, &c.name, c.key, caps, 2) == 0);
        demand(signet_client_new(&clients[i], &c) == 0);
        log_in(clients[i]);
        demand(signet_addr_parse(&addrs[i],
                                 i == 0 ? "v2:127.0.0.1:6800/1" : "v2:127.0.0.1:6801/2") == 0);
    }
}

/* --- connections ----------------------------------------------------------------------------- */

static void drain(struct line *l, unsigned end)
{
    struct signet_event event = {.kind = SIGNET_EVENT_HELLO};
    while (l->end[end] != NULL && event.kind != SIGNET_EVENT_NONE) {
        demand(signet_conn_next(l->end[end], &event) == 0);
        demand(event.kind != SIGNET_EVENT_FAILED || event.fail->err < 0);
    }
}

static void feed(struct line *l, unsigned end, const uint8_t *p, size_t len)
{
    uint8_t *room;
    size_t cap;
    while (len > 0 && l->end[end] != NULL &&
           signet_conn_recv_buffer(l->end[end], &room, &cap) == 0) {
        size_t n = len < cap ? len : cap;
        memcpy(room, p, n);
        p += n;
        len -= n;
        demand(signet_conn_received(l->end[end], n, now_ns) == 0);
        drain(l, end);
    }
}

/* Whether there was something; it goes to the other end, or nowhere. */
static bool move(struct line *l, unsigned end, bool lost)
{
    struct iovec iov;
    int num = 1;
    if (l->end[end] == NULL || signet_conn_output(l->end[end], &iov, &num) != 0 || num == 0) {
        return false;
    }
    if (!lost) {
        feed(l, 1 - end, iov.iov_base, iov.iov_len);
    }
    signet_conn_sent(l->end[end], iov.iov_len);
    return true;
}

static bool in_session(const struct line *l, unsigned end)
{
    const char *state = l->end[end] != NULL ? signet_conn_state(l->end[end]) : "";
    return strncmp(state, "SESSION", 7) == 0 || strcmp(state, "READY") == 0;
}

/* Both ends to where sessions begin: the dialler's first word about it is lost. */
static void shake(struct line *l)
{
    bool moved = true;
    while (moved && !in_session(l, ACCEPTOR)) {
        moved = move(l, ACCEPTOR, false);
        moved = move(l, DIALLER, false) || moved;
    }
    while (move(l, DIALLER, true) || move(l, ACCEPTOR, true)) {
    }
}

static void run_freely(struct line *l)
{
    bool moved = true;
    while (moved) {
        drain(l, DIALLER);
        drain(l, ACCEPTOR);
        moved = move(l, ACCEPTOR, false);
        moved = move(l, DIALLER, false) || moved;
    }
}

static void close_line(struct line *l)
{
    signet_conn_free(l->end[DIALLER]);
    signet_conn_free(l->end[ACCEPTOR]);
    signet_login_free(l->login);
    memset(l, 0, sizeof(*l));
}

static void dial(struct run *run, struct line *l, unsigned from, bool held)
{
    struct signet_conn_options o = {.own_type = SIGNET_OSD,
                                    .env = env,
                                    .modes = {SIGNET_MODE_CRC},
                                    .num_modes = 1,
                                    .gid = from};
    close_line(l);
    o.own = addrs[from];
    o.role = SIGNET_ROLE_CLIENT;
    o.client = clients[from];
    o.session = run->session[from];
    if (o.session == NULL || signet_conn_new(&l->end[DIALLER], &o, now_ns) != 0) {
        return;
    }
    demand(signet_login_new(&l->login, keys, SIGNET_OSD) == 0);
    o.role = SIGNET_ROLE_SERVER;
    o.login = l->login;
    o.own = o.target = addrs[1 - from];
    o.session = NULL;
    o.sessions = run->table[1 - from];
    demand(signet_conn_new(&l->end[ACCEPTOR], &o, now_ns) == 0);
    l->from = from;
    if (held) {
        shake(l);
    } else {
        run_freely(l);
    }
}

static void inject(struct line *l, unsigned end, const struct signet_control *c,
                   const struct signet_message *m)
{
    uint8_t payload[SIGNET_CONTROL_MAX], frame[SIGNET_CONTROL_MAX + 128];
    struct iovec part = {.iov_base = payload};
    struct signet_frame f = {.tag = SIGNET_TAG_MESSAGE, .segment = {{&part, 1}}};
    size_t len;
    if (!in_session(l, end)) {
        return;
    }
    if (m != NULL) {
        signet_message_header_encode(m, payload);
        part.iov_len = SIGNET_MESSAGE_HEADER_LEN;
    } else {
        f.tag = c->tag;
        demand(signet_control_encode(c, payload, sizeof(payload), &part.iov_len) == 0);
    }
    demand(signet_frame_build(frame, sizeof(frame), &len, &f, NULL, 0) == 0);
    feed(l, end, frame, len);
}

#endif
