/* SPDX-License-Identifier: MIT */
/* signet: Ceph-compatible authentication and message sealing. Start-up and shut-down. */
#ifndef SIGNET_SIGNET_H
#define SIGNET_SIGNET_H

#include <stdbool.h>

#include <signet/env.h>
#include <signet/error.h>
#include <signet/handler.h>
#include <signet/key.h>
#include <signet/stream.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIGNET_VERSION "0.1.0"

enum signet_log_level { SIGNET_LOG_ERROR, SIGNET_LOG_WARN, SIGNET_LOG_INFO, SIGNET_LOG_DEBUG };

struct signet_options {
    /* Gets one line without a newline and without secrets; may be called on any thread that is
     * inside a signet function. NULL: silent. */
    void (*log)(void *arg, enum signet_log_level level, const char *line);
    void *log_arg;
    /* Handler to start with; NULL: "nss", or the first one that works if that is refused and
     * `strict` is false. */
    const char *handler;
    bool strict;
    /* Leave fork handling to the host: it calls signet_fork_prepare/parent/child itself. */
    bool no_atfork;
    /* Handlers keep to the main interface of their library, where they otherwise take shorter
     * ways that their start has checked against it (openssl: EVP alone; nss: PKCS #11
     * alone; ipsec-mb: calls that check their arguments). */
    bool plain_calls;
};

/* Registers and probes the handlers. NULL: all defaults. Counted: each call needs its
 * signet_shutdown(); options count in the first one only. Not async-signal-safe, nor is any
 * function of signet unless its comment says so. */
SIGNET_MUST SIGNET_API int signet_init(const struct signet_options *options);
/* All keys and streams must be gone. The last call releases what NSS needs for its own
 * shut-down: call it before the host's NSS_Shutdown(). */
SIGNET_API void signet_shutdown(void);
SIGNET_API const char *signet_version(void);

/* Around fork() when no_atfork is set: prepare waits until no thread is inside a handler's
 * library and holds newcomers; parent and child let them go on. */
SIGNET_API void signet_fork_prepare(void);
SIGNET_API void signet_fork_parent(void);
SIGNET_API void signet_fork_child(void);

#ifdef __cplusplus
}
#endif
#endif
