/* SPDX-License-Identifier: MIT */
/*
 * Intel's multi-buffer library: GCM with its key data made once per key and only read, CBC opening
 * and CTR by bursts of one. All else (CBC sealing, which is a chain and gains nothing here, blocks,
 * HMAC, random) is the openssl handler's. Built where the library is there.
 *
 * Its functions store 0 into one error number of the whole process at every call, which threads
 * that handle short messages feel: see doc/handlers.md.
 */
#include "crypto/openssl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <intel-ipsec-mb.h>

#include "base/secret.h"

/* Above it GCM refuses by its error number alone. */
#define GCM_LEN_MAX ((UINT64_C(1) << 36) - 32)
/* The library counts in the last 32 bits of a counter block. */
#define COUNTER_END (UINT64_C(1) << 32)

static const struct signet_handler *const rest = &signet_handler_openssl;

/* Functions for GCM and key schedules; read only once it is set up. */
static IMB_MGR *functions;
/* A manager is for one thread at a time: one per thread index, and one for all others, which share
 * a lock. Kept until the handler stops. */
static IMB_MGR *managers[SIGNET_THREAD_MAX + 1];

/* All threads read the same; it is the lane, too. */
struct gcm_key {
    struct gcm_key_data data; /* first: on a cache line */
    aes_gcm_enc_dec_t seal, open;
};

struct schedules {
    _Alignas(16) uint8_t enc[16 * 15], dec[16 * 15];
};

/* Of bursts and, as both come in through the same function, of CBC sealing. */
struct lane {
    IMB_MGR *manager; /* NULL: sealing, by the other handler */
    const struct schedules *key;
    void *other;
    IMB_KEY_SIZE_BYTES key_len;
};

static bool is_burst(enum signet_alg alg)
{
    return alg == SIGNET_ALG_CBC128_OPEN || alg == SIGNET_ALG_CBC256_OPEN ||
           alg == SIGNET_ALG_CTR256;
}

static bool is_ours(enum signet_alg alg)
{
    return signet_alg_is_gcm(alg) || is_burst(alg);
}

static bool is_cbc_seal(enum signet_alg alg)
{
    return alg == SIGNET_ALG_CBC128_SEAL || alg == SIGNET_ALG_CBC256_SEAL;
}

static IMB_MGR *new_manager(void)
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager != NULL) {
        init_mb_mgr_auto(manager, NULL);
        if (imb_get_errno(manager) != 0) {
            free_mb_mgr(manager);
            manager = NULL;
        }
    }
    return manager;
}

/* ---- the library ---- */

static int start(char *why, size_t cap)
{
    int err = signet_openssl_started() ? 0 : rest->start(why, cap);
    if (err != 0) {
        return err;
    }
    if (rest->fips()) {
        snprintf(why, cap, "OpenSSL is under the FIPS policy, which this library does not follow");
        return -SIGNET_E_HANDLER_FIPS;
    }
    functions = new_manager();
    if (functions == NULL) {
        snprintf(why, cap, "the library does not work on this processor");
        return -SIGNET_E_HANDLER_REFUSED;
    }
    return 0;
}

static void stop(void)
{
    for (unsigned i = 0; i <= SIGNET_THREAD_MAX; i++) {
        if (managers[i] != NULL) {
            free_mb_mgr(managers[i]);
            managers[i] = NULL;
        }
    }
    free_mb_mgr(functions);
    functions = NULL;
}

static void version(char *out, size_t cap)
{
    snprintf(out, cap, "ipsec-mb %s, OpenSSL %s", imb_get_version_str(),
             OpenSSL_version(OPENSSL_VERSION_STRING));
}

static bool fips(void)
{
    return false;
}

static void detail(char *out, size_t cap)
{
    static const char *const names[IMB_ARCH_NUM] = {
        [IMB_ARCH_NOAESNI] = "plain", [IMB_ARCH_SSE] = "SSE",       [IMB_ARCH_AVX] = "AVX",
        [IMB_ARCH_AVX2] = "AVX2",     [IMB_ARCH_AVX512] = "AVX512",
    };
    unsigned arch = functions != NULL ? functions->used_arch : 0;
    const char *name = arch < IMB_ARCH_NUM ? names[arch] : NULL;
    snprintf(out, cap, "%s code; GCM, CBC opening and CTR (%s bursts) here, the rest by openssl",
             name != NULL ? name : "unknown", signet_plain_calls ? "checked" : "unchecked");
}

/* ---- keys and lanes ---- */

static int new_gcm_key(void **key, enum signet_alg alg, const uint8_t *raw)
{
    struct gcm_key *k = signet_secret_alloc(sizeof(*k));
    if (k == NULL) {
        return -SIGNET_E_NOMEM;
    }
    bool small = signet_alg_key_len(alg) == 16;
    if (small) {
        IMB_AES128_GCM_PRE(functions, raw, &k->data);
    } else {
        IMB_AES256_GCM_PRE(functions, raw, &k->data);
    }
    k->seal = small ? functions->gcm128_enc : functions->gcm256_enc;
    k->open = small ? functions->gcm128_dec : functions->gcm256_dec;
    *key = k;
    return 0;
}

static int new_schedules(void **key, enum signet_alg alg, const uint8_t *raw)
{
    struct schedules *s = signet_secret_alloc(sizeof(*s));
    if (s == NULL) {
        return -SIGNET_E_NOMEM;
    }
    if (signet_alg_key_len(alg) == 16) {
        IMB_AES_KEYEXP_128(functions, raw, s->enc, s->dec);
    } else {
        IMB_AES_KEYEXP_256(functions, raw, s->enc, s->dec);
    }
    *key = s;
    return 0;
}

static int key_new(void **key, enum signet_alg alg, const uint8_t *raw, size_t len)
{
    *key = NULL;
    if (!is_ours(alg)) {
        return rest->key_new(key, alg, raw, len);
    }
    if (len != signet_alg_key_len(alg)) {
        return -SIGNET_E_INVAL;
    }
    return signet_alg_is_gcm(alg) ? new_gcm_key(key, alg, raw) : new_schedules(key, alg, raw);
}

static void key_free(enum signet_alg alg, void *key)
{
    if (!is_ours(alg)) {
        rest->key_free(alg, key);
    } else if (key != NULL) {
        signet_secret_free(key, signet_alg_is_gcm(alg) ? sizeof(struct gcm_key)
                                                       : sizeof(struct schedules));
    }
}

/* Only the owner of the index is here, or whoever holds the lock of those without one. */
static IMB_MGR *manager_of(unsigned index)
{
    IMB_MGR **at = &managers[index < SIGNET_THREAD_MAX ? index : SIGNET_THREAD_MAX];
    if (*at == NULL) {
        *at = new_manager();
    }
    return *at;
}

static int new_cbc_seal(void **out, enum signet_alg alg, const void *key, unsigned index)
{
    struct lane *lane = calloc(1, sizeof(*lane));
    if (lane == NULL) {
        return -SIGNET_E_NOMEM;
    }
    int err = rest->lane_new(&lane->other, alg, key, index);
    if (err != 0) {
        free(lane);
        return err;
    }
    *out = lane;
    return 0;
}

static int new_burst(void **out, enum signet_alg alg, const void *key, unsigned index)
{
    struct lane *lane = calloc(1, sizeof(*lane));
    IMB_MGR *manager = manager_of(index);
    if (lane == NULL || manager == NULL) {
        free(lane);
        return -SIGNET_E_NOMEM;
    }
    lane->manager = manager;
    lane->key = key;
    lane->key_len = signet_alg_key_len(alg) == 16 ? IMB_KEY_128_BYTES : IMB_KEY_256_BYTES;
    *out = lane;
    return 0;
}

static int lane_new(void **out, enum signet_alg alg, const void *key, unsigned index)
{
    *out = NULL;
    if (signet_alg_is_gcm(alg)) {
        *out = (void *)(uintptr_t)key;
        return 0;
    }
    return is_burst(alg)      ? new_burst(out, alg, key, index)
           : is_cbc_seal(alg) ? new_cbc_seal(out, alg, key, index)
                              : rest->lane_new(out, alg, key, index);
}

static void lane_free(enum signet_alg alg, void *lane_)
{
    struct lane *lane = lane_;
    if (is_cbc_seal(alg)) {
        rest->lane_free(alg, lane->other);
    }
    if (is_cbc_seal(alg) || is_burst(alg)) {
        free(lane);
    } else if (!is_ours(alg)) {
        rest->lane_free(alg, lane_);
    }
}

/* ---- operations ---- */

static int burst(const struct lane *lane, uint8_t *out, const uint8_t *in, size_t len,
                 const uint8_t iv[16], IMB_CIPHER_MODE mode)
{
    IMB_CIPHER_DIRECTION way = mode == IMB_CIPHER_CBC ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    IMB_JOB job;
    memset(&job, 0, sizeof(job));
    job.src = in;
    job.dst = out;
    job.msg_len_to_cipher_in_bytes = len;
    job.iv = iv;
    job.iv_len_in_bytes = 16;
    job.enc_keys = lane->key->enc;
    job.dec_keys = lane->key->dec;
    job.key_len_in_bytes = lane->key_len;
    job.cipher_mode = mode;
    job.cipher_direction = way;
    job.hash_alg = IMB_AUTH_NULL;
    uint32_t done =
        signet_plain_calls
            ? IMB_SUBMIT_CIPHER_BURST(lane->manager, &job, 1, mode, way, lane->key_len)
            : IMB_SUBMIT_CIPHER_BURST_NOCHECK(lane->manager, &job, 1, mode, way, lane->key_len);
    return done == 1 && job.status == IMB_STATUS_COMPLETED ? 0 : -SIGNET_E_HANDLER_FAILED;
}

static int cbc(void *lane_, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    const struct lane *lane = lane_;
    return lane->manager == NULL ? rest->cbc(lane->other, out, in, len, iv)
                                 : burst(lane, out, in, len, iv, IMB_CIPHER_CBC);
}

/* One big-endian number of 16 bytes, counted on. */
static void count_on(uint8_t iv[16], uint64_t blocks)
{
    for (int i = 15; i >= 0 && blocks > 0; i--) {
        blocks += iv[i];
        iv[i] = (uint8_t)blocks;
        blocks >>= 8;
    }
}

static int ctr(void *lane, uint8_t *out, const uint8_t *in, size_t len, const uint8_t iv[16])
{
    uint8_t at[16];
    int err = 0;
    memcpy(at, iv, 16);
    while (err == 0 && len > 0) {
        uint64_t low =
            (uint64_t)at[12] << 24 | (uint64_t)at[13] << 16 | (uint64_t)at[14] << 8 | at[15];
        uint64_t most = 16 * (COUNTER_END - low);
        size_t part = len < most ? len : (size_t)most;
        err = burst(lane, out, in, part, at, IMB_CIPHER_CNTR);
        count_on(at, (part + 15) / 16);
        out += part;
        in += part;
        len -= part;
    }
    return err;
}

static int gcm_seal(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12])
{
    const struct gcm_key *key = lane;
    struct gcm_context_data context;
    if (len > GCM_LEN_MAX) {
        return -SIGNET_E_INVAL;
    }
    key->seal(&key->data, &context, out, in, len, nonce, NULL, 0, out + len, 16);
    return 0;
}

static int gcm_open(void *lane, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t nonce[12])
{
    const struct gcm_key *key = lane;
    struct gcm_context_data context;
    uint8_t want[16], got[16];
    if (len > GCM_LEN_MAX) {
        return -SIGNET_E_INVAL;
    }
    memcpy(got, in + len, sizeof(got));
    key->open(&key->data, &context, out, in, len, nonce, NULL, 0, want, 16);
    return signet_equal(want, got, sizeof(got)) ? 0 : -SIGNET_E_OPEN;
}

static int ecb(void *lane, uint8_t *out, const uint8_t *in, size_t len)
{
    return rest->ecb(lane, out, in, len);
}

static int hmac(void *lane, uint8_t *out, const struct signet_span *parts, size_t num)
{
    return rest->hmac(lane, out, parts, num);
}

/* The library takes no locks; those of the other handler are its own hooks' business. */
static void nothing(void)
{
}

const struct signet_handler signet_handler_ipsec_mb = {
    .name = "ipsec-mb",
    .start = start,
    .stop = stop,
    .version = version,
    .fips = fips,
    .detail = detail,
    .key_new = key_new,
    .key_free = key_free,
    .lane_new = lane_new,
    .lane_free = lane_free,
    .cbc = cbc,
    .gcm_seal = gcm_seal,
    .gcm_open = gcm_open,
    .ctr = ctr,
    .ecb = ecb,
    .hmac = hmac,
    .random = signet_openssl_random,
    .fork_prepare = nothing,
    .fork_parent = nothing,
    .fork_child = nothing,
};
