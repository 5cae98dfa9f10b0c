/* SPDX-License-Identifier: MIT */
/* What the auth commands share: the entity that is meant, its caps, and how it is shown. */
#ifndef SIGNET_LITE_MON_AUTH_H
#define SIGNET_LITE_MON_AUTH_H

#include "lite/mon_internal.h"

enum { MON_CAPS_MAX = 32 };

/* The argument `entity`: 0, or -EINVAL said. */
int mon_auth_entity(struct mon_run *run, struct signet_name *name, char *text);
/* The argument `caps`, pairs of service and text, as views of the arguments. */
int mon_auth_caps(struct mon_run *run, struct signet_cap caps[MON_CAPS_MAX], size_t *num);
/* A copy of all principals, and the index of one in it; SIZE_MAX if it is not there. The caller
 * frees *all. */
int mon_auth_look(struct mon_run *run, const struct signet_name *name, struct signet_keyring **all,
                  size_t *index);
/* Whether entity `index` has exactly these. */
bool mon_auth_same_caps(const struct signet_keyring *all, size_t index,
                        const struct signet_cap *caps, size_t num);

/* Keyring text or JSON of entity `index`; with_caps: the text has the caps too. */
int mon_auth_show(struct mon_run *run, const struct signet_keyring *all, size_t index,
                  bool with_caps);
/* The key alone, {"key": "..."} in JSON. */
int mon_auth_show_key(struct mon_run *run, const struct signet_keyring *all, size_t index);
int mon_auth_show_list(struct mon_run *run, const struct signet_keyring *all);
/* All of them as a keyring. */
int mon_auth_show_keyring(struct mon_run *run, const struct signet_keyring *all);

#endif
