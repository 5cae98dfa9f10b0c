/* SPDX-License-Identifier: MIT */
/* Changing a keyring. */
#include "auth/keyring_priv.h"

#include <string.h>

#include "base/secret.h"

/* Adds the entity, or puts it in the place of its namesake. Takes it, also on failure. */
static int put(struct signet_keyring *keyring, struct keyring_entity *entity)
{
    size_t index;
    if (signet_keyring_find(keyring, &entity->name, &index) != 0) {
        return keyring_insert(keyring, index, entity);
    }
    keyring_entity_free(keyring->entities[index]);
    keyring->entities[index] = entity;
    return 0;
}

int signet_keyring_set_wire(struct signet_keyring *keyring, const struct signet_name *name,
                            const uint8_t *wire, size_t len)
{
    int err = keyring_key_check(wire, len);
    if (err != 0 || !keyring_name_ok(name)) {
        return err != 0 ? err : -SIGNET_E_NAME;
    }
    struct keyring_entity *old = keyring_lookup(keyring, name);
    if (old != NULL) {
        return keyring_entity_set_key(old, wire, len);
    }
    struct keyring_entity *entity = keyring_entity_new(name);
    if (entity == NULL) {
        return -SIGNET_E_NOMEM;
    }
    err = keyring_entity_set_key(entity, wire, len);
    if (err != 0) {
        keyring_entity_free(entity);
        return err;
    }
    return put(keyring, entity);
}

int signet_keyring_set_text(struct signet_keyring *keyring, const struct signet_name *name,
                            const char *base64, size_t len)
{
    uint8_t *wire = len <= SIGNET_KEYRING_FILE_MAX ? signet_secret_alloc(len) : NULL;
    if (wire == NULL) {
        return -SIGNET_E_NOMEM;
    }
    size_t wire_len;
    int err = keyring_key_unarmor(wire, &wire_len, base64, len);
    if (err == 0) {
        err = signet_keyring_set_wire(keyring, name, wire, wire_len);
    }
    signet_secret_free(wire, len);
    return err;
}

int signet_keyring_set(struct signet_keyring *keyring, const struct signet_name *name,
                       const struct signet_key *key)
{
    uint8_t wire[SIGNET_KEY_WIRE_MAX] = {0};
    size_t len = KEYRING_KEY_HEADER;
    int err = key != NULL ? signet_key_encode(key, wire, sizeof(wire), &len) : 0;
    if (err == 0) {
        err = signet_keyring_set_wire(keyring, name, wire, len);
    }
    signet_wipe(wire, sizeof(wire));
    return err;
}

int signet_keyring_set_cap(struct signet_keyring *keyring, const struct signet_name *name,
                           const char *service, const char *text)
{
    struct keyring_entity *entity = keyring_lookup(keyring, name);
    if (entity == NULL) {
        return -SIGNET_E_NOT_FOUND;
    }
    return keyring_entity_set_cap(entity, service, strlen(service), text, strlen(text));
}

int signet_keyring_clear_caps(struct signet_keyring *keyring, const struct signet_name *name)
{
    struct keyring_entity *entity = keyring_lookup(keyring, name);
    if (entity == NULL) {
        return -SIGNET_E_NOT_FOUND;
    }
    keyring_entity_clear_caps(entity);
    return 0;
}

int signet_keyring_remove(struct signet_keyring *keyring, const struct signet_name *name)
{
    size_t index;
    int err = signet_keyring_find(keyring, name, &index);
    if (err != 0) {
        return err;
    }
    struct keyring_entity **at = &keyring->entities[index];
    keyring_entity_free(*at);
    keyring->num--;
    memmove(at, at + 1, (keyring->num - index) * sizeof(*at));
    return 0;
}

int signet_keyring_import(struct signet_keyring *keyring, const struct signet_keyring *from)
{
    int err = 0;
    for (size_t i = 0; err == 0 && i < from->num && keyring != from; i++) {
        struct keyring_entity *entity;
        err = keyring_entity_copy(&entity, from->entities[i]);
        if (err == 0) {
            err = put(keyring, entity);
        }
    }
    return err;
}
