/* SPDX-License-Identifier: MIT */
/* What the files of the key server and of logins share. */
#ifndef SIGNET_AUTH_KEYSERVER_PRIV_H
#define SIGNET_AUTH_KEYSERVER_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include <signet/keyserver.h>

#include "auth/rotating.h"

/* Immutable once published; shared by snapshots. Only the writer counts references. */
struct principal {
    unsigned refs;
    struct signet_name name;
    struct signet_key *key;
    struct signet_key *pending; /* NULL: none */
    uint64_t pending_since_ns;  /* wall clock */
    struct signet_cap *caps;    /* texts are in the same allocation */
    size_t num_caps;
};

/* All that readers see, at one moment. */
struct snapshot {
    struct principal **principals; /* by signet_name_compare(), none twice */
    size_t num;
    struct rotating_set rotating[ROTATING_SERVICES];
};

enum { STAT_SHARDS = 8, GLOBAL_ID_BATCH = 4096, GLOBAL_ID_FIRST = 4096 };

enum keyserver_stat {
    STAT_LOGIN,
    STAT_RENEWAL,
    STAT_RECLAIM,
    STAT_TICKET,
    STAT_AUTHORIZER,
    STAT_NUM
};

/* Counters of some threads, on cache lines of their own. */
struct stat_shard {
    _Alignas(64) _Atomic(uint64_t) done[STAT_NUM];
    _Atomic(uint64_t) refused[SIGNET_E_NUM_];
};

struct signet_keyserver {
    struct signet_keyserver_options options; /* defaults filled in; path is ours */
    struct signet_key *dummy;                /* proofs of unknown entities are checked with it */
    _Atomic(struct snapshot *) now;          /* release by the writer, acquire by readers */
    pthread_mutex_t writer;                  /* held by whoever changes something */
    /* The file says that all below the limit may be taken. Set under the writer's lock, but that
     * readers count the first one up. */
    _Atomic(uint64_t) id_next, id_limit;
    _Atomic(uint64_t) rotations, rotated_real_ns;
    struct stat_shard stats[STAT_SHARDS];
};

/* --- snapshot.c --- */

struct snapshot *snapshot_new(void);
/* Everything but principal `without` (SIZE_MAX: all), with room for one more. NULL: no memory. */
struct snapshot *snapshot_copy(const struct snapshot *from, size_t without);
void snapshot_free(struct snapshot *snapshot);
/* Where the name is, or where it would be put. */
bool snapshot_find(const struct snapshot *snapshot, const struct signet_name *name, size_t *index);
/* In its place; the room is there. Takes over one reference. */
void snapshot_insert(struct snapshot *snapshot, struct principal *principal);
/* Takes references to the keys, copies the caps; sorted by service. NULL: no memory. */
struct principal *principal_new(const struct signet_name *name, struct signet_key *key,
                                const struct signet_cap *caps, size_t num_caps);
void principal_unref(struct principal *principal);
/* "" when there is none. */
const char *principal_cap(const struct principal *principal, const char *service);

/* Entity `index` of a keyring, whatever its key type. *out is NULL on failure. */
int principal_from_keyring(const struct signet_keyring *keyring, size_t index,
                           struct principal **out, struct signet_fail *fail);
/* A keyring of the principals and their keys;
 * newest: with the pending one where there is one. */
int snapshot_export(const struct snapshot *snapshot, bool newest, struct signet_keyring **out);

/* --- keyserver.c --- */

uint64_t keyserver_now_ns(const struct signet_keyserver *server);
/* Writes the file, then makes next current and frees the old one. Takes next over, also on failure
 * (freed; readers keep the old one). Under the writer's lock. */
int keyserver_publish(struct signet_keyserver *server, struct snapshot *next);
/* Inside a read section. */
const struct snapshot *keyserver_read(const struct signet_keyserver *server);
const struct principal *keyserver_lookup(const struct snapshot *snapshot,
                                         const struct signet_name *name);
bool keyserver_allows(const struct signet_keyserver *server, enum signet_key_type type);
/* Sees to it that there are numbers. Not inside a read section: it may write the file. */
int keyserver_provide_ids(struct signet_keyserver *server);
/* A number that was never given out before; takes no lock. -BUSY: none is left, which cannot be
 * unless thousands took one since keyserver_provide_ids(). */
int keyserver_new_id(struct signet_keyserver *server, uint64_t *out);
/* Whether this number was given out (or passed) before; takes no lock. */
bool keyserver_gave_id(struct signet_keyserver *server, uint64_t id);
/* The pending key was used (or its time is over): it becomes the key, if it is still the one that
 * is pending. Not inside a read section. */
int keyserver_commit_pending(struct signet_keyserver *server, const struct signet_name *name,
                             const struct signet_key *pending);
void keyserver_count(struct signet_keyserver *server, enum keyserver_stat stat);
/* err: -SIGNET_E_x; returned as it is. */
int keyserver_refuse(struct signet_keyserver *server, int err);

/* --- keyserver_file.c --- */

/* What the file holds beside the snapshot. */
struct state_extra {
    uint64_t id_limit;
};
int state_save(const char *path, const struct snapshot *snapshot, const struct state_extra *extra);
/* From the text of a file. *out is NULL on failure. */
int state_parse(const char *text, size_t len, struct snapshot **out, struct state_extra *extra,
                struct signet_fail *fail);
/* *out NULL with 0: there is no file yet. */
int state_load(const char *path, struct snapshot **out, struct state_extra *extra,
               struct signet_fail *fail);

#endif
