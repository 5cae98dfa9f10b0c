/* SPDX-License-Identifier: MIT */
#include "base/rcu.h"

#include <urcu-bp.h>

#if defined(__SANITIZE_THREAD__)
#define SEES_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SEES_THREADS 1
#endif
#endif

#ifdef SEES_THREADS
/* liburcu is not instrumented: tell ThreadSanitizer what a grace period orders. */
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
static char grace;
#define ORDER_AFTER()  __tsan_acquire(&grace)
#define ORDER_BEFORE() __tsan_release(&grace)
#else
#define ORDER_AFTER()  ((void)0)
#define ORDER_BEFORE() ((void)0)
#endif

void signet_rcu_enter(void)
{
    urcu_bp_read_lock();
}

void signet_rcu_leave(void)
{
    ORDER_BEFORE(); /* what was read here comes before what the waiting writer frees */
    urcu_bp_read_unlock();
}

void signet_rcu_wait(void)
{
    urcu_bp_synchronize_rcu();
    ORDER_AFTER();
}

void signet_rcu_fork_prepare(void)
{
    urcu_bp_before_fork();
}

void signet_rcu_fork_parent(void)
{
    urcu_bp_after_fork_parent();
}

void signet_rcu_fork_child(void)
{
    urcu_bp_after_fork_child();
}
