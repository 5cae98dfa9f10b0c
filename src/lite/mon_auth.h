/* SPDX-License-Identifier: MIT */
/* What the auth commands share: the entity that is meant, its caps, and how it is shown. */
#ifndef SIGNET_LITE_MON_AUTH_H
#define SIGNET_LITE_MON_AUTH_H

#include "lite/mon_internal.h"

enum { MON_CAPS_MAX = 32 };

/* The argument `entity`: 0, or -EINVAL said; looking: in the words for commands that only look. */
int mon_auth_entity(struct mon_run *run, bool looking, struct signet_name *name, char *text);
/* The argument `key_type`, or what the monitor makes without one: 0, or -EINVAL said. */
int mon_auth_key_type(struct mon_run *run, enum signet_key_type *type);
/* The argument `caps`, pairs of service and text, as views of the arguments, by service. Each text
 * is one that the service would take. */
int mon_auth_caps(struct mon_run *run, struct signet_cap caps[MON_CAPS_MAX], size_t *num);
/* A copy of all principals, and the index of one in it; SIZE_MAX if it is not there. The caller
 * frees *all. */
int mon_auth_look(struct mon_run *run, const struct signet_name *name, struct signet_keyring **all,
                  size_t *index);
/* The first of these that entity `index` does not have in the same words; NULL: it has them all. */
const struct signet_cap *mon_auth_other_cap(const struct signet_keyring *all, size_t index,
                                            const struct signet_cap *caps, size_t num);

/* What a changing command is about. */
struct mon_edit {
    struct signet_name name;
    char text[SIGNET_NAME_TEXT_MAX];
    struct signet_cap caps[MON_CAPS_MAX];
    size_t num, index; /* index: in all, SIZE_MAX if it is not there */
    enum signet_key_type key_type;
    struct signet_keyring *all;
};

typedef int (*mon_edit_fn)(struct mon_run *run, struct mon_edit *edit);

/* Runs it with the state held still, so that what was seen is still so when it is changed. */
int mon_auth_edit(struct mon_run *run, mon_edit_fn change);
/* Key (NULL: the one that is there) and caps of the entity, which is looked for again. */
int mon_auth_put(struct mon_run *run, struct mon_edit *edit, const struct signet_key *key);
int mon_auth_put_fresh(struct mon_run *run, struct mon_edit *edit);

/* Keyring text or JSON of entity `index`; with_caps: the text has the caps too. */
int mon_auth_show(struct mon_run *run, const struct signet_keyring *all, size_t index,
                  bool with_caps);
/* The key alone, {"key": "..."} in JSON. */
int mon_auth_show_key(struct mon_run *run, const struct signet_keyring *all, size_t index);
int mon_auth_show_list(struct mon_run *run, const struct signet_keyring *all);
/* All of them as a keyring. */
int mon_auth_show_keyring(struct mon_run *run, const struct signet_keyring *all);

#endif
