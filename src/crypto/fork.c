/* SPDX-License-Identifier: MIT */
#include "crypto/fork.h"

#include <pthread.h>
#include <stdatomic.h>

#include <signet/signet.h>

#include "base/rcu.h"

static atomic_bool hooks_on;
static bool hooks_taken; /* this fork went through our own hooks; only the forking thread looks */

/* RCU first: while it waits for a grace period, read sections that use a handler must get through.
 * No handler opens a read section. */
void signet_fork_prepare(void)
{
    signet_rcu_fork_prepare();
    signet_registry_fork_lock();
}

void signet_fork_parent(void)
{
    signet_registry_fork_unlock(false);
    signet_rcu_fork_parent();
}

void signet_fork_child(void)
{
    signet_registry_fork_unlock(true);
    signet_rcu_fork_child();
}

static void hook_prepare(void)
{
    if (atomic_load(&hooks_on)) {
        signet_fork_prepare();
        hooks_taken = true;
    }
}

static void hook_parent(void)
{
    if (hooks_taken) {
        hooks_taken = false;
        signet_fork_parent();
    }
}

static void hook_child(void)
{
    if (hooks_taken) {
        hooks_taken = false;
        signet_fork_child();
    }
}

static void install(void)
{
    (void)pthread_atfork(hook_prepare, hook_parent, hook_child);
}

void signet_fork_hooks(bool on)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (on) {
        pthread_once(&once, install);
    }
    atomic_store(&hooks_on, on);
}
