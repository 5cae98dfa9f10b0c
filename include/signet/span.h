/* SPDX-License-Identifier: MIT */
/* A view of bytes that belong to somebody else. */
#ifndef SIGNET_SPAN_H
#define SIGNET_SPAN_H

#include <stddef.h>
#include <stdint.h>

struct signet_span {
    const uint8_t *p;
    size_t len;
};

#endif
