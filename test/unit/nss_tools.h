/* SPDX-License-Identifier: MIT */
/* What the tests of the NSS handler share: keys and lanes by its table, OpenSSL's answers. */
#ifndef TEST_NSS_TOOLS_H
#define TEST_NSS_TOOLS_H

#include "support/suite.h"

#include "crypto/nss_lib.h"

#define LEN_MAX 9000

static const struct signet_handler *const h = &signet_handler_nss;

/* Random bytes after start(): the secret, of which keys take the beginning, and a text. */
extern uint8_t raw[64], in[LEN_MAX];
/* What the handler gives, what OpenSSL gives. */
extern uint8_t out[LEN_MAX + 16], want[LEN_MAX + 16];

void start(void);
/* Then with objects and sessions of softoken, as where freebl's contexts can't be used. */
void start_softoken(void);
void stop(void);

struct user {
    void *key, *lane;
    enum signet_alg alg;
};

struct user use(enum signet_alg alg, size_t len);
void drop(struct user *u);

/* OpenSSL's answers, to want. */
void evp_cbc(bool seal, size_t key_len, const uint8_t *from, size_t len, const uint8_t *iv);
void evp_gcm(const uint8_t *from, size_t len, const uint8_t *nonce);

struct cbc_alg {
    enum signet_alg alg;
    size_t key_len;
    bool seal;
};
extern const struct cbc_alg cbc_algs[4];

/* One operation, out of place and in place, each with an IV of its own. */
void check_cbc(struct user *u, int row, size_t len);

#endif
