/* SPDX-License-Identifier: MIT */
/* Auth commands that only look, and what all of them need. */
#include "lite/mon_auth.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

int mon_auth_entity(struct mon_run *run, struct signet_name *name, char *text)
{
    const char *entity = mon_arg(run, "entity");
    if (entity == NULL || signet_name_parse(name, entity) != 0) {
        return mon_say(run, -EINVAL, "bad entity name");
    }
    signet_name_print(name, text);
    return 0;
}

static bool known_service(const char *service)
{
    return strcmp(service, "mon") == 0 || strcmp(service, "osd") == 0 ||
           strcmp(service, "mds") == 0 || strcmp(service, "mgr") == 0;
}

/* Of two caps for one service the last counts, as with Ceph. */
static void add_cap(struct signet_cap caps[MON_CAPS_MAX], size_t *num, struct signet_cap cap)
{
    for (size_t i = 0; i < *num; i++) {
        if (strcmp(caps[i].service, cap.service) == 0) {
            caps[i] = cap;
            return;
        }
    }
    caps[(*num)++] = cap;
}

int mon_auth_caps(struct mon_run *run, struct signet_cap caps[MON_CAPS_MAX], size_t *num)
{
    const json_t *list = json_object_get(run->args, "caps");
    size_t words = json_array_size(list);
    *num = 0;
    if (list != NULL && !json_is_array(list)) {
        return mon_say(run, -EINVAL, "bad capabilities request");
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
        if (cap.service == NULL || cap.text == NULL || !known_service(cap.service)) {
            return mon_say(run, -EINVAL, "unknown cap type '%.60s'",
                           cap.service != NULL ? cap.service : "");
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

bool mon_auth_same_caps(const struct signet_keyring *all, size_t index,
                        const struct signet_cap *caps, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (!has_cap(all, index, &caps[i])) {
            return false;
        }
    }
    return num == signet_keyring_num_caps(all, index);
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

/* get, and export without an entity. */
int mon_run_auth_get(struct mon_run *run)
{
    struct signet_name name;
    struct signet_keyring *all;
    char text[SIGNET_NAME_TEXT_MAX];
    size_t index;
    if (strcmp(mon_arg(run, "prefix"), "auth export") == 0 && mon_arg(run, "entity") == NULL) {
        return show_all(run, mon_auth_show_keyring);
    }
    int err = mon_auth_entity(run, &name, text);
    if (err == 0) {
        err = mon_auth_look(run, &name, &all, &index);
    }
    if (err != 0) {
        return err;
    }
    if (index == SIZE_MAX) {
        err = mon_say(run, -ENOENT, "failed to find %s in keyring", text);
    } else {
        mon_say(run, 0, "exported keyring for %s", text);
        err = mon_auth_show(run, all, index, true);
    }
    signet_keyring_free(all);
    return err;
}

int mon_run_auth_print_key(struct mon_run *run)
{
    struct signet_name name;
    struct signet_keyring *all;
    char text[SIGNET_NAME_TEXT_MAX];
    size_t index;
    int err = mon_auth_entity(run, &name, text);
    if (err == 0) {
        err = mon_auth_look(run, &name, &all, &index);
    }
    if (err != 0) {
        return err;
    }
    err = index == SIZE_MAX ? mon_say(run, -ENOENT, "don't have %s", text)
                            : mon_auth_show_key(run, all, index);
    signet_keyring_free(all);
    return err;
}
