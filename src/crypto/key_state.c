/* SPDX-License-Identifier: MIT */
#include "crypto/key_state.h"

#include "base/secret.h"
#include "crypto/kdf.h"

const uint8_t signet_usage_slots[SIGNET_USAGE_END] = {
    [SIGNET_USAGE_NONE] = 1,
    [SIGNET_USAGE_CONNECTION_SECRET] = 2,
    [SIGNET_USAGE_TICKET_SESSION_KEY] = 3,
    [SIGNET_USAGE_TICKET_BLOB] = 4,
    [SIGNET_USAGE_AUTHORIZE] = 5,
    [SIGNET_USAGE_AUTHORIZE_CHALLENGE] = 6,
    [SIGNET_USAGE_AUTHORIZE_REPLY] = 7,
    [SIGNET_USAGE_ROTATING_SECRET] = 8,
    [SIGNET_USAGE_TICKET_INFO] = SIGNET_USAGES,
};

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

int signet_key_state_make(const struct signet_key *key, const struct signet_row *row,
                          enum signet_usage usage, unsigned slot, struct signet_state **out)
{
    /* A shared key is never a const object; its operations fill what is empty. */
    _Atomic(struct signet_state *) *at = &((struct signet_key *)(uintptr_t)key)->states[slot];
    struct signet_state *fresh, *seen = NULL;
    int err = make_state(key, row, usage, &fresh);
    if (err != 0) {
        return err;
    }
    if (!atomic_compare_exchange_strong_explicit(at, &seen, fresh, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        signet_state_free(fresh);
        fresh = seen;
    }
    *out = fresh;
    return 0;
}

int signet_state_fill(const struct signet_key *key, const struct signet_row *row,
                      struct signet_state *state, enum key_role role, struct signet_engine **out)
{
    signet_engine_slot *slot = &state->engines[row->index][role];
    if (role == KEY_ROLE_MAC) {
        return signet_engine_fill(slot, out, row->handler, SIGNET_ALG_HMAC_SHA384, state->ki,
                                  SIGNET_KI_LEN);
    }
    bool seal = role == KEY_ROLE_SEAL;
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
        for (unsigned r = 0; r < KEY_ROLES; r++) {
            signet_engine_drop(&state->engines[h][r]);
        }
    }
    signet_secret_free(state, sizeof(*state));
}
