/* SPDX-License-Identifier: MIT */
/*
 * AES contexts of freebl, the library below softoken: what softoken itself makes for an operation,
 * without the object, the session and the search for them. They are found in the table that
 * FREEBL_GetVector of libfreeblpriv3 gives, to which NSS only ever appends, and are used only where
 * they give what softoken gives (nss_start.c). They know of no FIPS mode: whether NSS takes a key
 * at all is asked before (signet_nss_refuses).
 */
#ifndef SIGNET_CRYPTO_NSS_FREEBL_H
#define SIGNET_CRYPTO_NSS_FREEBL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crypto/handler.h"

/* A function of the table, written to *function. The table is there and has that slot. */
void signet_nss_table_take(void *function, const unsigned char *table, unsigned slot);
/* The table, which stays; NULL when it is not there or has fewer slots. Inside the gate. */
const unsigned char *signet_nss_table(unsigned slots);

/* out_len <= cap; 0 on success. */
typedef int signet_nss_crypt(void *context, uint8_t *out, unsigned int *out_len, unsigned int cap,
                             const uint8_t *in, unsigned int len);

/* Finds the functions; false when they are not there. Inside the gate. */
bool signet_nss_freebl_load(void);
/* CBC begins with an IV of zeros, CTR256 is made of blocks. NULL: out of memory. One thread at a
 * time. *crypt is what it is used with, unless it is of GCM. */
void *signet_nss_context_new(enum signet_alg alg, const uint8_t *raw, size_t len,
                             signet_nss_crypt **crypt);
/* Wipes it. */
void signet_nss_context_free(void *context);
/* A message of GCM: parameters as for C_EncryptMessage. 0, -SIGNET_E_OPEN or -HANDLER_FAILED. */
int signet_nss_context_gcm(void *context, uint8_t *out, const uint8_t *in, unsigned int len,
                           void *parameters, unsigned int parameters_len);

#endif
