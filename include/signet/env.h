/* SPDX-License-Identifier: MIT */
/* Clock and random source as parameters: protocol code never asks the system itself. */
#ifndef SIGNET_ENV_H
#define SIGNET_ENV_H

#include <stddef.h>
#include <stdint.h>

#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A clock and a random source. Copied by value into the objects that take it; `arg`
 * must outlive them. All members must be set. */
struct signet_env {
    uint64_t (*real_ns)(void *arg); /* wall clock, nanoseconds since 1970 UTC */
    uint64_t (*mono_ns)(void *arg); /* monotonic clock, nanoseconds, any origin */
    /* Fills len bytes, all or nothing; 0 or -SIGNET_E_RANDOM. */
    int (*random)(void *arg, uint8_t *out, size_t len);
    void *arg;
};

/* The system's clocks and getrandom(2). Any thread. */
SIGNET_API struct signet_env signet_env_system(void);

#ifdef __cplusplus
}
#endif
#endif
