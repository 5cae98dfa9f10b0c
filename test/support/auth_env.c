/* SPDX-License-Identifier: MIT */
#include "support/auth_env.h"

#include <stdlib.h>
#include <string.h>

static uint64_t fake_real(void *arg)
{
    return ((struct fake_env *)arg)->real_ns;
}

static uint64_t fake_mono(void *arg)
{
    return ((struct fake_env *)arg)->mono_ns;
}

uint64_t next_mixed(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint8_t next_byte(struct fake_env *fake)
{
    if (fake->used < fake->script_len) {
        return fake->script[fake->used++];
    }
    return fake->mix != 0 ? (uint8_t)next_mixed(&fake->mix) : ++fake->counter;
}

static int fake_random(void *arg, uint8_t *out, size_t len)
{
    struct fake_env *fake = arg;
    if (fake->random_err != 0) {
        return fake->random_err;
    }
    for (size_t i = 0; i < len; i++) {
        out[i] = next_byte(fake);
    }
    return 0;
}

void fake_env_init(struct fake_env *fake)
{
    memset(fake, 0, sizeof(*fake));
    fake->real_ns = 1780000000 * SEC;
    fake->mono_ns = 1000 * SEC;
}

struct signet_env fake_env_make(struct fake_env *fake)
{
    return (struct signet_env){
        .real_ns = fake_real, .mono_ns = fake_mono, .random = fake_random, .arg = fake};
}

void fake_env_pass(struct fake_env *fake, uint64_t ns)
{
    fake->real_ns += ns;
    fake->mono_ns += ns;
}

void fake_env_script(struct fake_env *fake, const uint8_t *p, size_t len)
{
    if (fake->used == fake->script_len) {
        fake->used = fake->script_len = 0;
    }
    ck_assert_uint_le(fake->script_len + len, sizeof(fake->script));
    memcpy(fake->script + fake->script_len, p, len);
    fake->script_len += len;
}

struct signet_key *key_of_wire(const char *hex)
{
    size_t len;
    uint8_t *wire = unhex(hex, &len);
    struct signet_key *key;
    assert_ok(signet_key_decode(&key, wire, len, NULL));
    free(wire);
    return key;
}

struct signet_key *key_of_text(const char *base64)
{
    struct signet_key *key;
    assert_ok(signet_key_parse(&key, base64, strlen(base64), NULL, NULL));
    return key;
}

struct signet_key *key_of_byte(enum signet_key_type type, uint8_t byte)
{
    uint8_t secret[SIGNET_KEY_SECRET_MAX];
    struct signet_key *key;
    memset(secret, byte, sizeof(secret));
    assert_ok(
        signet_key_import(&key, type, secret, signet_key_type_len(type), 0x65000000 * SEC, NULL));
    return key;
}

const char *json_hex(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_object(value)) {
        value = json_object_get(value, "hex");
    }
    ck_assert_msg(json_is_string(value), "no %s", name);
    return json_string_value(value);
}
