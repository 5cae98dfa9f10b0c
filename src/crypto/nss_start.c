/* SPDX-License-Identifier: MIT */
#include "crypto/nss_lib.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <prerror.h>
#include <secerr.h>
#include <secmodt.h>

#include "crypto/nss_lowhash.h"
#include "crypto/nss_midstate.h"

/* Without OPTIMIZESPACE, which puts all sessions of a slot under one lock. */
#define INIT_FLAGS                                                                                 \
    (NSS_INIT_READONLY | NSS_INIT_NOCERTDB | NSS_INIT_NOMODDB | NSS_INIT_FORCEOPEN |               \
     NSS_INIT_NOROOTINIT)

struct signet_nss_lib signet_nss_lib;

static pid_t started_by;

static int refuse(char *why, size_t cap, int err, const char *what)
{
    PRErrorCode code = PR_GetError();
    const char *name = code != 0 ? PR_ErrorToName(code) : NULL;
    snprintf(why, cap, "%s%s%s", what, name != NULL ? ": " : "", name != NULL ? name : "");
    return err;
}

/* What was opened so far, in reverse. Slots first: NSS counts their references. */
static void close_all(void)
{
    signet_nss_hashes_free();
    signet_nss_slots_close();
    if (signet_nss_lib.context != NULL) {
        (void)NSS_ShutdownContext(signet_nss_lib.context);
    }
    memset(&signet_nss_lib, 0, sizeof(signet_nss_lib));
}

static int open_module(char *why, size_t cap)
{
    SECMODModule *module = SECMOD_GetInternalModule();
    if (module == NULL || module->functionList == NULL) {
        return refuse(why, cap, -SIGNET_E_HANDLER_FAILED, "NSS has no internal module");
    }
    const CK_FUNCTION_LIST_3_0 *fn = module->functionList;
    if (fn->version.major < 3) {
        PR_SetError(0, 0);
        return refuse(why, cap, -SIGNET_E_HANDLER_FAILED,
                      "softoken has no PKCS #11 3.0 message interface");
    }
    signet_nss_lib.module = module;
    signet_nss_lib.fn = fn;
    return 0;
}

static int open_all(char *why, size_t cap)
{
    NSSInitParameters parameters = {.length = sizeof(parameters)};
    PR_SetError(0, 0);
    signet_nss_lib.context = NSS_InitContext("", "", "", "", &parameters, INIT_FLAGS);
    if (signet_nss_lib.context == NULL) {
        return refuse(why, cap, -SIGNET_E_HANDLER_FAILED, "NSS_InitContext failed");
    }
    int err = open_module(why, cap);
    if (err != 0) {
        return err;
    }
    static const uint8_t trial[16] = {0};
    if (signet_nss_refuses(CKK_AES, trial, sizeof(trial))) {
        return refuse(why, cap, -SIGNET_E_HANDLER_FIPS,
                      "NSS is in FIPS mode and refuses to import keys");
    }
    if (signet_nss_slot_take() < 0) {
        return refuse(why, cap, -SIGNET_E_HANDLER_FAILED, "softoken opens no slot for us");
    }
    return 0;
}

int signet_nss_start(char *why, size_t cap)
{
    signet_nss_gate_start();
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    signet_nss_enter(flag);
    int err = 0;
    bool fresh = signet_nss_lib.context == NULL;
    if (fresh) { /* else a child's inherited NSS serves on */
        err = open_all(why, cap);
        if (err != 0) {
            close_all();
        } else {
            started_by = getpid();
            signet_nss_lib.lowhash = !signet_plain_calls && signet_nss_lowhash_load();
            signet_nss_lib.midstate = signet_nss_lib.lowhash && signet_nss_midstate_load();
        }
    }
    signet_nss_leave(flag);
    if (fresh && err == 0 && !signet_plain_calls) {
        signet_nss_lib.freebl = signet_nss_freebl_agrees();
    }
    return err;
}

/* In a child NSS_ShutdownContext fails or hangs: what was inherited is left as it is. */
void signet_nss_stop(void)
{
    if (getpid() != started_by) {
        return;
    }
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    signet_nss_enter(flag);
    close_all();
    signet_nss_leave(flag);
}

bool signet_nss_fips(void)
{
    struct signet_nss_flag *flag = signet_nss_flag(signet_thread_index());
    signet_nss_enter(flag);
    bool fips = PK11_IsFIPS() || (signet_nss_lib.module != NULL && signet_nss_lib.module->isFIPS);
    signet_nss_leave(flag);
    return fips;
}

bool signet_nss_refuses(CK_KEY_TYPE type, const uint8_t *raw, size_t len)
{
    if (!PK11_IsFIPS()) {
        return false;
    }
    PK11SlotInfo *slot = PK11_GetInternalSlot();
    if (slot == NULL) {
        return true;
    }
    bool aes = type == CKK_AES;
    SECItem item = {siBuffer, (unsigned char *)(uintptr_t)raw, (unsigned int)len};
    PK11SymKey *key =
        PK11_ImportSymKey(slot, aes ? CKM_AES_CBC : CKM_SHA256_HMAC, PK11_OriginUnwrap,
                          aes ? CKA_ENCRYPT : CKA_SIGN, &item, NULL);
    if (key != NULL) {
        PK11_FreeSymKey(key);
    }
    PK11_FreeSlot(slot);
    return key == NULL;
}

int signet_nss_err(CK_RV rv)
{
    switch (rv) {
    case CKR_OK:
        return 0;
    case CKR_HOST_MEMORY:
        return -SIGNET_E_NOMEM;
    case CKR_ATTRIBUTE_VALUE_INVALID: /* what a FIPS token answers to raw key bytes */
        return -SIGNET_E_HANDLER_FIPS;
    default:
        return -SIGNET_E_HANDLER_FAILED;
    }
}
