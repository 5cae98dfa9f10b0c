/* SPDX-License-Identifier: MIT */
/* Times as they are on the wire. Format: encoding.md 1. */
#ifndef SIGNET_UTIME_H
#define SIGNET_UTIME_H

#include <stdint.h>

/* A time since 1970 or a duration. Decoders take any value unless said otherwise. */
struct signet_utime {
    uint32_t sec, nsec;
};

#endif
