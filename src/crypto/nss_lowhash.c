/* SPDX-License-Identifier: MIT */
#include "crypto/nss_lowhash.h"

#include <dlfcn.h>

#include <hasht.h>

#define LIBRARY "libfreebl3.so"

struct NSSLOWInitContextStr;

/* As in NSS's nsslowhash.h, which not every distribution installs. */
static struct {
    struct NSSLOWInitContextStr *(*init)(void);
    struct NSSLOWHASHContextStr *(*new)(struct NSSLOWInitContextStr *, HASH_HashType);
    void (*begin)(struct NSSLOWHASHContextStr *);
    void (*update)(struct NSSLOWHASHContextStr *, const unsigned char *, unsigned int);
    void (*end)(struct NSSLOWHASHContextStr *, unsigned char *, unsigned int *, unsigned int);
    void (*destroy)(struct NSSLOWHASHContextStr *);
} low;

static struct NSSLOWInitContextStr *context; /* NULL until loaded */

/* One symbol; a cast from dlsym's result to a function pointer is not ISO C. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    *(void **)function = symbol;
    return symbol != NULL;
}

bool signet_nss_lowhash_load(void)
{
    if (context != NULL) {
        return true;
    }
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        return false;
    }
    if (find(library, "NSSLOW_Init", &low.init) &&
        find(library, "NSSLOWHASH_NewContext", &low.new) &&
        find(library, "NSSLOWHASH_Begin", &low.begin) &&
        find(library, "NSSLOWHASH_Update", &low.update) &&
        find(library, "NSSLOWHASH_End", &low.end) &&
        find(library, "NSSLOWHASH_Destroy", &low.destroy)) {
        context = low.init();
    }
    (void)dlclose(library); /* RTLD_NODELETE: it stays */
    return context != NULL;
}

struct NSSLOWHASHContextStr *signet_nss_lowhash_new(unsigned bits)
{
    return low.new(context, bits == 256 ? HASH_AlgSHA256 : HASH_AlgSHA384);
}

void signet_nss_lowhash_free(struct NSSLOWHASHContextStr *hash)
{
    if (hash != NULL) {
        low.destroy(hash);
    }
}

void signet_nss_lowhash_begin(struct NSSLOWHASHContextStr *hash)
{
    low.begin(hash);
}

void signet_nss_lowhash_add(struct NSSLOWHASHContextStr *hash, const uint8_t *in, size_t len)
{
    const size_t most = 0x40000000; /* freebl counts in unsigned int */
    while (len > 0) {
        size_t part = len < most ? len : most;
        low.update(hash, in, (unsigned int)part);
        in += part;
        len -= part;
    }
}

void signet_nss_lowhash_end(struct NSSLOWHASHContextStr *hash, uint8_t *out, unsigned bits)
{
    unsigned int got;
    low.end(hash, out, &got, bits / 8);
}
