/* SPDX-License-Identifier: MIT */
/* Auth commands that take a keyring: add and import. */
#include "lite/mon_auth.h"

#include <errno.h>
#include <stdint.h>

/* Caps come from the keyring or from the command. */
static int given_caps(struct mon_run *run, const struct signet_keyring *given, size_t index,
                      struct mon_edit *e)
{
    size_t num = signet_keyring_num_caps(given, index);
    if (num > 0 && e->num > 0) {
        return mon_say(run, -EINVAL, "caps cannot be specified both in keyring and in command");
    }
    for (size_t i = 0; i < num; i++) {
        if (i == MON_CAPS_MAX) {
            return mon_say(run, -EINVAL, "bad capabilities request; too many");
        }
        e->caps[i].text = signet_keyring_cap(given, index, i, &e->caps[i].service);
        e->num = i + 1;
    }
    return 0;
}

/* Key and caps of the entity in the keyring that -i gave; the caps are views of it. */
static int given_entity(struct mon_run *run, const struct signet_keyring *given, struct mon_edit *e,
                        struct signet_key **key)
{
    size_t index;
    if (signet_keyring_find(given, &e->name, &index) != 0) {
        return mon_say(run, -EINVAL, "key for %s not found in provided keyring", e->text);
    }
    int err = given_caps(run, given, index, e);
    if (err != 0) {
        return err;
    }
    err = signet_keyring_key(given, &e->name, NULL, key);
    return err == 0 ? 0 : mon_say_failure(run, err);
}

/* Whether what is there is what is to be added. */
static int same_entity(struct mon_run *run, const struct mon_edit *e, const struct signet_key *key)
{
    const struct signet_cap *other = mon_auth_other_cap(e->all, e->index, e->caps, e->num);
    struct signet_key *old = NULL;
    if (other != NULL) {
        return mon_say(run, -EINVAL, "entity %s exists but cap %s does not match", e->text,
                       other->service);
    }
    if (e->num != signet_keyring_num_caps(e->all, e->index)) {
        return mon_say(run, -EINVAL, "entity %s exists but caps do not match", e->text);
    }
    int err = 0;
    if (key != NULL &&
        (signet_keyring_key(e->all, &e->name, NULL, &old) != 0 || !signet_key_equal(old, key))) {
        err = mon_say(run, -EEXIST, "entity %s exists but key does not match", e->text);
    }
    signet_key_unref(old);
    return err;
}

static int add_with(struct mon_run *run, struct mon_edit *e, const struct signet_key *key)
{
    if (e->index != SIZE_MAX) {
        return same_entity(run, e, key);
    }
    int err = key != NULL ? mon_auth_put(run, e, key) : mon_auth_put_fresh(run, e);
    return err == 0 ? mon_say(run, 0, "added key for %s", e->text) : err;
}

static int bad_keyring(struct mon_run *run, const struct signet_fail *fail)
{
    return mon_say(run, -EINVAL, "error decoding keyring: %.180s", fail->text);
}

static int add(struct mon_run *run, struct mon_edit *e)
{
    struct signet_key *key = NULL;
    struct signet_keyring *given = NULL;
    struct signet_fail fail = {0};
    int err = 0;
    if (run->data.len > 0) {
        err = signet_keyring_parse(&given, run->data.p, run->data.len, &fail) == 0
                  ? given_entity(run, given, e, &key)
                  : bad_keyring(run, &fail);
    }
    if (err == 0) {
        err = add_with(run, e, key);
    }
    signet_key_unref(key);
    signet_keyring_free(given);
    return err;
}

int mon_run_auth_add(struct mon_run *run)
{
    return mon_auth_edit(run, add);
}

/* All or none. An entity without caps is more likely a mistake than meant. */
static int import(struct mon_run *run, const struct signet_keyring *given)
{
    struct signet_fail fail = {0};
    for (size_t i = 0; i < signet_keyring_num(given); i++) {
        if (signet_keyring_num_caps(given, i) == 0) {
            return mon_say(run, -EINVAL, "auth import: no caps supplied");
        }
    }
    pthread_mutex_lock(&run->mon->changing);
    int err = signet_keyserver_import(run->mon->keys, given, &fail);
    pthread_mutex_unlock(&run->mon->changing);
    return err == 0 ? mon_say(run, 0, "imported keyring")
                    : mon_say(run, -signet_err_errno(err), "%.200s",
                              fail.text[0] != 0 ? fail.text : signet_strerror(err));
}

int mon_run_auth_import(struct mon_run *run)
{
    struct signet_keyring *given;
    struct signet_fail fail = {0};
    if (run->data.len == 0) {
        return mon_say(run, -EINVAL, "auth import: no data supplied");
    }
    if (signet_keyring_parse(&given, run->data.p, run->data.len, &fail) != 0) {
        return bad_keyring(run, &fail);
    }
    int err = import(run, given);
    signet_keyring_free(given);
    return err;
}
