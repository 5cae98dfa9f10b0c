/* SPDX-License-Identifier: MIT */
/*
 * Keyring files: entities with their keys and capabilities, as ceph-authtool reads
 * and writes them, in text and in binary form. Format: keys.md 6-7 of the
 * specification; what is accepted and where it differs from Ceph: doc/keyring.md.
 *
 * A keyring is plain data: reading and writing one needs no signet_init(); making a
 * usable key out of it (signet_keyring_key, signet_keyring_get) does. Any number of
 * threads may read one at once; changing it is for one thread alone. Key bytes live
 * in secret memory and are wiped when they are replaced, removed or freed.
 */
#ifndef SIGNET_KEYRING_H
#define SIGNET_KEYRING_H

#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>
#include <signet/handler.h>
#include <signet/key.h>
#include <signet/name.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SIGNET_KEYRING_FILE_MAX = 16 << 20, /* bytes of a file or buffer that is read */
    SIGNET_KEYRING_ENTITY_MAX = 1 << 16,
    SIGNET_KEYRING_MODE = 0600, /* of a new file, unless told otherwise */
};

struct signet_keyring;

/* --- making, reading, writing -------------------------------------------------------------- */

/* An empty keyring. -NOMEM; *out is NULL on failure. */
SIGNET_MUST SIGNET_API int signet_keyring_new(struct signet_keyring **out);
/* NULL is fine. Wipes. */
SIGNET_API void signet_keyring_free(struct signet_keyring *keyring);
/* From memory. The binary form is tried first, the text form when that fails; no bytes at all are
 * an empty keyring. Nothing of `in` is kept. On failure *out is NULL and fail (may be NULL) has
 * the line (text) or byte offset (binary), what was found and what was expected:
 * -KEYRING: not the grammar of a keyring; -NAME: a section that is no entity name; -KEY_TYPE,
 * -KEY_LENGTH, -KEY_TRAILING, -BASE64, -SHORT, -LENGTH: a key; -KEYRING_SIZE, -COUNT: more than
 * the limits above; -NOMEM; for a binary form also -VERSION and -CAPS. */
SIGNET_MUST SIGNET_API int signet_keyring_parse(struct signet_keyring **out, const void *in,
                                                size_t len, struct signet_fail *fail);
/* From a file; "-" is not special. -FILE when it cannot be read (errno tells why, fail names it),
 * else as signet_keyring_parse. */
SIGNET_MUST SIGNET_API int signet_keyring_load(struct signet_keyring **out, const char *path,
                                               struct signet_fail *fail);

/* Text form: entities in the order of their names, the key first, capabilities by service, byte
 * for byte as ceph-authtool writes them (and `\`, `#`, `;` escaped, which it forgets). No final
 * NUL. The output holds secrets: wipe it. -SPACE (nothing is written, *out_len is 0). */
SIGNET_API size_t signet_keyring_text_len(const struct signet_keyring *keyring);
SIGNET_MUST SIGNET_API int signet_keyring_print(const struct signet_keyring *keyring, char *out,
                                                size_t cap, size_t *out_len);
/* Binary form (`u8 1 | map<EntityName, EntityAuth v2>`), as print. */
SIGNET_API size_t signet_keyring_wire_len(const struct signet_keyring *keyring);
SIGNET_MUST SIGNET_API int signet_keyring_encode(const struct signet_keyring *keyring, uint8_t *out,
                                                 size_t cap, size_t *out_len);
/* Writes the text form so that a reader, or a crash, sees the old file or the new one in full:
 * temporary file in the same directory, fsync, rename. A symbolic link is followed. An existing
 * file keeps its mode and (where that is allowed) its owner. Written in place is only what cannot
 * be replaced: something else than a file (/dev/stdout), a file in a directory that may not be
 * written to, or a mount point. mode: permission bits of a new file, less the umask, e.g.
 * SIGNET_KEYRING_MODE. -FILE; errno tells why. */
SIGNET_MUST SIGNET_API int signet_keyring_save(const struct signet_keyring *keyring,
                                               const char *path, unsigned mode,
                                               struct signet_fail *fail);

/* --- looking up and iterating --------------------------------------------------------------- */

/* A new reference to a usable key of "type.id", on the current handler, or NULL when there is no
 * such entity, its key is empty or of type none, or the handler refuses it. */
SIGNET_API struct signet_key *signet_keyring_get(const struct signet_keyring *keyring,
                                                 const char *entity);
/* The same with the cause and a pinned handler (NULL: none). Each call makes a key of its own: keep
 * it. *out is NULL on failure. -NOT_FOUND; -KEY_EMPTY; -KEY_TYPE (none); as signet_key_decode. */
SIGNET_MUST SIGNET_API int signet_keyring_key(const struct signet_keyring *keyring,
                                              const struct signet_name *name,
                                              const struct signet_handler *pin,
                                              struct signet_key **out);

/* Entities are numbered 0..num-1 in the order of signet_name_compare(); numbers and pointers hold
 * until the next change. */
SIGNET_API size_t signet_keyring_num(const struct signet_keyring *keyring);
/* NULL past the last. */
SIGNET_API const struct signet_name *signet_keyring_name(const struct signet_keyring *keyring,
                                                         size_t index);
/* -NOT_FOUND. */
SIGNET_MUST SIGNET_API int signet_keyring_find(const struct signet_keyring *keyring,
                                               const struct signet_name *name, size_t *index);
/* Wire form of the entity's key, which may be empty (12 bytes) or of type none; a view; NULL past
 * the last. Secret. */
SIGNET_API const uint8_t *signet_keyring_key_wire(const struct signet_keyring *keyring,
                                                  size_t index, size_t *len);
/* Base64 of it, as in the file, with a final NUL. A type none key may need more than
 * SIGNET_KEY_TEXT_MAX: cap 4 * ((len + 2) / 3) + 1. -SPACE, -NOT_FOUND. */
SIGNET_MUST SIGNET_API int signet_keyring_key_text(const struct signet_keyring *keyring,
                                                   size_t index, char *out, size_t cap);
/* Capabilities of entity `index`, by service in byte order. Both texts end with NUL. NULL past the
 * last. */
SIGNET_API size_t signet_keyring_num_caps(const struct signet_keyring *keyring, size_t index);
SIGNET_API const char *signet_keyring_cap(const struct signet_keyring *keyring, size_t index,
                                          size_t cap_index, const char **service);

/* --- changing ------------------------------------------------------------------------------- */

/* Adds the entity, or replaces its key and keeps its capabilities. key NULL: the empty key of type
 * none that an entity without a key has. -NAME (a name that the text form cannot hold), -NOMEM. */
SIGNET_MUST SIGNET_API int signet_keyring_set(struct signet_keyring *keyring,
                                              const struct signet_name *name,
                                              const struct signet_key *key);
/* The same from a wire form, which may be of type none or empty. Errors as the parser's. */
SIGNET_MUST SIGNET_API int signet_keyring_set_wire(struct signet_keyring *keyring,
                                                   const struct signet_name *name,
                                                   const uint8_t *wire, size_t len);
/* The same from base64 as keyring files have it, which is less strict than signet_key_parse(). */
SIGNET_MUST SIGNET_API int signet_keyring_set_text(struct signet_keyring *keyring,
                                                   const struct signet_name *name,
                                                   const char *base64, size_t len);
/* Adds or replaces one capability; blanks at the ends of the text are written, but no reader keeps
 * them. -NOT_FOUND: no such entity; -CAPS: what the text form cannot hold: a text with a line end;
 * a service that is empty, has white space other than single spaces inside, or one of `=[#;\_`;
 * -COUNT: more than 256; -NOMEM. */
SIGNET_MUST SIGNET_API int signet_keyring_set_cap(struct signet_keyring *keyring,
                                                  const struct signet_name *name,
                                                  const char *service, const char *text);
/* Replaces all capabilities by those of a caps file: options mon, osd, mds and mgr below [global],
 * or one of them alone on a line without a section. On failure the old ones stay. -NOT_FOUND: no
 * such entity; -FILE (errno tells why), -KEYRING, -KEYRING_SIZE, -CAPS, -NOMEM. */
SIGNET_MUST SIGNET_API int signet_keyring_load_caps(struct signet_keyring *keyring,
                                                    const struct signet_name *name,
                                                    const char *path, struct signet_fail *fail);
/* Drops all capabilities. -NOT_FOUND. */
SIGNET_MUST SIGNET_API int signet_keyring_clear_caps(struct signet_keyring *keyring,
                                                     const struct signet_name *name);
/* -NOT_FOUND. */
SIGNET_MUST SIGNET_API int signet_keyring_remove(struct signet_keyring *keyring,
                                                 const struct signet_name *name);
/* Copies all entities of `from`; those of the same name are replaced, key and capabilities.
 * -NOMEM: then some may have been copied. */
SIGNET_MUST SIGNET_API int signet_keyring_import(struct signet_keyring *keyring,
                                                 const struct signet_keyring *from);

#ifdef __cplusplus
}
#endif
#endif
