/* SPDX-License-Identifier: MIT */
/*
 * The internal slot belongs to the host, which may have set it up with one lock for all
 * sessions. So we use slots of our own, and several of them, because a session is found through
 * a table of fixed size: with all sessions of ten thousand keys in one slot the search takes
 * longer than the sealing.
 */
#include "crypto/nss_lib.h"

#include <stdio.h>

/* softoken gives out about a hundred slots in all; one takes 120 KB. */
#define SLOTS_MAX 32
/* So many objects go into a slot before another is opened. */
#define SLOT_FULL 512

static struct signet_nss_slot slots[SLOTS_MAX];
static unsigned num;
static bool no_more; /* softoken refused to open another */

/* Once a host has shut NSS down or switched it to FIPS mode, NSS has let go of our module: its
 * list of slots dangles, and only what we hold keeps it alive. Then nothing may be opened, and
 * nothing closed but by giving back what we hold. */
static bool module_is_listed(void)
{
    return NSS_IsInitialized() && SECMOD_GetInternalModule() == signet_nss_lib.module;
}

static bool may_open(void)
{
    return num < SLOTS_MAX && !no_more && module_is_listed();
}

static bool open_one(void)
{
    char spec[128];
    snprintf(spec, sizeof(spec),
             "configDir='' tokenDescription='signet%u' flags=readOnly,noCertDB,noKeyDB,forceOpen",
             num);
    struct signet_nss_slot slot = {.pk11 = SECMOD_OpenNewSlot(signet_nss_lib.module, spec)};
    if (slot.pk11 == NULL) {
        return false;
    }
    slot.id = PK11_GetSlotID(slot.pk11);
    if (signet_nss_lib.fn->C_OpenSession(slot.id, CKF_SERIAL_SESSION, NULL, NULL, &slot.holder) !=
        CKR_OK) {
        (void)SECMOD_CloseUserDB(slot.pk11);
        PK11_FreeSlot(slot.pk11);
        return false;
    }
    slots[num++] = slot;
    return true;
}

int signet_nss_slot_take(void)
{
    int best = -1;
    for (unsigned i = 0; i < num; i++) {
        if (best < 0 || slots[i].objects < slots[best].objects) {
            best = (int)i;
        }
    }
    if ((best < 0 || slots[best].objects >= SLOT_FULL) && may_open()) {
        if (open_one()) {
            best = (int)num - 1;
        } else {
            no_more = true;
        }
    }
    return best;
}

struct signet_nss_slot *signet_nss_slot(unsigned number)
{
    return &slots[number];
}

void signet_nss_slots_close(void)
{
    bool listed = module_is_listed();
    while (num > 0) {
        struct signet_nss_slot *slot = &slots[--num];
        (void)signet_nss_lib.fn->C_CloseSession(slot->holder);
        if (listed) {
            (void)SECMOD_CloseUserDB(slot->pk11);
        }
        PK11_FreeSlot(slot->pk11);
    }
    no_more = false;
}

unsigned signet_nss_slots_open(void)
{
    return num;
}
