/* SPDX-License-Identifier: MIT */
#include <signet/env.h>

#include <errno.h>
#include <sys/random.h>
#include <time.h>

#include <signet/error.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static uint64_t real_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_REALTIME);
}

static uint64_t mono_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_MONOTONIC);
}

static int fill_random(void *arg, uint8_t *out, size_t len)
{
    (void)arg;
    while (len > 0) {
        ssize_t n = getrandom(out, len < 256 ? len : 256, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return -SIGNET_E_RANDOM;
        }
        out += n;
        len -= (size_t)n;
    }
    return 0;
}

struct signet_env signet_env_system(void)
{
    return (struct signet_env){.real_ns = real_ns, .mono_ns = mono_ns, .random = fill_random};
}
