/* SPDX-License-Identifier: MIT */
/* Blocks -> spans of pages -> pieces of one size. */
#include "lite/arena.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <urcu/list.h>

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { USE_MALLOC = 1 };
#else
enum { USE_MALLOC = 0 };
#endif

enum {
    BLOCK = 2 << 20,
    PAGE = 8192,
    PAGES = BLOCK / PAGE,
    LARGE = 512 << 10, /* more than that is malloc's */
    FINE = 128,        /* up to here sizes are 16 apart, above 8 steps to each doubling */
    CLASSES = 104,
    SPAN_PAGES_MAX = LARGE / PAGE,
    SPAN_FEW = 8,          /* pieces of a span, at least, unless it is large */
    SPAN_LARGE = 64 << 10, /* bytes */
    LOOKS = 8,             /* blocks that are looked at before there is a new one */
    AHEAD_PAGES = 32,      /* asked of the system at once */
};

/* A run of pages in use for one class; in the header of its block, at the number of its first. */
struct span {
    struct cds_list_head in_class; /* while it has room */
    void *free;                    /* pieces that were given back */
    uint16_t class, pages;
    uint16_t used, fresh; /* pieces in use; pieces that were used once */
};

struct block {
    struct cds_list_head in_blocks;
    struct cds_list_head in_room; /* while it has free pages */
    unsigned num_free;            /* pages */
    unsigned run;                 /* no more free pages than these are in a row */
    unsigned backed;              /* pages up to here have memory */
    uint8_t first[PAGES];         /* of each page's span: its first page */
    uint8_t in_use[PAGES];        /* pages */
    struct span span[PAGES];
};

enum { HEADER_PAGES = (sizeof(struct block) + PAGE - 1) / PAGE };

struct class
{
    size_t size;
    uint16_t pages, num;       /* of a span; pieces */
    struct cds_list_head room; /* spans with room */
};

struct arena {
    pthread_mutex_t lock;
    struct cds_list_head blocks, room;
    uint64_t num_blocks;
    unsigned num_empty; /* blocks without a span */
    struct class class[CLASSES];
};

/* --- sizes ---------------------------------------------------------------------------------- */

static unsigned class_of(size_t len)
{
    if (len <= FINE) {
        return len == 0 ? 0 : (unsigned)(len - 1) / 16;
    }
    unsigned shift = 60U - (unsigned)__builtin_clzll(len - 1);
    return 8 * (shift - 3) + (unsigned)((len - 1) >> shift) - 8;
}

static size_t size_of(unsigned class)
{
    if (class < FINE / 16) {
        return 16 * (size_t)(class + 1);
    }
    unsigned shift = class / 8 + 3;
    return (size_t)(class % 8 + 9) << shift;
}

/* As few pages as waste little and hold some pieces. */
static void plan(struct class *c, size_t size)
{
    size_t pages = (size + PAGE - 1) / PAGE;
    for (; pages < SPAN_PAGES_MAX; pages++) {
        size_t all = pages * PAGE, num = all / size;
        bool enough = num >= SPAN_FEW || all >= SPAN_LARGE;
        if (enough && (all - num * size) * 8 <= all) {
            break;
        }
    }
    c->size = size;
    c->pages = (uint16_t)pages;
    c->num = (uint16_t)(pages * PAGE / size);
}

/* --- blocks --------------------------------------------------------------------------------- */

static uint8_t *map_aligned(void)
{
    const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    uint8_t *p = mmap(NULL, 2 * (size_t)BLOCK, protection, flags, -1, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
    size_t before = (BLOCK - (uintptr_t)p % BLOCK) % BLOCK;
    if (before > 0) {
        munmap(p, before);
    }
    munmap(p + before + BLOCK, BLOCK - before);
    return p + before;
}

static struct block *block_new(struct arena *arena)
{
    struct block *b = (struct block *)(void *)map_aligned();
    if (b == NULL) {
        return NULL;
    }
    memset(b->in_use, 1, HEADER_PAGES);
    b->num_free = b->run = PAGES - HEADER_PAGES;
    cds_list_add(&b->in_blocks, &arena->blocks);
    cds_list_add(&b->in_room, &arena->room);
    arena->num_blocks++;
    arena->num_empty++;
    return b;
}

static void block_free(struct arena *arena, struct block *b)
{
    cds_list_del(&b->in_blocks);
    cds_list_del(&b->in_room);
    arena->num_blocks--;
    arena->num_empty--;
    munmap(b, BLOCK);
}

static struct block *block_of(const void *p)
{
    return (struct block *)((uintptr_t)p & ~((uintptr_t)BLOCK - 1));
}

/* The first of so many free pages in a row, or 0. */
static unsigned find_run(struct block *b, unsigned num)
{
    unsigned have = 0;
    for (unsigned i = HEADER_PAGES; i < PAGES; i++) {
        have = b->in_use[i] ? 0 : have + 1;
        if (have == num) {
            return i + 1 - num;
        }
    }
    b->run = num - 1;
    return 0;
}

/* --- spans ---------------------------------------------------------------------------------- */

/* One call instead of a fault for each page of the system. Where it does not know the call, it is
 * the faults. Not huge pages: of a machine that gives what it frees back to its host, they are the
 * ones that take long to come back. */
static void back(struct block *b, unsigned end)
{
    if (end <= b->backed) {
        return;
    }
    unsigned from = b->backed, ahead = from + AHEAD_PAGES;
    end = end > ahead ? end : ahead < PAGES ? ahead : PAGES;
    b->backed = end;
#ifdef MADV_POPULATE_WRITE
    (void)madvise((uint8_t *)b + (size_t)from * PAGE, (size_t)(end - from) * PAGE,
                  MADV_POPULATE_WRITE);
#endif
}

static struct span *span_in(struct arena *arena, struct block *b, unsigned at, unsigned class)
{
    struct class *c = &arena->class[class];
    struct span *s = &b->span[at];
    back(b, at + c->pages);
    memset(b->in_use + at, 1, c->pages);
    memset(b->first + at, (int)at, c->pages);
    arena->num_empty -= b->num_free == PAGES - HEADER_PAGES ? 1 : 0;
    b->num_free -= c->pages;
    if (b->num_free == 0) {
        cds_list_del(&b->in_room);
    }
    *s = (struct span){.class = (uint16_t) class, .pages = c->pages};
    cds_list_add(&s->in_class, &c->room);
    return s;
}

static struct span *span_new(struct arena *arena, unsigned class)
{
    unsigned num = arena->class[class].pages;
    for (unsigned i = 0; i < LOOKS && !cds_list_empty(&arena->room); i++) {
        struct block *b = cds_list_first_entry(&arena->room, struct block, in_room);
        unsigned at = b->num_free >= num && b->run >= num ? find_run(b, num) : 0;
        if (at != 0) {
            return span_in(arena, b, at, class);
        }
        cds_list_del(&b->in_room);
        cds_list_add_tail(&b->in_room, &arena->room);
    }
    struct block *b = block_new(arena);
    return b != NULL ? span_in(arena, b, HEADER_PAGES, class) : NULL;
}

static void span_free(struct arena *arena, struct block *b, struct span *s)
{
    cds_list_del(&s->in_class);
    memset(b->in_use + (s - b->span), 0, s->pages);
    if (b->num_free == 0) {
        cds_list_add(&b->in_room, &arena->room);
    }
    b->num_free += s->pages;
    b->run = PAGES - HEADER_PAGES;
    if (b->num_free == PAGES - HEADER_PAGES && arena->num_empty++ > 0) {
        block_free(arena, b);
    }
}

static uint8_t *start_of(struct block *b, const struct span *s)
{
    return (uint8_t *)b + (size_t)(s - b->span) * PAGE;
}

/* --- pieces --------------------------------------------------------------------------------- */

static void *take(struct arena *arena, unsigned class)
{
    struct class *c = &arena->class[class];
    struct span *s = cds_list_empty(&c->room)
                         ? span_new(arena, class)
                         : cds_list_first_entry(&c->room, struct span, in_class);
    if (s == NULL) {
        return NULL;
    }
    void *p = s->free;
    if (p != NULL) {
        memcpy(&s->free, p, sizeof(s->free));
    } else {
        p = start_of(block_of(s), s) + s->fresh++ * c->size;
    }
    if (++s->used == c->num) {
        cds_list_del(&s->in_class);
    }
    return p;
}

static void give(struct arena *arena, void *p)
{
    struct block *b = block_of(p);
    struct span *s = &b->span[b->first[(size_t)((uint8_t *)p - (uint8_t *)b) / PAGE]];
    struct class *c = &arena->class[s->class];
    memcpy(p, &s->free, sizeof(s->free));
    s->free = p;
    if (s->used-- == c->num) {
        cds_list_add(&s->in_class, &c->room);
    }
    if (s->used == 0) {
        span_free(arena, b, s);
    }
}

void *arena_take(struct arena *arena, size_t len)
{
    if (USE_MALLOC || len > LARGE) {
        return malloc(len);
    }
    unsigned class = class_of(len);
    pthread_mutex_lock(&arena->lock);
    void *p = take(arena, class);
    pthread_mutex_unlock(&arena->lock);
    return p;
}

void arena_give(struct arena *arena, void *p, size_t len)
{
    if (USE_MALLOC || len > LARGE) {
        free(p);
        return;
    }
    pthread_mutex_lock(&arena->lock);
    give(arena, p);
    pthread_mutex_unlock(&arena->lock);
}

uint64_t arena_mapped(struct arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    uint64_t bytes = arena->num_blocks * BLOCK;
    pthread_mutex_unlock(&arena->lock);
    return bytes;
}

struct arena *arena_new(void)
{
    struct arena *arena = calloc(1, sizeof(*arena));
    if (arena == NULL) {
        return NULL;
    }
    pthread_mutex_init(&arena->lock, NULL);
    CDS_INIT_LIST_HEAD(&arena->blocks);
    CDS_INIT_LIST_HEAD(&arena->room);
    for (unsigned i = 0; i < CLASSES; i++) {
        plan(&arena->class[i], size_of(i));
        CDS_INIT_LIST_HEAD(&arena->class[i].room);
    }
    return arena;
}

void arena_free(struct arena *arena)
{
    if (arena == NULL) {
        return;
    }
    struct block *b, *next;
    cds_list_for_each_entry_safe(b, next, &arena->blocks, in_blocks)
    {
        munmap(b, BLOCK);
    }
    pthread_mutex_destroy(&arena->lock);
    free(arena);
}
