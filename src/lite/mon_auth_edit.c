/* SPDX-License-Identifier: MIT */
/* Auth commands that change principals. */
#include "lite/mon_auth.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/secret.h"

/* Runs with the state held still, so that what was seen is still so when it is changed. */
int mon_auth_edit(struct mon_run *run, mon_edit_fn change)
{
    struct mon_edit e = {.all = NULL};
    int err = mon_auth_entity(run, false, &e.name, e.text);
    if (err == 0) {
        err = mon_auth_caps(run, e.caps, &e.num);
    }
    if (err == 0) {
        err = mon_auth_key_type(run, &e.key_type);
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
static int refresh(struct mon_run *run, struct mon_edit *e)
{
    signet_keyring_free(e->all);
    return mon_auth_look(run, &e->name, &e->all, &e->index);
}

/* A key that could not log in is not taken. */
static int refuse(struct mon_run *run, enum signet_key_type type)
{
    if (type == SIGNET_KEY_AES) {
        return mon_say(run, -EINVAL, "creating key with insecure key type (\"aes\") not allowed");
    }
    return mon_say(run, -EINVAL,
                   "refusing to create key with type (%s) that cannot be used for auth "
                   "(auth_allowed_ciphers)",
                   signet_key_type_name(type));
}

int mon_auth_put(struct mon_run *run, struct mon_edit *e, const struct signet_key *key)
{
    int err = signet_keyserver_put(run->mon->keys, &e->name, key, e->caps, e->num);
    if (err == -SIGNET_E_CIPHER) {
        return refuse(run, signet_key_type(key));
    }
    return err == 0 ? refresh(run, e) : mon_say_failure(run, err);
}

int mon_auth_put_fresh(struct mon_run *run, struct mon_edit *e)
{
    struct signet_key *key;
    int err = signet_key_generate(&key, e->key_type, NULL);
    err = err == 0 ? mon_auth_put(run, e, key) : mon_say_failure(run, err);
    signet_key_unref(key);
    return err;
}

/* --- adding --------------------------------------------------------------------------------- */

/* Caps that are not given need not match. */
static int get_or_create(struct mon_run *run, struct mon_edit *e)
{
    if (e->index == SIZE_MAX) {
        return mon_auth_put_fresh(run, e);
    }
    const struct signet_cap *other = mon_auth_other_cap(e->all, e->index, e->caps, e->num);
    return other == NULL ? 0
                         : mon_say(run, -EINVAL, "key for %s exists but cap %s does not match",
                                   e->text, other->service);
}

static int get_or_create_keyring(struct mon_run *run, struct mon_edit *e)
{
    int err = get_or_create(run, e);
    return err == 0 ? mon_auth_show(run, e->all, e->index, false) : err;
}

static int get_or_create_key(struct mon_run *run, struct mon_edit *e)
{
    int err = get_or_create(run, e);
    if (err == 0) {
        err = mon_auth_show_key(run, e->all, e->index);
        lite_text_add(&run->out, "\n", run->json ? 0 : 1);
    }
    return err;
}

int mon_run_auth_get_or_create(struct mon_run *run)
{
    return mon_auth_edit(run, get_or_create_keyring);
}

int mon_run_auth_get_or_create_key(struct mon_run *run)
{
    return mon_auth_edit(run, get_or_create_key);
}

/* --- changing and removing ------------------------------------------------------------------ */

static int set_caps(struct mon_run *run, struct mon_edit *e)
{
    if (e->index == SIZE_MAX) {
        return mon_say(run, -ENOENT, "couldn't find entry %s", e->text);
    }
    int err = mon_auth_put(run, e, NULL);
    return err == 0 ? mon_say(run, 0, "updated caps for %s", e->text) : err;
}

int mon_run_auth_caps(struct mon_run *run)
{
    return mon_auth_edit(run, set_caps);
}

/* Both keys log in until the first login with the new one, so that nobody is locked out when this
 * answer is lost; what is shown is the new one. */
static int rotate_to(struct mon_run *run, struct mon_edit *e, const struct signet_key *key)
{
    uint8_t wire[SIGNET_KEY_WIRE_MAX];
    size_t len;
    int err = signet_keyserver_rotate_key(run->mon->keys, &e->name, key);
    if (err == -SIGNET_E_CIPHER) {
        return refuse(run, signet_key_type(key));
    }
    if (err == 0) {
        err = signet_key_encode(key, wire, sizeof(wire), &len);
    }
    if (err == 0) {
        err = signet_keyring_set_wire(e->all, &e->name, wire, len);
    }
    signet_wipe(wire, sizeof(wire));
    return err == 0 ? mon_auth_show(run, e->all, e->index, true) : mon_say_failure(run, err);
}

static int rotate(struct mon_run *run, struct mon_edit *e)
{
    struct signet_key *key;
    if (e->index == SIZE_MAX) {
        return mon_say(run, -ENOENT, "entity does not exist");
    }
    int err = signet_key_generate(&key, e->key_type, NULL);
    err = err == 0 ? rotate_to(run, e, key) : mon_say_failure(run, err);
    signet_key_unref(key);
    return err;
}

int mon_run_auth_rotate(struct mon_run *run)
{
    return mon_auth_edit(run, rotate);
}

/* What is not there counts as deleted, as with Ceph. */
static int del(struct mon_run *run, struct mon_edit *e)
{
    if (e->index == SIZE_MAX) {
        return mon_say(run, 0, "entity %s does not exist", e->text);
    }
    int err = signet_keyserver_remove(run->mon->keys, &e->name);
    return err == 0 ? mon_say(run, 0, "updated") : mon_say_failure(run, err);
}

int mon_run_auth_del(struct mon_run *run)
{
    return mon_auth_edit(run, del);
}
