/* SPDX-License-Identifier: MIT */
/* The handlers of this build and which one is current. */
#ifndef SIGNET_CRYPTO_REGISTRY_H
#define SIGNET_CRYPTO_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "crypto/handler.h"

enum { SIGNET_HANDLER_MAX = 3 };

/* What the last probe said: one of these or -SIGNET_E_x. */
enum { SIGNET_NOT_PROBED = 0, SIGNET_PASSED = 1 };

/* The table in handlers.c, in the order in which handlers are tried. */
extern const struct signet_handler *const signet_handlers[];
extern const size_t signet_handlers_num;

/* One handler at run time. Rows are static: nothing readable is ever freed. */
struct signet_row {
    const struct signet_handler *handler;
    unsigned index; /* in the table; states of keys are numbered by it */
    _Atomic int verdict;
    bool started; /* under the registry's lock, as is why */
    char why[160];
};

/* NULL outside signet_init() .. signet_shutdown(). */
extern _Atomic(struct signet_row *) signet_current_row;

/* The row an operation uses: the pinned one, or the current one read once. */
static inline struct signet_row *signet_row_now(struct signet_row *pin)
{
    return pin != NULL ? pin : atomic_load_explicit(&signet_current_row, memory_order_acquire);
}

/* The row to pin to: *row is NULL for a NULL handler. -HANDLER_UNKNOWN, or what its probe
 * said; -STATE before signet_init(). */
int signet_row_pin(struct signet_row **row, const struct signet_handler *handler);

#endif
