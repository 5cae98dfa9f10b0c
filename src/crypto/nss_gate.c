/* SPDX-License-Identifier: MIT */
#include "crypto/nss_gate.h"

#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FENCED 0x80000000U

struct signet_nss_flag signet_nss_flags[SIGNET_THREAD_MAX + 1];
_Atomic uint32_t signet_nss_gate;

static bool membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

void signet_nss_gate_start(void)
{
    if (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) ||
        !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
        atomic_fetch_or(&signet_nss_gate, FENCED);
    }
}

bool signet_nss_gate_fast(void)
{
    return (atomic_load(&signet_nss_gate) & FENCED) == 0;
}

/* The read-modify-write is the fence between raising the flag and reading the gate. */
static uint32_t raise_and_look(struct signet_nss_flag *flag)
{
    if (signet_nss_flag_shared(flag)) {
        atomic_fetch_add(&flag->busy, 1);
    } else {
        atomic_exchange(&flag->busy, 1);
    }
    return atomic_load(&signet_nss_gate);
}

void signet_nss_enter_slow(struct signet_nss_flag *flag)
{
    signet_nss_leave(flag);
    for (;;) {
        uint32_t seen = raise_and_look(flag);
        if ((seen & ~FENCED) == 0) {
            return;
        }
        signet_nss_leave(flag);
        (void)syscall(SYS_futex, &signet_nss_gate, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
}

void signet_nss_fork_prepare(void)
{
    atomic_fetch_add(&signet_nss_gate, 1);
    if (signet_nss_gate_fast()) {
        (void)membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    }
    for (unsigned i = 0; i <= SIGNET_THREAD_MAX; i++) {
        while (atomic_load(&signet_nss_flags[i].busy) != 0) {
            sched_yield();
        }
    }
}

void signet_nss_fork_parent(void)
{
    atomic_fetch_sub(&signet_nss_gate, 1);
    (void)syscall(SYS_futex, &signet_nss_gate, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* The threads that were at the gate are gone, and with them the other forks. */
void signet_nss_fork_child(void)
{
    for (unsigned i = 0; i <= SIGNET_THREAD_MAX; i++) {
        if (atomic_load(&signet_nss_flags[i].busy) != 0) { /* do not touch clean pages */
            atomic_store(&signet_nss_flags[i].busy, 0);
        }
    }
    atomic_fetch_and(&signet_nss_gate, FENCED);
    signet_nss_gate_start();
}
