/* SPDX-License-Identifier: MIT */
/* Answers that wait for the disk. */
#include "lite/osd_internal.h"

#include <stdlib.h>
#include <string.h>

enum { COPIED_MAX = 64 }; /* pieces of an object up to this length need not be in it */

/* Counts its references: the session's, and one for each answer that waits. */
struct osd_line {
    atomic_uint refs;
};

struct held {
    struct journal_wait wait;
    const struct signet_osd_later *later;
    signet_osd_send send;
    void *arg;
    struct osd_line *line;
    struct store_object *object; /* with a reference, or NULL */
    int err;
    struct signet_message out; /* its front is behind the pieces */
    int num;
    struct iovec data[];
};

void osd_line_leave(struct osd_line *line)
{
    if (line != NULL && atomic_fetch_sub_explicit(&line->refs, 1, memory_order_acq_rel) == 1) {
        free(line);
    }
}

/* --- which ---------------------------------------------------------------------------------- */

static uint64_t bits_of(const struct osd_call *call)
{
    return call->id != NULL ? UINT64_C(1) << (call->id->hash & 63) : UINT64_MAX;
}

/* Whether an answer of the session that may be about the same object waits. */
static bool would_overtake(struct osd_call *call)
{
    struct signet_osd_session *s = call->session;
    if (s->line == NULL || atomic_load_explicit(&s->line->refs, memory_order_acquire) == 1) {
        s->waiting = 0;
    }
    return (s->waiting & bits_of(call)) != 0;
}

bool osd_must_hold(struct osd_call *call)
{
    struct journal *journal = call->osd->journal;
    if (!journal_syncs(journal)) {
        return false;
    }
    uint64_t mark =
        call->id != NULL ? store_mark(call->osd->store, call->id->hash) : journal_appended(journal);
    return would_overtake(call) || mark > journal_safe(journal);
}

/* --- sending them --------------------------------------------------------------------------- */

static void drop(struct held *h)
{
    store_object_unref(h->object);
    osd_line_leave(h->line);
    h->later->unref(h->arg);
    free(h);
}

static void send_held(void *arg)
{
    struct held *h = arg;
    int err = h->err != 0 ? -SIGNET_E_FILE : h->send(h->arg, &h->out, h->data, h->num);
    if (err != 0) {
        h->later->close(h->arg, err);
    }
    drop(h);
}

/* On the journal's thread. */
static void told(struct journal_wait *wait, int err)
{
    struct held *h = (struct held *)wait;
    h->err = err;
    if (h->later->post(h->later->host, h->arg, send_held, h) != 0) {
        drop(h); /* the peer is being ended: it learns of it as of any answer that was lost */
    }
}

/* --- keeping them --------------------------------------------------------------------------- */

static bool is_copied(const struct osd_call *call, const struct iovec *piece)
{
    return call->object == NULL || piece->iov_len <= COPIED_MAX;
}

static uint8_t *put(uint8_t *to, const void *from, size_t len)
{
    if (len > 0) {
        memcpy(to, from, len);
    }
    return to + len;
}

static struct held *make(const struct osd_call *call, const struct signet_message *out,
                         const struct iovec *data, int num)
{
    uint64_t copied = out->front.len, viewed = 0;
    for (int i = 0; i < num; i++) {
        *(is_copied(call, &data[i]) ? &copied : &viewed) += data[i].iov_len;
    }
    size_t all = sizeof(struct held) + (size_t)num * sizeof(*data) + (size_t)copied;
    struct held *h = malloc(all);
    if (h == NULL) {
        return NULL;
    }
    *h = (struct held){.wait = {.cost = all + viewed, .done = told},
                       .later = call->osd->later,
                       .send = call->send,
                       .arg = call->arg,
                       .out = *out,
                       .num = num};
    uint8_t *at = (uint8_t *)&h->data[num];
    h->out.front.p = at;
    at = put(at, out->front.p, out->front.len);
    for (int i = 0; i < num; i++) {
        h->data[i] = data[i];
        if (is_copied(call, &data[i])) {
            h->data[i].iov_base = at;
            at = put(at, data[i].iov_base, data[i].iov_len);
        }
    }
    return h;
}

static bool enter_line(struct signet_osd_session *s)
{
    if (s->line == NULL) {
        s->line = malloc(sizeof(*s->line));
        if (s->line == NULL) {
            return false;
        }
        atomic_init(&s->line->refs, 1);
    }
    atomic_fetch_add_explicit(&s->line->refs, 1, memory_order_relaxed);
    return true;
}

/* Here and now: the one that answers waits. */
static int send_when_safe(struct osd_call *call, const struct signet_message *out,
                          const struct iovec *data, int num)
{
    int err = journal_wait_safe(call->osd->journal);
    return err != 0 ? -SIGNET_E_FILE : call->send(call->arg, out, data, num);
}

int osd_hold(struct osd_call *call, const struct signet_message *out, const struct iovec *data,
             int num)
{
    if (call->osd->later == NULL) {
        return send_when_safe(call, out, data, num);
    }
    struct held *h = make(call, out, data, num);
    if (h == NULL || !enter_line(call->session)) {
        free(h);
        return -SIGNET_E_NOMEM;
    }
    h->line = call->session->line;
    h->object = call->object;
    if (h->object != NULL) {
        store_object_ref(h->object);
    }
    h->later->ref(h->arg);
    call->session->waiting |= bits_of(call);
    journal_when_safe(call->osd->journal, &h->wait);
    return 0;
}
