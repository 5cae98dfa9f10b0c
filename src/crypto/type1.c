/* SPDX-License-Identifier: MIT */
#include "crypto/type1.h"

#include <string.h>

const uint8_t signet_type1_iv[16] = {'c', 'e', 'p', 'h', 's', 'a', 'g', 'e',
                                     'y', 'u', 'd', 'a', 'g', 'r', 'e', 'g'};

int signet_type1_seal(struct signet_engine *engine, uint8_t *buf, size_t len)
{
    size_t total = signet_type1_len(len);
    memset(buf + len, (int)(total - len), total - len);
    return signet_type1_blocks(engine, buf, total);
}

int signet_type1_open(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len)
{
    if (len == 0 || len % 16 != 0) {
        return -SIGNET_E_OPEN;
    }
    return signet_engine_cbc(engine, out, in, len, signet_type1_iv);
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* All 16 bytes at once: those of the last pad bytes must equal pad. */
uint32_t signet_type1_padding(const uint8_t *plain, size_t len)
{
    static const bytes16 from_end = {16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    bytes16 last;
    memcpy(&last, plain + len - 16, 16);
    uint32_t pad = plain[len - 1];
    bytes16 pads = (bytes16){0} + (uint8_t)pad;
    bytes16 wrong = (bytes16)(from_end <= pads) & (last ^ pads);
    uint64_t half[2];
    memcpy(half, &wrong, 16);
    uint64_t bad = half[0] | half[1] | ((pad - 1) | (16 - pad)) >> 31; /* not in 1..16 */
    uint32_t is_bad = (uint32_t)((bad | (0 - bad)) >> 63);
    return pad & (is_bad - 1);
}
