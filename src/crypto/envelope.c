/* SPDX-License-Identifier: MIT */
/* Source: keys.md 4. */
#include "crypto/envelope.h"

#include <string.h>

#include "base/secret.h"
#include "crypto/key_state.h"
#include "crypto/random_pool.h"
#include "crypto/type1.h"
#include "crypto/type2.h"

#define HEADER  SIGNET_ENVELOPE_HEADER
#define TYPE2_X (SIGNET_CONFOUNDER_LEN + HEADER + SIGNET_TYPE2_TAG_LEN)

/* What one operation works with, read once. */
struct tools {
    struct signet_row *row;
    struct signet_engine *cbc, *mac; /* mac: type 2 only */
};

static int find_tools(struct tools *t, const struct signet_key *key, enum signet_usage usage,
                      enum signet_role role)
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
    if (err == 0 && key->type == SIGNET_KEY_AES256K) {
        err = signet_state_engine(key, t->row, state, SIGNET_ROLE_MAC, &t->mac);
    }
    return err;
}

size_t signet_envelope_len(const struct signet_key *key, size_t plain_len)
{
    if (plain_len > UINT32_MAX - TYPE2_X) {
        return 0;
    }
    return key->type == SIGNET_KEY_AES256K ? plain_len + TYPE2_X
                                           : signet_type1_len(plain_len + HEADER);
}

static void put_header(uint8_t *p)
{
    p[0] = 1;
    signet_store_u64(p + 1, SIGNET_ENVELOPE_MAGIC);
}

/* NULL is fine for no bytes, but not for memmove. */
static void put_plain(uint8_t *out, const uint8_t *in, size_t len)
{
    if (len > 0) {
        memmove(out, in, len);
    }
}

static int seal_type1(const struct tools *t, uint8_t *out, const uint8_t *in, size_t len)
{
    put_plain(out + HEADER, in, len);
    put_header(out);
    return signet_type1_seal(t->cbc, out, HEADER + len);
}

static int seal_type2(const struct tools *t, const uint8_t *confounder, uint8_t *out,
                      const uint8_t *in, size_t len)
{
    uint8_t drawn[SIGNET_CONFOUNDER_LEN];
    if (confounder == NULL) {
        int err = signet_random_small(t->row->handler, drawn, sizeof(drawn));
        if (err != 0) {
            return err;
        }
        confounder = drawn;
    }
    put_plain(out + SIGNET_CONFOUNDER_LEN + HEADER, in, len);
    memcpy(out, confounder, SIGNET_CONFOUNDER_LEN);
    put_header(out + SIGNET_CONFOUNDER_LEN);
    return signet_type2_seal(t->cbc, t->mac, out, SIGNET_CONFOUNDER_LEN + HEADER + len);
}

int signet_envelope_seal_with(const struct signet_key *key, enum signet_usage usage,
                              const uint8_t *confounder, uint8_t *out, size_t cap, size_t *out_len,
                              const uint8_t *in, size_t len)
{
    *out_len = 0;
    size_t total = signet_envelope_len(key, len);
    if (total == 0 || cap < total) {
        return -SIGNET_E_SPACE;
    }
    struct tools t;
    int err = find_tools(&t, key, usage, SIGNET_ROLE_SEAL);
    if (err != 0) {
        return err;
    }
    err = key->type == SIGNET_KEY_AES256K ? seal_type2(&t, confounder, out, in, len)
                                          : seal_type1(&t, out, in, len);
    if (err != 0) {
        signet_wipe(out, total);
        return err;
    }
    *out_len = total;
    return 0;
}

int signet_envelope_seal(const struct signet_key *key, enum signet_usage usage, uint8_t *out,
                         size_t cap, size_t *out_len, const uint8_t *in, size_t len)
{
    return signet_envelope_seal_with(key, usage, NULL, out, cap, out_len, in, len);
}

/* Whether padding and magic are right, without a branch on any byte; *plain_len is the length
 * behind the header. len >= 16. */
static bool check_type1(const uint8_t *plain, size_t len, size_t *plain_len)
{
    uint32_t pad = signet_type1_padding(plain, len);
    bool padded = pad != 0;
    bool magical = (signet_load_u64(plain + 1) ^ SIGNET_ENVELOPE_MAGIC) == 0;
    bool holds_header = len >= HEADER + (size_t)pad;
    *plain_len = len - pad - HEADER;
    return padded & magical & holds_header;
}

static int open_type1(const struct tools *t, uint8_t *out, size_t *plain_len, const uint8_t *in,
                      size_t len)
{
    int err = signet_type1_open(t->cbc, out, in, len);
    if (err != 0) {
        return err;
    }
    if (!check_type1(out, len, plain_len)) {
        return -SIGNET_E_OPEN;
    }
    memmove(out, out + HEADER, *plain_len);
    return 0;
}

static int open_type2(const struct tools *t, uint8_t *out, size_t *plain_len, const uint8_t *in,
                      size_t len)
{
    if (len < TYPE2_X) {
        return -SIGNET_E_OPEN;
    }
    int err = signet_type2_open(t->cbc, t->mac, out, in, len);
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

int signet_envelope_open(const struct signet_key *key, enum signet_usage usage, uint8_t *out,
                         size_t cap, size_t *out_len, const uint8_t *in, size_t len)
{
    *out_len = 0;
    if (cap < len) {
        return -SIGNET_E_SPACE;
    }
    struct tools t;
    int err = find_tools(&t, key, usage, SIGNET_ROLE_OPEN);
    if (err != 0) {
        return err;
    }
    size_t plain_len = 0;
    err = key->type == SIGNET_KEY_AES256K ? open_type2(&t, out, &plain_len, in, len)
                                          : open_type1(&t, out, &plain_len, in, len);
    if (err != 0) {
        signet_wipe(out, len);
        return err;
    }
    signet_wipe(out + plain_len, len - plain_len);
    *out_len = plain_len;
    return 0;
}
