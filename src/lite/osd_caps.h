/* SPDX-License-Identifier: MIT */
/*
 * What an OSD capability lets its holder do. The text is a list of grants, separated by commas or
 * semicolons; their rights add up:
 *
 *   allow RIGHTS [pool=P] [namespace=N] [object_prefix X]
 *   profile rbd [pool=P] [namespace=N]              as allow rwx
 *   profile rbd-read-only [pool=P] [namespace=N]    as allow rx
 *
 * RIGHTS: letters of rwx, or words class-read, class-write (they give nothing here: there are no
 * classes), or * or all. Instead of "=" there may be blanks; a value may stand in quotes. N that
 * ends with * stands for all namespaces that begin so; "" is the default namespace.
 * Any other text (tag, network, other profiles, anything unknown), and more than OSD_GRANTS_MAX
 * grants, gives nothing at all.
 */
#ifndef SIGNET_LITE_OSD_CAPS_H
#define SIGNET_LITE_OSD_CAPS_H

#include <stdbool.h>

#include <signet/span.h>

enum { OSD_GRANTS_MAX = 16 };
enum osd_may { OSD_MAY_R = 1, OSD_MAY_W = 2, OSD_MAY_X = 4, OSD_MAY_ALL = 15 };

/* Views of the text. */
struct osd_grant {
    unsigned may;
    bool has_pool, has_ns, ns_prefix;
    struct signet_span pool, ns, object;
};

struct osd_caps {
    unsigned num;
    struct osd_grant grant[OSD_GRANTS_MAX];
};

/* Borrows the text. False, and no grants, when it gives nothing. */
bool osd_caps_parse(struct osd_caps *caps, const char *text);
/* Whether `need` (bits of osd_may) is granted on an object; a listing has an empty name, and ns
 * NULL when it is of all namespaces. */
bool osd_caps_allow(const struct osd_caps *caps, unsigned need, const char *pool,
                    const struct signet_span *ns, struct signet_span name);
/* Whether a grant gives everything without limits: what commands to the daemon take. */
bool osd_caps_all(const struct osd_caps *caps);

#endif
