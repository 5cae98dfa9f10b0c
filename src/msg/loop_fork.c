/* SPDX-License-Identifier: MIT */
/* A fork happens while no worker is at work, so that the child finds their lists whole. */
#include "msg/loop.h"

#include "crypto/fork.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CDS_LIST_HEAD(messengers);
static atomic_uint waiting; /* threads that are about to fork */

/* A worker may fork itself; it has its turn then. */
static void each_worker(int (*change)(pthread_mutex_t *mutex))
{
    struct cds_list_head *at;
    cds_list_for_each(at, &messengers)
    {
        struct signet_messenger *m = cds_list_entry(at, struct signet_messenger, in_messengers);
        for (unsigned i = 0; i < m->num_workers; i++) {
            if (!loop_is_worker(&m->worker[i])) {
                change(&m->worker[i].turn);
            }
        }
    }
}

static void prepare(void)
{
    atomic_fetch_add(&waiting, 1);
    pthread_mutex_lock(&lock);
    each_worker(pthread_mutex_lock);
}

static void release(void)
{
    each_worker(pthread_mutex_unlock);
    pthread_mutex_unlock(&lock);
    atomic_fetch_sub(&waiting, 1);
}

/* Mutexes are not fair: a busy worker would take its turn again and again. */
void loop_fork_let(void)
{
    if (atomic_load_explicit(&waiting, memory_order_relaxed) != 0) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

void loop_fork_join(struct signet_messenger *messenger)
{
    signet_fork_users(prepare, release);
    pthread_mutex_lock(&lock);
    cds_list_add_tail(&messenger->in_messengers, &messengers);
    pthread_mutex_unlock(&lock);
}

void loop_fork_part(struct signet_messenger *messenger)
{
    pthread_mutex_lock(&lock);
    cds_list_del(&messenger->in_messengers);
    pthread_mutex_unlock(&lock);
}
