/* SPDX-License-Identifier: MIT */
/* Keys of a keyring as bytes and as text, and made usable. */
#include "auth/keyring_priv.h"

#include <string.h>

#include "base/secret.h"
#include "crypto/base64.h"

int keyring_key_check(const uint8_t *wire, size_t len)
{
    struct signet_reader r = signet_reader_init(wire, len);
    enum signet_key_type type = (enum signet_key_type)signet_read_u16(&r);
    signet_read_u64(&r); /* created: any value */
    size_t secret = signet_read_u16(&r);
    if (r.err != 0) {
        return r.err;
    }
    if (secret > signet_reader_left(&r)) {
        return -SIGNET_E_LENGTH;
    }
    if (secret < signet_reader_left(&r)) {
        return -SIGNET_E_KEY_TRAILING;
    }
    if (secret == 0 || type == SIGNET_KEY_NONE) {
        return 0;
    }
    size_t want = signet_key_type_len(type);
    if (want == 0) {
        return -SIGNET_E_KEY_TYPE;
    }
    return secret == want ? 0 : -SIGNET_E_KEY_LENGTH;
}

/* 0..63, or 64. Ceph takes the letters of url-safe base64 too, and '=' anywhere as 0. */
static unsigned letter_value(char c)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    if (c == '+' || c == '-') {
        return 62;
    }
    if (c == '/' || c == '_') {
        return 63;
    }
    if (c == '=') {
        return 0;
    }
    const char *at = c != 0 ? strchr(letters, c) : NULL;
    return at != NULL ? (unsigned)(at - letters) : 64;
}

int keyring_key_unarmor(uint8_t *out, size_t *out_len, const char *text, size_t len)
{
    size_t n = 0;
    bool ended = false;
    *out_len = 0;
    for (size_t i = 0; i < len && !ended; i += 4) {
        unsigned v[4];
        for (size_t k = 0; k < 4; k++) {
            v[k] = i + k < len ? letter_value(text[i + k]) : 64;
            if (v[k] == 64) {
                return -SIGNET_E_BASE64;
            }
        }
        out[n++] = (uint8_t)(v[0] << 2 | v[1] >> 4);
        /* The first group that ends with '=' is the last; what follows does not count. */
        ended = text[i + 3] == '=' || text[i + 2] == '=';
        if (text[i + 2] != '=') {
            out[n++] = (uint8_t)(v[1] << 4 | v[2] >> 2);
        }
        if (!ended) {
            out[n++] = (uint8_t)(v[2] << 6 | v[3]);
        }
    }
    *out_len = n;
    return 0;
}

int signet_keyring_key(const struct signet_keyring *keyring, const struct signet_name *name,
                       const struct signet_handler *pin, struct signet_key **out)
{
    const struct keyring_entity *entity = keyring_lookup(keyring, name);
    *out = NULL;
    if (entity == NULL) {
        return -SIGNET_E_NOT_FOUND;
    }
    return signet_key_decode(out, entity->key, entity->key_len, pin);
}

struct signet_key *signet_keyring_get(const struct signet_keyring *keyring, const char *entity)
{
    struct signet_name name;
    struct signet_key *key;
    if (signet_name_parse(&name, entity) != 0 ||
        signet_keyring_key(keyring, &name, NULL, &key) != 0) {
        return NULL;
    }
    return key;
}

const uint8_t *signet_keyring_key_wire(const struct signet_keyring *keyring, size_t index,
                                       size_t *len)
{
    if (index >= keyring->num) {
        *len = 0;
        return NULL;
    }
    *len = keyring->entities[index]->key_len;
    return keyring->entities[index]->key;
}

int signet_keyring_key_text(const struct signet_keyring *keyring, size_t index, char *out,
                            size_t cap)
{
    size_t len;
    const uint8_t *wire = signet_keyring_key_wire(keyring, index, &len);
    bool fits = wire != NULL && cap > (len + 2) / 3 * 4;
    if (fits) {
        signet_base64_encode(out, wire, len);
    } else if (cap > 0) {
        out[0] = 0;
    }
    return fits ? 0 : wire == NULL ? -SIGNET_E_NOT_FOUND : -SIGNET_E_SPACE;
}
