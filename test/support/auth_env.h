/* SPDX-License-Identifier: MIT */
/* A clock and a random source that tests set, and keys from vectors. */
#ifndef SIGNET_TEST_AUTH_ENV_H
#define SIGNET_TEST_AUTH_ENV_H

#include <signet/env.h>
#include <signet/key.h>

#include "support/suite.h"

#define SEC UINT64_C(1000000000)

struct fake_env {
    uint64_t real_ns, mono_ns;
    uint8_t script[64]; /* what random gives out first; then it counts */
    size_t script_len, used;
    uint8_t counter;
    uint64_t mix; /* not 0: no counting, but numbers that hardly ever repeat */
    int random_err;
};

/* The next number of a sequence (SplitMix64) that state alone decides. */
uint64_t next_mixed(uint64_t *state);
/* A clock in the year 2026, nothing scripted. */
void fake_env_init(struct fake_env *fake);
struct signet_env fake_env_make(struct fake_env *fake);
void fake_env_pass(struct fake_env *fake, uint64_t ns);
/* Appends what random gives out next. */
void fake_env_script(struct fake_env *fake, const uint8_t *p, size_t len);

/* All abort the test on failure. */
struct signet_key *key_of_wire(const char *hex);
struct signet_key *key_of_text(const char *base64);
/* All bytes of the secret alike; created at 0x65000000 s. */
struct signet_key *key_of_byte(enum signet_key_type type, uint8_t byte);

/* The only member of this name, or the test aborts. */
const char *json_hex(const json_t *object, const char *name);

#endif
