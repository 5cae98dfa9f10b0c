/* SPDX-License-Identifier: MIT */
/*
 * Key server: principals with their capabilities, rotating secrets, and the counter of
 * global_ids. What a monitor knows (all of it) or a daemon (the secrets of its own service).
 * Rules: cephx.md 5-9 of the specification.
 *
 * Readers (logins and verifications) use immutable snapshots under RCU: they take no lock and never
 * wait for a change. Changes are made by any thread, one at a time, and are in the state file
 * before the function returns. A forked child must leave it alone: parent and child would give
 * out the same numbers.
 */
#ifndef SIGNET_KEYSERVER_H
#define SIGNET_KEYSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/cephx.h>
#include <signet/env.h>
#include <signet/error.h>
#include <signet/key.h>
#include <signet/keyring.h>
#include <signet/name.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

struct signet_keyserver;

/* Key types as bits of a policy: SIGNET_CIPHER(SIGNET_KEY_AES256K). */
#define SIGNET_CIPHER(type) (1U << (type))

/* Zero means the default. */
struct signet_keyserver_options {
    struct signet_env env;
    /* State file, made if there is none (mode 0600); NULL: in memory only. Written to a temporary
     * file, fsync'ed and renamed; the former one is kept as PATH.old until the next change. */
    const char *path;
    uint64_t auth_ttl_ns;    /* default 72 h; whole seconds, up to 3652 days */
    uint64_t service_ttl_ns; /* default 1 h; whole seconds, up to 3652 days */
    uint64_t skew_ns;        /* clocks may differ by this; default 5 min */
    uint64_t grace_ns;       /* a replaced key still logs in for this long; default 0: until the new
                              * one was used */
    uint32_t allowed_ciphers; /* SIGNET_CIPHER bits of principals; default aes256k alone */
    enum signet_key_type preferred_cipher; /* of new keys; default aes256k */
    enum signet_key_type service_cipher;   /* of rotating secrets; default aes256k */
    bool allow_insecure_reclaim;           /* global_id without its old ticket; default no */
    /* Logins and authorizers by AUTH_NONE alone: whoever comes is believed and may do everything
     * ("allow *"), in crc mode only. Cephx is then refused. Default no. */
    bool auth_none;
    bool daemon; /* knows only what signet_keyserver_set_rotating() gives; makes no secrets */
};

/* Opens or makes the state. A damaged file is refused: -STATE_FILE with its line, and is left as it
 * is; so is one that others may read: -STATE_MODE. fail may be NULL. */
SIGNET_MUST SIGNET_API int signet_keyserver_open(struct signet_keyserver **out,
                                                 const struct signet_keyserver_options *options,
                                                 struct signet_fail *fail);
/* No login, verification or reader may be in flight. NULL is fine. */
SIGNET_API void signet_keyserver_free(struct signet_keyserver *server);
/* Reads the state file again (after somebody edited it); on failure what was loaded stays. */
SIGNET_MUST SIGNET_API int signet_keyserver_reload(struct signet_keyserver *server,
                                                   struct signet_fail *fail);

/* --- principals --------------------------------------------------------------------------- */

struct signet_cap {
    const char *service, *text; /* "osd", "allow r" */
};

/* Adds a principal, or replaces key and caps of one at once. key NULL: keep the key. A type that is
 * not allowed is -CIPHER. Caps are copied. -NAME, -CAPS, -NOMEM, -FILE. */
SIGNET_MUST SIGNET_API int signet_keyserver_put(struct signet_keyserver *server,
                                                const struct signet_name *name,
                                                const struct signet_key *key,
                                                const struct signet_cap *caps, size_t num_caps);
/* Adds key as a second one: either logs in until the first login with the new one (or until the
 * grace time is over), then it alone. -NOT_FOUND, -CIPHER. */
SIGNET_MUST SIGNET_API int signet_keyserver_rotate_key(struct signet_keyserver *server,
                                                       const struct signet_name *name,
                                                       const struct signet_key *key);
/* -NOT_FOUND. Sessions that are open stay open. */
SIGNET_MUST SIGNET_API int signet_keyserver_remove(struct signet_keyserver *server,
                                                   const struct signet_name *name);
/* All entities of a keyring; nothing is changed on failure. */
SIGNET_MUST SIGNET_API int signet_keyserver_import(struct signet_keyserver *server,
                                                   const struct signet_keyring *keyring,
                                                   struct signet_fail *fail);
/* A copy of all principals at one moment; of a principal with two keys the new one. */
SIGNET_MUST SIGNET_API int signet_keyserver_export(const struct signet_keyserver *server,
                                                   struct signet_keyring **out);

/* No global_id up to this one is given out from now on: for who remembers clients by it elsewhere,
 * should an older state file have been restored. -INVAL: above 2^63 - 1; codes of a change. */
SIGNET_MUST SIGNET_API int signet_keyserver_pass_ids(struct signet_keyserver *server,
                                                     uint64_t last);

/* --- rotating secrets --------------------------------------------------------------------- */

/* Rotates what is due. Call it at signet_keyserver_deadline_ns() (wall clock) at the latest. */
SIGNET_MUST SIGNET_API int signet_keyserver_tick(struct signet_keyserver *server);
SIGNET_API uint64_t signet_keyserver_deadline_ns(const struct signet_keyserver *server);
/* Drops all rotating secrets but AUTH's and makes new ones. */
SIGNET_MUST SIGNET_API int signet_keyserver_wipe_rotating(struct signet_keyserver *server);
/* For daemons: the secrets of one service, as a monitor sent them. */
SIGNET_MUST SIGNET_API int signet_keyserver_set_rotating(struct signet_keyserver *server,
                                                         uint32_t service,
                                                         const struct signet_rotating_secrets *in);

/* --- figures ------------------------------------------------------------------------------ */

/* Counted since the start, per cause; relaxed sums over threads. */
struct signet_keyserver_stats {
    uint64_t logins, renewals, reclaims, tickets, authorizers; /* that succeeded */
    uint64_t rotations;
    uint64_t refused[SIGNET_E_NUM_]; /* by cause: enum signet_err */
    uint64_t rotated_real_ns;        /* of the last rotation */
    uint64_t principals;
};
SIGNET_API void signet_keyserver_stats(const struct signet_keyserver *server,
                                       struct signet_keyserver_stats *out);

#ifdef __cplusplus
}
#endif
#endif
