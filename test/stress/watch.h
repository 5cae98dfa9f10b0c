/* SPDX-License-Identifier: MIT */
/* Looks at a key from outside while threads use it: nothing published may ever change. */
#ifndef SIGNET_TEST_STRESS_WATCH_H
#define SIGNET_TEST_STRESS_WATCH_H

#include "crypto/key_state.h"

/* A hash over the secret and all derived keys that are there. */
uint64_t watch_hash(const struct signet_key *key);
/* Remembers each state, engine and lane pointer that is set; returns how many slots differ
 * from what an earlier call saw. One watcher per program. */
unsigned watch_slots(const struct signet_key *key);
/* How many slots the calls so far have seen set. */
unsigned watch_seen(void);

#endif
