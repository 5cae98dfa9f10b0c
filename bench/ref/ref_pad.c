/* SPDX-License-Identifier: MIT */
#include "ref/ref.h"

#include <string.h>

const uint8_t ref_iv[16] = {'c', 'e', 'p', 'h', 's', 'a', 'g', 'e',
                            'y', 'u', 'd', 'a', 'g', 'r', 'e', 'g'};
const uint8_t ref_header[9] = {1, 0x55, 0xaa, 0x26, 0x88, 0xad, 0x9c, 0x00, 0xff};

size_t ref_pad(uint8_t *out, const uint8_t *in, int n)
{
    size_t len = (size_t)n, whole = (len / 16 + 1) * 16;
    memset(out + whole - 16, (int)(whole - len), 16);
    memcpy(out, in, len);
    return whole;
}

int ref_unpad(const uint8_t *out, int n)
{
    int pad = out[n - 1];
    if (pad < 1 || pad > 16) {
        return -1;
    }
    for (int i = 0; i < pad; i++) {
        if (out[n - 1 - i] != pad) {
            return -1;
        }
    }
    return n - pad;
}
