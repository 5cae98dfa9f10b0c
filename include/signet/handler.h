/* SPDX-License-Identifier: MIT */
/*
 * Handlers: the libraries that do AES, HMAC and random for signet. One is current;
 * keys that are not pinned use the current one, read once per operation.
 */
#ifndef SIGNET_HANDLER_H
#define SIGNET_HANDLER_H

#include <stdbool.h>
#include <stddef.h>

#include <signet/error.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One handler; a constant table that lives as long as the process. */
struct signet_handler;

struct signet_handler_info {
    const char *name; /* "nss", "openssl", "ipsec-mb" */
    char version[64]; /* of the library in use, e.g. "NSS 3.87.1" */
    int probe_err;    /* 0 or the -SIGNET_E_x of the last probe */
    bool fips;        /* the library says that it is in FIPS mode */
    bool current;
    char detail[160]; /* why it was refused, or which paths its probe chose */
};

/* Handlers are numbered 0.. in order of registration; NULL past the last one. Refused
 * handlers are listed too. Any thread, after signet_init(). */
SIGNET_API const struct signet_handler *signet_handler_at(size_t index);
/* By name; NULL when there is none. */
SIGNET_API const struct signet_handler *signet_handler_find(const char *name);
SIGNET_API const char *signet_handler_name(const struct signet_handler *handler);
SIGNET_API const struct signet_handler *signet_handler_current(void);
SIGNET_MUST SIGNET_API int signet_handler_info(const struct signet_handler *handler,
                                               struct signet_handler_info *out);
/* Runs the known-answer tests again (they include a real key import, so a library that was put
 * into FIPS mode since is noticed). 0, -HANDLER_FIPS, -HANDLER_REFUSED. */
SIGNET_MUST SIGNET_API int signet_handler_probe(const struct signet_handler *handler);
/* Makes the handler current for all threads. Operations under way finish with the one they
 * read; nothing waits. A handler whose probe fails is refused and the old one stays:
 * -HANDLER_REFUSED or -HANDLER_FIPS. The first use of a handler probes it; a later switch to
 * a handler that has passed costs one atomic store. Any thread. */
SIGNET_MUST SIGNET_API int signet_handler_use(const struct signet_handler *handler);

#ifdef __cplusplus
}
#endif
#endif
