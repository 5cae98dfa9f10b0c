/* SPDX-License-Identifier: MIT */
/* Many connections from one process: one worker drives them all, and decides what they do. */
#include "scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <signet/client.h>

#include "lite/osd_client.h"

#define MS         UINT64_C(1000000)
#define TIMEOUT_NS (60000 * MS) /* handshakes queue up behind each other */
#define STUCK_NS   (60000 * MS)

enum { TICK_MS = 2, PG_NUM = 8, TRIES_MAX = 6 };

static uint64_t now_ns(void)
{
    return (uint64_t)bench_mono_ns();
}

static uint64_t draw(struct crowd *c, uint64_t below)
{
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return below > 0 ? c->random % below : 0;
}

/* --- one connection ------------------------------------------------------------------------- */

static struct signet_peer_ops ops;

static void dial(struct member *m)
{
    struct crowd *c = m->crowd;
    unsigned lane = m->index % c->lanes;
    struct signet_dial_options o = {
        .conn = {.role = SIGNET_ROLE_CLIENT,
                 .own_type = SIGNET_CLIENT,
                 .peer_type = c->service,
                 .target = c->service == SIGNET_MON ? c->daemon->mon : c->daemon->osd,
                 .client = c->client[lane],
                 .modes = {c->secure ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC},
                 .num_modes = 1,
                 .env = signet_env_system(),
                 .handshake_timeout_ns = TIMEOUT_NS},
        .ops = ops,
        .arg = m,
        .worker = 0,
    };
    if (c->churn && c->service == SIGNET_MON) {
        signet_client_reset(c->client[lane]); /* not a reclaim */
    }
    c->in_use[lane] = m->busy_lane = true;
    m->state = MEMBER_DIALLED;
    bench_need(signet_messenger_dial(c->messenger, &o, NULL) == 0, "cannot dial");
}

/* The next one of a lane whose time has come. */
static void next_of_lane(struct crowd *c, unsigned lane)
{
    uint64_t now = now_ns();
    for (unsigned i = lane; i < c->num && !c->in_use[lane]; i += c->lanes) {
        struct member *m = &c->member[i];
        if (m->state == MEMBER_WAITING && m->due_ns <= now && (!c->churn || c->left > 0)) {
            c->left -= c->churn ? 1 : 0;
            dial(m);
        }
    }
}

static void free_lane(struct member *m)
{
    if (m->busy_lane) {
        m->busy_lane = m->crowd->in_use[m->index % m->crowd->lanes] = false;
        next_of_lane(m->crowd, m->index % m->crowd->lanes);
    }
}

static void on_event(void *arg, struct signet_peer *peer, const struct signet_event *event)
{
    (void)peer;
    if (event->kind == SIGNET_EVENT_AUTHENTICATED) {
        free_lane(arg);
    }
}

static int on_ready(void *arg, struct signet_peer *peer, const struct signet_event_ready *ready)
{
    struct member *m = arg;
    m->state = MEMBER_OPEN;
    m->peer = peer;
    m->features = ready->features;
    m->tries = 0;
    atomic_fetch_add(&m->crowd->open, 1);
    if (m->crowd->churn) {
        signet_peer_close(peer, -SIGNET_E_SHUTDOWN);
    }
    return 0;
}

/* In vain: later the next time, as clients do. */
static uint64_t again_ns(struct member *m)
{
    uint64_t span = m->crowd->back_ns << m->tries;
    m->tries += m->tries < TRIES_MAX ? 1 : 0;
    return now_ns() + draw(m->crowd, span);
}

static void on_closed(void *arg, struct signet_peer *peer, const struct signet_fail *why)
{
    struct member *m = arg;
    struct crowd *c = m->crowd;
    bool was_open = m->state == MEMBER_OPEN;
    (void)peer;
    if (!was_open && c->back_ns == 0) {
        fprintf(stderr, "a connection failed: %s: %s\n", signet_err_name(why->err), why->text);
    }
    m->peer = NULL;
    m->state = c->churn || c->back_ns > 0 ? MEMBER_WAITING : MEMBER_AWAY;
    m->due_ns = c->churn ? 0 : again_ns(m);
    atomic_fetch_sub(&c->open, was_open ? 1 : 0);
    atomic_fetch_add(&c->failed, was_open ? 0 : 1);
    atomic_fetch_add(&c->done, was_open && c->churn ? 1 : 0);
    if (m->busy_lane) {
        free_lane(m);
    } else {
        next_of_lane(c, m->index % c->lanes);
    }
}

/* --- operations ----------------------------------------------------------------------------- */

static void write_one(struct member *m)
{
    char name[32];
    uint8_t front[LITE_OSD_FRONT_MAX];
    struct crowd *c = m->crowd;
    const struct lite_op op = {
        .code = LITE_OP_WRITE, .length = sizeof c->data, .payload_len = sizeof c->data};
    const struct lite_osd_request q = {
        .pool = 1,
        .pg_num = PG_NUM,
        .epoch = 1,
        .name = {(const uint8_t *)name, (size_t)snprintf(name, sizeof name, "object%u", m->index)},
        .mtime = {1, 0},
        .features = m->features,
        .num_ops = 1,
        .ops = &op};
    struct signet_message message = {.tid = ++c->tid,
                                     .type = LITE_MSG_OSD_OP,
                                     .priority = 63,
                                     .version = 8,
                                     .compat_version = 3,
                                     .front.p = front};
    struct iovec data = {c->data, sizeof c->data};
    bench_need(lite_osd_request(&q, front, sizeof front, &message.front.len) == 0 &&
                   signet_peer_send(m->peer, &message, &data, 1, NULL) == 0,
               "a write was not sent");
    c->left--;
}

static int on_message(void *arg, struct signet_peer *peer, const struct signet_message *message)
{
    struct member *m = arg;
    struct lite_osd_reply reply;
    (void)peer;
    if (message->type != LITE_MSG_OSD_OP_REPLY) {
        return 0; /* maps of the monitor */
    }
    bench_need(lite_osd_reply(&reply, message) == 0 && reply.result == 0, "a write has failed");
    atomic_fetch_add(&m->crowd->done, 1);
    if (m->crowd->left > 0) {
        write_one(m);
    }
    return 0;
}

static struct signet_peer_ops ops = {
    .event = on_event, .ready = on_ready, .message = on_message, .closed = on_closed};

static void begin_writes(void *arg)
{
    struct crowd *c = arg;
    for (unsigned i = 0; i < c->num && c->left > 0; i++) {
        write_one(&c->member[i]);
    }
}

/* --- all of them ---------------------------------------------------------------------------- */

static void post(struct crowd *c, void (*fn)(void *arg))
{
    bench_need(signet_messenger_post(c->messenger, 0, fn, c) == 0, "the worker has ended");
}

static void all_lanes(void *arg)
{
    struct crowd *c = arg;
    for (unsigned lane = 0; lane < c->lanes; lane++) {
        next_of_lane(c, lane);
    }
}

static void all_wait(void *arg)
{
    struct crowd *c = arg;
    for (unsigned i = 0; i < c->num; i++) {
        if (c->member[i].state == MEMBER_AWAY) {
            c->member[i].state = MEMBER_WAITING;
        }
    }
    all_lanes(c);
}

/* Until the counter is there. dials: others may have become due. */
static double await(struct crowd *c, _Atomic uint64_t *counter, uint64_t num, bool dials)
{
    double start = bench_mono_ns();
    const struct timespec tick = {0, dials ? TICK_MS * (long)MS : 20000};
    while (atomic_load(counter) < num) {
        nanosleep(&tick, NULL);
        if (bench_mono_ns() - start > STUCK_NS) {
            fprintf(stderr, "%llu of %llu\n", (unsigned long long)atomic_load(counter),
                    (unsigned long long)num);
            bench_need(false, "the connections are stuck");
        }
        if (dials) {
            post(c, all_lanes);
        }
    }
    return bench_mono_ns() - start;
}

static void log_in(struct crowd *c, unsigned lane)
{
    struct signet_client_options o = {
        .key = c->daemon->key, .want = SIGNET_MON | SIGNET_OSD, .env = signet_env_system()};
    bench_need(signet_name_parse(&o.name, "client.admin") == 0 &&
                   signet_client_new(&c->client[lane], &o) == 0,
               "no client");
}

/* All but the clients. */
static void make(struct crowd *c)
{
    struct signet_messenger_options o = {.threads = 1, .env = signet_env_system()};
    c->member = bench_alloc(c->num * sizeof *c->member);
    c->in_use = bench_alloc(c->lanes * sizeof *c->in_use);
    c->random = 88172645463325252U;
    bench_fill(c->data, sizeof c->data, 3);
    for (unsigned i = 0; i < c->num; i++) {
        c->member[i] = (struct member){.crowd = c, .index = i};
    }
    bench_need(signet_messenger_new(&c->messenger, &o) == 0, "no messenger");
}

/* Lanes of an OSD's crowd need tickets first. */
static void log_all_in(struct crowd *c)
{
    struct crowd logins = {.daemon = c->daemon,
                           .service = SIGNET_MON,
                           .num = c->lanes,
                           .lanes = c->lanes,
                           .secure = true,
                           .client = c->client};
    make(&logins);
    crowd_open(&logins);
    logins.client = NULL;
    crowd_stop(&logins);
}

void crowd_start(struct crowd *c)
{
    c->client = bench_alloc(c->lanes * sizeof(struct signet_client *));
    for (unsigned lane = 0; lane < c->lanes; lane++) {
        log_in(c, lane);
    }
    if (c->service != SIGNET_MON) {
        log_all_in(c);
    }
    make(c);
}

static void go_home(void *arg)
{
    struct crowd *c = arg;
    c->back_ns = 0;
    c->churn = false;
}

void crowd_stop(struct crowd *c)
{
    if (c->messenger == NULL) {
        return;
    }
    post(c, go_home);
    signet_messenger_free(c->messenger);
    c->messenger = NULL;
    for (unsigned lane = 0; c->client != NULL && lane < c->lanes; lane++) {
        signet_client_free(c->client[lane]);
    }
}

void crowd_open(struct crowd *c)
{
    post(c, all_wait);
    await(c, &c->open, c->num, false);
}

static void close_all(void *arg)
{
    struct crowd *c = arg;
    go_home(c);
    for (unsigned i = 0; i < c->num; i++) {
        if (c->member[i].state == MEMBER_OPEN) {
            signet_peer_close(c->member[i].peer, -SIGNET_E_SHUTDOWN);
        }
    }
    atomic_store(&c->done, 1);
}

void crowd_close(struct crowd *c)
{
    const struct timespec tick = {0, MS};
    double start = bench_mono_ns();
    atomic_store(&c->done, 0);
    post(c, close_all);
    await(c, &c->done, 1, false);
    while (atomic_load(&c->open) > 0) {
        nanosleep(&tick, NULL);
        bench_need(bench_mono_ns() - start < STUCK_NS, "the connections do not close");
    }
}

static void may_come_back(void *arg)
{
    struct crowd *c = arg;
    c->back_ns = atomic_load(&c->done);
}

void crowd_come_back(struct crowd *c, uint64_t ns)
{
    atomic_store(&c->done, ns);
    post(c, may_come_back);
}

double crowd_drive(struct crowd *c, uint64_t open)
{
    return await(c, &c->open, open, true);
}

double crowd_churn(struct crowd *c, uint64_t num)
{
    c->churn = true;
    c->left = num;
    atomic_store(&c->done, 0);
    double start = bench_mono_ns();
    post(c, all_wait);
    await(c, &c->done, num, false);
    return bench_mono_ns() - start;
}

double crowd_write(struct crowd *c, uint64_t num)
{
    c->left = num;
    atomic_store(&c->done, 0);
    double start = bench_mono_ns();
    post(c, begin_writes);
    await(c, &c->done, num, false);
    return bench_mono_ns() - start;
}
