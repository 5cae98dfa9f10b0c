/* SPDX-License-Identifier: MIT */
#include "crypto/nss_lib.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

static int key_new(void **key, enum signet_alg alg, const uint8_t *raw, size_t len)
{
    *key = NULL;
    if (signet_alg_is_hmac(alg)) {
        return len > 0 && len <= 64 ? signet_nss_hmac_key_new(key, alg, raw, len) : -SIGNET_E_INVAL;
    }
    if (len != signet_alg_key_len(alg)) {
        return -SIGNET_E_INVAL;
    }
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    struct signet_nss_object *object = NULL;
    signet_nss_enter(flag);
    int err = signet_nss_object_get(&object, CKK_AES, raw, len);
    signet_nss_leave(flag);
    *key = object;
    return err;
}

static void key_free(enum signet_alg alg, void *key)
{
    if (key == NULL) {
        return;
    }
    if (signet_alg_is_hmac(alg)) {
        signet_nss_hmac_key_free(key);
        return;
    }
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    signet_nss_enter(flag);
    signet_nss_object_put(key);
    signet_nss_leave(flag);
}

static int lane_new(void **lane, enum signet_alg alg, const void *key, unsigned index)
{
    if (signet_alg_is_hmac(alg)) {
        return signet_nss_hmac_lane_new(lane, alg, key, index);
    }
    /* Not const: the object's handle may be renewed, nothing else. */
    return signet_nss_lane_new(lane, alg, (void *)(uintptr_t)key, index);
}

static void lane_free(enum signet_alg alg, void *lane)
{
    if (lane == NULL) {
        return;
    }
    if (signet_alg_is_hmac(alg)) {
        signet_nss_hmac_lane_free(lane);
    } else {
        signet_nss_lane_free(lane);
    }
}

/* The kernel's: NSS's generator takes a global lock and does not notice a fork, so that parent
 * and child would draw the same bytes. */
static int random_bytes(uint8_t *out, size_t len)
{
    while (len > 0) {
        ssize_t got = getrandom(out, len, 0);
        if (got < 0 && errno != EINTR) {
            return -SIGNET_E_RANDOM;
        }
        if (got > 0) {
            out += got;
            len -= (size_t)got;
        }
    }
    return 0;
}

static void version(char *out, size_t cap)
{
    snprintf(out, cap, "NSS %s", NSS_GetVersion());
}

static void detail(char *out, size_t cap)
{
    snprintf(out, cap,
             "AES by %s, CBC with IV algebra, CTR from ECB, HMAC by %s, fork gate with %s",
             signet_nss_lib.freebl ? "freebl's contexts" : "softoken in slots of our own",
             signet_nss_lib.midstate  ? "freebl from half-way states"
             : signet_nss_lib.lowhash ? "freebl"
                                      : "C_Sign",
             signet_nss_gate_fast() ? "membarrier" : "fences");
}

const struct signet_handler signet_handler_nss = {
    .name = "nss",
    .start = signet_nss_start,
    .stop = signet_nss_stop,
    .version = version,
    .fips = signet_nss_fips,
    .detail = detail,
    .key_new = key_new,
    .key_free = key_free,
    .lane_new = lane_new,
    .lane_free = lane_free,
    .cbc = signet_nss_cbc,
    .gcm_seal = signet_nss_gcm_seal,
    .gcm_open = signet_nss_gcm_open,
    .ctr = signet_nss_ctr,
    .ecb = signet_nss_ecb,
    .hmac = signet_nss_hmac,
    .random = random_bytes,
    .fork_prepare = signet_nss_fork_prepare,
    .fork_parent = signet_nss_fork_parent,
    .fork_child = signet_nss_fork_child,
};
