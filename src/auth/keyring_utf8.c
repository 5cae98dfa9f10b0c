/* SPDX-License-Identifier: MIT */
/* Ceph reads no keyring that is not UTF-8. */
#include "auth/keyring_priv.h"

/* Length of the character at p, 0 for what is none: cut off, overlong, surrogate, too large. */
static size_t utf8_char(const unsigned char *p, size_t left)
{
    unsigned c = p[0];
    size_t len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || len > left) {
        return 0;
    }
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) ||
               (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f);
    return bad ? 0 : len;
}

size_t keyring_utf8_len(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;
    while (at < len) {
        size_t n = utf8_char(p + at, len - at);
        if (n == 0) {
            break;
        }
        at += n;
    }
    return at;
}
