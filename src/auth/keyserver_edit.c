/* SPDX-License-Identifier: MIT */
/* Changing principals: each change is a new snapshot. */
#include "auth/keyserver_priv.h"

#include <stdlib.h>
#include <string.h>

#include "auth/keyring_priv.h"
#include "base/fail.h"
#include "base/rcu.h"

static const struct snapshot *current(const struct signet_keyserver *s)
{
    return atomic_load_explicit(&s->now, memory_order_relaxed); /* under the writer's lock */
}

/* Publishes the present state with `fresh` (taken over; NULL: none) instead of the one named. */
static int swap(struct signet_keyserver *s, const struct signet_name *name, struct principal *fresh)
{
    size_t at;
    const struct snapshot *now = current(s);
    bool there = snapshot_find(now, name, &at);
    struct snapshot *next = snapshot_copy(now, there ? at : SIZE_MAX);
    if (next == NULL) {
        principal_unref(fresh);
        return -SIGNET_E_NOMEM;
    }
    if (fresh != NULL) {
        snapshot_insert(next, fresh);
    }
    return keyserver_publish(s, next);
}

/* What the text form of the state file cannot hold must not get in. */
static int check_texts(const struct signet_name *name, const struct signet_cap *caps, size_t num)
{
    if (!keyring_name_ok(name)) {
        return -SIGNET_E_NAME;
    }
    struct keyring_entity *probe = keyring_entity_new(name);
    int err = probe != NULL ? 0 : -SIGNET_E_NOMEM;
    for (size_t i = 0; err == 0 && i < num; i++) {
        err = keyring_entity_set_cap(probe, caps[i].service, strlen(caps[i].service), caps[i].text,
                                     strlen(caps[i].text));
    }
    keyring_entity_free(probe);
    return err;
}

static int put_locked(struct signet_keyserver *s, const struct signet_name *name,
                      struct signet_key *key, const struct signet_cap *caps, size_t num_caps)
{
    const struct principal *old = keyserver_lookup(current(s), name);
    if (key == NULL && old == NULL) {
        return -SIGNET_E_NOT_FOUND;
    }
    struct principal *fresh = principal_new(name, key != NULL ? key : old->key, caps, num_caps);
    if (fresh == NULL) {
        return -SIGNET_E_NOMEM;
    }
    if (key == NULL && old->pending != NULL) {
        fresh->pending = signet_key_ref(old->pending);
        fresh->pending_since_ns = old->pending_since_ns;
    }
    return swap(s, name, fresh);
}

int signet_keyserver_put(struct signet_keyserver *s, const struct signet_name *name,
                         const struct signet_key *key, const struct signet_cap *caps,
                         size_t num_caps)
{
    if (key != NULL && !keyserver_allows(s, signet_key_type(key))) {
        return -SIGNET_E_CIPHER;
    }
    int err = check_texts(name, caps, num_caps);
    if (err != 0) {
        return err;
    }
    pthread_mutex_lock(&s->writer);
    err = put_locked(s, name, (struct signet_key *)(uintptr_t)key, caps, num_caps);
    pthread_mutex_unlock(&s->writer);
    return err;
}

/* A copy of old with these two keys. */
static int swap_keys(struct signet_keyserver *s, const struct principal *old,
                     struct signet_key *key, struct signet_key *pending)
{
    struct principal *fresh = principal_new(&old->name, key, old->caps, old->num_caps);
    if (fresh == NULL) {
        return -SIGNET_E_NOMEM;
    }
    if (pending != NULL) {
        fresh->pending = signet_key_ref(pending);
        fresh->pending_since_ns = keyserver_now_ns(s);
    }
    return swap(s, &old->name, fresh);
}

int signet_keyserver_rotate_key(struct signet_keyserver *s, const struct signet_name *name,
                                const struct signet_key *key)
{
    if (!keyserver_allows(s, signet_key_type(key))) {
        return -SIGNET_E_CIPHER;
    }
    pthread_mutex_lock(&s->writer);
    const struct principal *old = keyserver_lookup(current(s), name);
    int err = old == NULL ? -SIGNET_E_NOT_FOUND
                          : swap_keys(s, old, old->key, (struct signet_key *)(uintptr_t)key);
    pthread_mutex_unlock(&s->writer);
    return err;
}

int keyserver_commit_pending(struct signet_keyserver *s, const struct signet_name *name,
                             const struct signet_key *pending)
{
    pthread_mutex_lock(&s->writer);
    const struct principal *old = keyserver_lookup(current(s), name);
    int err = 0;
    if (old != NULL && old->pending != NULL && signet_key_equal(old->pending, pending)) {
        err = swap_keys(s, old, old->pending, NULL);
    }
    pthread_mutex_unlock(&s->writer);
    return err;
}

int signet_keyserver_remove(struct signet_keyserver *s, const struct signet_name *name)
{
    pthread_mutex_lock(&s->writer);
    bool there = keyserver_lookup(current(s), name) != NULL;
    int err = there ? swap(s, name, NULL) : -SIGNET_E_NOT_FOUND;
    pthread_mutex_unlock(&s->writer);
    return err;
}

/* --- keyrings ------------------------------------------------------------------------------- */

int principal_from_keyring(const struct signet_keyring *keyring, size_t index,
                           struct principal **out, struct signet_fail *fail)
{
    const struct signet_name *name = signet_keyring_name(keyring, index);
    size_t num = signet_keyring_num_caps(keyring, index);
    char text[SIGNET_NAME_TEXT_MAX];
    struct signet_key *key;
    *out = NULL;
    int err = signet_keyring_key(keyring, name, NULL, &key);
    if (err != 0) {
        return signet_fail_set(fail, err, "keyring", 0, "%.60s: %s", signet_name_print(name, text),
                               signet_strerror(err));
    }
    struct signet_cap *caps = calloc(num + 1, sizeof(*caps));
    for (size_t i = 0; caps != NULL && i < num; i++) {
        caps[i].text = signet_keyring_cap(keyring, index, i, &caps[i].service);
    }
    *out = caps != NULL ? principal_new(name, key, caps, num) : NULL;
    free(caps);
    signet_key_unref(key);
    return *out != NULL ? 0 : -SIGNET_E_NOMEM;
}

/* As above, if the policy allows the key. */
static int from_entity(struct signet_keyserver *s, const struct signet_keyring *keyring,
                       size_t index, struct principal **out, struct signet_fail *fail)
{
    char text[SIGNET_NAME_TEXT_MAX];
    int err = principal_from_keyring(keyring, index, out, fail);
    struct principal *p = *out;
    if (err != 0 || p == NULL) {
        return err;
    }
    enum signet_key_type type = signet_key_type(p->key);
    if (!keyserver_allows(s, type)) {
        err = signet_fail_set(fail, -SIGNET_E_CIPHER, "keyring", 0,
                              "%.60s: keys of type %s are not allowed; allowed-ciphers decides",
                              signet_name_print(&p->name, text), signet_key_type_name(type));
        principal_unref(p);
        *out = NULL;
    }
    return err;
}

/* Adds to next, which grows; on failure next is freed and NULL. */
static int add_entity(struct signet_keyserver *s, struct snapshot **next,
                      const struct signet_keyring *keyring, size_t index, struct signet_fail *fail)
{
    struct principal *fresh;
    size_t at;
    int err = from_entity(s, keyring, index, &fresh, fail);
    struct snapshot *grown = NULL;
    if (err == 0) {
        bool there = snapshot_find(*next, &fresh->name, &at);
        grown = snapshot_copy(*next, there ? at : SIZE_MAX);
        err = grown != NULL ? 0 : -SIGNET_E_NOMEM;
    }
    if (err == 0) {
        snapshot_insert(grown, fresh);
    } else {
        principal_unref(fresh);
    }
    snapshot_free(*next);
    *next = grown;
    return err;
}

int signet_keyserver_import(struct signet_keyserver *s, const struct signet_keyring *keyring,
                            struct signet_fail *fail)
{
    pthread_mutex_lock(&s->writer);
    struct snapshot *next = snapshot_copy(current(s), SIZE_MAX);
    int err = next != NULL ? 0 : -SIGNET_E_NOMEM;
    for (size_t i = 0; err == 0 && i < signet_keyring_num(keyring); i++) {
        err = add_entity(s, &next, keyring, i, fail);
    }
    if (err == 0) {
        err = keyserver_publish(s, next);
    }
    pthread_mutex_unlock(&s->writer);
    return err;
}

static int export_one(struct signet_keyring *out, const struct principal *p, bool newest)
{
    const struct signet_key *key = newest && p->pending != NULL ? p->pending : p->key;
    int err = signet_keyring_set(out, &p->name, key);
    for (size_t i = 0; err == 0 && i < p->num_caps; i++) {
        err = signet_keyring_set_cap(out, &p->name, p->caps[i].service, p->caps[i].text);
    }
    return err;
}

int snapshot_export(const struct snapshot *snapshot, bool newest, struct signet_keyring **out)
{
    int err = signet_keyring_new(out);
    for (size_t i = 0; err == 0 && i < snapshot->num; i++) {
        err = export_one(*out, snapshot->principals[i], newest);
    }
    if (err != 0) {
        signet_keyring_free(*out);
        *out = NULL;
    }
    return err;
}

int signet_keyserver_export(const struct signet_keyserver *s, struct signet_keyring **out)
{
    signet_rcu_enter();
    int err = snapshot_export(keyserver_read(s), true, out);
    signet_rcu_leave();
    return err;
}
