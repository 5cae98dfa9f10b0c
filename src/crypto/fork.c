/* SPDX-License-Identifier: MIT */
#include "crypto/fork.h"

#include <pthread.h>
#include <stdatomic.h>

#include <signet/signet.h>

#include "base/rcu.h"

static atomic_bool hooks_on;
static bool hooks_taken; /* this fork went through our own hooks; only the forking thread looks */

/* The forking thread alone looks at users_taken. */
static _Atomic(void (*)(void)) users_prepare, users_release;
static bool users_taken;

void signet_fork_users(void (*prepare)(void), void (*release)(void))
{
    atomic_store(&users_release, release);
    atomic_store(&users_prepare, prepare);
}

static void take_users(void)
{
    void (*prepare)(void) = atomic_load(&users_prepare);
    users_taken = prepare != NULL;
    if (users_taken) {
        prepare();
    }
}

static void release_users(void)
{
    if (users_taken) {
        users_taken = false;
        atomic_load (&users_release)();
    }
}

/* Whoever is above uses all that is below until it is held. RCU first: while it waits for a grace
 * period, read sections that use a handler must get through. No handler opens a read section. */
void signet_fork_prepare(void)
{
    take_users();
    signet_rcu_fork_prepare();
    signet_registry_fork_lock();
}

void signet_fork_parent(void)
{
    signet_registry_fork_unlock(false);
    signet_rcu_fork_parent();
    release_users();
}

void signet_fork_child(void)
{
    signet_registry_fork_unlock(true);
    signet_rcu_fork_child();
    release_users();
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
