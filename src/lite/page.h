/* SPDX-License-Identifier: MIT */
/*
 * What an OSD answers to PGNLS: a page of a pool's objects, and where the next begins. Pure
 * functions. Format: osdlite.md 6.
 */
#ifndef SIGNET_LITE_PAGE_H
#define SIGNET_LITE_PAGE_H

#include "lite/hobject.h"

struct lite_page {
    struct lite_hobject next; /* max: there are no more */
    uint32_t left;            /* names that have not been read yet */
    struct signet_reader names;
};
struct lite_listed {
    struct signet_span ns, name, key;
};

/* Spans are views of the data. 0, -SHORT, -LENGTH, -COUNT, -VERSION, -VALUE, -TRAILING. */
SIGNET_MUST int lite_page_open(struct lite_page *out, struct signet_span data);
/* The next name; -NOT_FOUND behind the last, else as above. */
SIGNET_MUST int lite_page_next(struct lite_page *page, struct lite_listed *out);

#endif
