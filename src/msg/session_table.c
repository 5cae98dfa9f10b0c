/* SPDX-License-Identifier: MIT */
/* The sessions of one entity. */
#include "msg/session_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"

#define SECOND UINT64_C(1000000000)

static void fill(uint64_t *value, uint64_t usual)
{
    if (*value == 0) {
        *value = usual;
    }
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
    table->o = *options;
    table->o.lossless = options->lossless != 0 ? options->lossless : UINT32_MAX;
    table->o.max_sessions = options->max_sessions != 0 ? options->max_sessions : 65536;
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

static unsigned bucket_of(const struct signet_addr *addr)
{
    uint32_t h = 2166136261U ^ addr->nonce ^ ((uint32_t)addr->port << 16);
    for (unsigned i = 0; i < sizeof(addr->ip); i++) {
        h = (h ^ addr->ip[i]) * 16777619U;
    }
    return (h ^ h >> 16) % SESSION_BUCKETS;
}

int sessions_link(struct signet_sessions *table, struct signet_session *session)
{
    if (table->num >= table->o.max_sessions) {
        return -SIGNET_E_SESSION_LIMIT;
    }
    struct signet_session **bucket = &table->bucket[bucket_of(&session->peer_addr)];
    session->next = *bucket;
    *bucket = signet_session_ref(session);
    session->linked = true;
    table->num++;
    return 0;
}

struct signet_session *sessions_unlink(struct signet_session *session)
{
    struct signet_sessions *table = session->table;
    if (!session->linked) {
        return NULL;
    }
    struct signet_session **at = &table->bucket[bucket_of(&session->peer_addr)];
    while (*at != session) {
        at = &(*at)->next;
    }
    *at = session->next;
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
        struct signet_session *s = table->bucket[bucket_of(&addrs->addr[i])];
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

void sessions_expire(struct signet_sessions *table, uint64_t now_ns)
{
    while (is_due(table, now_ns)) {
        struct signet_session *s = table->oldest;
        struct signet_session_status status;
        signet_session_status(s, &status);
        pthread_mutex_lock(&s->lock);
        struct signet_session *ours = session_end(s);
        pthread_mutex_unlock(&s->lock);
        if (table->o.dropped != NULL) {
            table->o.dropped(table->o.arg, &status);
        }
        signet_session_unref(ours);
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
