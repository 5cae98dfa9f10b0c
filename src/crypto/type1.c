/* SPDX-License-Identifier: MIT */
#include "crypto/type1.h"

#include <string.h>

static const uint8_t iv[16] = {'c', 'e', 'p', 'h', 's', 'a', 'g', 'e',
                               'y', 'u', 'd', 'a', 'g', 'r', 'e', 'g'};

size_t signet_type1_len(size_t plain_len)
{
    return (plain_len / 16 + 1) * 16;
}

int signet_type1_seal(struct signet_engine *engine, uint8_t *buf, size_t len)
{
    size_t total = signet_type1_len(len);
    memset(buf + len, (int)(total - len), total - len);
    return signet_engine_cbc(engine, buf, buf, total, iv);
}

int signet_type1_open(struct signet_engine *engine, uint8_t *out, const uint8_t *in, size_t len)
{
    if (len == 0 || len % 16 != 0) {
        return -SIGNET_E_OPEN;
    }
    return signet_engine_cbc(engine, out, in, len, iv);
}

uint32_t signet_type1_padding(const uint8_t *plain, size_t len)
{
    const uint8_t *last = plain + len - 16;
    uint32_t pad = last[15];
    uint32_t bad = ((pad - 1) | (16 - pad)) >> 31; /* not in 1..16 */
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t inside = 0 - ((i - pad) >> 31); /* all ones for the last pad bytes */
        bad |= inside & (last[15 - i] ^ pad);
    }
    uint32_t is_bad = (bad | (0 - bad)) >> 31;
    return pad & (is_bad - 1);
}
