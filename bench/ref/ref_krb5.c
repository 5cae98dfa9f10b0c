/* SPDX-License-Identifier: MIT */
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

#ifdef BENCH_KRB5
#include <krb5.h>

struct ref_krb5 {
    krb5_context context;
    krb5_key key;
};

struct ref_krb5 *ref_krb5_new(const uint8_t key[32])
{
    struct ref_krb5 *k = calloc(1, sizeof *k);
    krb5_octet copy[32];
    memcpy(copy, key, sizeof copy);
    krb5_keyblock block = {KV5M_KEYBLOCK, ENCTYPE_AES256_CTS_HMAC_SHA384_192, 32, copy};
    if (k && krb5_init_context(&k->context) == 0 &&
        krb5_k_create_key(k->context, &block, &k->key) == 0) {
        return k;
    }
    ref_krb5_free(k);
    return NULL;
}

void ref_krb5_free(struct ref_krb5 *k)
{
    if (!k) {
        return;
    }
    if (k->key) {
        krb5_k_free_key(k->context, k->key);
    }
    if (k->context) {
        krb5_free_context(k->context);
    }
    free(k);
}

int ref_krb5_seal(struct ref_krb5 *k, uint32_t usage, uint8_t *out, const uint8_t *in, int n)
{
    krb5_data plain = {KV5M_DATA, (unsigned)n, (char *)in};
    krb5_enc_data sealed = {0};
    sealed.ciphertext = (krb5_data){KV5M_DATA, (unsigned)n + 40, (char *)out};
    if (krb5_k_encrypt(k->context, k->key, (krb5_keyusage)usage, NULL, &plain, &sealed)) {
        return -1;
    }
    return (int)sealed.ciphertext.length;
}

int ref_krb5_open(struct ref_krb5 *k, uint32_t usage, uint8_t *out, const uint8_t *in, int n)
{
    krb5_enc_data sealed = {0};
    sealed.enctype = ENCTYPE_AES256_CTS_HMAC_SHA384_192;
    sealed.ciphertext = (krb5_data){KV5M_DATA, (unsigned)n, (char *)in};
    krb5_data plain = {KV5M_DATA, (unsigned)n, (char *)out};
    if (krb5_k_decrypt(k->context, k->key, (krb5_keyusage)usage, NULL, &sealed, &plain)) {
        return -1;
    }
    return (int)plain.length;
}

const char *ref_krb5_version(void)
{
    return BENCH_KRB5;
}

#else

struct ref_krb5 *ref_krb5_new(const uint8_t key[32])
{
    (void)key;
    return NULL;
}

void ref_krb5_free(struct ref_krb5 *k)
{
    (void)k;
}

int ref_krb5_seal(struct ref_krb5 *k, uint32_t usage, uint8_t *out, const uint8_t *in, int n)
{
    (void)k, (void)usage, (void)out, (void)in, (void)n;
    return -1;
}

int ref_krb5_open(struct ref_krb5 *k, uint32_t usage, uint8_t *out, const uint8_t *in, int n)
{
    (void)k, (void)usage, (void)out, (void)in, (void)n;
    return -1;
}

const char *ref_krb5_version(void)
{
    return "not built in";
}
#endif
