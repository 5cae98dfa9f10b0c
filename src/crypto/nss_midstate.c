/* SPDX-License-Identifier: MIT */
#include "crypto/nss_midstate.h"

#include <string.h>

#include "base/secret.h"
#include "crypto/nss_freebl.h"
#include "crypto/nss_lowhash.h"

/* The places of the hashes in freebl's table, theirs since NSS 3.8. */
enum { SLOTS_NEEDED = 108, SHA256_AT = 75, SHA384_AT = 97 };
enum { NEW, DESTROY, BEGIN, UPDATE, END, FLATTEN_SIZE = 8 };

/* What a context holds behind its buffer: the state, then the count of bytes or bits. */
struct layout {
    unsigned first; /* slot */
    size_t size, state_at, state_len, count_at, block;
};

static const struct layout layouts[2] = {{SHA256_AT, 312, 256, 32, 288, 64},
                                         {SHA384_AT, 712, 640, 64, 704, 128}};

static struct {
    void *(*new)(void);
    void (*destroy)(void *, int);
    void (*begin)(void *);
    void (*update)(void *, const unsigned char *, unsigned int);
    void (*end)(void *, unsigned char *, unsigned int *, unsigned int);
    unsigned int (*size)(void *);
    uint8_t count[8]; /* after one block */
} hashes[2];

static unsigned which(unsigned bits)
{
    return bits == 384;
}

static void read_table(const unsigned char *table)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned first = layouts[i].first;
        signet_nss_table_take(&hashes[i].new, table, first + NEW);
        signet_nss_table_take(&hashes[i].destroy, table, first + DESTROY);
        signet_nss_table_take(&hashes[i].begin, table, first + BEGIN);
        signet_nss_table_take(&hashes[i].update, table, first + UPDATE);
        signet_nss_table_take(&hashes[i].end, table, first + END);
        signet_nss_table_take(&hashes[i].size, table, first + FLATTEN_SIZE);
    }
}

void *signet_nss_midstate_new(unsigned bits)
{
    return hashes[which(bits)].new();
}

void signet_nss_midstate_free(void *context, unsigned bits)
{
    if (context != NULL) {
        hashes[which(bits)].destroy(context, 1);
    }
}

/* The state and the count after a block. */
static bool after_block(uint8_t *state, uint8_t count[8], const uint8_t *block, unsigned bits)
{
    unsigned i = which(bits);
    void *context = hashes[i].new();
    if (context == NULL) {
        return false;
    }
    hashes[i].begin(context);
    hashes[i].update(context, block, (unsigned int)layouts[i].block);
    memcpy(state, (uint8_t *)context + layouts[i].state_at, layouts[i].state_len);
    memcpy(count, (uint8_t *)context + layouts[i].count_at, 8);
    signet_wipe(context, layouts[i].size);
    hashes[i].begin(context);
    hashes[i].destroy(context, 1);
    return true;
}

bool signet_nss_midstate_of(uint8_t state[SIGNET_NSS_MIDSTATE_LEN], const uint8_t *block,
                            unsigned bits)
{
    uint8_t count[8]; /* always the same */
    return after_block(state, count, block, bits);
}

void signet_nss_midstate_begin(void *context, const uint8_t state[SIGNET_NSS_MIDSTATE_LEN],
                               unsigned bits)
{
    unsigned i = which(bits);
    hashes[i].begin(context);
    memcpy((uint8_t *)context + layouts[i].state_at, state, layouts[i].state_len);
    memcpy((uint8_t *)context + layouts[i].count_at, hashes[i].count, sizeof(hashes[i].count));
}

void signet_nss_midstate_add(void *context, const uint8_t *in, size_t len, unsigned bits)
{
    const size_t most = 0x40000000; /* freebl counts in unsigned int */
    while (len > 0) {
        size_t part = len < most ? len : most;
        hashes[which(bits)].update(context, in, (unsigned int)part);
        in += part;
        len -= part;
    }
}

void signet_nss_midstate_end(void *context, uint8_t *out, unsigned bits)
{
    unsigned int got;
    hashes[which(bits)].end(context, out, &got, bits / 8);
}

/* ---- before they are used ---- */

/* A block and a message, whole and in two parts, by either way. */
static bool same(void *context, struct NSSLOWHASHContextStr *whole, const uint8_t *in, size_t len,
                 unsigned bits)
{
    uint8_t state[SIGNET_NSS_MIDSTATE_LEN], want[48], got[48];
    size_t block = layouts[which(bits)].block;
    signet_nss_lowhash_begin(whole);
    signet_nss_lowhash_add(whole, in, block + len);
    signet_nss_lowhash_end(whole, want, bits);
    if (!signet_nss_midstate_of(state, in, bits)) {
        return false;
    }
    signet_nss_midstate_begin(context, state, bits);
    signet_nss_midstate_add(context, in + block, len / 3, bits);
    signet_nss_midstate_add(context, in + block + len / 3, len - len / 3, bits);
    signet_nss_midstate_end(context, got, bits);
    return memcmp(want, got, bits / 8) == 0;
}

static bool compare(unsigned bits)
{
    uint8_t in[128 + 400];
    void *context = signet_nss_midstate_new(bits);
    struct NSSLOWHASHContextStr *whole = signet_nss_lowhash_new(bits);
    bool ok = context != NULL && whole != NULL &&
              hashes[which(bits)].size(context) == layouts[which(bits)].size;
    for (size_t i = 0; i < sizeof(in); i++) {
        in[i] = (uint8_t)(i * 37 + 5);
    }
    uint8_t state[SIGNET_NSS_MIDSTATE_LEN];
    ok = ok && after_block(state, hashes[which(bits)].count, in, bits);
    for (size_t len = 0; ok && len <= 400; len++) {
        in[len % 64]++; /* another block, too */
        ok = same(context, whole, in, len, bits);
    }
    signet_nss_midstate_free(context, bits);
    signet_nss_lowhash_free(whole);
    return ok;
}

bool signet_nss_midstate_load(void)
{
    static int verdict; /* 0: not known, 1: usable, -1: not */
    if (verdict != 0) {
        return verdict > 0;
    }
    verdict = -1;
    const unsigned char *table = signet_nss_table(SLOTS_NEEDED);
    if (table != NULL) {
        read_table(table);
        verdict = compare(256) && compare(384) ? 1 : -1;
    }
    return verdict > 0;
}
