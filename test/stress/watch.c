/* SPDX-License-Identifier: MIT */
#include "stress/watch.h"

#define SLOTS 65536

static struct {
    const void *slot;
    const void *value;
} table[SLOTS];
static unsigned seen;

static uint64_t mix(uint64_t h, const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

uint64_t watch_hash(const struct signet_key *key)
{
    uint64_t h = mix(UINT64_C(0xcbf29ce484222325), key->secret, sizeof(key->secret));
    for (size_t i = 0; i < signet_key_states((enum signet_key_type)key->type); i++) {
        struct signet_state *s = atomic_load(&key->states[i]);
        if (s != NULL) {
            h = mix(h, s->ke, sizeof(s->ke));
            h = mix(h, s->ki, sizeof(s->ki));
        }
    }
    return h;
}

/* 1 when the slot had another value before. */
static unsigned note(const void *slot, const void *value)
{
    if (value == NULL) {
        return 0;
    }
    size_t at = ((uintptr_t)slot >> 3) % SLOTS;
    while (table[at].slot != NULL && table[at].slot != slot) {
        at = (at + 1) % SLOTS;
    }
    if (table[at].slot == slot) {
        return table[at].value != value;
    }
    table[at].slot = slot;
    table[at].value = value;
    seen++;
    return 0;
}

static unsigned note_lanes(signet_lane_slot *lanes, size_t num)
{
    unsigned changed = 0;
    for (size_t i = 0; i < num; i++) {
        changed += note(&lanes[i], atomic_load(&lanes[i]));
    }
    return changed;
}

static unsigned note_engine(const signet_engine_slot *slot)
{
    struct signet_engine *e = atomic_load(slot);
    if (e == NULL) {
        return 0;
    }
    unsigned changed = note(slot, e) + note_lanes(e->lanes, SIGNET_LANES_INLINE);
    struct signet_lane_chunks *more = atomic_load(&e->more);
    changed += note(&e->more, more);
    for (unsigned c = 0; more != NULL && c < SIGNET_LANE_CHUNKS; c++) {
        signet_lane_slot *chunk = atomic_load(&more->chunk[c]);
        changed += note(&more->chunk[c], chunk);
        changed += chunk != NULL ? note_lanes(chunk, (size_t)SIGNET_LANES_INLINE << c) : 0;
    }
    return changed;
}

unsigned watch_slots(const struct signet_key *key)
{
    unsigned changed = 0;
    for (unsigned h = 0; h < SIGNET_HANDLER_MAX; h++) {
        changed += note_engine(&key->hmac[h]);
    }
    for (size_t i = 0; i < signet_key_states((enum signet_key_type)key->type); i++) {
        struct signet_state *s = atomic_load(&key->states[i]);
        changed += note(&key->states[i], s);
        for (unsigned h = 0; s != NULL && h < SIGNET_HANDLER_MAX; h++) {
            for (unsigned r = 0; r < KEY_ROLES; r++) {
                changed += note_engine(&s->engines[h][r]);
            }
        }
    }
    return changed;
}

unsigned watch_seen(void)
{
    return seen;
}
