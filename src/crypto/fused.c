/* SPDX-License-Identifier: MIT */
#include "crypto/fused.h"

#include <string.h>

#include "base/crc32c.h"

enum {
    /* Input and output stay in a small second-level cache, and calls are too few to count. */
    LARGE = 131072,
    /* The processor begins a piece while the crc of the one before is still going on: the more ends
     * of pieces there are, the more the two overlap, until calls count. */
    SMALL = 6144,
};

/* In place, the last block of a piece, with which the next one begins, has to be read before it is
 * overwritten, when it is not in the cache yet. Waiting for that takes as long as opening a KiB, so
 * that pieces must be large. */
static size_t piece_of(const struct signet_engine *engine, bool in_place)
{
    return engine->alg == SIGNET_ALG_CTR256 || in_place ? LARGE : SMALL;
}

/* Moves a counter block on by a number of blocks. */
static void count_on(uint8_t iv[16], size_t blocks)
{
    for (int i = 15; i >= 0 && blocks > 0; i--) {
        blocks += iv[i];
        iv[i] = (uint8_t)blocks;
        blocks >>= 8;
    }
}

static int open_cbc(const struct signet_engine *engine, void *lane, uint8_t *out, const uint8_t *in,
                    size_t len, uint8_t iv[16])
{
    uint8_t next[16];
    const uint8_t *last = in + len - 16;
    bool in_place = in == out;
    if (in_place) {
        memcpy(next, last, 16);
    }
    int err = engine->handler->cbc(lane, out, in, len, iv);
    memcpy(iv, in_place ? next : last, 16);
    return err;
}

static int pieces(const struct signet_engine *engine, void *lane, uint8_t *out, const uint8_t *in,
                  size_t len, uint8_t iv[16], enum signet_crc_of of, uint32_t *crc)
{
    size_t piece = piece_of(engine, in == out);
    int err = 0;
    while (err == 0 && len > 0) {
        size_t part = len < piece ? len : piece;
        if (of == SIGNET_CRC_IN) {
            *crc = signet_crc32c(*crc, in, part);
        }
        if (engine->alg == SIGNET_ALG_CTR256) {
            err = engine->handler->ctr(lane, out, in, part, iv);
            count_on(iv, part / 16);
        } else {
            err = open_cbc(engine, lane, out, in, part, iv);
        }
        if (of == SIGNET_CRC_OUT) {
            *crc = signet_crc32c(*crc, out, part);
        }
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
