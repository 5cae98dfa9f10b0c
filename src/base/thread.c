/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include <signet/error.h>

static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t most;
    sigfillset(&most);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        sigdelset(&most, faults[i]);
    }
    pthread_sigmask(SIG_BLOCK, &most, before);
}

int signet_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
    sigset_t before;
    block_signals(&before);
    int err = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err == 0 && name != NULL) {
        (void)pthread_setname_np(*thread, name);
    }
    return err == 0 ? 0 : -SIGNET_E_NOMEM;
}

void signet_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}
