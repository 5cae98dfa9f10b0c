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

enum { REF_KEY_LEN = 16, REF_NONCE_LEN = 12, REF_TAG_LEN = 16 };

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
/* The envelope header; plaintexts start with it, so that all rows seal the same bytes. */
extern const uint8_t ref_header[9];

/* The bare AES instructions. fenced: each message starts when the one before is done, as if its
 * result were waited for; the other lets messages overlap in the processor. x86 only. */
extern const struct ref_cipher ref_limit_fenced, ref_limit_unfenced;
/* Everything per call, as Ceph did in 2015: slot, key import, parameter, context. */
extern const struct ref_cipher ref_naive_nss, ref_naive_openssl;
/* Key structures kept, a context per call. */
extern const struct ref_cipher ref_cached_nss, ref_cached_openssl;
/* A context kept and begun anew by its IV, through EVP: what signet does where it may not call the
 * provider's functions. */
extern const struct ref_cipher ref_evp_openssl;

/* Contexts and sessions kept, the library's innermost functions called directly. */
extern const struct ref_cipher ref_bare_nss, ref_bare_openssl;

/* AES-128-GCM without additional data; the tag follows the n bytes. 0 on success. */
struct ref_gcm {
    const char *name;
    void *(*make)(const uint8_t key[REF_KEY_LEN]);
    void (*drop)(void *state);
    int (*seal)(void *state, uint8_t *out, const uint8_t *in, size_t n,
                const uint8_t nonce[REF_NONCE_LEN]);
    int (*open)(void *state, uint8_t *out, const uint8_t *in, size_t n,
                const uint8_t nonce[REF_NONCE_LEN]);
};
extern const struct ref_gcm ref_gcm_nss, ref_gcm_openssl, ref_gcm_ipsec_mb;

/* n bytes and their padding to out, which may not be in; the padded length. */
size_t ref_pad(uint8_t *out, const uint8_t *in, int n);
/* The length without padding, or -1. */
int ref_unpad(const uint8_t *out, int n);
/* Starts NSS, once; 0 on success. */
int ref_nss_start(void);

/* A peer for type 2 keys: MIT krb5 with a kept key. make returns NULL in a build without it. */
struct ref_krb5;
struct ref_krb5 *ref_krb5_new(const uint8_t key[32]);
void ref_krb5_free(struct ref_krb5 *k);
/* n bytes of plaintext make n + 40. The length written, or -1. */
int ref_krb5_seal(struct ref_krb5 *k, uint32_t usage, uint8_t *out, const uint8_t *in, int n);
int ref_krb5_open(struct ref_krb5 *k, uint32_t usage, uint8_t *out, const uint8_t *in, int n);
const char *ref_krb5_version(void);
const char *ref_ipsec_mb_version(void);

#endif
