/* SPDX-License-Identifier: MIT */
/* Auth commands that change principals. */
#include "lite/mon_auth.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/secret.h"

/* What a changing command is about. */
struct edit {
    struct signet_name name;
    char text[SIGNET_NAME_TEXT_MAX];
    struct signet_cap caps[MON_CAPS_MAX];
    size_t num, index; /* index: in all, SIZE_MAX if it is not there */
    struct signet_keyring *all;
};

typedef int (*edit_fn)(struct mon_run *run, struct edit *e);

/* Runs with the state held still, so that what was seen is still so when it is changed. */
static int editing(struct mon_run *run, edit_fn change)
{
    struct edit e = {.all = NULL};
    int err = mon_auth_entity(run, &e.name, e.text);
    if (err == 0) {
        err = mon_auth_caps(run, e.caps, &e.num);
    }
    if (err != 0) {
        return err;
    }
    pthread_mutex_lock(&run->mon->changing);
    err = mon_auth_look(run, &e.name, &e.all, &e.index);
    if (err == 0) {
        err = change(run, &e);
    }
    pthread_mutex_unlock(&run->mon->changing);
    signet_keyring_free(e.all);
    return err;
}

/* Looks again after a change. */
static int refresh(struct mon_run *run, struct edit *e)
{
    signet_keyring_free(e->all);
    return mon_auth_look(run, &e->name, &e->all, &e->index);
}

static int put(struct mon_run *run, struct edit *e, const struct signet_key *key)
{
    int err = signet_keyserver_put(run->mon->keys, &e->name, key, e->caps, e->num);
    return err == 0 ? refresh(run, e) : mon_say_failure(run, err);
}

static int put_fresh(struct mon_run *run, struct edit *e)
{
    struct signet_key *key;
    int err = signet_key_generate(&key, run->mon->key_type, NULL);
    if (err != 0) {
        return mon_say_failure(run, err);
    }
    err = put(run, e, key);
    signet_key_unref(key);
    return err;
}

/* --- adding --------------------------------------------------------------------------------- */

static int get_or_create(struct mon_run *run, struct edit *e)
{
    if (e->index == SIZE_MAX) {
        return put_fresh(run, e);
    }
    if (e->num > 0 && !mon_auth_same_caps(e->all, e->index, e->caps, e->num)) {
        return mon_say(run, -EINVAL, "key for %s exists but caps do not match", e->text);
    }
    return 0;
}

static int get_or_create_keyring(struct mon_run *run, struct edit *e)
{
    int err = get_or_create(run, e);
    return err == 0 ? mon_auth_show(run, e->all, e->index, false) : err;
}

static int get_or_create_key(struct mon_run *run, struct edit *e)
{
    int err = get_or_create(run, e);
    return err == 0 ? mon_auth_show_key(run, e->all, e->index) : err;
}

int mon_run_auth_get_or_create(struct mon_run *run)
{
    return editing(run, get_or_create_keyring);
}

int mon_run_auth_get_or_create_key(struct mon_run *run)
{
    return editing(run, get_or_create_key);
}

/* The key of the entity in the keyring that -i gave. */
static int given_key(struct mon_run *run, const struct edit *e, struct signet_key **key)
{
    struct signet_keyring *given;
    struct signet_fail fail = {0};
    if (signet_keyring_parse(&given, run->data.p, run->data.len, &fail) != 0) {
        return mon_say(run, -EINVAL, "error decoding keyring: %.180s", fail.text);
    }
    int err = signet_keyring_key(given, &e->name, NULL, key);
    signet_keyring_free(given);
    return err == 0 ? 0
                    : mon_say(run, -EINVAL, "key for %s not found in provided keyring", e->text);
}

static int add_with(struct mon_run *run, struct edit *e, const struct signet_key *key)
{
    if (e->index == SIZE_MAX) {
        return key != NULL ? put(run, e, key) : put_fresh(run, e);
    }
    if (!mon_auth_same_caps(e->all, e->index, e->caps, e->num)) {
        return mon_say(run, -EINVAL, "entity %s exists but caps do not match", e->text);
    }
    struct signet_key *old = NULL;
    if (key != NULL &&
        (signet_keyring_key(e->all, &e->name, NULL, &old) != 0 || !signet_key_equal(old, key))) {
        signet_key_unref(old);
        return mon_say(run, -EINVAL, "entity %s exists but key does not match", e->text);
    }
    signet_key_unref(old);
    return 0;
}

static int add(struct mon_run *run, struct edit *e)
{
    struct signet_key *key = NULL;
    int err = run->data.len > 0 ? given_key(run, e, &key) : 0;
    if (err == 0) {
        err = add_with(run, e, key);
    }
    signet_key_unref(key);
    return err == 0 ? mon_say(run, 0, "added key for %s", e->text) : err;
}

int mon_run_auth_add(struct mon_run *run)
{
    return editing(run, add);
}

int mon_run_auth_import(struct mon_run *run)
{
    struct signet_keyring *given;
    struct signet_fail fail = {0};
    if (run->data.len == 0) {
        return mon_say(run, -EINVAL, "auth import: no data supplied");
    }
    if (signet_keyring_parse(&given, run->data.p, run->data.len, &fail) != 0) {
        return mon_say(run, -EINVAL, "error decoding keyring: %.180s", fail.text);
    }
    pthread_mutex_lock(&run->mon->changing);
    int err = signet_keyserver_import(run->mon->keys, given, &fail);
    pthread_mutex_unlock(&run->mon->changing);
    signet_keyring_free(given);
    return err == 0 ? mon_say(run, 0, "imported keyring") : mon_say_failure(run, err);
}

/* --- changing and removing ------------------------------------------------------------------ */

static int set_caps(struct mon_run *run, struct edit *e)
{
    if (e->index == SIZE_MAX) {
        return mon_say(run, -ENOENT, "couldn't find entry %s", e->text);
    }
    int err = put(run, e, NULL);
    return err == 0 ? mon_say(run, 0, "updated caps for %s", e->text) : err;
}

int mon_run_auth_caps(struct mon_run *run)
{
    if (json_object_get(run->args, "caps") == NULL) {
        return mon_say(run, -EINVAL, "bad capabilities request");
    }
    return editing(run, set_caps);
}

/* Both keys log in until the first login with the new one, so that nobody is locked out when this
 * answer is lost; what is shown is the new one. */
static int rotate_to(struct mon_run *run, struct edit *e, const struct signet_key *key)
{
    uint8_t wire[SIGNET_KEY_WIRE_MAX];
    size_t len;
    int err = signet_keyserver_rotate_key(run->mon->keys, &e->name, key);
    if (err == 0) {
        err = signet_key_encode(key, wire, sizeof(wire), &len);
    }
    if (err == 0) {
        err = signet_keyring_set_wire(e->all, &e->name, wire, len);
    }
    signet_wipe(wire, sizeof(wire));
    return err == 0 ? mon_auth_show(run, e->all, e->index, true) : mon_say_failure(run, err);
}

static int rotate(struct mon_run *run, struct edit *e)
{
    struct signet_key *key;
    if (e->index == SIZE_MAX) {
        return mon_say(run, -ENOENT, "entity %s does not exist", e->text);
    }
    int err = signet_key_generate(&key, run->mon->key_type, NULL);
    if (err != 0) {
        return mon_say_failure(run, err);
    }
    err = rotate_to(run, e, key);
    signet_key_unref(key);
    return err;
}

int mon_run_auth_rotate(struct mon_run *run)
{
    return editing(run, rotate);
}

/* What is not there counts as deleted, as with Ceph. */
static int del(struct mon_run *run, struct edit *e)
{
    if (e->index == SIZE_MAX) {
        return mon_say(run, 0, "entity %s does not exist", e->text);
    }
    int err = signet_keyserver_remove(run->mon->keys, &e->name);
    return err == 0 ? mon_say(run, 0, "updated") : mon_say_failure(run, err);
}

int mon_run_auth_del(struct mon_run *run)
{
    return editing(run, del);
}
