/* SPDX-License-Identifier: MIT */
#include "crypto/fused.h"

#include <string.h>

#include "base/crc32c.h"

/* Input and output stay in a small second-level cache, and calls are too few to count. In pieces of
 * 4 KiB opening takes a sixth longer. */
#define PIECE ((size_t)65536)

/* Moves a counter block on by the blocks of one whole piece. */
static void count_on(uint8_t iv[16])
{
    unsigned carry = PIECE / 16;
    for (int i = 15; i >= 0 && carry > 0; i--) {
        carry += iv[i];
        iv[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

static int pieces(const struct signet_engine *engine, void *lane, uint8_t *out, const uint8_t *in,
                  size_t len, uint8_t iv[16], enum signet_crc_of of, uint32_t *crc)
{
    bool counts = engine->alg == SIGNET_ALG_CTR256;
    int err = 0;
    while (err == 0 && len > 0) {
        size_t part = len < PIECE ? len : PIECE;
        uint8_t next[16];
        if (of == SIGNET_CRC_IN) {
            *crc = signet_crc32c(*crc, in, part);
        }
        if (counts) {
            memcpy(next, iv, 16);
            count_on(next);
            err = engine->handler->ctr(lane, out, in, part, iv);
        } else {
            memcpy(next, in + part - 16, 16); /* before it is overwritten */
            err = engine->handler->cbc(lane, out, in, part, iv);
        }
        if (of == SIGNET_CRC_OUT) {
            *crc = signet_crc32c(*crc, out, part);
        }
        memcpy(iv, next, 16);
        out += part;
        in += part;
        len -= part;
    }
    return err;
}

static int fused(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len,
                 const uint8_t iv[16], enum signet_crc_of of, uint32_t *crc)
{
    struct signet_lane lane;
    uint8_t at[16];
    memcpy(at, iv, 16);
    int err = signet_lane_enter(engine, &lane);
    if (err == 0) {
        err = pieces(engine, lane.p, out, in, len, at, of, crc);
        signet_lane_leave(&lane);
    }
    return err;
}

int signet_fused_cbc_open(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len,
                          const uint8_t iv[16], enum signet_crc_of of, uint32_t *crc)
{
    return fused(engine, out, in, len, iv, of, crc);
}

int signet_fused_ctr(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len,
                     const uint8_t iv[16], enum signet_crc_of of, uint32_t *crc)
{
    return fused(engine, out, in, len, iv, of, crc);
}
