/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <signet/keyring.h>

#include "tool.h"

struct rotating_key {
    uint64_t id;
    uint32_t service;
    struct signet_key *key;
};

struct entity_key {
    struct signet_key *key; /* NULL: not usable */
};

struct learned_key {
    struct learned_key *next;
    struct signet_key *key;
    size_t len;
    uint8_t ticket[];
};

struct tool_keys {
    struct signet_keyring *entities;
    struct entity_key *entity; /* by index of the keyring */
    size_t num_entity, num_rotating;
    struct rotating_key *rotating;
    struct learned_key *learned;
};

static int fail_with(struct signet_fail *fail, int err, uint64_t line, const char *where,
                     const char *text)
{
    fail->err = err;
    fail->offset = line;
    snprintf(fail->where, sizeof(fail->where), "%s", where);
    snprintf(fail->text, sizeof(fail->text), "%.200s", text);
    return err;
}

static int parse_key(struct signet_key **out, const char *where, const json_t *value,
                     struct signet_fail *fail)
{
    if (!json_is_string(value))
        return fail_with(fail, -SIGNET_E_BASE64, 0, where, "the key is not a string");
    int err =
        signet_key_parse(out, json_string_value(value), json_string_length(value), NULL, fail);
    if (err)
        snprintf(fail->where, sizeof(fail->where), "%s", where);
    return err;
}

static int add_entities(struct tool_keys *keys, const json_t *entities, struct signet_fail *fail)
{
    const char *text;
    const json_t *value;
    json_object_foreach((json_t *)entities, text, value)
    {
        struct signet_name name;
        struct signet_key *key;
        if (signet_name_parse(&name, text) != 0)
            return fail_with(fail, -SIGNET_E_NAME, 0, text, signet_strerror(-SIGNET_E_NAME));
        int err = parse_key(&key, text, value, fail);
        if (err == 0) {
            err = signet_keyring_set(keys->entities, &name, key);
            signet_key_unref(key);
        }
        if (err)
            return err;
    }
    return 0;
}

static uint32_t service_by_name(const char *name)
{
    for (uint32_t service = 1; service <= SIGNET_AUTH; service <<= 1)
        if (signet_service_name(service) && strcmp(signet_service_name(service), name) == 0)
            return service;
    return 0;
}

static int add_rotating(struct tool_keys *keys, uint32_t service, const char *id_text,
                        const json_t *value, struct signet_fail *fail)
{
    uint64_t id;
    struct rotating_key *more =
        realloc(keys->rotating, (keys->num_rotating + 1) * sizeof(*keys->rotating));
    if (!more)
        return -SIGNET_E_NOMEM;
    keys->rotating = more;
    if (!tool_number_parse(&id, id_text, 0, UINT64_MAX))
        return fail_with(fail, -SIGNET_E_VALUE, 0, "rotating", "a secret id is not a number");
    struct signet_key *key;
    int err = parse_key(&key, "rotating", value, fail);
    if (err)
        return err;
    keys->rotating[keys->num_rotating++] = (struct rotating_key){id, service, key};
    return 0;
}

static int add_services(struct tool_keys *keys, const json_t *services, struct signet_fail *fail)
{
    const char *name, *id;
    const json_t *ids, *value;
    json_object_foreach((json_t *)services, name, ids)
    {
        uint32_t service = service_by_name(name);
        if (!service)
            return fail_with(fail, -SIGNET_E_VALUE, 0, name, "this is not the name of a service");
        json_object_foreach((json_t *)ids, id, value)
        {
            int err = add_rotating(keys, service, id, value, fail);
            if (err)
                return err;
        }
    }
    return 0;
}

static int load_json(struct tool_keys *keys, const char *text, size_t len, struct signet_fail *fail)
{
    json_error_t error;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return fail_with(fail, -SIGNET_E_VALUE, (uint64_t)error.line, "JSON", error.text);
    const json_t *entities = json_object_get(root, "entities");
    const json_t *rotating = json_object_get(root, "rotating");
    int err;
    if (!entities && !rotating)
        err = fail_with(fail, -SIGNET_E_VALUE, 1, "JSON",
                        "it has neither \"entities\" nor \"rotating\"");
    else if ((err = signet_keyring_new(&keys->entities)) == 0 &&
             (err = add_entities(keys, entities, fail)) == 0)
        err = add_services(keys, rotating, fail);
    json_decref(root);
    return err;
}

/* Makes keys usable once; a key that is not (empty, of type none) is as if it was not there. */
static int build_entities(struct tool_keys *keys)
{
    keys->num_entity = signet_keyring_num(keys->entities);
    keys->entity = calloc(keys->num_entity + 1, sizeof(*keys->entity));
    if (!keys->entity)
        return -SIGNET_E_NOMEM;
    for (size_t i = 0; i < keys->num_entity; i++)
        if (signet_keyring_key(keys->entities, signet_keyring_name(keys->entities, i), NULL,
                               &keys->entity[i].key) != 0)
            keys->entity[i].key = NULL;
    return 0;
}

static bool looks_like_json(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len && strchr(" \t\r\n", text[i]) && text[i])
        i++;
    return i < len && text[i] == '{';
}

int tool_keys_parse(struct tool_keys **out, const char *text, size_t len, struct signet_fail *fail)
{
    struct tool_keys *keys = calloc(1, sizeof(*keys));
    int err = keys ? 0 : -SIGNET_E_NOMEM;
    *out = NULL;
    memset(fail, 0, sizeof(*fail));
    if (err == 0)
        err = looks_like_json(text, len) ? load_json(keys, text, len, fail)
                                         : signet_keyring_parse(&keys->entities, text, len, fail);
    if (err == 0)
        err = build_entities(keys);
    if (err)
        tool_keys_free(keys);
    else
        *out = keys;
    return err;
}

int tool_keys_load(struct tool_keys **out, const char *path, struct signet_fail *fail)
{
    size_t len;
    char *text = tool_read_file(path, SIGNET_KEYRING_FILE_MAX, &len);
    *out = NULL;
    memset(fail, 0, sizeof(*fail));
    if (!text)
        return fail_with(fail, -SIGNET_E_FILE, 0, "keys", strerror(errno));
    int err = tool_keys_parse(out, text, len, fail);
    explicit_bzero(text, len);
    free(text);
    return err;
}

void tool_keys_free(struct tool_keys *keys)
{
    if (!keys)
        return;
    for (size_t i = 0; i < keys->num_entity; i++)
        signet_key_unref(keys->entity[i].key);
    for (size_t i = 0; i < keys->num_rotating; i++)
        signet_key_unref(keys->rotating[i].key);
    for (struct learned_key *next, *l = keys->learned; l; l = next) {
        next = l->next;
        signet_key_unref(l->key);
        free(l);
    }
    signet_keyring_free(keys->entities);
    free(keys->entity);
    free(keys->rotating);
    free(keys);
}

const struct signet_key *tool_keys_entity(const struct tool_keys *keys,
                                          const struct signet_name *name)
{
    size_t index;
    if (signet_keyring_find(keys->entities, name, &index) != 0)
        return NULL;
    return keys->entity[index].key;
}

const struct signet_key *tool_keys_rotating(const struct tool_keys *keys, uint32_t service,
                                            uint64_t id)
{
    struct signet_name own = {.type = service};
    if (id == UINT64_MAX)
        return tool_keys_entity(keys, &own);
    for (size_t i = 0; i < keys->num_rotating; i++)
        if (keys->rotating[i].service == service && keys->rotating[i].id == id)
            return keys->rotating[i].key;
    return NULL;
}

const struct signet_key *tool_keys_learned(const struct tool_keys *keys, const uint8_t *ticket,
                                           size_t len)
{
    for (const struct learned_key *l = keys->learned; l; l = l->next)
        if (l->len == len && memcmp(l->ticket, ticket, len) == 0)
            return l->key;
    return NULL;
}

int tool_keys_learn(struct tool_keys *keys, const uint8_t *ticket, size_t len,
                    struct signet_key *session)
{
    if (tool_keys_learned(keys, ticket, len))
        return 0;
    struct learned_key *learned = malloc(sizeof(*learned) + len);
    if (!learned)
        return -SIGNET_E_NOMEM;
    learned->next = keys->learned;
    learned->key = signet_key_ref(session);
    learned->len = len;
    memcpy(learned->ticket, ticket, len);
    keys->learned = learned;
    return 0;
}
