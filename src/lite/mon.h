/* SPDX-License-Identifier: MIT */
/*
 * The monitor that signetd plays: what it answers to each message of a session that is logged in.
 * Messages in, messages out; no sockets, no clock of its own. What real Ceph 16 and 20 clients
 * send and take: monlite.md of the specification.
 *
 * One struct signet_mon serves any number of sessions on any number of threads at once; a session
 * is for one thread at a time.
 *
 *   C->M 5 MMonGetMap     -> 4 MMonMap           15 MMonSubscribe -> 62 MConfig, 41 MOSDMap, 4
 *   50 MMonCommand        -> 51 MMonCommandAck   97 MCommand      -> 98 MCommandReply
 *   17 MAuth              -> 18 MAuthReply       19 MMonGetVersion -> 20
 *   13 MStatfs            -> 14                  58 MGetPoolStats -> 59
 *   49 MPoolOp            -> 48 -EOPNOTSUPP
 *   2 MPing               -> 2                   any other: no answer
 */
#ifndef SIGNET_LITE_MON_H
#define SIGNET_LITE_MON_H

#include <pthread.h>
#include <stdint.h>

#include <signet/control.h>
#include <signet/env.h>
#include <signet/keyserver.h>
#include <signet/server.h>

#include "lite/maps.h"

/* What the pools hold. */
struct signet_lite_usage {
    uint64_t objects, bytes;
    uint64_t used, capacity; /* bytes of memory, taken and in all */
};

struct signet_mon {
    const struct signet_lite_cluster *cluster; /* borrowed, does not change */
    struct signet_keyserver *keys;             /* borrowed */
    struct signet_env env;
    enum signet_key_type key_type; /* of keys that commands make */
    uint64_t started_ns;           /* monotonic */
    pthread_mutex_t changing;      /* held by a command that looks and then changes */
    /* Asked for what status and df show; may be set after signet_mon_init(), before the first
     * session. NULL: zeros are shown. */
    struct signet_lite_usage (*usage)(void *arg);
    struct signet_lite_usage (*pool_usage)(void *arg, uint64_t pool); /* of one; the same of NULL */
    void *usage_arg;
};

/* key_type 0: aes256k. */
void signet_mon_init(struct signet_mon *mon, const struct signet_lite_cluster *cluster,
                     struct signet_keyserver *keys, struct signet_env env,
                     enum signet_key_type key_type);
void signet_mon_clear(struct signet_mon *mon);

/* Who is at the other end. The capabilities are those of the login: later changes count from the
 * next login on. */
struct signet_mon_session {
    struct signet_login *login; /* borrowed; renewals go through it; NULL: there are none */
    struct signet_name name;
    uint64_t global_id;
    const char *caps; /* for the monitor, as enum signet_mon_may describes; borrowed */
};

/* From a login that is DONE; -STATE before. */
SIGNET_MUST int signet_mon_session_init(struct signet_mon_session *session,
                                        struct signet_login *login);

/* Takes one answer; its views are valid during the call alone, and may hold secrets (the answer to
 * `auth get`). Not 0: no more answers; signet_mon_message() returns it. */
typedef int (*signet_mon_send)(void *arg, const struct signet_message *out);

/* Answers one message. 0: go on. Else the session must be closed (what was sent before that is to
 * be written): a front that does not decode (-SHORT, -LENGTH, -COUNT, -TRAILING, -VERSION; fail
 * names message and offset), a renewal that the login answered with REFUSED, what send returned,
 * -NOMEM. A command that fails or is not allowed is an answer, not a failure. fail may be NULL. */
SIGNET_MUST int signet_mon_message(struct signet_mon *mon, struct signet_mon_session *session,
                                   const struct signet_message *in, signet_mon_send send, void *arg,
                                   struct signet_fail *fail);

/*
 * What a monitor capability lets its holder do: bits. The text is a list of grants, separated by
 * commas or semicolons, whose rights add up:
 *   allow *           everything          allow r, w, x, rw, rwx, ...   these
 *   allow profile P   r (whatever P is)   allow all                     everything
 *   profile P         the same
 * Any other grant, and a text that does not follow this grammar anywhere, gives nothing at all.
 */
enum signet_mon_may { SIGNET_MAY_R = 1, SIGNET_MAY_W = 2, SIGNET_MAY_X = 4, SIGNET_MAY_ALL = 7 };
unsigned signet_mon_caps(const char *text);

#endif
