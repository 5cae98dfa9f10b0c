/* SPDX-License-Identifier: MIT */
/* What the files of the keyring share. */
#ifndef SIGNET_AUTH_KEYRING_PRIV_H
#define SIGNET_AUTH_KEYRING_PRIV_H

#include <stdbool.h>

#include <signet/keyring.h>

#include "base/cursor.h"

enum { KEYRING_KEY_HEADER = 12 }; /* wire form of a key before the secret */

struct keyring_cap {
    char *service; /* one allocation with text */
    char *text;
};

struct keyring_entity {
    struct signet_name name;
    uint8_t *key; /* secret memory: the wire form; while text is parsed the value as it stands */
    size_t key_len;
    struct keyring_cap *caps; /* by service */
    size_t num_caps;
    uint64_t line; /* of the key, while text is parsed */
    size_t order;  /* of arrival, while parsing */
};

/* In a finished keyring every name, service and text can be written in the text form. */
struct signet_keyring {
    struct keyring_entity **entities; /* by name, none twice; while parsing as they came */
    size_t num, room;
};

/* --- keyring.c: the container --- */

struct keyring_entity *keyring_lookup(const struct signet_keyring *keyring,
                                      const struct signet_name *name);
/* At `index`, which moves the rest up; keyring owns the entity, also on failure (freed). */
int keyring_insert(struct signet_keyring *keyring, size_t index, struct keyring_entity *entity);
/* Appends an entity without a key, out of order; *out is NULL on failure. -COUNT, -NOMEM. */
int keyring_append(struct signet_keyring *keyring, const struct signet_name *name,
                   struct keyring_entity **out);
/* Puts appended entities in order. Of two with one name the later wins: whole (replace), or its
 * key if it has one and each of its capabilities. */
int keyring_settle(struct signet_keyring *keyring, bool replace);

/* --- keyring_entity.c --- */

struct keyring_entity *keyring_entity_new(const struct signet_name *name);
void keyring_entity_free(struct keyring_entity *entity);
/* Replaces the key bytes, wiping the old ones. len 0: none. */
int keyring_entity_set_key(struct keyring_entity *entity, const void *bytes, size_t len);
/* Adds or replaces; -CAPS when the text form cannot hold it. */
int keyring_entity_set_cap(struct keyring_entity *entity, const char *service, size_t service_len,
                           const char *text, size_t text_len);
void keyring_entity_clear_caps(struct keyring_entity *entity);
int keyring_entity_copy(struct keyring_entity **out, const struct keyring_entity *from);
/* Whether the text form can hold the name: a known type, UTF-8, no line end, no NUL. */
bool keyring_name_ok(const struct signet_name *name);

/* --- keyring_utf8.c --- */

/* How many bytes from the start are UTF-8. */
size_t keyring_utf8_len(const char *text, size_t len);

/* --- keyring_key.c: keys as bytes --- */

/* 0 for a wire form that is one whole key: of 16 or 32 bytes, of type none with any secret, or
 * empty. -SHORT, -LENGTH, -KEY_TRAILING, -KEY_TYPE, -KEY_LENGTH. */
int keyring_key_check(const uint8_t *wire, size_t len);
/* Base64 as Ceph takes it (not strict) to at most len bytes at out. -BASE64. */
int keyring_key_unarmor(uint8_t *out, size_t *out_len, const char *text, size_t len);

/* --- keyring_text.c: the grammar --- */

/* Called in the order of the file; names and values are unescaped, options normalized, values
 * trimmed. They are not kept; a value may be secret. A result other than 0 ends the parse. */
struct keyring_sink {
    int (*section)(void *arg, const char *name, size_t len, uint64_t line);
    int (*option)(void *arg, struct signet_span name, struct signet_span value, uint64_t line);
};
int keyring_text_scan(const char *in, size_t len, const struct keyring_sink *sink, void *arg,
                      struct signet_fail *fail);

/* --- keyring_parse.c, keyring_wire.c: into an empty keyring --- */

int keyring_parse_text(struct signet_keyring *keyring, const char *in, size_t len,
                       struct signet_fail *fail);
int keyring_parse_wire(struct signet_keyring *keyring, const void *in, size_t len,
                       struct signet_fail *fail);

/* --- keyring_save.c --- */

/* Puts a file in the place of path, all or nothing; see signet_keyring_save(). False: errno. */
bool keyring_store(const char *path, const char *data, size_t len, unsigned mode);

/* --- keyring_file.c --- */

/* A whole file in secret memory of *room bytes; *len of them are the file. */
int keyring_file_read(uint8_t **out, size_t *len, size_t *room, const char *path,
                      struct signet_fail *fail);

#endif
