/* SPDX-License-Identifier: MIT */
/* Keys pass through here, so characters are computed with masks, not looked up. */
#include "crypto/base64.h"

#include <signet/error.h>

/* All ones when lo <= v <= hi, else 0; values below 2^31. */
static uint32_t in_range(uint32_t v, uint32_t lo, uint32_t hi)
{
    return (((v - lo) | (hi - v)) >> 31) - 1;
}

static char letter_of(uint32_t v)
{
    uint32_t c = (in_range(v, 0, 25) & (v + 'A')) | (in_range(v, 26, 51) & (v - 26 + 'a')) |
                 (in_range(v, 52, 61) & (v - 52 + '0')) | (in_range(v, 62, 62) & '+') |
                 (in_range(v, 63, 63) & '/');
    return (char)c;
}

/* The value of a character, or 64. */
static uint32_t value_of(char letter)
{
    uint32_t c = (unsigned char)letter;
    uint32_t upper = in_range(c, 'A', 'Z'), lower = in_range(c, 'a', 'z');
    uint32_t digit = in_range(c, '0', '9');
    uint32_t plus = in_range(c, '+', '+'), slash = in_range(c, '/', '/');
    uint32_t known = upper | lower | digit | plus | slash;
    return (upper & (c - 'A')) | (lower & (c - 'a' + 26)) | (digit & (c - '0' + 52)) | (plus & 62) |
           (slash & 63) | (~known & 64);
}

void signet_base64_encode(char *out, const uint8_t *in, size_t len)
{
    for (size_t i = 0; i < len; i += 3) {
        uint32_t b1 = i + 1 < len ? in[i + 1] : 0;
        uint32_t b2 = i + 2 < len ? in[i + 2] : 0;
        uint32_t v = (uint32_t)in[i] << 16 | b1 << 8 | b2;
        *out++ = letter_of(v >> 18);
        *out++ = letter_of(v >> 12 & 63);
        *out++ = i + 1 < len ? letter_of(v >> 6 & 63) : '=';
        *out++ = i + 2 < len ? letter_of(v & 63) : '=';
    }
    *out = 0;
}

/* One group of four characters into three bytes; the index of a bad one, or 4. */
static unsigned decode_group(uint8_t out[3], const char in[4], unsigned num)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < num; i++) {
        uint32_t x = value_of(in[i]);
        if (x == 64) {
            return i;
        }
        v |= x << (18 - 6 * i);
    }
    out[0] = (uint8_t)(v >> 16);
    out[1] = (uint8_t)(v >> 8);
    out[2] = (uint8_t)v;
    /* Bits behind the last byte must be zero, or two texts would mean the same bytes. */
    uint32_t unused = num == 2 ? v & 0xffff : num == 3 ? v & 0xff : 0;
    return unused == 0 ? 4 : num - 1;
}

int signet_base64_decode(uint8_t *out, size_t cap, size_t *out_len, const char *text, size_t len,
                         size_t *bad)
{
    size_t done = 0;
    *out_len = 0;
    for (size_t i = 0; i + 4 <= len; i += 4) {
        unsigned num = 4;
        if (i + 4 == len) {
            num -= text[i + 3] == '=';
            num -= num == 3 && text[i + 2] == '=';
        }
        uint8_t group[3];
        unsigned at = decode_group(group, text + i, num);
        if (at < 4) {
            *bad = i + at;
            return -SIGNET_E_BASE64;
        }
        if (num - 1 > cap - done) {
            return -SIGNET_E_SPACE;
        }
        for (unsigned k = 0; k < num - 1; k++) {
            out[done++] = group[k];
        }
    }
    if (len % 4 != 0) {
        *bad = len;
        return -SIGNET_E_BASE64;
    }
    *out_len = done;
    return 0;
}
