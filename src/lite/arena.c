/* SPDX-License-Identifier: MIT */
/* Blocks -> spans of pages -> pieces of one size. */
#include "lite/arena.h"

#include <stdlib.h>
#include <string.h>

#include "lite/arena_block.h"

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { USE_MALLOC = 1 };
#else
enum { USE_MALLOC = 0 };
#endif

enum {
    PAGE = ARENA_PAGE,
    LARGE = 512 << 10, /* more than that is malloc's */
    FINE = 128,        /* up to here sizes are 16 apart, above 8 steps to each doubling */
    CLASSES = 104,
    SPAN_PAGES_MAX = LARGE / PAGE,
    SPAN_FEW = 8,          /* pieces of a span, at least, unless it is large */
    SPAN_LARGE = 64 << 10, /* bytes */
    LOOKS = 8,             /* blocks that are looked at before there is a new one */
};

struct class
{
    size_t size;
    uint16_t pages, num;       /* of a span; pieces */
    struct cds_list_head room; /* spans with room */
};

struct arena {
    pthread_mutex_t lock;
    struct block_pool pool;
    struct cds_list_head room; /* blocks with spans and free pages */
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

/* --- spans ---------------------------------------------------------------------------------- */

static struct block *block_of(const void *p)
{
    return (struct block *)((uintptr_t)p & ~((uintptr_t)ARENA_BLOCK - 1));
}

/* The first of so many free pages in a row, or 0. */
static unsigned find_run(struct block *b, unsigned num)
{
    unsigned have = 0;
    for (unsigned i = ARENA_HEADER_PAGES; i < ARENA_PAGES; i++) {
        have = b->in_use[i] ? 0 : have + 1;
        if (have == num) {
            return i + 1 - num;
        }
    }
    b->run = num - 1;
    return 0;
}

static struct span *span_in(struct arena *arena, struct block *b, unsigned at, unsigned class)
{
    struct class *c = &arena->class[class];
    struct span *s = &b->span[at];
    memset(b->in_use + at, 1, c->pages);
    memset(b->first + at, (int)at, c->pages);
    b->num_free -= c->pages;
    if (b->num_free == 0) {
        cds_list_del(&b->in_room);
    }
    *s = (struct span){.class = (uint16_t) class, .pages = c->pages};
    cds_list_add(&s->in_class, &c->room);
    return s;
}

/* NULL: no block has room, and none is empty. */
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
    struct block *b = block_take(&arena->pool);
    if (b == NULL) {
        return NULL;
    }
    cds_list_add(&b->in_room, &arena->room);
    return span_in(arena, b, ARENA_HEADER_PAGES, class);
}

static void span_free(struct arena *arena, struct block *b, struct span *s)
{
    cds_list_del(&s->in_class);
    memset(b->in_use + (s - b->span), 0, s->pages);
    if (b->num_free == 0) {
        cds_list_add(&b->in_room, &arena->room);
    }
    b->num_free += s->pages;
    b->run = ARENA_PAGES - ARENA_HEADER_PAGES;
    if (b->num_free == ARENA_PAGES - ARENA_HEADER_PAGES) {
        cds_list_del(&b->in_room);
        block_give(&arena->pool, b);
    }
}

static uint8_t *start_of(struct block *b, const struct span *s)
{
    return (uint8_t *)b + (size_t)(s - b->span) * PAGE;
}

/* --- pieces --------------------------------------------------------------------------------- */

/* Another thread may have made room, or taken the new block, while the lock was given away. */
static struct span *span_with_room(struct arena *arena, unsigned class)
{
    struct class *c = &arena->class[class];
    for (;;) {
        if (!cds_list_empty(&c->room)) {
            return cds_list_first_entry(&c->room, struct span, in_class);
        }
        struct span *s = span_new(arena, class);
        if (s != NULL || !block_more(&arena->pool)) {
            return s;
        }
    }
}

static void *take(struct arena *arena, unsigned class)
{
    struct class *c = &arena->class[class];
    struct span *s = span_with_room(arena, class);
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
    uint64_t blocks = (uint64_t)arena->pool.num_used + arena->pool.num_empty;
    pthread_mutex_unlock(&arena->lock);
    return blocks * ARENA_BLOCK;
}

struct arena *arena_new(uint64_t keep_ns)
{
    struct arena *arena = calloc(1, sizeof(*arena));
    if (arena == NULL) {
        return NULL;
    }
    pthread_mutex_init(&arena->lock, NULL);
    block_pool_init(&arena->pool, &arena->lock, keep_ns);
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
    block_pool_fini(&arena->pool);
    pthread_mutex_destroy(&arena->lock);
    free(arena);
}
