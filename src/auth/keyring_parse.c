/* SPDX-License-Identifier: MIT */
/* From the options of keyring text to entities; which form a file has. */
#include "auth/keyring_priv.h"

#include <string.h>

#include "auth/name_wire.h"
#include "base/fail.h"
#include "base/secret.h"
#include "base/span.h"

struct build {
    struct signet_keyring *keyring;
    struct signet_name name;
    bool named;                    /* false: in a section that does not count */
    struct keyring_entity *entity; /* NULL until the section has a key or capability */
    struct signet_fail *fail;
};

/* Whether a text of the file may be shown: a key that lost its option name may not. */
static bool showable(const void *text, size_t len)
{
    const unsigned char *p = text;
    for (size_t i = 0; i < len; i++) {
        if (p[i] < ' ' || p[i] >= 0x7f) {
            return false;
        }
    }
    return len > 0 && len <= 24;
}

static int fail_at(struct signet_fail *fail, int err, uint64_t line, const char *text)
{
    return signet_fail_set(fail, err, "keyring", line, "%s", text);
}

static int on_section(void *arg, const char *name, size_t len, uint64_t line)
{
    struct build *build = arg;
    build->entity = NULL;
    build->named = false;
    if (signet_span_is((struct signet_span){(const uint8_t *)name, len}, "global")) {
        return 0;
    }
    if (signet_name_parse_n(&build->name, name, len) != 0 || !keyring_name_ok(&build->name)) {
        return signet_fail_set(build->fail, -SIGNET_E_NAME, "keyring", line,
                               "%s%.*s%s is no entity name: expected TYPE.ID with TYPE one of "
                               "auth, mon, osd, mds, mgr, client",
                               showable(name, len) ? "'" : "the section's name",
                               showable(name, len) ? (int)len : 0, name,
                               showable(name, len) ? "'" : "");
    }
    build->named = true;
    return 0;
}

static int need_entity(struct build *build, uint64_t line)
{
    if (build->entity != NULL) {
        return 0;
    }
    int err = keyring_append(build->keyring, &build->name, &build->entity);
    return err != 0 ? fail_at(build->fail, err, line, signet_strerror(err)) : 0;
}

static int unknown_option(struct build *build, struct signet_span name, uint64_t line)
{
    bool show = showable(name.p, name.len);
    return signet_fail_set(build->fail, -SIGNET_E_KEYRING, "keyring", line,
                           "found %s%.*s%s, expected key, caps SERVICE or auid",
                           show ? "the option '" : "an option that is not known",
                           show ? (int)name.len : 0, (const char *)name.p, show ? "'" : "");
}

static int on_cap(struct build *build, struct signet_span name, struct signet_span value,
                  uint64_t line)
{
    int err = keyring_entity_set_cap(build->entity, (const char *)name.p + 5, name.len - 5,
                                     (const char *)value.p, value.len);
    if (err == -SIGNET_E_CAPS) {
        return fail_at(build->fail, -SIGNET_E_KEYRING, line,
                       "the service of a capability, or its text, cannot be written back");
    }
    return err != 0 ? fail_at(build->fail, err, line, signet_strerror(err)) : 0;
}

static int on_key(struct build *build, struct signet_span value, uint64_t line)
{
    /* An empty value is kept as a NUL, so that it counts unless a later one replaces it. */
    bool empty = value.len == 0;
    build->entity->line = line;
    int err = keyring_entity_set_key(build->entity, empty ? (const void *)"" : value.p,
                                     empty ? 1 : value.len);
    return err != 0 ? fail_at(build->fail, err, line, signet_strerror(err)) : 0;
}

static int on_option(void *arg, struct signet_span name, struct signet_span value, uint64_t line)
{
    struct build *build = arg;
    if (!build->named || name.len == 0 || signet_span_is(name, "auid")) {
        return 0;
    }
    bool key = signet_span_is(name, "key");
    if (!key && (name.len <= 5 || memcmp(name.p, "caps ", 5) != 0)) {
        return unknown_option(build, name, line);
    }
    int err = need_entity(build, line);
    if (err == 0) {
        err = key ? on_key(build, value, line) : on_cap(build, name, value, line);
    }
    return err;
}

static int key_fail(struct signet_fail *fail, int err, const struct keyring_entity *entity)
{
    char name[SIGNET_NAME_TEXT_MAX];
    return signet_fail_set(fail, err, "keyring", entity->line,
                           "the key of %.60s cannot be used: %s",
                           signet_name_print(&entity->name, name), signet_strerror(err));
}

/* From the value as it stands to the wire form; no value is the empty key. */
static int decode_key(struct keyring_entity *entity, struct signet_fail *fail)
{
    static const uint8_t none[KEYRING_KEY_HEADER];
    size_t room = entity->key_len, len = KEYRING_KEY_HEADER;
    if (room == 0) {
        return keyring_entity_set_key(entity, none, len);
    }
    if (entity->key[0] == 0) {
        return fail_at(fail, -SIGNET_E_KEYRING, entity->line, "the key is empty");
    }
    uint8_t *wire = signet_secret_alloc(room);
    int err = wire == NULL ? -SIGNET_E_NOMEM
                           : keyring_key_unarmor(wire, &len, (const char *)entity->key, room);
    if (err == 0) {
        err = keyring_key_check(wire, len);
    }
    if (err == 0) {
        err = keyring_entity_set_key(entity, wire, len);
    }
    signet_secret_free(wire, room);
    return err != 0 ? key_fail(fail, err, entity) : 0;
}

int keyring_parse_text(struct signet_keyring *keyring, const char *in, size_t len,
                       struct signet_fail *fail)
{
    static const struct keyring_sink sink = {on_section, on_option};
    struct build build = {.keyring = keyring, .fail = fail};
    int err = keyring_text_scan(in, len, &sink, &build, fail);
    if (err == 0) {
        err = keyring_settle(keyring, false);
        if (err != 0) {
            fail_at(fail, err, 0, signet_strerror(err));
        }
    }
    /* Keys are decoded last: a bad one that a later one replaced does not count. */
    for (size_t i = 0; err == 0 && i < keyring->num; i++) {
        err = decode_key(keyring->entities[i], fail);
    }
    return err;
}

/* Which form a file that is neither was meant to be. */
static bool looks_binary(const uint8_t *in, size_t len)
{
    return len > 0 && in[0] < 9;
}

static int parse_form(struct signet_keyring **out, const void *in, size_t len, bool text,
                      struct signet_fail *fail)
{
    int err = signet_keyring_new(out);
    if (err != 0) {
        return fail_at(fail, err, 0, signet_strerror(err));
    }
    err = text ? keyring_parse_text(*out, in, len, fail) : keyring_parse_wire(*out, in, len, fail);
    if (err != 0) {
        signet_keyring_free(*out);
        *out = NULL;
    }
    return err;
}

int signet_keyring_parse(struct signet_keyring **out, const void *in, size_t len,
                         struct signet_fail *fail)
{
    struct signet_fail wire_fail, text_fail;
    *out = NULL;
    if (len > SIGNET_KEYRING_FILE_MAX) {
        return signet_fail_set(fail, -SIGNET_E_KEYRING_SIZE, "keyring", 0,
                               "found %zu bytes, expected at most %d", len,
                               SIGNET_KEYRING_FILE_MAX);
    }
    int wire_err = parse_form(out, in, len, false, &wire_fail);
    int err = wire_err == 0 ? 0 : parse_form(out, in, len, true, &text_fail);
    if (err != 0) {
        bool binary = looks_binary(in, len);
        err = binary ? wire_err : err;
        if (fail != NULL) {
            *fail = binary ? wire_fail : text_fail;
        }
    }
    return err;
}
