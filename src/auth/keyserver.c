/* SPDX-License-Identifier: MIT */
/* The key server's life: opening, publishing, numbers, counters. */
#include "auth/keyserver_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/rcu.h"
#include "crypto/thread_index.h"

#define NS_PER_SEC UINT64_C(1000000000)
/* Ten years: the last of three lives must end within the 32 bits of seconds on the wire. */
#define TTL_MAX (UINT64_C(3652) * 86400 * NS_PER_SEC)

static void set_defaults(struct signet_keyserver_options *o)
{
    o->auth_ttl_ns = o->auth_ttl_ns != 0 ? o->auth_ttl_ns : UINT64_C(72) * 3600 * NS_PER_SEC;
    o->service_ttl_ns = o->service_ttl_ns != 0 ? o->service_ttl_ns : UINT64_C(3600) * NS_PER_SEC;
    o->skew_ns = o->skew_ns != 0 ? o->skew_ns : 300 * NS_PER_SEC;
    if (o->allowed_ciphers == 0) {
        o->allowed_ciphers = SIGNET_CIPHER(SIGNET_KEY_AES256K);
    }
    if (o->preferred_cipher == SIGNET_KEY_NONE) {
        o->preferred_cipher = SIGNET_KEY_AES256K;
    }
    if (o->service_cipher == SIGNET_KEY_NONE) {
        o->service_cipher = SIGNET_KEY_AES256K;
    }
}

/* What the file holds, or an empty state. */
static int load(struct signet_keyserver *s, struct signet_fail *fail)
{
    struct state_extra extra = {.id_limit = GLOBAL_ID_FIRST};
    struct snapshot *snapshot = NULL;
    int err = 0;
    if (s->options.path != NULL) {
        err = state_load(s->options.path, &snapshot, &extra, fail);
    }
    if (err == 0 && snapshot == NULL && (snapshot = snapshot_new()) == NULL) {
        err = signet_fail_set(fail, -SIGNET_E_NOMEM, "key server", 0, "out of memory");
    }
    if (err == 0) {
        atomic_init(&s->id_next, extra.id_limit);
        atomic_init(&s->id_limit, extra.id_limit);
        atomic_store_explicit(&s->now, snapshot, memory_order_release);
    }
    return err;
}

static int prepare(struct signet_keyserver *s, struct signet_fail *fail)
{
    if (s->options.path != NULL && (s->options.path = strdup(s->options.path)) == NULL) {
        return signet_fail_set(fail, -SIGNET_E_NOMEM, "key server", 0, "out of memory");
    }
    int err = signet_key_generate(&s->dummy, s->options.preferred_cipher, NULL);
    if (err != 0) {
        return signet_fail_set(fail, err, "key server", 0, "%s", signet_strerror(err));
    }
    err = load(s, fail);
    if (err == 0) {
        err = signet_keyserver_tick(s);
        if (err != 0) {
            signet_fail_set(fail, err, "key server", 0, "the first rotating secrets: %s",
                            signet_strerror(err));
        }
    }
    return err;
}

static bool ttl_ok(uint64_t ttl_ns)
{
    return ttl_ns % NS_PER_SEC == 0 && ttl_ns <= TTL_MAX;
}

int signet_keyserver_open(struct signet_keyserver **out,
                          const struct signet_keyserver_options *options, struct signet_fail *fail)
{
    *out = NULL;
    if (!ttl_ok(options->auth_ttl_ns) || !ttl_ok(options->service_ttl_ns)) {
        return signet_fail_set(fail, -SIGNET_E_INVAL, "key server", 0,
                               "ticket life times must be whole seconds, ten years at most");
    }
    struct signet_keyserver *s = aligned_alloc(64, (sizeof(*s) + 63) / 64 * 64);
    if (s == NULL) {
        return signet_fail_set(fail, -SIGNET_E_NOMEM, "key server", 0, "out of memory");
    }
    memset(s, 0, sizeof(*s));
    s->options = *options;
    set_defaults(&s->options);
    pthread_mutex_init(&s->writer, NULL);
    int err = prepare(s, fail);
    if (err != 0) {
        signet_keyserver_free(s);
        return err;
    }
    *out = s;
    return 0;
}

void signet_keyserver_free(struct signet_keyserver *s)
{
    if (s == NULL) {
        return;
    }
    snapshot_free(atomic_load_explicit(&s->now, memory_order_acquire));
    signet_key_unref(s->dummy);
    pthread_mutex_destroy(&s->writer);
    free((char *)(uintptr_t)s->options.path);
    free(s);
}

uint64_t keyserver_now_ns(const struct signet_keyserver *s)
{
    return s->options.env.real_ns(s->options.env.arg);
}

static int save(const struct signet_keyserver *s, const struct snapshot *snapshot)
{
    struct state_extra extra = {.id_limit =
                                    atomic_load_explicit(&s->id_limit, memory_order_relaxed)};
    return s->options.path == NULL ? 0 : state_save(s->options.path, snapshot, &extra);
}

int keyserver_publish(struct signet_keyserver *s, struct snapshot *next)
{
    int err = save(s, next);
    if (err != 0) {
        snapshot_free(next);
        return err;
    }
    /* Release: a reader that sees the pointer sees what it points to. */
    struct snapshot *old = atomic_exchange_explicit(&s->now, next, memory_order_acq_rel);
    signet_rcu_wait();
    snapshot_free(old);
    return 0;
}

int signet_keyserver_reload(struct signet_keyserver *s, struct signet_fail *fail)
{
    if (s->options.path == NULL) {
        return signet_fail_set(fail, -SIGNET_E_INVAL, "key server", 0, "there is no state file");
    }
    struct state_extra extra = {.id_limit = 0};
    struct snapshot *next;
    pthread_mutex_lock(&s->writer);
    int err = state_load(s->options.path, &next, &extra, fail);
    if (err == 0 && next == NULL) {
        err = signet_fail_set(fail, -SIGNET_E_NOT_FOUND, "key server", 0,
                              "the state file is gone; what was loaded stays in force");
    }
    if (err == 0) {
        if (extra.id_limit > atomic_load_explicit(&s->id_limit, memory_order_relaxed)) {
            /* others may have taken what is below */
            atomic_store_explicit(&s->id_next, extra.id_limit, memory_order_relaxed);
            atomic_store_explicit(&s->id_limit, extra.id_limit, memory_order_release);
        }
        err = keyserver_publish(s, next);
    }
    pthread_mutex_unlock(&s->writer);
    return err;
}

const struct snapshot *keyserver_read(const struct signet_keyserver *s)
{
    return atomic_load_explicit(&s->now, memory_order_acquire);
}

const struct principal *keyserver_lookup(const struct snapshot *snapshot,
                                         const struct signet_name *name)
{
    size_t at;
    return snapshot_find(snapshot, name, &at) ? snapshot->principals[at] : NULL;
}

bool keyserver_allows(const struct signet_keyserver *s, enum signet_key_type type)
{
    return (s->options.allowed_ciphers & SIGNET_CIPHER(type)) != 0;
}

/* --- numbers -------------------------------------------------------------------------------- */

static uint64_t ids_left(struct signet_keyserver *s)
{
    uint64_t limit = atomic_load_explicit(&s->id_limit, memory_order_acquire);
    uint64_t next = atomic_load_explicit(&s->id_next, memory_order_relaxed);
    return next < limit ? limit - next : 0;
}

/* Numbers are taken from a batch that the file has written off before the first one is used, so
 * that a restart never gives one out twice. The next batch comes when half of one is left: whoever
 * finds another at it need not wait. */
int keyserver_provide_ids(struct signet_keyserver *s)
{
    int err = 0;
    if (ids_left(s) > GLOBAL_ID_BATCH / 2) {
        return 0;
    }
    if (pthread_mutex_trylock(&s->writer) != 0) {
        if (ids_left(s) > GLOBAL_ID_BATCH / 4) {
            return 0;
        }
        pthread_mutex_lock(&s->writer);
    }
    if (ids_left(s) <= GLOBAL_ID_BATCH / 2) {
        uint64_t limit = atomic_load_explicit(&s->id_limit, memory_order_relaxed);
        struct state_extra extra = {.id_limit = limit + GLOBAL_ID_BATCH};
        const struct snapshot *now = atomic_load_explicit(&s->now, memory_order_relaxed);
        err = s->options.path == NULL ? 0 : state_save(s->options.path, now, &extra);
        if (err == 0) {
            atomic_store_explicit(&s->id_limit, extra.id_limit, memory_order_release);
        }
    }
    pthread_mutex_unlock(&s->writer);
    return ids_left(s) > 0 ? 0 : err;
}

int signet_keyserver_pass_ids(struct signet_keyserver *s, uint64_t last)
{
    int err = 0;
    if (last > INT64_MAX) {
        return -SIGNET_E_INVAL;
    }
    pthread_mutex_lock(&s->writer);
    struct state_extra extra = {.id_limit = last + 1 + GLOBAL_ID_BATCH};
    bool beyond = last >= atomic_load_explicit(&s->id_limit, memory_order_relaxed);
    if (beyond && s->options.path != NULL) {
        err = state_save(s->options.path, atomic_load_explicit(&s->now, memory_order_relaxed),
                         &extra);
    }
    uint64_t next = atomic_load_explicit(&s->id_next, memory_order_relaxed);
    while (err == 0 && next <= last &&
           !atomic_compare_exchange_weak_explicit(&s->id_next, &next, last + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    if (err == 0 && beyond) {
        atomic_store_explicit(&s->id_limit, extra.id_limit, memory_order_release);
    }
    pthread_mutex_unlock(&s->writer);
    return err;
}

bool keyserver_gave_id(struct signet_keyserver *s, uint64_t id)
{
    return id >= GLOBAL_ID_FIRST && id < atomic_load_explicit(&s->id_next, memory_order_relaxed);
}

int keyserver_new_id(struct signet_keyserver *s, uint64_t *out)
{
    uint64_t next = atomic_load_explicit(&s->id_next, memory_order_relaxed);
    do {
        if (next >= atomic_load_explicit(&s->id_limit, memory_order_acquire)) {
            *out = 0;
            return -SIGNET_E_BUSY;
        }
    } while (!atomic_compare_exchange_weak_explicit(&s->id_next, &next, next + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    *out = next;
    return 0;
}

/* -------------------------------------------------------------------------------------------- */

static struct stat_shard *shard(struct signet_keyserver *s)
{
    return &s->stats[signet_thread_index_inline() % STAT_SHARDS];
}

void keyserver_count(struct signet_keyserver *s, enum keyserver_stat stat)
{
    atomic_fetch_add_explicit(&shard(s)->done[stat], 1, memory_order_relaxed);
}

int keyserver_refuse(struct signet_keyserver *s, int err)
{
    unsigned code = (unsigned)-err;
    if (code < SIGNET_E_NUM_) {
        atomic_fetch_add_explicit(&shard(s)->refused[code], 1, memory_order_relaxed);
    }
    return err;
}

void signet_keyserver_stats(const struct signet_keyserver *s, struct signet_keyserver_stats *out)
{
    memset(out, 0, sizeof(*out));
    uint64_t done[STAT_NUM] = {0};
    for (int i = 0; i < STAT_SHARDS; i++) {
        for (int k = 0; k < STAT_NUM; k++) {
            done[k] += atomic_load_explicit(&s->stats[i].done[k], memory_order_relaxed);
        }
        for (int e = 0; e < SIGNET_E_NUM_; e++) {
            out->refused[e] += atomic_load_explicit(&s->stats[i].refused[e], memory_order_relaxed);
        }
    }
    out->logins = done[STAT_LOGIN];
    out->renewals = done[STAT_RENEWAL];
    out->reclaims = done[STAT_RECLAIM];
    out->tickets = done[STAT_TICKET];
    out->authorizers = done[STAT_AUTHORIZER];
    out->rotations = atomic_load_explicit(&s->rotations, memory_order_relaxed);
    out->rotated_real_ns = atomic_load_explicit(&s->rotated_real_ns, memory_order_relaxed);
    signet_rcu_enter();
    out->principals = keyserver_read(s)->num;
    signet_rcu_leave();
}
