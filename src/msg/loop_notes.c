/* SPDX-License-Identifier: MIT */
/* The inbox of a worker: a stack that any thread pushes to and that the worker takes as a whole;
 * and waking the worker, which costs a system call only when it sleeps. */
#include "msg/loop.h"

#include <unistd.h>

static struct loop_note closed; /* the inbox of a worker that has ended */

void loop_inbox_init(struct worker *worker)
{
    atomic_init(&worker->inbox, NULL);
    atomic_init(&worker->sleeping, WORKER_AWAKE);
}

static void wake(struct worker *worker)
{
    static const uint64_t one = 1;
    if (atomic_load(&worker->sleeping) == WORKER_ASLEEP &&
        atomic_exchange(&worker->sleeping, WORKER_AWAKE) == WORKER_ASLEEP) {
        ssize_t n = write(worker->wake, &one, sizeof(one));
        (void)n; /* the counter is full only if it is awake */
    }
}

/* Sequentially consistent, as is what loop_may_sleep() does: either the worker sees the note before
 * it sleeps, or this sees that it sleeps. */
bool loop_post(struct worker *worker, struct loop_note *note)
{
    struct loop_note *head = atomic_load_explicit(&worker->inbox, memory_order_relaxed);
    do {
        if (head == &closed) {
            return false;
        }
        note->next = head;
    } while (!atomic_compare_exchange_weak(&worker->inbox, &head, note));
    wake(worker);
    return true;
}

static void run_all(struct worker *worker, struct loop_note *newest)
{
    struct loop_note *first = NULL;
    while (newest != NULL) {
        struct loop_note *older = newest->next;
        newest->next = first;
        first = newest;
        newest = older;
    }
    while (first != NULL) {
        struct loop_note *next = first->next;
        first->run(worker, first); /* it may be used again at once */
        first = next;
    }
}

void loop_take_notes(struct worker *worker)
{
    if (atomic_load_explicit(&worker->inbox, memory_order_relaxed) != NULL) {
        run_all(worker, atomic_exchange(&worker->inbox, NULL));
    }
}

void loop_close_inbox(struct worker *worker)
{
    run_all(worker, atomic_exchange(&worker->inbox, &closed));
}

bool loop_may_sleep(struct worker *worker)
{
    atomic_store(&worker->sleeping, WORKER_ASLEEP);
    return atomic_load(&worker->inbox) == NULL;
}

void loop_woke_up(struct worker *worker)
{
    if (atomic_load_explicit(&worker->sleeping, memory_order_relaxed) != WORKER_AWAKE) {
        atomic_store(&worker->sleeping, WORKER_AWAKE);
    }
}
