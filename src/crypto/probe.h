/* SPDX-License-Identifier: MIT */
/* Known-answer tests of a started handler. */
#ifndef SIGNET_CRYPTO_PROBE_H
#define SIGNET_CRYPTO_PROBE_H

#include "crypto/handler.h"

/* Imports a key for every algorithm and compares known answers; draws random bytes. 0,
 * -HANDLER_FIPS when an import was refused, else -HANDLER_REFUSED; then why holds one
 * sentence. Not on two threads at once for one handler. */
int signet_probe(const struct signet_handler *handler, char *why, size_t cap);

#endif
