/* SPDX-License-Identifier: MIT */
/*
 * Counts allocations: the program's own malloc family stands in front of the C library's for
 * every library of the process. Counting is off while rows are timed.
 */
#include "common/bench.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The C library's own entry points, present in glibc for this purpose. */
extern void *__libc_malloc(size_t len);
extern void *__libc_calloc(size_t num, size_t len);
extern void *__libc_realloc(void *p, size_t len);
extern void *__libc_memalign(size_t align, size_t len);

/* Relaxed: read only when the threads of the row under test are done or joined. */
static atomic_bool counting;
static atomic_uint_fast64_t calls;

/* The program is built with hidden symbols; these must be seen by the libraries. */
#define SEEN __attribute__((visibility("default")))

static inline void count(void)
{
    if (atomic_load_explicit(&counting, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    }
}

void bench_alloc_count(bool on)
{
    atomic_store(&counting, on);
}

uint64_t bench_alloc_calls(void)
{
    return atomic_load(&calls);
}

SEEN void *malloc(size_t len)
{
    count();
    return __libc_malloc(len);
}

SEEN void *calloc(size_t num, size_t len)
{
    count();
    return __libc_calloc(num, len);
}

SEEN void *realloc(void *p, size_t len)
{
    count();
    return __libc_realloc(p, len);
}

SEEN void *memalign(size_t align, size_t len)
{
    count();
    return __libc_memalign(align, len);
}

SEEN void *aligned_alloc(size_t align, size_t len)
{
    count();
    return __libc_memalign(align, len);
}

SEEN int posix_memalign(void **out, size_t align, size_t len)
{
    count();
    void *p = __libc_memalign(align, len);
    if (!p) {
        return ENOMEM;
    }
    *out = p;
    return 0;
}
