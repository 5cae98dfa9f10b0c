/* SPDX-License-Identifier: MIT */
/* The sessions of one entity. */
#include "msg/session_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/siphash.h"

#define SECOND UINT64_C(1000000000)

static void fill(uint64_t *value, uint64_t usual)
{
    if (*value == 0) {
        *value = usual;
    }
}

static int draw_key(struct signet_sessions *table, const struct signet_env *env)
{
    uint8_t random[16];
    int err = env->random(env->arg, random, sizeof(random));
    if (err == 0) {
        table->key[0] = signet_load_u64(random);
        table->key[1] = signet_load_u64(random + 8);
    }
    return err;
}

int signet_sessions_new(struct signet_sessions **out, const struct signet_sessions_options *options)
{
    *out = NULL;
    if (options->env.random == NULL) {
        return -SIGNET_E_INVAL;
    }
    struct signet_sessions *table = calloc(1, sizeof(*table));
    if (table == NULL) {
        return -SIGNET_E_NOMEM;
    }
    int err = draw_key(table, &options->env);
    if (err != 0) {
        free(table);
        return err;
    }
    table->o = *options;
    table->o.lossless = options->lossless != 0 ? options->lossless : UINT32_MAX;
    table->o.max_sessions = options->max_sessions != 0 ? options->max_sessions : 65536;
    table->o.max_per_client = options->max_per_client != 0 ? options->max_per_client : 32;
    fill(&table->o.max_queued, UINT64_C(64) << 20);
    fill(&table->o.max_total, UINT64_C(1) << 30);
    fill(&table->o.standby_ns, 600 * SECOND);
    fill(&table->o.backoff_ns, SECOND / 5);
    fill(&table->o.max_backoff_ns, 15 * SECOND);
    pthread_mutex_init(&table->lock, NULL);
    atomic_init(&table->refs, 1);
    table->pid = getpid();
    *out = table;
    return 0;
}

bool sessions_are_inherited(const struct signet_sessions *table)
{
    return table->pid != getpid();
}

void sessions_ref(struct signet_sessions *table)
{
    atomic_fetch_add_explicit(&table->refs, 1, memory_order_relaxed);
}

void sessions_unref(struct signet_sessions *table)
{
    /* The last one sees what the others did before they let go. */
    if (atomic_fetch_sub_explicit(&table->refs, 1, memory_order_acq_rel) == 1) {
        pthread_mutex_destroy(&table->lock);
        free(table);
    }
}

void signet_sessions_free(struct signet_sessions *sessions)
{
    if (sessions == NULL || sessions_are_inherited(sessions)) {
        return;
    }
    for (unsigned i = 0; i < SESSION_BUCKETS; i++) {
        for (;;) {
            pthread_mutex_lock(&sessions->lock);
            struct signet_session *session = sessions->bucket[i];
            if (session != NULL) {
                signet_session_ref(session);
            }
            pthread_mutex_unlock(&sessions->lock);
            if (session == NULL) {
                break;
            }
            signet_session_close(session);
            signet_session_unref(session);
        }
    }
    sessions_unref(sessions);
}

uint64_t sessions_global_seq(struct signet_sessions *table, uint64_t floor)
{
    /* Only the number itself is shared. */
    uint64_t last = atomic_load_explicit(&table->global_seq, memory_order_relaxed), next;
    do {
        next = (last > floor ? last : floor) + 1;
    } while (!atomic_compare_exchange_weak_explicit(&table->global_seq, &last, next,
                                                    memory_order_relaxed, memory_order_relaxed));
    return next;
}

/* Addresses are what peers claim: no peer shall foresee their buckets. */
static unsigned bucket_of(const struct signet_sessions *table, const struct signet_addr *addr)
{
    struct siphash s = siphash_begin(table->key);
    siphash_word(&s, (uint64_t)addr->port << 32 | addr->nonce);
    siphash_bytes(&s, addr->ip, sizeof(addr->ip));
    return siphash_end(&s) % SESSION_BUCKETS;
}

int sessions_link(struct signet_sessions *table, struct signet_session *session)
{
    if (table->num >= table->o.max_sessions) {
        return -SIGNET_E_SESSION_LIMIT;
    }
    struct signet_session **bucket = &table->bucket[bucket_of(table, &session->peer_addr)];
    session->next = *bucket;
    *bucket = signet_session_ref(session);
    session->linked = true;
    sessions_client_link(session);
    table->num++;
    return 0;
}

struct signet_session *sessions_unlink(struct signet_session *session)
{
    struct signet_sessions *table = session->table;
    if (!session->linked) {
        return NULL;
    }
    struct signet_session **at = &table->bucket[bucket_of(table, &session->peer_addr)];
    while (*at != session) {
        at = &(*at)->next;
    }
    *at = session->next;
    sessions_client_unlink(session);
    session->linked = false;
    table->num--;
    sessions_not_idle(session);
    return session;
}

void sessions_idle(struct signet_session *session, uint64_t now_ns)
{
    struct signet_sessions *table = session->table;
    if (!session->linked || session->made_here || session->idle) {
        return;
    }
    session->idle = true;
    session->idle_ns = now_ns;
    session->newer = NULL;
    session->older = table->newest;
    *(table->newest != NULL ? &table->newest->newer : &table->oldest) = session;
    table->newest = session;
}

void sessions_not_idle(struct signet_session *session)
{
    struct signet_sessions *table = session->table;
    if (!session->idle) {
        return;
    }
    session->idle = false;
    *(session->older != NULL ? &session->older->newer : &table->oldest) = session->newer;
    *(session->newer != NULL ? &session->newer->older : &table->newest) = session->older;
}

static bool is_peer(const struct signet_session *session, const struct signet_addr *addr,
                    const struct signet_name *name, uint64_t global_id)
{
    return session->peer_type == name->type && signet_addr_equal(&session->peer_addr, addr) &&
           signet_name_compare(&session->name, name) == 0 &&
           (session->policy == SIGNET_LOSSLESS_PEER || session->global_id == global_id);
}

struct signet_session *sessions_find(struct signet_sessions *table,
                                     const struct signet_addrvec *addrs,
                                     const struct signet_name *name, uint64_t global_id)
{
    for (uint32_t i = 0; i < addrs->num; i++) {
        struct signet_session *s = table->bucket[bucket_of(table, &addrs->addr[i])];
        while (s != NULL && !is_peer(s, &addrs->addr[i], name, global_id)) {
            s = s->next;
        }
        if (s != NULL) {
            return s;
        }
    }
    return NULL;
}

static bool is_due(const struct signet_sessions *table, uint64_t now_ns)
{
    const struct signet_session *s = table->oldest;
    return s != NULL && now_ns >= s->idle_ns && now_ns - s->idle_ns >= table->o.standby_ns;
}

void sessions_drop(struct signet_session *session)
{
    const struct signet_sessions_options *o = &session->table->o;
    struct signet_session_status status;
    signet_session_status(session, &status);
    pthread_mutex_lock(&session->lock);
    struct signet_session *ours = session_end(session);
    pthread_mutex_unlock(&session->lock);
    if (o->dropped != NULL) {
        o->dropped(o->arg, &status);
    }
    signet_session_unref(ours);
}

void sessions_expire(struct signet_sessions *table, uint64_t now_ns)
{
    while (is_due(table, now_ns)) {
        sessions_drop(table->oldest);
    }
}

uint64_t signet_sessions_expire(struct signet_sessions *sessions, uint64_t now_ns)
{
    pthread_mutex_lock(&sessions->lock);
    sessions_expire(sessions, now_ns);
    const struct signet_session *s = sessions->oldest;
    uint64_t next = s != NULL ? s->idle_ns + sessions->o.standby_ns : UINT64_MAX;
    pthread_mutex_unlock(&sessions->lock);
    return next;
}

/* What loses its connection after this call is due no earlier than standby_ns from now. */
uint64_t sessions_expire_next(struct signet_sessions *sessions, uint64_t now_ns)
{
    uint64_t next = signet_sessions_expire(sessions, now_ns);
    uint64_t standby = sessions->o.standby_ns;
    uint64_t later = standby < UINT64_MAX - now_ns ? now_ns + standby : UINT64_MAX;
    return next < later ? next : later;
}

uint32_t signet_sessions_num(struct signet_sessions *sessions)
{
    pthread_mutex_lock(&sessions->lock);
    uint32_t num = sessions->num;
    pthread_mutex_unlock(&sessions->lock);
    return num;
}

uint64_t signet_sessions_queued(struct signet_sessions *sessions)
{
    return atomic_load_explicit(&sessions->queued, memory_order_relaxed);
}
