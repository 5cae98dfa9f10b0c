/* SPDX-License-Identifier: MIT */
/* One entity of a keyring: key bytes and capabilities. */
#include "auth/keyring_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

enum { CAPS_MAX = 256 }; /* per entity; Ceph has four services */

struct keyring_entity *keyring_entity_new(const struct signet_name *name)
{
    struct keyring_entity *entity = calloc(1, sizeof(*entity));
    if (entity != NULL) {
        entity->name = *name;
    }
    return entity;
}

void keyring_entity_clear_caps(struct keyring_entity *entity)
{
    for (size_t i = 0; i < entity->num_caps; i++) {
        free(entity->caps[i].service);
    }
    free(entity->caps);
    entity->caps = NULL;
    entity->num_caps = 0;
}

void keyring_entity_free(struct keyring_entity *entity)
{
    if (entity == NULL) {
        return;
    }
    signet_secret_free(entity->key, entity->key_len);
    keyring_entity_clear_caps(entity);
    free(entity);
}

int keyring_entity_set_key(struct keyring_entity *entity, const void *bytes, size_t len)
{
    uint8_t *key = NULL;
    if (len > 0) {
        key = signet_secret_alloc(len);
        if (key == NULL) {
            return -SIGNET_E_NOMEM;
        }
        memcpy(key, bytes, len);
    }
    signet_secret_free(entity->key, entity->key_len);
    entity->key = key;
    entity->key_len = len;
    return 0;
}

/* UTF-8 on one line, without NUL. */
static bool line_ok(const char *text, size_t len)
{
    return len == 0 || (memchr(text, '\n', len) == NULL && memchr(text, '\r', len) == NULL &&
                        memchr(text, 0, len) == NULL && keyring_utf8_len(text, len) == len);
}

bool keyring_name_ok(const struct signet_name *name)
{
    return signet_service_name(name->type) != NULL && name->id_len <= SIGNET_NAME_ID_MAX &&
           line_ok(name->id, name->id_len);
}

/* A service is words with single spaces between them, and escapes have no meaning in it. */
static bool service_ok(const char *service, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)service[i];
        bool lone = c == ' ' && i > 0 && i + 1 < len && service[i + 1] != ' ';
        if ((c <= ' ' && !lone) || strchr("=[#;\\_", c) != NULL) {
            return false;
        }
    }
    return len > 0 && keyring_utf8_len(service, len) == len;
}

/* Where the service is, or belongs. */
static size_t cap_index(const struct keyring_entity *entity, const char *service, bool *found)
{
    size_t low = 0, high = entity->num_caps;
    *found = false;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int c = strcmp(entity->caps[mid].service, service);
        if (c == 0) {
            *found = true;
            return mid;
        }
        if (c < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* Both strings, each with its NUL, in one allocation. */
static struct keyring_cap make_cap(const char *service, size_t service_len, const char *text,
                                   size_t text_len)
{
    struct keyring_cap cap = {.service = malloc(service_len + text_len + 2)};
    if (cap.service != NULL) {
        memcpy(cap.service, service, service_len);
        cap.service[service_len] = 0;
        cap.text = cap.service + service_len + 1;
        if (text_len > 0) {
            memcpy(cap.text, text, text_len);
        }
        cap.text[text_len] = 0;
    }
    return cap;
}

static int add_cap(struct keyring_entity *entity, size_t index, struct keyring_cap cap)
{
    struct keyring_cap *caps =
        entity->num_caps < CAPS_MAX
            ? realloc(entity->caps, (entity->num_caps + 1) * sizeof(*entity->caps))
            : NULL;
    if (caps == NULL) {
        free(cap.service);
        return entity->num_caps < CAPS_MAX ? -SIGNET_E_NOMEM : -SIGNET_E_COUNT;
    }
    memmove(&caps[index + 1], &caps[index], (entity->num_caps - index) * sizeof(*caps));
    caps[index] = cap;
    entity->caps = caps;
    entity->num_caps++;
    return 0;
}

int keyring_entity_set_cap(struct keyring_entity *entity, const char *service, size_t service_len,
                           const char *text, size_t text_len)
{
    if (!service_ok(service, service_len) || !line_ok(text, text_len)) {
        return -SIGNET_E_CAPS;
    }
    struct keyring_cap cap = make_cap(service, service_len, text, text_len);
    if (cap.service == NULL) {
        return -SIGNET_E_NOMEM;
    }
    bool found;
    size_t index = cap_index(entity, cap.service, &found);
    if (!found) {
        return add_cap(entity, index, cap);
    }
    free(entity->caps[index].service);
    entity->caps[index] = cap;
    return 0;
}

int keyring_entity_copy(struct keyring_entity **out, const struct keyring_entity *from)
{
    struct keyring_entity *entity = keyring_entity_new(&from->name);
    int err =
        entity != NULL ? keyring_entity_set_key(entity, from->key, from->key_len) : -SIGNET_E_NOMEM;
    for (size_t i = 0; err == 0 && i < from->num_caps; i++) {
        const struct keyring_cap *cap = &from->caps[i];
        err = keyring_entity_set_cap(entity, cap->service, strlen(cap->service), cap->text,
                                     strlen(cap->text));
    }
    if (err != 0) {
        keyring_entity_free(entity);
        entity = NULL;
    }
    *out = entity;
    return err;
}
