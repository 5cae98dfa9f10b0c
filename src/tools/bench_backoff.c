/* SPDX-License-Identifier: MIT */
/* What has to wait, and what is sent again. Rules: doc/dev/rados-client-protocol. */
#include <stdlib.h>
#include <string.h>

#include "bench_load.h"
#include "lite/backoff.h"
#include "lite/placement.h"

enum { BACKOFFS_MAX = 4096 };

struct bench_backoff {
    struct bench_backoff *next;
    struct lite_backoff b; /* views of front */
    uint8_t front[];
};

static void set_hold(struct bench_conn *c)
{
    c->hold = c->backoffs || c->place.pause_read || c->place.pause_write;
}

static struct bench_backoff **find(struct bench_conn *c, uint64_t id)
{
    struct bench_backoff **at = &c->backoffs;
    while (*at && (*at)->b.id != id)
        at = &(*at)->next;
    return at;
}

static void drop(struct bench_conn *c, struct bench_backoff **at)
{
    struct bench_backoff *gone = *at;
    *at = gone->next;
    free(gone);
    atomic_fetch_sub(&c->load->blocked, 1);
    set_hold(c);
}

void bench_drop_backoffs(struct bench_conn *c)
{
    while (c->backoffs)
        drop(c, &c->backoffs);
}

static uint64_t count(const struct bench_conn *c)
{
    uint64_t num = 0;
    for (const struct bench_backoff *b = c->backoffs; b; b = b->next)
        num++;
    return num;
}

static int add(struct bench_conn *c, const struct signet_message *message, uint64_t id)
{
    struct bench_backoff **old = find(c, id);
    if (*old)
        drop(c, old);
    if (count(c) >= BACKOFFS_MAX)
        return -SIGNET_E_COUNT;
    struct bench_backoff *b = malloc(sizeof(*b) + message->front.len);
    if (!b)
        return -SIGNET_E_NOMEM;
    memcpy(b->front, message->front.p, message->front.len);
    struct signet_message kept = *message;
    kept.front.p = b->front;
    int err = lite_backoff_read(&b->b, &kept);
    if (err) {
        free(b);
        return err;
    }
    b->next = c->backoffs;
    c->backoffs = b;
    set_hold(c);
    atomic_fetch_add(&c->load->blocked, 1);
    atomic_fetch_add(&c->load->backoffs, 1);
    return 0;
}

static int acknowledge(struct bench_conn *c, const struct signet_message *message,
                       struct lite_backoff *b)
{
    uint8_t front[LITE_BACKOFF_MAX];
    struct signet_message answer = {.type = LITE_MSG_OSD_BACKOFF,
                                    .tid = message->tid,
                                    .priority = 127,
                                    .version = 1,
                                    .compat_version = 1,
                                    .flags = 3,
                                    .front.p = front};
    b->kind = LITE_BACKOFF_ACK_BLOCK;
    b->epoch = c->place.epoch;
    int err = lite_backoff_write(b, front, sizeof(front), &answer.front.len);
    if (err == 0)
        err = signet_peer_send(c->peer, &answer, NULL, 0, NULL);
    return err == -SIGNET_E_STATE ? 0 : err; /* the connection ends anyway */
}

/* Whether an operation on the object is in the range. */
static bool holds(const struct bench_conn *c, const struct lite_backoff *b, uint64_t object)
{
    char name[BENCH_NAME_MAX];
    struct lite_hobject o = {.snap = LITE_HEAD, .pool = (int64_t)c->place.pool};
    o.name = (struct signet_span){(const uint8_t *)name, bench_name(c->load, object, name)};
    o.hash = lite_hash(o.name.p, o.name.len);
    return lite_backoff_holds(b, lite_pg(o.hash, c->place.pg_num), &o);
}

bool bench_held(const struct bench_conn *c, uint64_t object)
{
    bool read = bench_is_read(c->load->job->kind);
    if (read ? c->place.pause_read : c->place.pause_write)
        return true;
    for (const struct bench_backoff *b = c->backoffs; b; b = b->next)
        if (holds(c, &b->b, object))
            return true;
    return false;
}

static bool resend_one(struct bench_conn *c, struct bench_slot *slot)
{
    if (c->hold && bench_held(c, slot->object))
        return true;
    if (slot->sends) {
        c->resent = true;
        atomic_fetch_add(&c->load->resends, 1);
    }
    int err = bench_send(c, slot);
    if (err)
        bench_fail(c->load, &(struct bench_why){.err = err});
    return err == 0;
}

/* In the order in which they were begun. range: only those in it. */
static void resend(struct bench_conn *c, bool all, const struct lite_backoff *range)
{
    uint64_t num = c->load->num_slots;
    for (uint64_t i = 1; i <= num && c->peer; i++) {
        struct bench_slot *slot = &c->slot[(c->turn + i) % num];
        if (slot->tid && (all || slot->sends == 0) && (!range || holds(c, range, slot->object)) &&
            !resend_one(c, slot))
            return;
    }
}

void bench_resend(struct bench_conn *c, bool all)
{
    resend(c, all, NULL);
}

static void unblock(struct bench_conn *c, const struct lite_backoff *b)
{
    struct bench_backoff **at = find(c, b->id);
    if (*at)
        drop(c, at);
    resend(c, true, b);
}

int bench_on_backoff(struct bench_conn *c, const struct signet_message *message)
{
    struct lite_backoff b;
    int err = lite_backoff_read(&b, message);
    if (err == 0 && b.kind == LITE_BACKOFF_BLOCK) {
        err = add(c, message, b.id);
        if (err == 0)
            err = acknowledge(c, message, &b);
    } else if (err == 0 && b.kind == LITE_BACKOFF_UNBLOCK) {
        unblock(c, &b);
    } else if (err == 0) {
        err = -SIGNET_E_VALUE; /* acknowledging is ours */
    }
    return err;
}

/* --- maps ------------------------------------------------------------------------------------- */

void bench_heard(struct bench_load *load, uint32_t epoch)
{
    uint32_t before = atomic_load_explicit(&load->heard, memory_order_relaxed);
    while (before < epoch) {
        if (atomic_compare_exchange_weak(&load->heard, &before, epoch)) {
            sem_post(&load->event);
            return;
        }
    }
}

void bench_move(void *arg)
{
    struct bench_conn *c = arg;
    pthread_mutex_lock(&c->load->lock);
    struct bench_place place = c->load->place;
    pthread_mutex_unlock(&c->load->lock);
    bool elsewhere = !signet_addr_equal(&place.osd, &c->place.osd);
    bool changed = place.mark != c->place.mark;
    c->place = place;
    set_hold(c);
    if (!c->peer)
        return;
    if (elsewhere)
        signet_peer_close(c->peer, -SIGNET_E_PEER_ADDR); /* all is sent on the next one */
    else
        bench_resend(c, changed);
}
