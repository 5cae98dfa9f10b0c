/* SPDX-License-Identifier: MIT */
/* What is held over a fork, so that the child finds everything whole and free. */
#ifndef SIGNET_CRYPTO_FORK_H
#define SIGNET_CRYPTO_FORK_H

#include <stdbool.h>

/* Whether our own atfork hooks do anything. Under the registry's lock. */
void signet_fork_hooks(bool on);

/* Order: registry, overflow lanes, handlers; secret memory comes last by its own hooks. */
void signet_registry_fork_lock(void);
void signet_registry_fork_unlock(bool child);

/* What the room above holds over a fork: prepare comes before all else, release after it, in
 * parent and child. Once set they stay. */
void signet_fork_users(void (*prepare)(void), void (*release)(void));

#endif
