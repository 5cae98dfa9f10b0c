/* SPDX-License-Identifier: MIT */
/*
 * The binary form: u8 | map<EntityName, EntityAuth>, bytes behind it ignored as Ceph does.
 * EntityAuth: u8 v, [v >= 2: u64 auid], CryptoKey, map<str, blob of a str>, [v >= 3: CryptoKey
 * pending]. Source: keys.md 6-7.
 */
#include "auth/keyring_priv.h"

#include <string.h>

#include "auth/name_wire.h"
#include "base/fail.h"

enum {
    AUTH_VERSION = 2,     /* that is written */
    AUTH_VERSION_MAX = 3, /* that is known */
    NAME_MIN = 8,
    AUTH_MIN = 1 + KEYRING_KEY_HEADER + 4,
    CAP_MIN = 12,
};

static struct signet_span read_key(struct signet_reader *r)
{
    const uint8_t *start = r->p;
    signet_read_view(r, KEYRING_KEY_HEADER - 2);
    signet_read_view(r, signet_read_u16(r));
    struct signet_span key = {.p = start, .len = r->err == 0 ? (size_t)(r->p - start) : 0};
    int err = r->err == 0 ? keyring_key_check(key.p, key.len) : 0;
    if (err != 0) {
        signet_reader_fail(r, (enum signet_err) - err);
    }
    return key;
}

static void read_cap(struct signet_reader *r, struct keyring_entity *entity)
{
    struct signet_span service = signet_read_blob(r, SIGNET_KEYRING_FILE_MAX);
    struct signet_span blob = signet_read_blob(r, SIGNET_KEYRING_FILE_MAX);
    struct signet_reader inner = signet_reader_init(blob.p, blob.len);
    struct signet_span text = signet_read_blob(&inner, SIGNET_KEYRING_FILE_MAX);
    int err = r->err != 0 ? r->err : inner.err;
    for (size_t i = 0; err == 0 && i < entity->num_caps; i++) {
        const char *had = entity->caps[i].service;
        if (strlen(had) == service.len && memcmp(had, service.p, service.len) == 0) {
            return; /* of two the first one counts */
        }
    }
    if (err == 0) {
        err = keyring_entity_set_cap(entity, (const char *)service.p, service.len,
                                     (const char *)text.p, text.len);
    }
    if (err != 0) {
        signet_reader_fail(r, (enum signet_err) - err);
    }
}

static void read_auth(struct signet_reader *r, struct keyring_entity *entity)
{
    uint8_t version = signet_read_u8(r);
    if (version > AUTH_VERSION_MAX) {
        signet_reader_fail(r, SIGNET_E_VERSION);
    }
    if (version >= 2) {
        signet_read_u64(r);
    }
    struct signet_span key = read_key(r);
    uint32_t num = signet_read_count(r, UINT32_MAX, CAP_MIN);
    for (uint32_t i = 0; i < num && r->err == 0; i++) {
        read_cap(r, entity);
    }
    if (version >= 3) {
        read_key(r); /* pending: the text form has no place for it */
    }
    int err = r->err == 0 ? keyring_entity_set_key(entity, key.p, key.len) : 0;
    if (err != 0) {
        signet_reader_fail(r, (enum signet_err) - err);
    }
}

static void read_entity(struct signet_reader *r, struct signet_keyring *keyring)
{
    struct signet_name name;
    struct keyring_entity *entity;
    signet_read_name(r, &name);
    if (r->err == 0 && !keyring_name_ok(&name)) {
        signet_reader_fail(r, SIGNET_E_NAME);
    }
    int err = r->err == 0 ? keyring_append(keyring, &name, &entity) : 0;
    if (err != 0) {
        signet_reader_fail(r, (enum signet_err) - err);
    }
    if (r->err == 0) {
        read_auth(r, entity);
    }
}

int keyring_parse_wire(struct signet_keyring *keyring, const void *in, size_t len,
                       struct signet_fail *fail)
{
    struct signet_reader r = signet_reader_init(in, len);
    signet_read_u8(&r); /* struct_v: Ceph takes any */
    uint32_t num = signet_read_count(&r, SIGNET_KEYRING_ENTITY_MAX, NAME_MIN + AUTH_MIN);
    for (uint32_t i = 0; i < num && r.err == 0; i++) {
        read_entity(&r, keyring);
    }
    int err = r.err != 0 ? r.err : keyring_settle(keyring, true);
    if (err != 0) {
        signet_fail_set(fail, err, "binary keyring", signet_reader_offset(&r), "entity %zu: %s",
                        keyring->num, signet_strerror(err));
    }
    return err;
}

static void write_entity(struct signet_writer *w, const struct keyring_entity *entity)
{
    signet_write_name(w, &entity->name);
    signet_write_u8(w, AUTH_VERSION);
    signet_write_u64(w, UINT64_MAX);
    signet_write_bytes(w, entity->key, entity->key_len);
    signet_write_u32(w, (uint32_t)entity->num_caps);
    for (size_t i = 0; i < entity->num_caps; i++) {
        const struct keyring_cap *cap = &entity->caps[i];
        size_t len = strlen(cap->text);
        signet_write_blob(w, cap->service, strlen(cap->service));
        signet_write_u32(w, (uint32_t)len + 4);
        signet_write_blob(w, cap->text, len);
    }
}

static void write_all(struct signet_writer *w, const struct signet_keyring *keyring)
{
    signet_write_u8(w, 1);
    signet_write_u32(w, (uint32_t)keyring->num);
    for (size_t i = 0; i < keyring->num; i++) {
        write_entity(w, keyring->entities[i]);
    }
}

size_t signet_keyring_wire_len(const struct signet_keyring *keyring)
{
    struct signet_writer w = signet_writer_count();
    write_all(&w, keyring);
    return (size_t)w.len;
}

int signet_keyring_encode(const struct signet_keyring *keyring, uint8_t *out, size_t cap,
                          size_t *out_len)
{
    *out_len = 0;
    if (signet_keyring_wire_len(keyring) > cap) {
        return -SIGNET_E_SPACE;
    }
    struct signet_writer w = signet_writer_init(out, cap);
    write_all(&w, keyring);
    *out_len = (size_t)w.len;
    return w.err;
}
