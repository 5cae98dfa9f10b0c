/* SPDX-License-Identifier: MIT */
/* Filling struct signet_fail. */
#ifndef SIGNET_BASE_FAIL_H
#define SIGNET_BASE_FAIL_H

#include <signet/error.h>

/* Fills *fail (NULL is fine) and returns err (negative), so that a failure is one
 * statement. The text is cut to fit. No secret bytes may be printed into it. */
int signet_fail_set(struct signet_fail *fail, int err, const char *where, uint64_t offset,
                    const char *format, ...) SIGNET_PRINTF(5, 6);

#endif
