/* SPDX-License-Identifier: MIT */
#include "crypto/key_state.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <signet/env.h>

#include "base/secret.h"
#include "crypto/key_make.h"

#define NS_PER_SEC UINT64_C(1000000000)

static const char *const type_names[] = {
    [SIGNET_KEY_NONE] = "none",
    [SIGNET_KEY_AES] = "aes",
    [SIGNET_KEY_AES256K] = "aes256k",
};

const char *signet_key_type_name(enum signet_key_type type)
{
    return (unsigned)type < 3 ? type_names[type] : NULL;
}

int signet_key_type_parse(enum signet_key_type *out, const char *name)
{
    for (unsigned t = 0; t < 3; t++) {
        if (strcasecmp(name, type_names[t]) == 0) {
            *out = (enum signet_key_type)t;
            return 0;
        }
    }
    if (strcasecmp(name, "recommended") == 0) {
        *out = SIGNET_KEY_AES256K;
        return 0;
    }
    return -SIGNET_E_KEY_TYPE;
}

size_t signet_key_type_len(enum signet_key_type type)
{
    return type == SIGNET_KEY_AES ? 16 : type == SIGNET_KEY_AES256K ? 32 : 0;
}

static size_t object_size(enum signet_key_type type)
{
    return sizeof(struct signet_key) +
           signet_key_states(type) * sizeof(_Atomic(struct signet_state *));
}

/* Builds what shows whether the handler takes this key at all: the sealing engine of type 1;
 * type 2 has no usage yet, so the import of its secret is tried and dropped. */
static int try_handler(const struct signet_key *key)
{
    struct signet_row *row = signet_row_now(key->pin);
    if (row == NULL) {
        return -SIGNET_E_STATE;
    }
    if (key->type == SIGNET_KEY_AES) {
        struct signet_state *state;
        struct signet_engine *engine;
        int err = signet_key_state(key, row, SIGNET_USAGE_NONE, &state);
        return err != 0 ? err : signet_state_engine(key, row, state, KEY_ROLE_SEAL, &engine);
    }
    void *probe;
    int err = row->handler->key_new(&probe, SIGNET_ALG_CBC256_SEAL, key->secret, 32);
    if (err == 0) {
        row->handler->key_free(SIGNET_ALG_CBC256_SEAL, probe);
    }
    return err;
}

int signet_key_make(struct signet_key **out, enum signet_key_type type, const uint8_t *secret,
                    struct signet_utime created, const struct signet_handler *pin)
{
    *out = NULL;
    struct signet_row *row;
    int err = signet_row_pin(&row, pin);
    if (err != 0) {
        return err;
    }
    struct signet_key *key = signet_secret_alloc(object_size(type));
    if (key == NULL) {
        return -SIGNET_E_NOMEM;
    }
    atomic_init(&key->refs, 1);
    key->type = type;
    key->pin = row;
    key->created_sec = created.sec;
    key->created_nsec = created.nsec;
    memcpy(key->secret, secret, signet_key_type_len(type));
    err = try_handler(key);
    if (err != 0) {
        signet_key_unref(key);
        return err;
    }
    *out = key;
    return 0;
}

static struct signet_utime utime_of(uint64_t ns)
{
    uint64_t sec = ns / NS_PER_SEC;
    return (struct signet_utime){.sec = sec < UINT32_MAX ? (uint32_t)sec : UINT32_MAX,
                                 .nsec = (uint32_t)(ns % NS_PER_SEC)};
}

int signet_key_import(struct signet_key **out, enum signet_key_type type, const uint8_t *secret,
                      size_t len, uint64_t created_ns, const struct signet_handler *pin)
{
    *out = NULL;
    size_t want = signet_key_type_len(type);
    if (want == 0) {
        return -SIGNET_E_KEY_TYPE;
    }
    if (len != want) {
        return -SIGNET_E_KEY_LENGTH;
    }
    return signet_key_make(out, type, secret, utime_of(created_ns), pin);
}

int signet_key_generate(struct signet_key **out, enum signet_key_type type,
                        const struct signet_handler *pin)
{
    *out = NULL;
    size_t len = signet_key_type_len(type);
    if (len == 0) {
        return -SIGNET_E_KEY_TYPE;
    }
    struct signet_row *row;
    int err = signet_row_pin(&row, pin);
    row = err == 0 ? signet_row_now(row) : NULL;
    if (row == NULL) {
        return err != 0 ? err : -SIGNET_E_STATE;
    }
    uint8_t secret[SIGNET_SECRET_MAX];
    err = row->handler->random(secret, len);
    if (err == 0) {
        struct signet_env env = signet_env_system();
        err = signet_key_make(out, type, secret, utime_of(env.real_ns(env.arg)), pin);
    }
    signet_wipe(secret, sizeof(secret));
    return err;
}

struct signet_key *signet_key_ref(struct signet_key *key)
{
    /* Relaxed: the caller holds a reference already. Near the end the count sticks, and the key
     * lives for ever rather than being freed under someone. */
    uint32_t refs = atomic_load_explicit(&key->refs, memory_order_relaxed);
    while (refs < UINT32_MAX &&
           !atomic_compare_exchange_weak_explicit(&key->refs, &refs, refs + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
    return key;
}

static void free_key(struct signet_key *key)
{
    for (size_t i = 0; i < signet_key_states(key->type); i++) {
        signet_state_free(atomic_load_explicit(&key->states[i], memory_order_relaxed));
    }
    for (unsigned h = 0; h < SIGNET_HANDLER_MAX; h++) {
        signet_engine_drop(&key->hmac[h]);
        signet_engine_drop(&key->batch[h]);
    }
    signet_secret_free(key, object_size(key->type));
}

void signet_key_unref(struct signet_key *key)
{
    if (key == NULL) {
        return;
    }
    uint32_t refs = atomic_load_explicit(&key->refs, memory_order_relaxed);
    do {
        if (refs == UINT32_MAX) {
            return;
        }
        if (refs == 0) {
            abort(); /* one unref too many: going on would free memory twice */
        }
        /* Release: what this thread did with the key comes before its freeing by another. */
    } while (!atomic_compare_exchange_weak_explicit(&key->refs, &refs, refs - 1,
                                                    memory_order_release, memory_order_relaxed));
    if (refs == 1) {
        atomic_thread_fence(memory_order_acquire);
        free_key(key);
    }
}

enum signet_key_type signet_key_type(const struct signet_key *key)
{
    return (enum signet_key_type)key->type;
}

uint64_t signet_key_created_ns(const struct signet_key *key)
{
    return key->created_sec * NS_PER_SEC + key->created_nsec;
}

bool signet_key_equal(const struct signet_key *a, const struct signet_key *b)
{
    return a->type == b->type && signet_equal(a->secret, b->secret, SIGNET_SECRET_MAX);
}

int signet_key_prepare(const struct signet_key *key, enum signet_usage usage)
{
    struct signet_row *row = signet_row_now(key->pin);
    struct signet_state *state;
    int err = row != NULL ? signet_key_state(key, row, usage, &state) : -SIGNET_E_STATE;
    unsigned roles = key->type == SIGNET_KEY_AES256K ? KEY_ROLES : KEY_ROLE_MAC;
    for (unsigned r = 0; err == 0 && r < roles; r++) {
        struct signet_engine *engine;
        struct signet_lane lane;
        err = signet_state_engine(key, row, state, (enum key_role)r, &engine);
        err = err == 0 ? signet_lane_enter(engine, &lane) : err;
        if (err == 0) {
            signet_lane_leave(&lane);
        }
    }
    return err;
}

int signet_key_hmac(const struct signet_key *key, uint8_t out[SIGNET_HMAC_LEN], const uint8_t *in,
                    size_t len)
{
    struct signet_row *row = signet_row_now(key->pin);
    if (row == NULL) {
        return -SIGNET_E_STATE;
    }
    signet_engine_slot *slot = &((struct signet_key *)(uintptr_t)key)->hmac[row->index];
    struct signet_engine *engine = atomic_load_explicit(slot, memory_order_acquire);
    if (engine == NULL) {
        int err = signet_engine_fill(slot, &engine, row->handler, SIGNET_ALG_HMAC_SHA256,
                                     key->secret, signet_key_type_len(signet_key_type(key)));
        if (err != 0) {
            return err;
        }
    }
    struct signet_span part = {in, len};
    return signet_engine_hmac(engine, out, &part, 1);
}
