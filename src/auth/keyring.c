/* SPDX-License-Identifier: MIT */
/* The container: entities in the order of their names. */
#include "auth/keyring_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

int signet_keyring_new(struct signet_keyring **out)
{
    *out = calloc(1, sizeof(**out));
    return *out != NULL ? 0 : -SIGNET_E_NOMEM;
}

void signet_keyring_free(struct signet_keyring *keyring)
{
    if (keyring == NULL) {
        return;
    }
    for (size_t i = 0; i < keyring->num; i++) {
        keyring_entity_free(keyring->entities[i]);
    }
    free(keyring->entities);
    free(keyring);
}

/* Where the name is (true), or belongs (false). */
static bool search(const struct signet_keyring *keyring, const struct signet_name *name,
                   size_t *index)
{
    size_t low = 0, high = keyring->num;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int c = signet_name_compare(&keyring->entities[mid]->name, name);
        if (c == 0) {
            *index = mid;
            return true;
        }
        if (c < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    *index = low;
    return false;
}

struct keyring_entity *keyring_lookup(const struct signet_keyring *keyring,
                                      const struct signet_name *name)
{
    size_t index;
    return search(keyring, name, &index) ? keyring->entities[index] : NULL;
}

static int make_room(struct signet_keyring *keyring)
{
    if (keyring->num < keyring->room) {
        return 0;
    }
    if (keyring->num >= SIGNET_KEYRING_ENTITY_MAX) {
        return -SIGNET_E_COUNT;
    }
    size_t room = keyring->room > 0 ? 2 * keyring->room : 4;
    struct keyring_entity **entities =
        realloc(keyring->entities, room * sizeof(*keyring->entities));
    if (entities == NULL) {
        return -SIGNET_E_NOMEM;
    }
    keyring->entities = entities;
    keyring->room = room;
    return 0;
}

int keyring_insert(struct signet_keyring *keyring, size_t index, struct keyring_entity *entity)
{
    int err = make_room(keyring);
    if (err != 0) {
        keyring_entity_free(entity);
        return err;
    }
    struct keyring_entity **at = &keyring->entities[index];
    memmove(at + 1, at, (keyring->num - index) * sizeof(*at));
    *at = entity;
    keyring->num++;
    return 0;
}

int keyring_append(struct signet_keyring *keyring, const struct signet_name *name,
                   struct keyring_entity **out)
{
    struct keyring_entity *entity = keyring_entity_new(name);
    *out = NULL;
    if (entity == NULL) {
        return -SIGNET_E_NOMEM;
    }
    entity->order = keyring->num;
    int err = keyring_insert(keyring, keyring->num, entity);
    *out = err == 0 ? entity : NULL;
    return err;
}

static int by_name_and_order(const void *x, const void *y)
{
    const struct keyring_entity *a = *(struct keyring_entity *const *)x;
    const struct keyring_entity *b = *(struct keyring_entity *const *)y;
    int c = signet_name_compare(&a->name, &b->name);
    return c != 0 ? c : (a->order > b->order) - (a->order < b->order);
}

/* Moves the key and capabilities of `from` over those of `to`. */
static int merge(struct keyring_entity *to, struct keyring_entity *from)
{
    if (from->key != NULL) {
        signet_secret_free(to->key, to->key_len);
        to->key = from->key;
        to->key_len = from->key_len;
        to->line = from->line;
        from->key = NULL;
        from->key_len = 0;
    }
    int err = 0;
    for (size_t i = 0; err == 0 && i < from->num_caps; i++) {
        const struct keyring_cap *cap = &from->caps[i];
        err = keyring_entity_set_cap(to, cap->service, strlen(cap->service), cap->text,
                                     strlen(cap->text));
    }
    return err;
}

int keyring_settle(struct signet_keyring *keyring, bool replace)
{
    struct keyring_entity **e = keyring->entities;
    size_t num = 0;
    int err = 0;
    if (keyring->num > 0) {
        qsort(e, keyring->num, sizeof(*e), by_name_and_order);
    }
    for (size_t i = 0; i < keyring->num; i++) {
        if (num == 0 || signet_name_compare(&e[num - 1]->name, &e[i]->name) != 0) {
            e[num++] = e[i];
            continue;
        }
        struct keyring_entity *drop = e[i];
        if (replace) {
            drop = e[num - 1];
            e[num - 1] = e[i];
        } else if (err == 0) {
            err = merge(e[num - 1], drop);
        }
        keyring_entity_free(drop);
    }
    keyring->num = num;
    return err;
}

size_t signet_keyring_num(const struct signet_keyring *keyring)
{
    return keyring->num;
}

const struct signet_name *signet_keyring_name(const struct signet_keyring *keyring, size_t index)
{
    return index < keyring->num ? &keyring->entities[index]->name : NULL;
}

int signet_keyring_find(const struct signet_keyring *keyring, const struct signet_name *name,
                        size_t *index)
{
    return search(keyring, name, index) ? 0 : -SIGNET_E_NOT_FOUND;
}

size_t signet_keyring_num_caps(const struct signet_keyring *keyring, size_t index)
{
    return index < keyring->num ? keyring->entities[index]->num_caps : 0;
}

const char *signet_keyring_cap(const struct signet_keyring *keyring, size_t index, size_t cap_index,
                               const char **service)
{
    if (cap_index >= signet_keyring_num_caps(keyring, index)) {
        *service = NULL;
        return NULL;
    }
    const struct keyring_cap *cap = &keyring->entities[index]->caps[cap_index];
    *service = cap->service;
    return cap->text;
}
