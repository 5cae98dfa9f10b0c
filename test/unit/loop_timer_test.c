/* SPDX-License-Identifier: MIT */
/* The heap of deadlines, against a plain search. */
#include "support/suite.h"

#include <stdlib.h>

#include "msg/loop.h"

enum { TIMERS = 200, STEPS = 20000 };

static struct loop_timer timers[TIMERS];
static uint64_t seed = 42;

static uint64_t draw(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

static const struct loop_timer *earliest(void)
{
    const struct loop_timer *best = NULL;
    for (unsigned i = 0; i < TIMERS; i++) {
        if (timers[i].place != 0 && (best == NULL || timers[i].at_ns < best->at_ns)) {
            best = &timers[i];
        }
    }
    return best;
}

static bool right(const struct loop_heap *heap)
{
    const struct loop_timer *first = loop_timer_first(heap), *best = earliest();
    bool ok = (first == NULL) == (best == NULL) && (first == NULL || first->at_ns == best->at_ns);
    for (size_t i = 1; i <= heap->num; i++) {
        ok = ok && heap->v[i]->place == i;
    }
    return ok;
}

START_TEST(as_a_search_finds)
{
    struct loop_heap heap = {0};
    ck_assert_ptr_null(loop_timer_first(&heap));
    assert_ok(loop_heap_reserve(&heap, TIMERS));
    for (unsigned i = 0; i < STEPS; i++) {
        struct loop_timer *timer = &timers[draw(TIMERS)];
        uint64_t what = draw(10);
        if (what < 6) {
            loop_timer_set(&heap, timer, draw(1000)); /* many of them alike */
        } else if (what < 9) {
            loop_timer_set(&heap, timer, UINT64_MAX);
            ck_assert_uint_eq(timer->place, 0);
        } else if (loop_timer_first(&heap) != NULL) {
            loop_timer_set(&heap, loop_timer_first(&heap), UINT64_MAX);
        }
        ck_assert(right(&heap));
    }
    assert_ok(loop_heap_reserve(&heap, 10 * TIMERS)); /* grows with what is in it */
    ck_assert(right(&heap));
    free(heap.v);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("loop_timer");
    TCase *t = tcase_create("heap");
    suite_add_tcase(s, t);
    tcase_add_test(t, as_a_search_finds);
    return suite_run(s);
}
