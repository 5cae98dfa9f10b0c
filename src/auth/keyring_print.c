/* SPDX-License-Identifier: MIT */
/* The text form: what ceph-authtool writes, with the escapes that its own reader needs. */
#include "auth/keyring_priv.h"

#include <string.h>

#include "crypto/base64.h"

static void write_text(struct signet_writer *w, const char *text)
{
    signet_write_bytes(w, text, strlen(text));
}

/* A backslash in front of each of `special`. */
static void write_escaped(struct signet_writer *w, const char *text, size_t len,
                          const char *special)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr(special, text[i]) != NULL) {
            signet_write_u8(w, '\\');
        }
        signet_write_u8(w, (uint8_t)text[i]);
    }
}

static void write_key(struct signet_writer *w, const struct keyring_entity *entity)
{
    size_t len = (entity->key_len + 2) / 3 * 4;
    write_text(w, "\tkey = ");
    uint8_t *room = signet_write_room(w, len + 1);
    if (room != NULL) {
        signet_base64_encode((char *)room, entity->key, entity->key_len);
        room[len] = '\n';
    }
}

static void write_entity(struct signet_writer *w, const struct keyring_entity *entity)
{
    signet_write_u8(w, '[');
    write_text(w, signet_service_name(entity->name.type));
    signet_write_u8(w, '.');
    write_escaped(w, entity->name.id, entity->name.id_len, "\\#;]");
    write_text(w, "]\n");
    write_key(w, entity);
    for (size_t i = 0; i < entity->num_caps; i++) {
        const struct keyring_cap *cap = &entity->caps[i];
        write_text(w, "\tcaps ");
        write_text(w, cap->service);
        write_text(w, " = \"");
        write_escaped(w, cap->text, strlen(cap->text), "\\\"#;");
        write_text(w, "\"\n");
    }
}

static void write_all(struct signet_writer *w, const struct signet_keyring *keyring)
{
    for (size_t i = 0; i < keyring->num; i++) {
        write_entity(w, keyring->entities[i]);
    }
}

size_t signet_keyring_text_len(const struct signet_keyring *keyring)
{
    struct signet_writer w = signet_writer_count();
    write_all(&w, keyring);
    return (size_t)w.len;
}

int signet_keyring_print(const struct signet_keyring *keyring, char *out, size_t cap,
                         size_t *out_len)
{
    *out_len = 0;
    if (signet_keyring_text_len(keyring) > cap) {
        return -SIGNET_E_SPACE;
    }
    struct signet_writer w = signet_writer_init(out, cap);
    write_all(&w, keyring);
    *out_len = (size_t)w.len;
    return w.err;
}
