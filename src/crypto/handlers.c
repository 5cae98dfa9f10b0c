/* SPDX-License-Identifier: MIT */
/* The only place that names the handlers: a new one adds its line here. */
#include "crypto/registry.h"

const struct signet_handler *const signet_handlers[] = {
    &signet_handler_nss,
    &signet_handler_openssl,
#ifdef SIGNET_IPSEC_MB
    &signet_handler_ipsec_mb,
#endif
};

const size_t signet_handlers_num = sizeof(signet_handlers) / sizeof(signet_handlers[0]);

_Static_assert(sizeof(signet_handlers) / sizeof(signet_handlers[0]) <= SIGNET_HANDLER_MAX,
               "keys have no room for so many handlers");
