/* SPDX-License-Identifier: MIT */
/* Rotation, and keys whose time is over. */
#include <string.h>

#include <signet/name.h>

#include "auth/keyserver_priv.h"
#include "base/rcu.h"

static uint64_t ttl_of(const struct signet_keyserver *s, int index)
{
    bool auth = rotating_service(index) == SIGNET_AUTH;
    return auth ? s->options.auth_ttl_ns : s->options.service_ttl_ns;
}

/* When the replaced key of p stops; UINT64_MAX: only the first use of the new one stops it. */
static uint64_t grace_end_ns(const struct signet_keyserver *s, const struct principal *p)
{
    bool limited = p->pending != NULL && s->options.grace_ns != 0;
    return limited ? p->pending_since_ns + s->options.grace_ns : UINT64_MAX;
}

static uint64_t deadline_of(const struct signet_keyserver *s, const struct snapshot *now)
{
    uint64_t deadline = UINT64_MAX;
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        uint64_t at = rotating_deadline_ns(&now->rotating[i]);
        deadline = at < deadline && !s->options.daemon ? at : deadline;
    }
    for (size_t i = 0; i < now->num; i++) {
        uint64_t at = grace_end_ns(s, now->principals[i]);
        deadline = at < deadline ? at : deadline;
    }
    return deadline;
}

uint64_t signet_keyserver_deadline_ns(const struct signet_keyserver *s)
{
    signet_rcu_enter();
    uint64_t deadline = deadline_of(s, keyserver_read(s));
    signet_rcu_leave();
    return deadline;
}

/* Rotates into next what is due in it; *changed is set when something was. */
static int rotate(struct signet_keyserver *s, struct snapshot *next, uint64_t now_ns, bool *changed)
{
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        if (rotating_due(&next->rotating[i], now_ns)) {
            int err = rotating_refresh(&next->rotating[i], s->options.service_cipher, now_ns,
                                       ttl_of(s, i));
            if (err != 0) {
                return err;
            }
            *changed = true;
        }
    }
    return 0;
}

static bool rotation_due(const struct snapshot *now, uint64_t now_ns)
{
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        if (rotating_due(&now->rotating[i], now_ns)) {
            return true;
        }
    }
    return false;
}

/* With the writer's lock held. wipe: all but AUTH's go first. */
static int rotate_now(struct signet_keyserver *s, bool wipe)
{
    uint64_t now_ns = keyserver_now_ns(s);
    const struct snapshot *now = atomic_load_explicit(&s->now, memory_order_relaxed);
    if (!wipe && !rotation_due(now, now_ns)) {
        return 0;
    }
    struct snapshot *next = snapshot_copy(now, SIZE_MAX);
    if (next == NULL) {
        return -SIGNET_E_NOMEM;
    }
    for (int i = 0; wipe && i < ROTATING_SERVICES; i++) {
        if (rotating_service(i) != SIGNET_AUTH) {
            uint64_t max_ver = next->rotating[i].max_ver; /* ids are never used twice */
            rotating_clear(&next->rotating[i]);
            next->rotating[i].max_ver = max_ver;
        }
    }
    bool changed = wipe;
    int err = rotate(s, next, now_ns, &changed);
    if (err != 0) {
        snapshot_free(next);
        return err;
    }
    err = keyserver_publish(s, next);
    if (err == 0 && changed) {
        atomic_fetch_add_explicit(&s->rotations, 1, memory_order_relaxed);
        atomic_store_explicit(&s->rotated_real_ns, now_ns, memory_order_relaxed);
    }
    return err;
}

/* One principal whose grace time is over, and its pending key (to be unreferenced); false when
 * there is none. */
static bool find_overdue(const struct signet_keyserver *s, uint64_t now_ns,
                         struct signet_name *name, struct signet_key **pending)
{
    bool found = false;
    signet_rcu_enter();
    const struct snapshot *now = keyserver_read(s);
    for (size_t i = 0; i < now->num && !found; i++) {
        found = grace_end_ns(s, now->principals[i]) <= now_ns;
        if (found) {
            *name = now->principals[i]->name;
            *pending = signet_key_ref(now->principals[i]->pending);
        }
    }
    signet_rcu_leave();
    return found;
}

int signet_keyserver_tick(struct signet_keyserver *s)
{
    int err = 0;
    if (!s->options.daemon) {
        pthread_mutex_lock(&s->writer);
        err = rotate_now(s, false);
        pthread_mutex_unlock(&s->writer);
    }
    struct signet_name name;
    struct signet_key *pending;
    while (err == 0 && find_overdue(s, keyserver_now_ns(s), &name, &pending)) {
        err = keyserver_commit_pending(s, &name, pending);
        signet_key_unref(pending);
    }
    return err;
}

int signet_keyserver_wipe_rotating(struct signet_keyserver *s)
{
    pthread_mutex_lock(&s->writer);
    int err = rotate_now(s, true);
    pthread_mutex_unlock(&s->writer);
    return err;
}

/* The newest three of them. */
static int take_over(struct rotating_set *set, const struct signet_rotating_secrets *in)
{
    uint32_t first = in->num > ROTATING_KEEP ? in->num - ROTATING_KEEP : 0;
    int err = 0;
    for (uint32_t i = first; err == 0 && i < in->num; i++) {
        struct signet_key *key;
        err = signet_key_from_view(&key, &in->entry[i].secret.key);
        if (err == 0) {
            err = rotating_append(set, in->entry[i].id, key,
                                  signet_utime_ns(in->entry[i].secret.expiration));
            if (err != 0) {
                signet_key_unref(key);
            }
        }
    }
    set->max_ver = in->max_ver;
    return err;
}

int signet_keyserver_set_rotating(struct signet_keyserver *s, uint32_t service,
                                  const struct signet_rotating_secrets *in)
{
    int index = rotating_index(service);
    if (index < 0) {
        return -SIGNET_E_INVAL;
    }
    pthread_mutex_lock(&s->writer);
    struct snapshot *next =
        snapshot_copy(atomic_load_explicit(&s->now, memory_order_relaxed), SIZE_MAX);
    int err = next != NULL ? 0 : -SIGNET_E_NOMEM;
    if (err == 0) {
        rotating_clear(&next->rotating[index]);
        err = take_over(&next->rotating[index], in);
        if (err == 0) {
            err = keyserver_publish(s, next);
        } else {
            snapshot_free(next);
        }
    }
    pthread_mutex_unlock(&s->writer);
    return err;
}
