/* SPDX-License-Identifier: MIT */
/* Deadlines: a binary heap whose entries know their places. */
#include "msg/loop.h"

#include <stdlib.h>

int loop_heap_reserve(struct loop_heap *heap, size_t num)
{
    if (num < heap->cap) {
        return 0;
    }
    size_t cap = 2 * num + 64;
    struct loop_timer **v = realloc(heap->v, cap * sizeof(*v));
    if (v == NULL) {
        return -SIGNET_E_NOMEM;
    }
    heap->v = v;
    heap->cap = cap;
    return 0;
}

static void put(struct loop_heap *heap, size_t place, struct loop_timer *timer)
{
    heap->v[place] = timer;
    timer->place = place;
}

static void up(struct loop_heap *heap, size_t place, struct loop_timer *timer)
{
    while (place > 1 && heap->v[place / 2]->at_ns > timer->at_ns) {
        put(heap, place, heap->v[place / 2]);
        place /= 2;
    }
    put(heap, place, timer);
}

static void down(struct loop_heap *heap, size_t place, struct loop_timer *timer)
{
    for (;;) {
        size_t child = 2 * place;
        if (child > heap->num) {
            break;
        }
        if (child < heap->num && heap->v[child + 1]->at_ns < heap->v[child]->at_ns) {
            child++;
        }
        if (heap->v[child]->at_ns >= timer->at_ns) {
            break;
        }
        put(heap, place, heap->v[child]);
        place = child;
    }
    put(heap, place, timer);
}

static void settle(struct loop_heap *heap, size_t place, struct loop_timer *timer)
{
    if (place > 1 && heap->v[place / 2]->at_ns > timer->at_ns) {
        up(heap, place, timer);
    } else {
        down(heap, place, timer);
    }
}

static void take_out(struct loop_heap *heap, struct loop_timer *timer)
{
    size_t place = timer->place;
    struct loop_timer *last = heap->v[heap->num--];
    timer->place = 0;
    if (last != timer) {
        settle(heap, place, last);
    }
}

void loop_timer_set(struct loop_heap *heap, struct loop_timer *timer, uint64_t at_ns)
{
    if (at_ns == UINT64_MAX) {
        if (timer->place != 0) {
            take_out(heap, timer);
        }
        return;
    }
    timer->at_ns = at_ns;
    settle(heap, timer->place != 0 ? timer->place : ++heap->num, timer);
}

struct loop_timer *loop_timer_first(const struct loop_heap *heap)
{
    return heap->num > 0 ? heap->v[1] : NULL;
}
