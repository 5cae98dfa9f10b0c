/* SPDX-License-Identifier: MIT */
/* Memory of objects: pieces are where nothing else is, and go back to the system. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "lite/arena.h"
#include "support/suite.h"

/* The linker leads the calls of the arena here (--wrap). Each takes the arena's lock meanwhile: who
 * held it would wait forever. */
void *__real_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *p, size_t len);
int __real_madvise(void *p, size_t len, int advice);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);
void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *p, size_t len);
int __wrap_madvise(void *p, size_t len, int advice);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);

static struct arena *_Atomic watched;
static atomic_uint maps, unmaps, threads;

static void look(atomic_uint *count)
{
    struct arena *arena = atomic_load(&watched);
    if (arena != NULL) {
        (void)arena_mapped(arena);
        atomic_fetch_add(count, 1);
    }
}

void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
    look(&maps);
    return __real_mmap(at, len, protection, flags, fd, offset);
}

int __wrap_munmap(void *p, size_t len)
{
    look(&unmaps);
    return __real_munmap(p, len);
}

int __wrap_madvise(void *p, size_t len, int advice)
{
    look(&maps);
    return __real_madvise(p, len, advice);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg)
{
    look(&threads);
    return __real_pthread_create(thread, attr, run, arg);
}

enum { PIECES = 3000, ROUNDS = 20000, THREADS = 4, BLOCK = 2 << 20 };

#define NEVER (3600 * UINT64_C(1000000000))

struct piece {
    uint8_t *p;
    size_t len;
    uint8_t mark;
};

/* Small ones often, some around the limits of classes, spans and what the arena takes. */
static size_t draw_len(unsigned *seed)
{
    static const size_t edges[] = {0,     1,     16,    128,    129,    4096,  8192,
                                   65536, 65537, 73728, 524288, 524289, 600000};
    unsigned kind = (unsigned)rand_r(seed) % 16;
    if (kind == 0) {
        return edges[(unsigned)rand_r(seed) % (sizeof(edges) / sizeof(edges[0]))];
    }
    return (unsigned)rand_r(seed) % (kind < 12 ? 6000U : 70000U);
}

static void put(struct arena *arena, struct piece *x, size_t len, uint8_t mark)
{
    x->p = arena_take(arena, len);
    if (x->p == NULL || (uintptr_t)x->p % 16 != 0) {
        ck_abort_msg("%zu bytes are at %p", len, (void *)x->p);
    }
    x->len = len;
    x->mark = mark;
    memset(x->p, mark, len);
}

static void drop(struct arena *arena, struct piece *x)
{
    /* All bytes are the mark when the first one is, and each is as the one before it. */
    bool same = x->p == NULL || x->len == 0 ||
                (x->p[0] == x->mark && memcmp(x->p, x->p + 1, x->len - 1) == 0);
    if (!same) {
        ck_abort_msg("%zu bytes were changed", x->len);
    }
    if (x->p != NULL) {
        arena_give(arena, x->p, x->len);
    }
    x->p = NULL;
}

static void churn(struct arena *arena, struct piece *pieces, size_t num, unsigned seed)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct piece *x = &pieces[(unsigned)rand_r(&seed) % num];
        drop(arena, x);
        put(arena, x, draw_len(&seed), (uint8_t)i);
    }
    for (size_t i = 0; i < num; i++) {
        drop(arena, &pieces[i]);
    }
}

START_TEST(pieces_stay_whole)
{
    static struct piece pieces[PIECES];
    struct arena *arena = arena_new(NEVER);
    ck_assert_ptr_nonnull(arena);
    churn(arena, pieces, PIECES, 1);
    arena_free(arena);
}
END_TEST

/* Waits until no more than so many blocks are left. */
static void ck_shrinks_to(struct arena *arena, uint64_t blocks)
{
    for (int i = 0; i < 1000 && arena_mapped(arena) > blocks * BLOCK; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    ck_assert_uint_le(arena_mapped(arena), blocks * BLOCK);
}

START_TEST(memory_goes_back)
{
    static struct piece pieces[PIECES];
    struct arena *arena = arena_new(1000000);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < PIECES; i++) {
            put(arena, &pieces[i], 4300, (uint8_t)i);
        }
        uint64_t most = arena_mapped(arena);
        /* the asan lane leaves all to malloc() */
        ck_assert(most == 0 ||
                  (most >= 4300UL * PIECES && most <= 4300UL * PIECES * 5 / 4 + 3UL * BLOCK));
        for (size_t i = 0; i < PIECES; i++) {
            drop(arena, &pieces[(i * 7 + 3) % PIECES]);
        }
        ck_shrinks_to(arena, 0);
    }
    arena_free(arena);
}
END_TEST

/* The same memory serves again, and no more of it. */
START_TEST(memory_is_kept_for_a_while)
{
    static struct piece pieces[PIECES];
    struct arena *arena = arena_new(NEVER);
    for (int round = 0; round < 20; round++) {
        uint64_t before = arena_mapped(arena);
        for (size_t i = 0; i < PIECES; i++) {
            put(arena, &pieces[i], 4300, (uint8_t)i);
        }
        /* the keeper may still be at work for the first round */
        ck_assert(round == 0 || arena_mapped(arena) <= before + 2UL * BLOCK);
        for (size_t i = 0; i < PIECES; i++) {
            drop(arena, &pieces[i]);
        }
        ck_assert_uint_ge(arena_mapped(arena), before);
    }
    arena_free(arena);
}
END_TEST

/* Half of what one size gives back serves another. */
START_TEST(spans_change_their_class)
{
    static struct piece pieces[PIECES];
    struct arena *arena = arena_new(NEVER);
    for (size_t i = 0; i < PIECES; i++) {
        put(arena, &pieces[i], 4300, (uint8_t)i);
    }
    uint64_t before = arena_mapped(arena);
    for (size_t i = 0; i < PIECES / 2; i++) {
        drop(arena, &pieces[i]);
    }
    for (size_t i = 0; i < PIECES / 2; i++) {
        put(arena, &pieces[i], 3900, (uint8_t)i);
    }
    ck_assert_uint_le(arena_mapped(arena), before + BLOCK);
    for (size_t i = 0; i < PIECES; i++) {
        drop(arena, &pieces[i]);
    }
    arena_free(arena);
}
END_TEST

/* Nobody waits for the lock while the system is asked for memory. */
START_TEST(the_system_is_asked_without_the_lock)
{
    static struct piece pieces[PIECES];
    struct arena *arena = arena_new(1000000);
    atomic_store(&watched, arena);
    for (size_t i = 0; i < PIECES; i++) {
        put(arena, &pieces[i], 20000, (uint8_t)i);
    }
    bool none = arena_mapped(arena) == 0; /* the asan lane */
    for (size_t i = 0; i < PIECES; i++) {
        drop(arena, &pieces[i]);
    }
    ck_shrinks_to(arena, 0);
    atomic_store(&watched, NULL);
    ck_assert(none || (atomic_load(&maps) > 0 && atomic_load(&unmaps) > 0));
    ck_assert_uint_eq(atomic_load(&threads), none ? 0 : 1);
    arena_free(arena);
}
END_TEST

START_TEST(nothing_is_fine)
{
    arena_free(NULL);
    arena_free(arena_new(NEVER));
}
END_TEST

struct worker {
    pthread_t thread;
    struct arena *arena;
    unsigned seed;
    struct piece pieces[64];
};

static void *work(void *arg)
{
    struct worker *w = arg;
    churn(w->arena, w->pieces, 64, w->seed);
    return NULL;
}

START_TEST(threads_share_it)
{
    static struct worker worker[THREADS];
    struct arena *arena = arena_new(1); /* the keeper takes all that it can */
    for (unsigned i = 0; i < THREADS; i++) {
        worker[i].arena = arena;
        worker[i].seed = 100 + i;
        ck_assert_int_eq(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(worker[i].thread, NULL);
    }
    ck_shrinks_to(arena, 0);
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arena");
    TCase *c = tcase_create("pieces");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, pieces_stay_whole);
    tcase_add_test(c, memory_goes_back);
    tcase_add_test(c, memory_is_kept_for_a_while);
    tcase_add_test(c, spans_change_their_class);
    tcase_add_test(c, the_system_is_asked_without_the_lock);
    tcase_add_test(c, nothing_is_fine);
    tcase_add_test(c, threads_share_it);
    suite_add_tcase(suite, c);
    return suite_run(suite);
}
