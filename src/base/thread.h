/* SPDX-License-Identifier: MIT */
/* Threads of the library's own, started and woken in one way. */
#ifndef SIGNET_BASE_THREAD_H
#define SIGNET_BASE_THREAD_H

#include <pthread.h>

/* Runs run(arg) on a new thread, to be joined by the caller; name has at most 15 characters, NULL
 * leaves the caller's. Signals are for the program's own threads: all are blocked there but those
 * of faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS), which the program's
 * handlers may report. 0, or -SIGNET_E_NOMEM and *thread means nothing. Any thread. */
int signet_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

/* A condition whose timed waits go by CLOCK_MONOTONIC. */
void signet_cond_init(pthread_cond_t *cond);

#endif
