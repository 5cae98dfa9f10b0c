/* SPDX-License-Identifier: MIT */
/* One operation after the other: what is sent, and whether the answer is right. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench_load.h"
#include "lite/backoff.h"
#include "lite/osd_client.h"

#define SECOND_NS 1e9

enum { PAGE_LEN = 1024 };

static uint64_t load_of(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

/* The only writer is the worker. */
static void store(_Atomic uint64_t *value, uint64_t now)
{
    atomic_store_explicit(value, now, memory_order_relaxed);
}

bool bench_is_read(enum bench_kind kind)
{
    return kind == BENCH_SEQ || kind == BENCH_RAND || kind == BENCH_LIST || kind == BENCH_META_READ;
}

static bool is_meta(enum bench_kind kind)
{
    return kind >= BENCH_META_READ;
}

static bool is_write(enum bench_kind kind)
{
    return kind == BENCH_WRITE || kind == BENCH_META_WRITE;
}

static bool is_removal(enum bench_kind kind)
{
    return kind == BENCH_REMOVE || kind == BENCH_META_REMOVE;
}

/* None of a page of names itself. */
static size_t listed_name(const struct bench_job *job, uint64_t object, char out[BENCH_NAME_MAX])
{
    return job->kind == BENCH_LIST
               ? 0
               : (size_t)snprintf(out, BENCH_NAME_MAX, "%s", job->list->name[object]);
}

size_t bench_name(const struct bench_load *load, uint64_t object, char out[BENCH_NAME_MAX])
{
    if (is_meta(load->job->kind))
        return (size_t)snprintf(out, BENCH_NAME_MAX, "%s", load->options->run_name);
    if (load->job->list)
        return listed_name(load->job, object, out);
    char digits[24], *digit = digits + sizeof(digits);
    do {
        *--digit = (char)('0' + object % 10);
        object /= 10;
    } while (object);
    size_t num = (size_t)(digits + sizeof(digits) - digit);
    memcpy(out, load->prefix, load->prefix_len);
    memcpy(out + load->prefix_len, digit, num);
    return load->prefix_len + num;
}

static uint32_t operations(const struct bench_load *load, struct lite_op op[2])
{
    uint64_t len = load->contents_len;
    switch (load->job->kind) {
    case BENCH_WRITE:
        op[0] = (struct lite_op){
            .code = LITE_OP_SETALLOCHINT, .flags = LITE_OP_FAILOK, .offset = len, .length = len};
        op[1] =
            (struct lite_op){.code = LITE_OP_WRITE, .length = len, .payload_len = (uint32_t)len};
        return 2;
    case BENCH_META_WRITE:
        op[0] = (struct lite_op){
            .code = LITE_OP_WRITEFULL, .length = BENCH_META_LEN, .payload_len = BENCH_META_LEN};
        return 1;
    case BENCH_LIST:
        op[0] = (struct lite_op){.code = LITE_OP_PGNLS,
                                 .offset = PAGE_LEN,
                                 .payload_len = (uint32_t)load->job->list->cursor_len};
        return 1;
    case BENCH_REMOVE:
    case BENCH_META_REMOVE:
        op[0] = (struct lite_op){.code = LITE_OP_DELETE};
        return 1;
    default:
        op[0] = (struct lite_op){.code = LITE_OP_READ, .length = len};
        return 1;
    }
}

int bench_send(struct bench_conn *c, struct bench_slot *slot)
{
    struct bench_load *load = c->load;
    uint64_t object = slot->object;
    char name[BENCH_NAME_MAX];
    uint8_t front[LITE_OSD_FRONT_MAX];
    struct lite_op op[2];
    struct timespec now;
    bool write = !bench_is_read(load->job->kind);
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    struct lite_osd_request request = {
        .pool = c->place.pool,
        .pg_num = c->place.pg_num,
        .epoch = c->place.epoch,
        .name = {(const uint8_t *)name, bench_name(load, object, name)},
        .mtime = {write ? (uint32_t)now.tv_sec : 0, write ? (uint32_t)now.tv_nsec : 0},
        .features = c->features,
        .attempt = slot->sends++,
        .full_try = write,
        .ops = op,
    };
    request.num_ops = operations(load, op);
    if (load->job->kind == BENCH_LIST) {
        request.list = true;
        request.hash = load->job->list->hash;
    }
    struct signet_message message = {.tid = slot->tid,
                                     .type = LITE_MSG_OSD_OP,
                                     .priority = 63,
                                     .version = 8,
                                     .compat_version = 3,
                                     .flags = 3,
                                     .front.p = front};
    int err = lite_osd_request(&request, front, sizeof(front), &message.front.len);
    if (err)
        return err;
    struct iovec data = {c->contents, load->contents_len};
    if (load->job->kind == BENCH_WRITE)
        bench_text((char *)c->contents, load->contents_len, object);
    if (request.list)
        data = (struct iovec){load->job->list->cursor, load->job->list->cursor_len};
    int num = request.list || is_write(load->job->kind) ? 1 : 0;
    err = signet_peer_send(c->peer, &message, &data, num, NULL);
    return err == -SIGNET_E_STATE ? 0 : err; /* the connection ends: the next one has it again */
}

/* The next object, if there is one. */
static bool next_object(struct bench_conn *c, uint64_t now_ns, uint64_t *object)
{
    struct bench_load *load = c->load;
    const struct bench_job *job = load->job;
    if (c->dry || now_ns >= load->deadline_ns || atomic_load(&load->failed))
        return false;
    *object = atomic_fetch_add_explicit(&load->next, 1, memory_order_relaxed);
    if (*object >= job->limit)
        return false;
    if (job->kind == BENCH_RAND) {
        c->random ^= c->random << 13;
        c->random ^= c->random >> 17;
        c->random ^= c->random << 5;
        *object = c->random % job->meta.num;
    }
    return true;
}

static bool begin_one(struct bench_conn *c, uint64_t now_ns)
{
    uint64_t object;
    if (!next_object(c, now_ns, &object)) {
        c->dry = true;
        return false;
    }
    struct bench_slot *slot;
    do { /* one that waits long may hold its place over many turns */
        slot = &c->slot[++c->turn % c->load->num_slots];
    } while (slot->tid);
    uint64_t tid = 1 + c->index + c->turn * c->load->num_conns;
    *slot = (struct bench_slot){tid, object, now_ns, 0};
    c->in_flight++;
    store(&c->started, load_of(&c->started) + 1);
    if (c->hold && bench_held(c, object))
        return true;
    int err = bench_send(c, slot);
    if (err)
        bench_fail(c->load, &(struct bench_why){.err = err});
    return err == 0;
}

static void end_part(struct bench_conn *c)
{
    if (!c->working || c->in_flight > 0 || !c->dry)
        return;
    c->working = false;
    if (atomic_fetch_sub(&c->load->running, 1) == 1)
        sem_post(&c->load->event);
}

void bench_refill(struct bench_conn *c)
{
    if (!c->working)
        return;
    while (c->peer && c->in_flight < c->depth && begin_one(c, signet_driver_now_ns())) {
    }
    end_part(c);
}

void bench_begin(void *arg)
{
    struct bench_conn *c = arg;
    c->working = true;
    bench_refill(c);
}

/* --- answers -------------------------------------------------------------------------------- */

static bool same_contents(struct bench_conn *c, uint64_t object, struct signet_span data)
{
    struct bench_load *load = c->load;
    if (!load->options->verify)
        return data.len == load->contents_len;
    return bench_holds(c->contents, load->contents_len, object, data.p, data.len);
}

/* What is wrong with it: the errno of the OSD, the failure to read it, or that it is not what was
 * written. */
struct finding {
    int os_err, err;
    bool differs;
};

static struct finding judge(struct bench_conn *c, const struct bench_slot *slot,
                            const struct lite_osd_reply *reply, struct signet_span data)
{
    struct bench_job *job = c->load->job;
    struct finding f = {0};
    if (reply->result == -ENOENT && slot->sends > 1 && is_removal(job->kind))
        return f; /* done by what was sent before, whose answer was lost */
    if (reply->result < 0 || reply->redirect)
        f.os_err = reply->redirect ? -EOPNOTSUPP : reply->result;
    else if (job->kind == BENCH_META_READ)
        f.differs = !bench_meta_read(&job->meta, data.p, data.len);
    else if (job->kind == BENCH_LIST)
        f.err = bench_list_take(job->list, data.p, data.len);
    else if (bench_is_read(job->kind))
        f.differs = !same_contents(c, slot->object, data);
    return f;
}

/* False: told, and the end. */
static bool check(struct bench_conn *c, const struct bench_slot *slot,
                  const struct lite_osd_reply *reply, struct signet_span data)
{
    struct finding f = judge(c, slot, reply, data);
    if (!f.os_err && !f.err && !f.differs)
        return true;
    bench_fail(c->load, &(struct bench_why){.kind = c->load->job->kind,
                                            .object = slot->object,
                                            .err = f.err,
                                            .os_err = f.os_err,
                                            .differs = f.differs});
    return false;
}

static void note(struct bench_conn *c, uint64_t latency_ns)
{
    double s = (double)latency_ns / SECOND_NS;
    bench_hist_add(&c->hist, latency_ns);
    c->sum_squares += s * s;
    store(&c->finished, load_of(&c->finished) + 1);
    store(&c->last_ns, latency_ns);
    store(&c->sum_ns, load_of(&c->sum_ns) + latency_ns);
    if (latency_ns < load_of(&c->min_ns))
        store(&c->min_ns, latency_ns);
    if (latency_ns > load_of(&c->max_ns))
        store(&c->max_ns, latency_ns);
}

static struct bench_slot *slot_of(struct bench_conn *c, uint64_t tid)
{
    uint64_t turn = (tid - 1 - c->index) / c->load->num_conns;
    struct bench_slot *slot = &c->slot[turn % c->load->num_slots];
    return tid && slot->tid == tid ? slot : NULL;
}

static int other_message(struct bench_conn *c, const struct signet_message *message)
{
    struct signet_span full;
    uint32_t newest;
    if (message->type == LITE_MSG_OSD_BACKOFF)
        return bench_on_backoff(c, message);
    if (message->type == LITE_MSG_OSD_MAP) { /* what has changed, and so of no use here */
        int err = lite_osdmap_find(&full, &newest, message->front);
        if (err && err != -SIGNET_E_NOT_FOUND)
            return err;
        bench_heard(c->load, newest);
    }
    return 0;
}

/* An answer to one of the times before that it was sent: the last one counts. */
static bool is_late(const struct bench_conn *c, const struct bench_slot *slot,
                    const struct lite_osd_reply *reply)
{
    if (!slot)
        return c->resent;
    return reply->attempt >= 0 && (uint32_t)reply->attempt + 1 != slot->sends;
}

static int answer(struct bench_conn *c, const struct signet_message *message)
{
    struct lite_osd_reply reply;
    int err = lite_osd_reply(&reply, message);
    if (err)
        return err;
    struct bench_slot *slot = slot_of(c, message->tid);
    if (is_late(c, slot, &reply))
        return 0;
    if (!slot)
        return -SIGNET_E_VALUE;
    if (reply.epoch > c->place.epoch)
        bench_heard(c->load, reply.epoch);
    uint64_t now_ns = signet_driver_now_ns();
    if (check(c, slot, &reply, message->data))
        note(c, now_ns - slot->sent_ns);
    slot->tid = 0;
    c->in_flight--;
    if (!begin_one(c, now_ns))
        end_part(c);
    return 0;
}

int bench_answer(void *arg, struct signet_peer *peer, const struct signet_message *message)
{
    struct bench_conn *c = arg;
    (void)peer;
    int err =
        message->type == LITE_MSG_OSD_OP_REPLY ? answer(c, message) : other_message(c, message);
    c->broken = err != 0;
    return err;
}
