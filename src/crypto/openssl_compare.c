/* SPDX-License-Identifier: MIT */
/* Direct calls against EVP, before they may be used. */
#include "crypto/openssl.h"

#include <string.h>

#include "base/secret.h"
#include "crypto/compare.h"

static const struct signet_handler by_evp = {.cbc = signet_evp_iv,
                                             .ctr = signet_evp_iv,
                                             .ecb = signet_evp_ecb,
                                             .gcm_seal = signet_evp_gcm_seal,
                                             .gcm_open = signet_evp_gcm_open};
static const struct signet_handler directly = {.cbc = signet_direct_cbc,
                                               .ctr = signet_direct_iv,
                                               .ecb = signet_direct_ecb,
                                               .gcm_seal = signet_direct_gcm_seal,
                                               .gcm_open = signet_direct_gcm_open};

static bool agrees(enum signet_alg alg, const struct openssl_key *key)
{
    enum signet_alg other = signet_way_known(alg);
    struct signet_way evp = {&by_evp, NULL}, direct = {&directly, NULL};
    bool ok = signet_evp_lane_new(&evp.lane, other, key) == 0 &&
              signet_direct_lane_new(&direct.lane, alg, key) == 0 &&
              signet_ways_agree(alg, &evp, &direct);
    signet_evp_lane_free(other, evp.lane);
    signet_direct_lane_free(direct.lane);
    return ok;
}

bool signet_openssl_compare(void)
{
    size_t size = sizeof(struct openssl_key) + 32;
    struct openssl_key *key = signet_secret_alloc(size);
    if (key == NULL) {
        return false;
    }
    memset(key->raw, 0x5a, 32);
    bool ok = true;
    for (int alg = SIGNET_ALG_CBC128_SEAL; ok && alg <= SIGNET_ALG_ECB128_SEAL; alg++) {
        key->len = (uint8_t)signet_alg_key_len((enum signet_alg)alg);
        ok = agrees((enum signet_alg)alg, key);
    }
    signet_secret_free(key, size);
    return ok;
}
