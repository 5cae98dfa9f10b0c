/* SPDX-License-Identifier: MIT */
/*
 * Read-copy-update for pointers to immutable things that are replaced and freed while they
 * are read: liburcu, bulletproof flavour, since a library cannot make the threads of its caller
 * register. The pointers themselves are C11 atomics, read with acquire and published with release.
 */
#ifndef SIGNET_BASE_RCU_H
#define SIGNET_BASE_RCU_H

#include <stdatomic.h>

/* A read section: what was reached through a published pointer inside it lives until its end.
 * Nests; must not be left open by a blocking call. Any thread; takes no lock after the thread's
 * first one. */
void signet_rcu_enter(void);
void signet_rcu_leave(void);
/* Waits until every read section that was open at the call has ended. Not inside one. */
void signet_rcu_wait(void);

/* Around fork(): a child must be able to wait, too. */
void signet_rcu_fork_prepare(void);
void signet_rcu_fork_parent(void);
void signet_rcu_fork_child(void);

#endif
