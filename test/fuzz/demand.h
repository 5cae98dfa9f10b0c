/* SPDX-License-Identifier: MIT */
/* What each fuzz target has, and what it says when something is wrong. */
#ifndef SIGNET_FUZZ_DEMAND_H
#define SIGNET_FUZZ_DEMAND_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define demand(truth) ((truth) ? (void)0 : demand_failed(#truth))

static inline void demand_failed(const char *truth)
{
    fprintf(stderr, "this does not hold: %s\n", truth);
    abort();
}

#endif
