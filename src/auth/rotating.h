/* SPDX-License-Identifier: MIT */
/* The rotating secrets of one service. Pure; rules: cephx.md 8. */
#ifndef SIGNET_AUTH_ROTATING_H
#define SIGNET_AUTH_ROTATING_H

#include <stdbool.h>
#include <stdint.h>

#include <signet/cephx.h>
#include <signet/key.h>

enum { ROTATING_KEEP = 3, ROTATING_SERVICES = 5 };

struct rotating_secret {
    uint64_t id;
    struct signet_key *key; /* one reference is held by each set that lists it */
    uint64_t expires_ns;    /* wall clock */
};

/* By ascending id: previous, current, next. All zero: none yet. */
struct rotating_set {
    unsigned num;
    struct rotating_secret secret[ROTATING_KEEP];
    uint64_t max_ver;
};

/* 0.. for AUTH, MON, OSD, MDS, MGR; -1 for what has no secrets. And back. */
int rotating_index(uint32_t service);
uint32_t rotating_service(int index);

void rotating_copy(struct rotating_set *out, const struct rotating_set *in);
void rotating_clear(struct rotating_set *set);
/* Whether a secret must be added now, and when the next one will be (UINT64_MAX: none kept). */
bool rotating_due(const struct rotating_set *set, uint64_t now_ns);
uint64_t rotating_deadline_ns(const struct rotating_set *set);
/* Adds secrets until none is due; the oldest beyond three go. -RANDOM, -NOMEM and what key
 * generation gives; the set may then have grown in part. */
int rotating_refresh(struct rotating_set *set, enum signet_key_type type, uint64_t now_ns,
                     uint64_t ttl_ns);
/* Takes over a key; for loading. Ids must ascend: -VALUE; more than three: -COUNT. */
int rotating_append(struct rotating_set *set, uint64_t id, struct signet_key *key,
                    uint64_t expires_ns);
/* The secret for new tickets; NULL when there is none that lives. */
const struct rotating_secret *rotating_sealing(const struct rotating_set *set, uint64_t now_ns);
/* Life of a ticket made now: ttl, but never beyond the newest secret; whole seconds. */
uint64_t rotating_ticket_ttl_ns(const struct rotating_set *set, uint64_t now_ns, uint64_t ttl_ns);
const struct rotating_secret *rotating_find(const struct rotating_set *set, uint64_t id);
/* As RotatingSecrets; buf holds the wire forms that the views point into. Wipe it. */
int rotating_view(struct signet_rotating_secrets *out,
                  uint8_t buf[ROTATING_KEEP][SIGNET_KEY_WIRE_MAX], const struct rotating_set *set);

#endif
