/* SPDX-License-Identifier: MIT */
/*
 * Objects in memory. A published version of an object never changes; a change makes the next
 * version and puts it in the old one's place. Small objects are one block of memory, larger ones
 * share the chunks that did not change.
 *
 * Shards by the high bits of the reversed hash, so that shards follow each other in the order of
 * listings. Each has two locks: `write` is held by a writer from begin to end and keeps other
 * writers of the shard out; `lock` is held for the moment of looking something up or putting it in
 * place. Readers take the second alone: they wait for no copying and no allocation.
 *
 * Any thread, except that a work belongs to one. Errors are negative errno values, for the peer.
 */
#ifndef SIGNET_LITE_STORE_H
#define SIGNET_LITE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <signet/env.h>
#include <signet/span.h>
#include <signet/utime.h>

enum { STORE_CHUNK = 64 << 10 }; /* objects up to this size are one block */

struct arena;
struct store;

/* Which object; hash is lite_object_hash(). Names within the limits of placement.h. */
struct store_id {
    uint64_t pool;
    struct signet_span ns, key, name;
    uint32_t hash;
};

struct store_chunk {
    atomic_uint refs;
    uint32_t len; /* bytes of data; what is missing up to the end of the chunk is zeros */
    uint8_t data[];
};

/* One version. Read alone, except by its maker before it is published. */
struct store_object {
    atomic_uint refs;
    uint32_t hash;
    uint64_t pool, size;
    uint64_t version;
    uint64_t cost; /* bytes of memory, those of its chunks too */
    uint64_t len;  /* of this block of memory */
    struct arena *arena;
    struct signet_utime mtime;
    uint16_t ns_len, key_len, name_len;
    uint32_t num_chunks;         /* 0: the data is in the block, behind the names */
    uint32_t cap;                /* of chunks, or bytes of data in the block */
    struct store_chunk *chunk[]; /* then names: namespace, key, name; then data */
};

struct signet_span store_object_ns(const struct store_object *o);
struct signet_span store_object_key(const struct store_object *o);
struct signet_span store_object_name(const struct store_object *o);
/* Pieces that [offset, offset + len) lies in; the range must be inside the object. With iov they
 * are also set, at most so many as the call before counted. */
size_t store_object_gather(const struct store_object *o, uint64_t offset, uint64_t len,
                           struct iovec *iov);
void store_object_ref(struct store_object *o);   /* by who has a reference */
void store_object_unref(struct store_object *o); /* NULL is fine */

struct store_options {
    uint64_t max_bytes;  /* of all objects with their names; more is -ENOSPC */
    uint64_t max_object; /* size of one; more is -EFBIG */
    unsigned shards;     /* a power of two */
    struct signet_env env;
};
/* 0, -SIGNET_E_NOMEM or -SIGNET_E_RANDOM. */
SIGNET_MUST int store_new(struct store **out, const struct store_options *options);
void store_free(struct store *store); /* nothing may be in use; NULL is fine */

/* Another max_bytes, at any time: below what is there, writes are refused until it is less. */
void store_limit(struct store *store, uint64_t max_bytes);

/* A reference to the present version, or NULL. */
struct store_object *store_get(struct store *store, const struct store_id *id);
/* The last version number given out in the object's shard. */
uint64_t store_version(struct store *store, const struct store_id *id);

struct store_usage {
    uint64_t objects, bytes, memory, max_bytes;
};
struct store_usage store_usage(struct store *store);

struct store_pool {
    uint64_t id, objects, bytes, memory;
};
/* Of one pool; asks each shard in turn. */
struct store_pool store_pool_usage(struct store *store, uint64_t id);

/* --- changing one object -------------------------------------------------------------------- */

struct store_shard;
struct store_slot;

/* The state that the changes so far would lead to. */
struct store_work {
    struct store *store;
    struct store_shard *shard;
    const struct store_id *id;
    uint64_t place;
    struct store_slot *slot;   /* of the present version, or of the one to come */
    struct store_object *old;  /* the present version, or NULL */
    struct store_object *base; /* that too, until it is deleted or replaced */
    struct store_object *own;  /* the next one, once it differs in its data */
    bool exists, changed, reserved, published;
    int err; /* -ENOMEM: the work can only be given up */
};

/* Takes the shard's write lock, until the end of the work. */
void store_begin(struct store_work *work, struct store *store, const struct store_id *id);
/* Of the version that the work has made so far; 0 when it is not there. */
uint64_t store_work_size(const struct store_work *work);
/* Each does all or nothing; -EFBIG, -ENOMEM. All but the last create what is not there. */
int store_create(struct store_work *work);
int store_write(struct store_work *work, uint64_t offset, struct signet_span data);
int store_replace(struct store_work *work, struct signet_span data);
int store_resize(struct store_work *work, uint64_t size);
void store_delete(struct store_work *work);
/* Makes sure that what follows the last change cannot fail, once: -ENOSPC, -ENOMEM. Memory that the
 * change gives back is in use until it is committed. */
int store_reserve(struct store_work *work);
/* Publishes what was reserved, as this version; 0: the next one, one more than
 * store_work_version(). The version that it has got. */
uint64_t store_commit(struct store_work *work, struct signet_utime mtime, uint64_t version);
/* The last version number given out in the shard. */
uint64_t store_work_version(const struct store_work *work);
/* How far the journal has to be on the disk for what the shard shows to be there, too: told before
 * the commit, so that who sees the new version sees this as well. */
void store_work_mark(struct store_work *work, uint64_t records);
uint64_t store_mark(struct store *store, uint32_t hash);
/* Lets the shard go; what was not committed is forgotten. */
void store_end(struct store_work *work);

unsigned store_shards(const struct store *store);
unsigned store_shard_index(const struct store *store, uint32_t hash);
/* References to all objects of a shard, in an array that the caller frees; cut is called while the
 * shard's writers wait. -ENOMEM. */
int store_shard_take(struct store *store, unsigned index, struct store_object ***out, size_t *num,
                     void (*cut)(void *arg, unsigned index), void *arg);

/* --- listing -------------------------------------------------------------------------------- */

/* From where on: objects in the order of (reversed hash, namespace, key or else name, name). */
struct store_cursor {
    uint32_t hash;
    struct signet_span ns, key, name;
};
/* References to the first objects of the pool, and of the namespace unless that is NULL, from the
 * cursor on, in order: at most max. -ENOMEM. */
int store_list(struct store *store, uint64_t pool, const struct signet_span *ns,
               const struct store_cursor *from, struct store_object **out, size_t max, size_t *num);

#endif
