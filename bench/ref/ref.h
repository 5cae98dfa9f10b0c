/* SPDX-License-Identifier: MIT */
/*
 * Reference ways of sealing a cephx message with the libraries themselves or with the bare
 * instructions. In benches only. AES-128-CBC, the fixed IV of type 1 keys, PKCS padding; n bytes
 * of plaintext make 16 * (n / 16 + 1). One thread per object.
 */
#ifndef BENCH_REF_H
#define BENCH_REF_H

#include <stddef.h>
#include <stdint.h>

enum { REF_KEY_LEN = 16 };

struct ref_cipher {
    const char *name;
    /* What the way keeps between messages; NULL: it cannot work here and has no row. */
    void *(*make)(const uint8_t key[REF_KEY_LEN]);
    void (*drop)(void *state);
    /* The length of what was written to out (room for n + 16 bytes), or -1. in != out. */
    int (*seal)(void *state, uint8_t *out, const uint8_t *in, int n);
    int (*open)(void *state, uint8_t *out, const uint8_t *in, int n);
};

extern const uint8_t ref_iv[16];

/* The bare AES instructions. fenced: each message starts when the one before is done, as if its
 * result were waited for; the other lets messages overlap in the processor. x86 only. */
extern const struct ref_cipher ref_limit_fenced, ref_limit_unfenced;
/* Everything per call, as Ceph did in 2015: slot, key import, parameter, context. */
extern const struct ref_cipher ref_naive_nss, ref_naive_openssl;
/* Key structures kept, a context per call. */
extern const struct ref_cipher ref_cached_nss, ref_cached_openssl;

/* A peer for type 2 keys: MIT krb5 with a kept key. make returns NULL in a build without it. */
struct ref_krb5;
struct ref_krb5 *ref_krb5_new(const uint8_t key[32]);
void ref_krb5_free(struct ref_krb5 *k);
/* n bytes of plaintext make n + 40. The length written, or -1. */
int ref_krb5_seal(struct ref_krb5 *k, uint32_t usage, uint8_t *out, const uint8_t *in, int n);
int ref_krb5_open(struct ref_krb5 *k, uint32_t usage, uint8_t *out, const uint8_t *in, int n);
const char *ref_krb5_version(void);

#endif
