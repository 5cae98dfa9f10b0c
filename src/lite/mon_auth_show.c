/* SPDX-License-Identifier: MIT */
/* Entities as text and as JSON. */
#include "lite/mon_auth.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "lite/json.h"

enum { KEY_TEXT = 4 * SIGNET_KEY_TEXT_MAX };

static void add(struct lite_text *t, const char *text)
{
    lite_text_add(t, text, strlen(text));
}

static void add_key(struct lite_text *t, const struct signet_keyring *all, size_t index)
{
    char key[KEY_TEXT];
    if (signet_keyring_key_text(all, index, key, sizeof(key)) == 0) {
        add(t, key);
    }
    signet_wipe(key, sizeof(key));
}

static struct lite_json json_of(struct mon_run *run)
{
    return (struct lite_json){.out = &run->out, .pretty = run->pretty};
}

static void key_json(struct lite_json *j, const struct signet_keyring *all, size_t index)
{
    char key[KEY_TEXT];
    if (signet_keyring_key_text(all, index, key, sizeof(key)) == 0) {
        lite_json_base64(j, "key", key);
    }
    signet_wipe(key, sizeof(key));
}

static void entity_json(struct lite_json *j, const struct signet_keyring *all, size_t index)
{
    char name[SIGNET_NAME_TEXT_MAX];
    lite_json_open(j, NULL, '{');
    lite_json_string(j, "entity", signet_name_print(signet_keyring_name(all, index), name));
    key_json(j, all, index);
    lite_json_open(j, "caps", '{');
    for (size_t i = 0; i < signet_keyring_num_caps(all, index); i++) {
        const char *service;
        const char *text = signet_keyring_cap(all, index, i, &service);
        lite_json_string(j, service, text);
    }
    lite_json_close(j, '}');
    lite_json_close(j, '}');
}

/* Entities from first on. */
static void entities_json(struct lite_json *j, const char *name, const struct signet_keyring *all,
                          size_t first, size_t num)
{
    lite_json_open(j, name, '[');
    for (size_t i = first; i < first + num; i++) {
        entity_json(j, all, i);
    }
    lite_json_close(j, ']');
}

static int add_keyring(struct lite_text *t, const struct signet_keyring *keyring)
{
    size_t len = signet_keyring_text_len(keyring);
    char *room = lite_text_room(t, len + 1);
    if (room == NULL) {
        return t->err;
    }
    int err = signet_keyring_print(keyring, room, len + 1, &len);
    t->len += len;
    return err;
}

/* A keyring of this entity alone. */
static int single(const struct signet_keyring *all, size_t index, bool with_caps,
                  struct signet_keyring **out)
{
    size_t len;
    const uint8_t *wire = signet_keyring_key_wire(all, index, &len);
    const struct signet_name *name = signet_keyring_name(all, index);
    int err = signet_keyring_new(out);
    if (err == 0) {
        err = signet_keyring_set_wire(*out, name, wire, len);
    }
    size_t num = with_caps ? signet_keyring_num_caps(all, index) : 0;
    for (size_t i = 0; err == 0 && i < num; i++) {
        const char *service;
        const char *text = signet_keyring_cap(all, index, i, &service);
        err = signet_keyring_set_cap(*out, name, service, text);
    }
    return err;
}

int mon_auth_show(struct mon_run *run, const struct signet_keyring *all, size_t index,
                  bool with_caps)
{
    struct signet_keyring *one = NULL;
    if (run->json) {
        struct lite_json j = json_of(run);
        entities_json(&j, NULL, all, index, 1);
        return 0;
    }
    int err = single(all, index, with_caps, &one);
    if (err == 0) {
        err = add_keyring(&run->out, one);
    }
    signet_keyring_free(one);
    return err == 0 ? 0 : mon_say_failure(run, err);
}

int mon_auth_show_key(struct mon_run *run, const struct signet_keyring *all, size_t index)
{
    struct lite_json j = json_of(run);
    if (!run->json) {
        add_key(&run->out, all, index);
        return 0;
    }
    lite_json_open(&j, NULL, '{');
    key_json(&j, all, index);
    lite_json_close(&j, '}');
    return 0;
}

static void add_entity_lines(struct lite_text *t, const struct signet_keyring *all, size_t index)
{
    char name[SIGNET_NAME_TEXT_MAX];
    add(t, signet_name_print(signet_keyring_name(all, index), name));
    add(t, "\n\tkey: ");
    add_key(t, all, index);
    add(t, "\n");
    for (size_t i = 0; i < signet_keyring_num_caps(all, index); i++) {
        const char *service;
        const char *text = signet_keyring_cap(all, index, i, &service);
        add(t, "\tcaps: [");
        add(t, service);
        add(t, "] ");
        add(t, text);
        add(t, "\n");
    }
}

int mon_auth_show_list(struct mon_run *run, const struct signet_keyring *all)
{
    struct lite_json j = json_of(run);
    if (run->json) {
        lite_json_open(&j, NULL, '{');
        entities_json(&j, "auth_dump", all, 0, signet_keyring_num(all));
        lite_json_close(&j, '}');
        return 0;
    }
    for (size_t i = 0; i < signet_keyring_num(all); i++) {
        add_entity_lines(&run->out, all, i);
    }
    return 0;
}

int mon_auth_show_keyring(struct mon_run *run, const struct signet_keyring *all)
{
    struct lite_json j = json_of(run);
    if (run->json) {
        entities_json(&j, NULL, all, 0, signet_keyring_num(all));
        return 0;
    }
    int err = add_keyring(&run->out, all);
    return err == 0 ? 0 : mon_say_failure(run, err);
}
