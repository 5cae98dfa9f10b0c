/* SPDX-License-Identifier: MIT */
/* Inside a key: a state per usage, an engine per handler and role in each. */
#ifndef SIGNET_CRYPTO_KEY_STATE_H
#define SIGNET_CRYPTO_KEY_STATE_H

#include <signet/key.h>

#include "crypto/engine.h"
#include "crypto/registry.h"

enum { SIGNET_KE_LEN = 32, SIGNET_KI_LEN = 24, SIGNET_USAGES = 9, SIGNET_SECRET_MAX = 32 };

enum key_role { KEY_ROLE_SEAL, KEY_ROLE_OPEN, KEY_ROLE_MAC, KEY_ROLES };

/* What one usage needs. The derived keys (type 2 only) are there before it is published and
 * never change; engines are added on first use. */
struct signet_state {
    uint8_t ke[SIGNET_KE_LEN];
    uint8_t ki[SIGNET_KI_LEN];
    signet_engine_slot engines[SIGNET_HANDLER_MAX][KEY_ROLES];
};

struct signet_key {
    _Atomic uint32_t refs;
    uint32_t type; /* enum signet_key_type: AES or AES256K */
    uint32_t created_sec, created_nsec;
    struct signet_row *pin;
    uint8_t secret[SIGNET_SECRET_MAX];
    signet_engine_slot hmac[SIGNET_HANDLER_MAX];  /* HMAC-SHA256 with the secret */
    signet_engine_slot batch[SIGNET_HANDLER_MAX]; /* bare blocks; type 1 only */
    /* By signet_usage_slots; type 1 has only the first. */
    _Atomic(struct signet_state *) states[];
};

enum { SIGNET_USAGE_END = SIGNET_USAGE_TICKET_INFO + 1 };
/* Slot + 1 by usage number; 0 for a number that is no usage. */
extern const uint8_t signet_usage_slots[SIGNET_USAGE_END];
size_t signet_key_states(enum signet_key_type type);

/* Derives and publishes the state of a slot. -NOMEM or what the handler said. */
int signet_key_state_make(const struct signet_key *key, const struct signet_row *row,
                          enum signet_usage usage, unsigned slot, struct signet_state **out);

/* The state of a usage, derived on first use. -USAGE, -NOMEM or what the handler said. */
static inline int signet_key_state(const struct signet_key *key, const struct signet_row *row,
                                   enum signet_usage usage, struct signet_state **out)
{
    unsigned slot = (unsigned)usage < SIGNET_USAGE_END ? signet_usage_slots[usage] : 0;
    if (slot == 0) {
        return -SIGNET_E_USAGE;
    }
    slot = key->type == SIGNET_KEY_AES256K ? slot - 1 : 0;
    /* Acquire pairs with the release of the publishing. */
    *out = atomic_load_explicit(&key->states[slot], memory_order_acquire);
    return *out != NULL ? 0 : signet_key_state_make(key, row, usage, slot, out);
}

int signet_state_fill(const struct signet_key *key, const struct signet_row *row,
                      struct signet_state *state, enum key_role role, struct signet_engine **out);

/* The engine of a role, made on first use. */
static inline int signet_state_engine(const struct signet_key *key, const struct signet_row *row,
                                      struct signet_state *state, enum key_role role,
                                      struct signet_engine **out)
{
    *out = atomic_load_explicit(&state->engines[row->index][role], memory_order_acquire);
    return *out != NULL ? 0 : signet_state_fill(key, row, state, role, out);
}

/* Wipes and frees; NULL is fine. */
void signet_state_free(struct signet_state *state);

#endif
