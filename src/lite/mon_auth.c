/* SPDX-License-Identifier: MIT */
/* Auth commands that only look, and what all of them need. */
#include "lite/mon_auth.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lite/caps_check.h"

int mon_auth_entity(struct mon_run *run, bool looking, struct signet_name *name, char *text)
{
    const char *entity = mon_arg(run, "entity");
    if (entity != NULL && signet_name_parse(name, entity) == 0) {
        signet_name_print(name, text);
        return 0;
    }
    if (!looking) {
        return mon_say(run, -EINVAL, "bad entity name");
    }
    return entity == NULL || entity[0] == 0
               ? mon_say(run, -EINVAL, "invalid command")
               : mon_say(run, -EINVAL, "invalid entity_auth %.120s", entity);
}

int mon_auth_key_type(struct mon_run *run, enum signet_key_type *type)
{
    const json_t *arg = json_object_get(run->args, "key_type");
    const char *name = mon_arg(run, "key_type");
    *type = run->mon->key_type;
    if (arg == NULL) {
        return 0;
    }
    if (name == NULL || signet_key_type_parse(type, name) != 0) {
        return mon_say(run, -EINVAL, "invalid key type: %.60s", name != NULL ? name : "");
    }
    return 0;
}

/* Keeps them by service. Of two for one service the first counts, as with Ceph 20. */
static void add_cap(struct signet_cap caps[MON_CAPS_MAX], size_t *num, struct signet_cap cap)
{
    size_t at = 0;
    while (at < *num && strcmp(caps[at].service, cap.service) < 0) {
        at++;
    }
    if (at < *num && strcmp(caps[at].service, cap.service) == 0) {
        return;
    }
    memmove(&caps[at + 1], &caps[at], (*num - at) * sizeof(caps[0]));
    caps[at] = cap;
    (*num)++;
}

/* Where a text stops making sense is said in Ceph's words. */
static int check_cap(struct mon_run *run, const struct signet_cap *cap)
{
    size_t stop;
    int err = signet_caps_check(cap->service, cap->text, &stop);
    if (err == -SIGNET_E_NOT_FOUND) {
        return mon_say(run, -EINVAL, "unknown cap type '%.60s'", cap->service);
    }
    if (err != 0 && cap->text[0] == 0) {
        return mon_say(run, -EINVAL, "%s capability parse failed, stopped at end of ''",
                       cap->service);
    }
    return err == 0
               ? 0
               : mon_say(run, -EINVAL, "%s capability parse failed, stopped at '%.80s' of '%.80s'",
                         cap->service, cap->text + stop, cap->text);
}

int mon_auth_caps(struct mon_run *run, struct signet_cap caps[MON_CAPS_MAX], size_t *num)
{
    const json_t *list = json_object_get(run->args, "caps");
    size_t words = json_array_size(list);
    *num = 0;
    if (list != NULL && !json_is_array(list)) {
        return mon_say(run, -EINVAL, "bad or missing field 'caps'");
    }
    if (words % 2 != 0) {
        return mon_say(run, -EINVAL, "bad capabilities request; odd number of arguments");
    }
    if (words / 2 > MON_CAPS_MAX) {
        return mon_say(run, -EINVAL, "bad capabilities request; too many");
    }
    for (size_t i = 0; i < words; i += 2) {
        struct signet_cap cap = {json_string_value(json_array_get(list, i)),
                                 json_string_value(json_array_get(list, i + 1))};
        if (cap.service == NULL || cap.text == NULL) {
            return mon_say(run, -EINVAL, "bad or missing field 'caps'");
        }
        int err = check_cap(run, &cap);
        if (err != 0) {
            return err;
        }
        add_cap(caps, num, cap);
    }
    return 0;
}

int mon_auth_look(struct mon_run *run, const struct signet_name *name, struct signet_keyring **all,
                  size_t *index)
{
    *all = NULL;
    *index = SIZE_MAX;
    int err = signet_keyserver_export(run->mon->keys, all);
    if (err != 0) {
        return mon_say_failure(run, err);
    }
    size_t at;
    if (signet_keyring_find(*all, name, &at) == 0) {
        *index = at;
    }
    return 0;
}

static bool has_cap(const struct signet_keyring *all, size_t index, const struct signet_cap *cap)
{
    for (size_t i = 0; i < signet_keyring_num_caps(all, index); i++) {
        const char *service;
        const char *text = signet_keyring_cap(all, index, i, &service);
        if (strcmp(service, cap->service) == 0) {
            return strcmp(text, cap->text) == 0;
        }
    }
    return false;
}

const struct signet_cap *mon_auth_other_cap(const struct signet_keyring *all, size_t index,
                                            const struct signet_cap *caps, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (!has_cap(all, index, &caps[i])) {
            return &caps[i];
        }
    }
    return NULL;
}

/* --- looking -------------------------------------------------------------------------------- */

static int show_all(struct mon_run *run,
                    int (*show)(struct mon_run *, const struct signet_keyring *))
{
    struct signet_keyring *all = NULL;
    int err = signet_keyserver_export(run->mon->keys, &all);
    err = err == 0 ? show(run, all) : mon_say_failure(run, err);
    signet_keyring_free(all);
    return err;
}

int mon_run_auth_ls(struct mon_run *run)
{
    mon_say(run, 0, "%s", run->json ? "" : "installed auth entries:\n");
    return show_all(run, mon_auth_show_list);
}

/* What is said when the entity is not there: BEFORE its name AFTER. */
struct missing {
    const char *before, *after;
};

/* Finds the entity of the arguments; the caller frees *all. */
static int find(struct mon_run *run, struct missing missing, struct signet_keyring **all,
                size_t *index, char *text)
{
    struct signet_name name;
    *all = NULL;
    int err = mon_auth_entity(run, true, &name, text);
    if (err == 0) {
        err = mon_auth_look(run, &name, all, index);
    }
    if (err == 0 && *index == SIZE_MAX) {
        err = mon_say(run, -ENOENT, "%s%s%s", missing.before, text, missing.after);
    }
    return err;
}

static int show_keyring(struct mon_run *run, struct missing missing)
{
    struct signet_keyring *all;
    char text[SIGNET_NAME_TEXT_MAX];
    size_t index;
    int err = find(run, missing, &all, &index, text);
    if (err == 0) {
        mon_say(run, 0, "exported keyring for %s", text);
        err = mon_auth_show(run, all, index, true);
    }
    signet_keyring_free(all);
    return err;
}

int mon_run_auth_get(struct mon_run *run)
{
    return show_keyring(run, (struct missing){"failed to find ", " in keyring"});
}

/* Of all without an entity. */
int mon_run_auth_export(struct mon_run *run)
{
    if (json_object_get(run->args, "entity") != NULL) {
        return show_keyring(run, (struct missing){"no key for ", ""});
    }
    mon_say(run, 0, "exported master keyring");
    return show_all(run, mon_auth_show_keyring);
}

int mon_run_auth_print_key(struct mon_run *run)
{
    struct signet_keyring *all;
    char text[SIGNET_NAME_TEXT_MAX];
    size_t index;
    int err = find(run, (struct missing){"don't have ", ""}, &all, &index, text);
    if (err == 0) {
        err = mon_auth_show_key(run, all, index);
    }
    signet_keyring_free(all);
    return err;
}
