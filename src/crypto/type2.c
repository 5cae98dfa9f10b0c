/* SPDX-License-Identifier: MIT */
#include "crypto/type2.h"

#include <string.h>

#include "base/secret.h"

static const uint8_t zeros[16];

/* The MAC covers the IV (zeros) and the ciphertext. */
static int tag_of(struct signet_engine *mac, uint8_t full[48], const uint8_t *c, size_t len)
{
    struct signet_span parts[2] = {{zeros, 16}, {c, len}};
    return signet_engine_hmac(mac, full, parts, 2);
}

/* Where the last block begins: 16 * (number of blocks - 1). */
static size_t last_block(size_t len)
{
    return (len - 1) / 16 * 16;
}

/* buf has room for the padded length. */
static int cts_seal(struct signet_engine *cbc, uint8_t *buf, size_t len)
{
    size_t at = last_block(len);
    size_t rest = len - at;
    memset(buf + len, 0, 16 - rest);
    int err = signet_engine_cbc(cbc, buf, buf, at + 16, zeros);
    if (err == 0 && at > 0) {
        uint8_t stolen[16];
        memcpy(stolen, buf + at - 16, 16);
        memcpy(buf + at - 16, buf + at, 16);
        memcpy(buf + at, stolen, rest);
    }
    return err;
}

/* Puts the last two blocks back into CBC order, both whole. The end of the block before the
 * last is what the last block decrypts to under the zero padding. */
static int cts_restore(struct signet_engine *cbc, uint8_t *buf, size_t at, size_t rest)
{
    uint8_t last[16], stolen[16];
    memcpy(last, buf + at - 16, 16);
    int err = rest < 16 ? signet_engine_cbc(cbc, stolen, last, 16, zeros) : 0;
    memcpy(stolen, buf + at, rest);
    memcpy(buf + at - 16, stolen, 16);
    memcpy(buf + at, last, 16);
    signet_wipe(stolen, sizeof(stolen));
    return err;
}

/* buf has room for the padded length. */
static int cts_open(struct signet_engine *cbc, uint8_t *buf, size_t len)
{
    size_t at = last_block(len);
    int err = at > 0 ? cts_restore(cbc, buf, at, len - at) : 0;
    return err != 0 ? err : signet_engine_cbc(cbc, buf, buf, at + 16, zeros);
}

int signet_type2_seal(struct signet_engine *cbc, struct signet_engine *mac, uint8_t *buf,
                      size_t len)
{
    uint8_t full[48];
    int err = cts_seal(cbc, buf, len);
    if (err == 0) {
        err = tag_of(mac, full, buf, len);
    }
    if (err == 0) {
        memcpy(buf + len, full, SIGNET_TYPE2_TAG_LEN);
    }
    return err;
}

int signet_type2_open(struct signet_engine *cbc, struct signet_engine *mac, uint8_t *out,
                      const uint8_t *in, size_t len)
{
    if (len < SIGNET_CONFOUNDER_LEN + SIGNET_TYPE2_TAG_LEN) {
        return -SIGNET_E_OPEN;
    }
    uint8_t full[48];
    size_t plain_len = len - SIGNET_TYPE2_TAG_LEN;
    int err = tag_of(mac, full, in, plain_len);
    if (err != 0) {
        return err;
    }
    if (!signet_equal(full, in + plain_len, SIGNET_TYPE2_TAG_LEN)) {
        return -SIGNET_E_OPEN;
    }
    memmove(out, in, plain_len);
    return cts_open(cbc, out, plain_len);
}
