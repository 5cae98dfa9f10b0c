/* SPDX-License-Identifier: MIT */
#include "auth/rotating.h"

#include <string.h>

#include <signet/name.h>

#define NS_PER_SEC UINT64_C(1000000000)

static const uint32_t services[ROTATING_SERVICES] = {SIGNET_AUTH, SIGNET_MON, SIGNET_OSD,
                                                     SIGNET_MDS, SIGNET_MGR};

int rotating_index(uint32_t service)
{
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        if (services[i] == service) {
            return i;
        }
    }
    return -1;
}

uint32_t rotating_service(int index)
{
    return services[index];
}

void rotating_copy(struct rotating_set *out, const struct rotating_set *in)
{
    *out = *in;
    for (unsigned i = 0; i < out->num; i++) {
        signet_key_ref(out->secret[i].key);
    }
}

void rotating_clear(struct rotating_set *set)
{
    for (unsigned i = 0; i < set->num; i++) {
        signet_key_unref(set->secret[i].key);
    }
    memset(set, 0, sizeof(*set));
}

/* The second lowest is the current one. */
bool rotating_due(const struct rotating_set *set, uint64_t now_ns)
{
    return set->num < ROTATING_KEEP || set->secret[1].expires_ns <= now_ns;
}

uint64_t rotating_deadline_ns(const struct rotating_set *set)
{
    if (set->max_ver == 0) {
        return UINT64_MAX;
    }
    return set->num < ROTATING_KEEP ? 0 : set->secret[1].expires_ns;
}

int rotating_append(struct rotating_set *set, uint64_t id, struct signet_key *key,
                    uint64_t expires_ns)
{
    if (set->num == ROTATING_KEEP) {
        return -SIGNET_E_COUNT;
    }
    if (set->num > 0 && id <= set->secret[set->num - 1].id) {
        return -SIGNET_E_VALUE;
    }
    set->secret[set->num++] = (struct rotating_secret){id, key, expires_ns};
    set->max_ver = id > set->max_ver ? id : set->max_ver;
    return 0;
}

/* When a secret that is added now ends: each lives one ttl beyond the one before it. */
static uint64_t next_expiry(const struct rotating_set *set, uint64_t now_ns, uint64_t ttl_ns)
{
    if (set->num == 0) {
        return now_ns + ttl_ns;
    }
    uint64_t newest = set->secret[set->num - 1].expires_ns;
    return (newest > now_ns + ttl_ns ? newest : now_ns + ttl_ns) + ttl_ns;
}

static void drop_oldest(struct rotating_set *set)
{
    signet_key_unref(set->secret[0].key);
    memmove(&set->secret[0], &set->secret[1], (ROTATING_KEEP - 1) * sizeof(set->secret[0]));
    set->num--;
}

int rotating_refresh(struct rotating_set *set, enum signet_key_type type, uint64_t now_ns,
                     uint64_t ttl_ns)
{
    while (rotating_due(set, now_ns)) {
        struct signet_key *key;
        int err = signet_key_generate(&key, type, NULL);
        if (err != 0) {
            return err;
        }
        uint64_t expires_ns = next_expiry(set, now_ns, ttl_ns);
        if (set->num == ROTATING_KEEP) {
            drop_oldest(set);
        }
        set->secret[set->num++] = (struct rotating_secret){++set->max_ver, key, expires_ns};
    }
    return 0;
}

const struct rotating_secret *rotating_sealing(const struct rotating_set *set, uint64_t now_ns)
{
    unsigned current = set->num > 1 ? 1 : 0;
    for (unsigned i = current; i < set->num; i++) {
        if (set->secret[i].expires_ns >= now_ns) {
            return &set->secret[i];
        }
    }
    return NULL;
}

uint64_t rotating_ticket_ttl_ns(const struct rotating_set *set, uint64_t now_ns, uint64_t ttl_ns)
{
    uint64_t newest = set->num > 0 ? set->secret[set->num - 1].expires_ns : 0;
    uint64_t left = newest > now_ns ? newest - now_ns : 0;
    uint64_t ttl = ttl_ns < left ? ttl_ns : left;
    return ttl - ttl % NS_PER_SEC;
}

const struct rotating_secret *rotating_find(const struct rotating_set *set, uint64_t id)
{
    for (unsigned i = 0; i < set->num; i++) {
        if (set->secret[i].id == id) {
            return &set->secret[i];
        }
    }
    return NULL;
}

int rotating_view(struct signet_rotating_secrets *out,
                  uint8_t buf[ROTATING_KEEP][SIGNET_KEY_WIRE_MAX], const struct rotating_set *set)
{
    memset(out, 0, sizeof(*out));
    out->num = set->num;
    out->max_ver = set->max_ver;
    for (unsigned i = 0; i < set->num; i++) {
        out->entry[i].id = set->secret[i].id;
        out->entry[i].secret.expiration = signet_utime_from_ns(set->secret[i].expires_ns);
        int err = signet_key_to_view(&out->entry[i].secret.key, buf[i], set->secret[i].key);
        if (err != 0) {
            return err;
        }
    }
    return 0;
}
