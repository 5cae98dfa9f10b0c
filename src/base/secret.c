/* SPDX-License-Identifier: MIT */
/*
 * Blocks of 64 bytes << class are cut from locked arenas and kept on free lists,
 * so that ten thousand keys do not take ten thousand pages. Larger ones get a
 * mapping of their own. Allocation is never on a hot path: one mutex serves.
 */
#include "base/secret.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* What only secret memory points to (contexts of the libraries) is not leaked. */
#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define leak_root_add(p, len)    __lsan_register_root_region(p, len)
#define leak_root_remove(p, len) __lsan_unregister_root_region(p, len)
#else
#define leak_root_add(p, len)    ((void)0)
#define leak_root_remove(p, len) ((void)0)
#endif

#define CLASSES    7 /* 64 .. 4096 bytes */
#define ARENA_SIZE 65536U

struct block {
    struct block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *free_blocks[CLASSES];

/* The mutex is held over fork, so that a child finds it free and the lists whole. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void hold_over_fork(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static void *map(size_t len)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
    (void)mlock(p, len); /* best effort: the limit may be small */
    (void)madvise(p, len, MADV_DONTDUMP);
    leak_root_add(p, len);
    return p;
}

static size_t page_round(size_t len)
{
    return (len + 4095U) & ~(size_t)4095U;
}

/* The class that holds len, or CLASSES. */
static unsigned class_of(size_t len)
{
    unsigned c = 0;
    while (c < CLASSES && ((size_t)64 << c) < len) {
        c++;
    }
    return c;
}

/* Cuts one more arena into blocks of class c. Called under the lock. */
static void refill(unsigned c)
{
    size_t size = (size_t)64 << c;
    uint8_t *arena = map(ARENA_SIZE);
    for (size_t at = 0; arena != NULL && at + size <= ARENA_SIZE; at += size) {
        struct block *b = (struct block *)(void *)(arena + at);
        b->next = free_blocks[c];
        free_blocks[c] = b;
    }
}

void *signet_secret_alloc(size_t len)
{
    unsigned c = class_of(len);
    if (c == CLASSES) {
        return len > SIZE_MAX - 4095U ? NULL : map(page_round(len));
    }
    pthread_mutex_lock(&lock);
    if (free_blocks[c] == NULL) {
        refill(c);
    }
    struct block *b = free_blocks[c];
    if (b != NULL) {
        free_blocks[c] = b->next;
        b->next = NULL;
    }
    pthread_mutex_unlock(&lock);
    return b;
}

void signet_secret_free(void *p, size_t len)
{
    if (p == NULL) {
        return;
    }
    signet_wipe(p, len);
    unsigned c = class_of(len);
    if (c == CLASSES) {
        leak_root_remove(p, page_round(len));
        munmap(p, page_round(len));
        return;
    }
    struct block *b = p;
    pthread_mutex_lock(&lock);
    b->next = free_blocks[c];
    free_blocks[c] = b;
    pthread_mutex_unlock(&lock);
}

void signet_wipe(void *p, size_t len)
{
    if (len > 0) {
        explicit_bzero(p, len);
    }
}

bool signet_equal(const void *a, const void *b, size_t len)
{
    const volatile uint8_t *x = a;
    const volatile uint8_t *y = b;
    uint8_t diff = 0;
    for (size_t i = 0; i < len; i++) {
        diff = (uint8_t)(diff | (x[i] ^ y[i]));
    }
    return diff == 0;
}
