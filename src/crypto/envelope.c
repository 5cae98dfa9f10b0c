/* SPDX-License-Identifier: MIT */
/* Source: keys.md 4. */
#include "crypto/envelope.h"

#include <string.h>

#include "base/secret.h"
#include "crypto/blocks.h"
#include "crypto/key_state.h"
#include "crypto/random_pool.h"
#include "crypto/type1.h"
#include "crypto/type2.h"

#define HEADER  SIGNET_ENVELOPE_HEADER
#define TYPE2_X (SIGNET_CONFOUNDER_LEN + HEADER + SIGNET_TYPE2_TAG_LEN)
#define LEN_MAX (UINT32_MAX - TYPE2_X) /* an envelope's length is a u32 on the wire */

/* What one operation works with, read once. */
struct tools {
    struct signet_row *row;
    struct signet_engine *cbc, *mac; /* mac: type 2 only */
};

/* type: the key's, known to the caller. */
static inline int find_tools(struct tools *t, const struct signet_key *key,
                             enum signet_key_type type, enum signet_usage usage, enum key_role role)
{
    t->row = signet_row_now(key->pin);
    if (t->row == NULL) {
        return -SIGNET_E_STATE;
    }
    struct signet_state *state;
    int err = signet_key_state(key, t->row, usage, &state);
    if (err == 0) {
        err = signet_state_engine(key, t->row, state, role, &t->cbc);
    }
    if (err == 0 && type == SIGNET_KEY_AES256K) {
        err = signet_state_engine(key, t->row, state, KEY_ROLE_MAC, &t->mac);
    }
    return err;
}

/* On failure nothing that was prepared leaves. */
static inline int finish(int err, uint8_t *out, size_t total, size_t *out_len)
{
    if (__builtin_expect(err != 0, 0)) {
        signet_wipe(out, total);
    } else {
        *out_len = total;
    }
    return err;
}

size_t signet_envelope_len(const struct signet_key *key, size_t plain_len)
{
    if (plain_len > LEN_MAX) {
        return 0;
    }
    return key->type == SIGNET_KEY_AES256K ? plain_len + TYPE2_X
                                           : signet_type1_len(plain_len + HEADER);
}

static int seal_type1(const struct signet_key *key, enum signet_usage usage, uint8_t *out,
                      size_t cap, size_t *out_len, const uint8_t *in, size_t len)
{
    struct tools t;
    size_t total = signet_type1_len(HEADER + len);
    *out_len = 0;
    if (len > LEN_MAX || cap < total) {
        return -SIGNET_E_SPACE;
    }
    int err = find_tools(&t, key, SIGNET_KEY_AES, usage, KEY_ROLE_SEAL);
    if (err != 0) {
        return err;
    }
    signet_put_envelope(out, in, len, (uint8_t)(total - HEADER - len));
    return finish(signet_type1_blocks(t.cbc, out, total), out, total, out_len);
}

static int seal_type2(const struct signet_key *key, enum signet_usage usage,
                      const uint8_t *confounder, uint8_t *out, size_t cap, size_t *out_len,
                      const uint8_t *in, size_t len)
{
    struct tools t;
    uint8_t drawn[SIGNET_CONFOUNDER_LEN];
    *out_len = 0;
    if (len > LEN_MAX || cap < len + TYPE2_X) {
        return -SIGNET_E_SPACE;
    }
    int err = find_tools(&t, key, SIGNET_KEY_AES256K, usage, KEY_ROLE_SEAL);
    if (err == 0 && confounder == NULL) {
        err = signet_random_small(t.row->handler, drawn, sizeof(drawn));
        confounder = drawn;
    }
    if (err != 0) {
        return err;
    }
    /* What it fills the last block up with lies where the tag comes. */
    signet_put_envelope(out + SIGNET_CONFOUNDER_LEN, in, len, 0);
    memcpy(out, confounder, SIGNET_CONFOUNDER_LEN);
    err = signet_type2_seal(t.cbc, t.mac, out, SIGNET_CONFOUNDER_LEN + HEADER + len);
    return finish(err, out, len + TYPE2_X, out_len);
}

int signet_envelope_seal_with(const struct signet_key *key, enum signet_usage usage,
                              const uint8_t *confounder, uint8_t *out, size_t cap, size_t *out_len,
                              const uint8_t *in, size_t len)
{
    return key->type == SIGNET_KEY_AES256K
               ? seal_type2(key, usage, confounder, out, cap, out_len, in, len)
               : seal_type1(key, usage, out, cap, out_len, in, len);
}

int signet_envelope_seal(const struct signet_key *key, enum signet_usage usage, uint8_t *out,
                         size_t cap, size_t *out_len, const uint8_t *in, size_t len)
{
    return key->type == SIGNET_KEY_AES256K
               ? seal_type2(key, usage, NULL, out, cap, out_len, in, len)
               : seal_type1(key, usage, out, cap, out_len, in, len);
}

/* Whether padding and magic are right, without a branch on any byte; *plain_len is the length
 * behind the header. len >= 16. */
static inline bool check_type1(const uint8_t *plain, size_t len, size_t *plain_len)
{
    uint32_t pad = signet_type1_padding(plain, len);
    bool padded = pad != 0;
    bool magical = (signet_load_u64(plain + 1) ^ SIGNET_ENVELOPE_MAGIC) == 0;
    bool holds_header = len >= HEADER + (size_t)pad;
    *plain_len = len - pad - HEADER;
    return padded & magical & holds_header;
}

static inline int open_type1(const struct signet_key *key, enum signet_usage usage, uint8_t *out,
                             size_t *plain_len, const uint8_t *in, size_t len)
{
    struct tools t;
    int err = find_tools(&t, key, SIGNET_KEY_AES, usage, KEY_ROLE_OPEN);
    if (err == 0) {
        err = signet_type1_open(t.cbc, out, in, len);
    }
    if (err != 0) {
        return err;
    }
    if (!check_type1(out, len, plain_len)) {
        return -SIGNET_E_OPEN;
    }
    memmove(out, out + HEADER, *plain_len);
    return 0;
}

static int open_type2(const struct signet_key *key, enum signet_usage usage, uint8_t *out,
                      size_t *plain_len, const uint8_t *in, size_t len)
{
    struct tools t;
    int err = find_tools(&t, key, SIGNET_KEY_AES256K, usage, KEY_ROLE_OPEN);
    if (err == 0) {
        err = len < TYPE2_X ? -SIGNET_E_OPEN : signet_type2_open(t.cbc, t.mac, out, in, len);
    }
    if (err != 0) {
        return err;
    }
    if (signet_load_u64(out + SIGNET_CONFOUNDER_LEN + 1) != SIGNET_ENVELOPE_MAGIC) {
        return -SIGNET_E_OPEN;
    }
    *plain_len = len - TYPE2_X;
    memmove(out, out + SIGNET_CONFOUNDER_LEN + HEADER, *plain_len);
    return 0;
}

/* What is behind the structure: header and padding, 10 to 25 bytes of type 1, without a call. The
 * bytes are the caller's, so that the stores can't be left out. */
static inline void wipe_rest(uint8_t *out, size_t plain_len, size_t len)
{
    size_t rest = len - plain_len;
    if (rest >= 16 && rest <= 32) {
        signet_store_pair(out + plain_len, 0, 0);
        signet_store_pair(out + len - 16, 0, 0);
    } else if (rest >= 8 && rest < 16) {
        signet_store_u64(out + plain_len, 0);
        signet_store_u64(out + len - 8, 0);
    } else {
        signet_wipe(out + plain_len, rest);
    }
}

int signet_envelope_open(const struct signet_key *key, enum signet_usage usage, uint8_t *out,
                         size_t cap, size_t *out_len, const uint8_t *in, size_t len)
{
    *out_len = 0;
    if (cap < len) {
        return -SIGNET_E_SPACE;
    }
    size_t plain_len = 0;
    int err = key->type == SIGNET_KEY_AES256K ? open_type2(key, usage, out, &plain_len, in, len)
                                              : open_type1(key, usage, out, &plain_len, in, len);
    if (err != 0) {
        signet_wipe(out, len);
        return err;
    }
    wipe_rest(out, plain_len, len);
    *out_len = plain_len;
    return 0;
}
