/* SPDX-License-Identifier: MIT */
/* Entities as text and as JSON. JSON is written by hand: keys must not pass through memory that
 * nobody wipes. */
#include "lite/mon_auth.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

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

static void add_entity_json(struct lite_text *t, const struct signet_keyring *all, size_t index)
{
    char name[SIGNET_NAME_TEXT_MAX];
    add(t, "{\"entity\":");
    lite_text_quote(t, signet_name_print(signet_keyring_name(all, index), name));
    add(t, ",\"key\":\"");
    add_key(t, all, index);
    add(t, "\",\"caps\":{");
    for (size_t i = 0; i < signet_keyring_num_caps(all, index); i++) {
        const char *service;
        const char *text = signet_keyring_cap(all, index, i, &service);
        add(t, i > 0 ? "," : "");
        lite_text_quote(t, service);
        add(t, ":");
        lite_text_quote(t, text);
    }
    add(t, "}}");
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
        add(&run->out, "[");
        add_entity_json(&run->out, all, index);
        add(&run->out, "]\n");
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
    add(&run->out, run->json ? "{\"key\":\"" : "");
    add_key(&run->out, all, index);
    add(&run->out, run->json ? "\"}\n" : "");
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
    add(&run->out, run->json ? "{\"auth_dump\":[" : "");
    for (size_t i = 0; i < signet_keyring_num(all); i++) {
        if (run->json) {
            add(&run->out, i > 0 ? "," : "");
            add_entity_json(&run->out, all, i);
        } else {
            add_entity_lines(&run->out, all, i);
        }
    }
    add(&run->out, run->json ? "]}\n" : "\n");
    return 0;
}

int mon_auth_show_keyring(struct mon_run *run, const struct signet_keyring *all)
{
    int err = add_keyring(&run->out, all);
    return err == 0 ? 0 : mon_say_failure(run, err);
}
