/* SPDX-License-Identifier: MIT */
/* What each fuzz target has, and what it says when something is wrong. */
#ifndef SIGNET_FUZZ_DEMAND_H
#define SIGNET_FUZZ_DEMAND_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(int truth)
{
    if (!truth) {
        abort();
    }
}

#endif
