/* SPDX-License-Identifier: MIT */
/* Whether sealing works at this moment, for tests that pull at the library below it. */
#ifndef SIGNET_TEST_FRESH_KEYS_H
#define SIGNET_TEST_FRESH_KEYS_H

#include <stdbool.h>

#include <signet/key.h>

bool seal_and_open(const struct signet_key *key);
/* Keys of both types and a stream made now. */
bool use_fresh(void);

#endif
