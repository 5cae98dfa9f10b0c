/* SPDX-License-Identifier: MIT */
#include "log_records.h"

#include <string.h>

#include "base/crc32c.h"

static const uint8_t log_key[SIGNET_RECORD_KEY_LEN] = {1, 2, 3};

static uint8_t *slot(const struct job *j, uint64_t seq)
{
    return j->log + seq % (j->log_bytes / j->slot_len) * j->slot_len;
}

/* ---- plaintext ---- */

static int copy_locked(struct job *j, struct writer *w)
{
    pthread_mutex_lock(&j->lock);
    memcpy(slot(j, j->used++), w->record, j->n);
    pthread_mutex_unlock(&j->lock);
    return 0;
}

static int copy_outside(struct job *j, struct writer *w)
{
    if (w->left == 0) {
        w->next = atomic_fetch_add_explicit(&j->next, j->batch, memory_order_relaxed);
        w->left = j->batch;
    }
    w->left--;
    memcpy(slot(j, w->next++), w->record, j->n);
    return 0;
}

/* As logs do that are not sealed: the crc that a sealed record has, too. */
static int copy_with_crc(struct job *j, struct writer *w)
{
    uint32_t crc = signet_crc32c(UINT32_MAX, w->record, j->n);
    memcpy(w->trailer, &crc, sizeof crc);
    return copy_outside(j, w);
}

static bool copied(struct job *j, unsigned num)
{
    bool right = true;
    for (unsigned i = 0; i < num; i++) {
        right = right && memcmp(slot(j, i), j->writers[0].record, j->n) == 0;
    }
    return right;
}

/* ---- pages, sealed when they are full ---- */

/* The page is one that the processors keep in their caches, its key is ready, and its call is the
 * handler's shortest: sealing pages under a lock is not done faster than this. */

static int ctr(struct job *j, uint8_t *to, const uint8_t *from, size_t n, uint64_t number)
{
    uint8_t counter[16] = {0};
    struct signet_lane lane;
    memcpy(counter, &number, sizeof number);
    int err = signet_lane_enter(j->pages, &lane);
    if (!err) {
        err = j->handler->ctr(lane.p, to, from, n, counter);
        signet_lane_leave(&lane);
    }
    return err;
}

static int page_locked(struct job *j, struct writer *w)
{
    int err = 0;
    pthread_mutex_lock(&j->lock);
    memcpy(j->page + j->filled, w->record, j->n);
    j->filled += j->n;
    if (j->filled == PAGE) {
        err = ctr(j, j->log + j->used * PAGE % j->log_bytes, j->page, PAGE, j->used);
        j->used++;
        j->filled = 0;
    }
    pthread_mutex_unlock(&j->lock);
    return err;
}

static bool pages_sealed(struct job *j, unsigned num)
{
    static uint8_t plain[PAGE];
    bool right = true;
    for (unsigned i = 0; i < num * j->n / PAGE; i++) {
        right = right && ctr(j, plain, j->log + (size_t)i * PAGE, PAGE, i) == 0;
        for (size_t at = 0; at < PAGE; at += j->n) {
            right = right && memcmp(plain + at, j->writers[0].record, j->n) == 0;
        }
    }
    return right;
}

/* ---- records ---- */

/* What nobody who calls a library for each can go below: the CTR of a record and its crc, in the
 * writer's own cache. */
static int bare_calls(struct job *j, struct writer *w)
{
    int err = ctr(j, w->sealed, w->record, j->n, 0);
    uint32_t crc = signet_crc32c(UINT32_MAX, w->sealed, j->n);
    memcpy(w->trailer, &crc, sizeof crc);
    return err;
}

static bool bare_sealed(struct job *j, unsigned num)
{
    uint8_t plain[LARGEST];
    const struct writer *w = &j->writers[0];
    return num > 0 && ctr(j, plain, w->sealed, j->n, 0) == 0 && memcmp(plain, w->record, j->n) == 0;
}

static int seal_record(struct job *j, const struct writer *w, uint64_t seq)
{
    size_t len;
    return signet_record_seal_at(j->sealer, seq, slot(j, seq), j->slot_len, &len, w->record, j->n);
}

static int record_locked(struct job *j, struct writer *w)
{
    uint64_t seq;
    pthread_mutex_lock(&j->lock);
    int err = signet_record_reserve(j->sealer, &seq, 1);
    err = err ? err : seal_record(j, w, seq);
    pthread_mutex_unlock(&j->lock);
    return err;
}

static int record_outside(struct job *j, struct writer *w)
{
    if (w->left == 0) {
        if (signet_record_reserve(j->sealer, &w->next, j->batch)) {
            return -1;
        }
        w->left = j->batch;
    }
    w->left--;
    return seal_record(j, w, w->next++);
}

static bool records_sealed(struct job *j, unsigned num)
{
    struct signet_record_reader *r;
    struct signet_record_view view;
    bool right = signet_record_reader_new(&r, j->way->kind, log_key, 0, 0, LARGEST, NULL) == 0;
    for (unsigned i = 0; i < num && right; i++) {
        right = signet_record_open(r, slot(j, i), j->slot_len, &view, NULL, NULL) == 0 &&
                view.body.len == j->n && memcmp(view.body.p, j->writers[0].record, j->n) == 0;
    }
    signet_record_reader_free(r);
    return right;
}

#define CTR SIGNET_RECORD_CTR
#define GCM SIGNET_RECORD_GCM

/* Rows are compared with those before them. */
const struct way log_ways[] = {
    {"plaintext, copied under the lock", 0, false, copy_locked, copied},
    {"plaintext, copied outside", 0, false, copy_outside, copied},
    {"plaintext, copied outside, several", 0, true, copy_outside, copied},
    {"plaintext + crc, outside, several", 0, true, copy_with_crc, copied},
    {"CTR and a crc, in the cache", 0, false, bare_calls, bare_sealed},
    {"CTR per page under the lock", 0, false, page_locked, pages_sealed},
    {"CTR per record under the lock", CTR, false, record_locked, records_sealed},
    {"CTR per record outside", CTR, false, record_outside, records_sealed},
    {"CTR per record outside, several", CTR, true, record_outside, records_sealed},
    {"GCM per record under the lock", GCM, false, record_locked, records_sealed},
    {"GCM per record outside", GCM, false, record_outside, records_sealed},
    {"GCM per record outside, several", GCM, true, record_outside, records_sealed},
};
const unsigned num_log_ways = sizeof log_ways / sizeof *log_ways;

void job_start(struct job *j)
{
    for (unsigned i = 0; i < MEMBERS; i++) {
        bench_fill(j->writers[i].record, sizeof j->writers[i].record, 5);
        j->writers[i].left = 0;
    }
    j->used = 0;
    j->filled = 0;
    atomic_store(&j->next, 0);
    if (j->way->kind) {
        j->slot_len = signet_record_len(j->way->kind, j->n);
        bench_need(signet_record_sealer_new(&j->sealer, j->way->kind, log_key, 0, j->handler) == 0,
                   "a sealer cannot be made");
    } else {
        j->slot_len = j->n;
        bench_need(signet_engine_new(&j->pages, j->handler, SIGNET_ALG_CTR256, log_key,
                                     sizeof log_key) == 0,
                   "a handler refuses a key");
    }
}

void job_stop(struct job *j)
{
    signet_record_sealer_free(j->sealer);
    signet_engine_free(j->pages);
    j->sealer = NULL;
    j->pages = NULL;
}
