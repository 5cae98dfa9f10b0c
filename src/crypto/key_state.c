/* SPDX-License-Identifier: MIT */
#include "crypto/key_state.h"

#include "base/secret.h"
#include "crypto/kdf.h"

int signet_usage_slot(enum signet_usage usage)
{
    switch (usage) {
    case SIGNET_USAGE_NONE:
        return 0;
    case SIGNET_USAGE_CONNECTION_SECRET:
        return 1;
    case SIGNET_USAGE_TICKET_SESSION_KEY:
        return 2;
    case SIGNET_USAGE_TICKET_BLOB:
        return 3;
    case SIGNET_USAGE_AUTHORIZE:
        return 4;
    case SIGNET_USAGE_AUTHORIZE_CHALLENGE:
        return 5;
    case SIGNET_USAGE_AUTHORIZE_REPLY:
        return 6;
    case SIGNET_USAGE_ROTATING_SECRET:
        return 7;
    case SIGNET_USAGE_TICKET_INFO:
        return 8;
    }
    return -1;
}

size_t signet_key_states(enum signet_key_type type)
{
    return type == SIGNET_KEY_AES256K ? SIGNET_USAGES : 1;
}

static int make_state(const struct signet_key *key, const struct signet_row *row,
                      enum signet_usage usage, struct signet_state **out)
{
    struct signet_state *state = signet_secret_alloc(sizeof(*state));
    if (state == NULL) {
        return -SIGNET_E_NOMEM;
    }
    int err = 0;
    if (key->type == SIGNET_KEY_AES256K) {
        err = signet_kdf(row->handler, state->ke, state->ki, key->secret, usage);
    }
    if (err != 0) {
        signet_state_free(state);
        return err;
    }
    *out = state;
    return 0;
}

/* The slot of a shared key that its operations fill; the key itself is never a const object. */
static _Atomic(struct signet_state *) *slot_of(const struct signet_key *key, unsigned at)
{
    return &((struct signet_key *)(uintptr_t)key)->states[at];
}

int signet_key_state(const struct signet_key *key, const struct signet_row *row,
                     enum signet_usage usage, struct signet_state **out)
{
    int at = signet_usage_slot(usage);
    if (at < 0) {
        return -SIGNET_E_USAGE;
    }
    at = key->type == SIGNET_KEY_AES256K ? at : 0;
    _Atomic(struct signet_state *) *slot = slot_of(key, (unsigned)at);
    /* Acquire pairs with the release of the publishing below. */
    *out = atomic_load_explicit(slot, memory_order_acquire);
    if (*out != NULL) {
        return 0;
    }
    struct signet_state *fresh, *seen = NULL;
    int err = make_state(key, row, usage, &fresh);
    if (err != 0) {
        return err;
    }
    if (!atomic_compare_exchange_strong_explicit(slot, &seen, fresh, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        signet_state_free(fresh);
        fresh = seen;
    }
    *out = fresh;
    return 0;
}

int signet_state_fill(const struct signet_key *key, const struct signet_row *row,
                      struct signet_state *state, enum signet_role role, struct signet_engine **out)
{
    signet_engine_slot *slot = &state->engines[row->index][role];
    if (role == SIGNET_ROLE_MAC) {
        return signet_engine_fill(slot, out, row->handler, SIGNET_ALG_HMAC_SHA384, state->ki,
                                  SIGNET_KI_LEN);
    }
    bool seal = role == SIGNET_ROLE_SEAL;
    if (key->type == SIGNET_KEY_AES256K) {
        return signet_engine_fill(slot, out, row->handler,
                                  seal ? SIGNET_ALG_CBC256_SEAL : SIGNET_ALG_CBC256_OPEN, state->ke,
                                  SIGNET_KE_LEN);
    }
    return signet_engine_fill(slot, out, row->handler,
                              seal ? SIGNET_ALG_CBC128_SEAL : SIGNET_ALG_CBC128_OPEN, key->secret,
                              16);
}

void signet_state_free(struct signet_state *state)
{
    if (state == NULL) {
        return;
    }
    for (unsigned h = 0; h < SIGNET_HANDLER_MAX; h++) {
        for (unsigned r = 0; r < SIGNET_ROLES; r++) {
            signet_engine_drop(&state->engines[h][r]);
        }
    }
    signet_secret_free(state, sizeof(*state));
}
