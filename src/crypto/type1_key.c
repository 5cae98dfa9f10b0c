/* SPDX-License-Identifier: MIT */
#include "crypto/type1_key.h"

#include "crypto/key_state.h"
#include "crypto/type1.h"

int signet_type1_key_seal(const struct signet_key *key, uint8_t *buf, size_t len)
{
    if (key->type != SIGNET_KEY_AES) {
        return -SIGNET_E_KEY_TYPE;
    }
    struct signet_row *row = signet_row_now(key->pin);
    struct signet_state *state;
    struct signet_engine *engine = NULL;
    if (row == NULL) {
        return -SIGNET_E_STATE;
    }
    int err = signet_key_state(key, row, SIGNET_USAGE_NONE, &state);
    if (err == 0) {
        err = signet_state_engine(key, row, state, KEY_ROLE_SEAL, &engine);
    }
    return err == 0 ? signet_type1_seal(engine, buf, len) : err;
}
