/* SPDX-License-Identifier: MIT */
/* freebl's contexts against sessions of softoken, before they may be used. */
#include "crypto/compare.h"
#include "crypto/nss_lib.h"

static const struct signet_handler by_nss = {.cbc = signet_nss_cbc,
                                             .ctr = signet_nss_ctr,
                                             .ecb = signet_nss_ecb,
                                             .gcm_seal = signet_nss_gcm_seal,
                                             .gcm_open = signet_nss_gcm_open};

static const uint8_t raw[32] = {0x5a, 1, 2, 3, 4, 5, 6, 7, 8, 9};

/* An object and a lane of it, by softoken or by freebl. */
struct user {
    struct signet_nss_object *object;
    struct signet_way way;
};

static bool set_up(struct user *u, enum signet_alg alg, bool freebl)
{
    unsigned index = signet_thread_index();
    struct signet_nss_flag *flag = signet_nss_flag(index);
    *u = (struct user){.way.functions = &by_nss};
    signet_nss_lib.freebl = freebl;
    signet_nss_enter(flag);
    int err = signet_nss_object_get(&u->object, CKK_AES, raw, signet_alg_key_len(alg));
    signet_nss_leave(flag);
    signet_nss_lib.freebl = false;
    return err == 0 && signet_nss_lane_new(&u->way.lane, alg, u->object, index) == 0;
}

static void drop(struct user *u)
{
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    if (u->way.lane != NULL) {
        signet_nss_lane_free(u->way.lane);
    }
    if (u->object != NULL) {
        signet_nss_enter(flag);
        signet_nss_object_put(u->object);
        signet_nss_leave(flag);
    }
}

static bool agrees(enum signet_alg alg)
{
    struct user softoken, freebl = {0};
    bool ok = set_up(&softoken, signet_way_known(alg), false) && set_up(&freebl, alg, true) &&
              signet_ways_agree(alg, &softoken.way, &freebl.way);
    drop(&freebl);
    drop(&softoken);
    return ok;
}

static bool load(void)
{
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    signet_nss_enter(flag);
    bool ok = signet_nss_freebl_load();
    signet_nss_leave(flag);
    return ok;
}

bool signet_nss_freebl_agrees(void)
{
    static int verdict; /* 0: not known, 1: they do, -1: they do not */
    if (verdict == 0) {
        bool ok = load();
        for (int alg = SIGNET_ALG_CBC128_SEAL; ok && alg <= SIGNET_ALG_ECB128_SEAL; alg++) {
            ok = agrees((enum signet_alg)alg);
        }
        verdict = ok ? 1 : -1;
    }
    return verdict > 0;
}
