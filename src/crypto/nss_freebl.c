/* SPDX-License-Identifier: MIT */
#include "crypto/nss_freebl.h"

#include <dlfcn.h>
#include <string.h>

#include <blapit.h>
#include <prerror.h>
#include <secerr.h>

#define LIBRARY "libfreeblpriv3.so"

/* A u16 length in bytes, a u16 version (major, minor) and pointers from byte 8 on. */
enum { MAJOR = 3 };
/* AES_CreateContext and what follows it have had their places since NSS 3.8, AES_AEAD since 3.52.
 */
enum { CREATE = 30, DESTROY, ENCRYPT, DECRYPT, AEAD = 237, SLOTS_NEEDED };

static struct {
    void *(*create)(const uint8_t *key, const uint8_t *iv, int mode, int encrypt,
                    unsigned int key_len, unsigned int block_len);
    void (*destroy)(void *context, int free_it);
    signet_nss_crypt *encrypt, *decrypt;
    int (*aead)(void *context, uint8_t *out, unsigned int *out_len, unsigned int cap,
                const uint8_t *in, unsigned int len, void *parameters, unsigned int parameters_len,
                const uint8_t *aad, unsigned int aad_len);
} aes;

/* A cast from a data pointer to a function pointer is not ISO C. */
void signet_nss_table_take(void *function, const unsigned char *table, unsigned slot)
{
    memcpy(function, table + 8 * (size_t)slot, sizeof(void *));
}

const unsigned char *signet_nss_table(unsigned slots)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *symbol = library != NULL ? dlsym(library, "FREEBL_GetVector") : NULL;
    const unsigned char *(*get)(void);
    memcpy(&get, &symbol, sizeof(get));
    const unsigned char *table = symbol != NULL ? get() : NULL;
    uint16_t head[2] = {0, 0};
    if (table != NULL) {
        memcpy(head, table, sizeof(head));
    }
    if (library != NULL) {
        (void)dlclose(library); /* RTLD_NODELETE: it stays */
    }
    return sizeof(void *) == 8 && head[1] >> 8 == MAJOR && head[0] >= 8 * slots ? table : NULL;
}

bool signet_nss_freebl_load(void)
{
    const unsigned char *table = signet_nss_table(SLOTS_NEEDED);
    if (table == NULL) {
        return false;
    }
    signet_nss_table_take(&aes.create, table, CREATE);
    signet_nss_table_take(&aes.destroy, table, DESTROY);
    signet_nss_table_take(&aes.encrypt, table, ENCRYPT);
    signet_nss_table_take(&aes.decrypt, table, DECRYPT);
    signet_nss_table_take(&aes.aead, table, AEAD);
    return aes.create && aes.destroy && aes.encrypt && aes.decrypt && aes.aead;
}

static int mode_of(enum signet_alg alg)
{
    return signet_alg_is_gcm(alg)                                      ? NSS_AES_GCM
           : alg == SIGNET_ALG_CTR256 || alg == SIGNET_ALG_ECB128_SEAL ? NSS_AES
                                                                       : NSS_AES_CBC;
}

void *signet_nss_context_new(enum signet_alg alg, const uint8_t *raw, size_t len,
                             signet_nss_crypt **crypt)
{
    static const uint8_t zeros[16];
    bool opens = signet_alg_opens(alg);
    *crypt = opens ? aes.decrypt : aes.encrypt;
    return aes.create(raw, mode_of(alg) == NSS_AES_CBC ? zeros : NULL, mode_of(alg), !opens,
                      (unsigned int)len, 16);
}

void signet_nss_context_free(void *context)
{
    aes.destroy(context, 1);
}

int signet_nss_context_gcm(void *context, uint8_t *out, const uint8_t *in, unsigned int len,
                           void *parameters, unsigned int parameters_len)
{
    unsigned int got = len;
    int failed = aes.aead(context, out, &got, len, in, len, parameters, parameters_len, NULL, 0);
    if (__builtin_expect(failed == 0 && got == len, 1)) {
        return 0;
    }
    return failed != 0 && PR_GetError() == SEC_ERROR_BAD_DATA ? -SIGNET_E_OPEN
                                                              : -SIGNET_E_HANDLER_FAILED;
}
