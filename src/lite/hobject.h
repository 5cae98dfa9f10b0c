/* SPDX-License-Identifier: MIT */
/*
 * hobject_t: an object's name with what it is sorted by. Cursors of listings and the ends of
 * backoffs are such names. Pure functions. Format: osdlite.md 6.
 */
#ifndef SIGNET_LITE_HOBJECT_H
#define SIGNET_LITE_HOBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <signet/span.h>

#include "base/cursor.h"

#define LITE_HEAD UINT64_C(0xfffffffffffffffe) /* snap of what is not a snapshot */

struct lite_hobject {
    struct signet_span key, name, ns;
    uint64_t snap;
    uint32_t hash;
    bool max; /* behind everything */
    int64_t pool;
};

/* Spans are views of the input. Failures are the reader's: -SHORT, -LENGTH, -VERSION (older than 4,
 * or one that needs a newer reader), -VALUE (max is neither 0 nor 1), -TRAILING. */
void lite_hobject_read(struct signet_reader *r, struct lite_hobject *out);
void lite_hobject_write(struct signet_writer *w, const struct lite_hobject *in);
/* Below 0, 0 or above, in the order in which OSDs keep their objects: by the reversed bits of the
 * hash within a pool. */
int lite_hobject_compare(const struct lite_hobject *a, const struct lite_hobject *b);

#endif
