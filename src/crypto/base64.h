/* SPDX-License-Identifier: MIT */
/* Strict standard base64: one line, full padding, no blanks, unused bits zero. */
#ifndef SIGNET_CRYPTO_BASE64_H
#define SIGNET_CRYPTO_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Text of len bytes and a final NUL: 4 * ceil(len / 3) + 1 bytes, which out must hold.
 * Time depends on len alone. */
void signet_base64_encode(char *out, const uint8_t *in, size_t len);
/* 0, -BASE64 (then *bad is the offset of the first bad character) or -SPACE: more than cap
 * bytes. out may be partly written on failure. Time does not depend on the characters. */
int signet_base64_decode(uint8_t *out, size_t cap, size_t *out_len, const char *text, size_t len,
                         size_t *bad);

#endif
