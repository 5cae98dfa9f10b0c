/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_BASE_CRC32C_H
#define SIGNET_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C in Ceph's convention: the raw register goes in as `seed` and comes out,
 * with no inversion. crc(crc(s, A), B) == crc(s, A || B); empty data gives the seed.
 * Source: encoding.md 6. Any thread. */
uint32_t signet_crc32c(uint32_t seed, const void *data, size_t len);

#endif
