/* SPDX-License-Identifier: MIT */
/* Space without contents, as a crash leaves it in a file. */
#ifndef SIGNET_BASE_ZEROS_H
#define SIGNET_BASE_ZEROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True also when len is 0. */
static inline bool signet_all_zeros(const uint8_t *p, size_t len)
{
    uint8_t any = 0;
    for (size_t i = 0; i < len; i++) {
        any |= p[i];
    }
    return any == 0;
}

#endif
