/* SPDX-License-Identifier: MIT */
/*
 * Secret memory: locked into RAM where the limit allows it, kept out of core
 * dumps, wiped when given back. For key bytes and everything derived from them.
 * Any thread.
 */
#ifndef SIGNET_BASE_SECRET_H
#define SIGNET_BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* len bytes, zeroed and aligned to 64; NULL when out of memory. len may be 0. */
void *signet_secret_alloc(size_t len);
/* Wipes and frees; len is what was asked for. NULL is fine. */
void signet_secret_free(void *p, size_t len);
/* Overwrites len bytes with zeros; never optimised away. NULL with len 0 is fine. */
void signet_wipe(void *p, size_t len);
/* Compares len bytes in a time that depends on len alone. */
bool signet_equal(const void *a, const void *b, size_t len);

#endif
